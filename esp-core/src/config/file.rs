//! SA files: TOML with one `[[sa]]` table for each SA. `docs/sa-file.md` is the reference.

use std::{collections::HashMap, fmt};

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::{Direction, SaConfig, legal};
use crate::SaError;

/// The reader of SA files.
#[derive(Debug, Clone, Copy)]
pub struct SaFile;

impl SaFile {
    /// Reads and checks every SA of a file, in the file's order. No SA at all is legal.
    ///
    /// The text holds keys: it is the caller's to wipe.
    ///
    /// # Errors
    ///
    /// One fault of the first SA that has any: bad TOML, an unknown, missing or illegal field, a name used twice, or
    /// whatever [`SaConfig::outbound`] or [`SaConfig::inbound`] refuse.
    pub fn parse(text: &str) -> Result<Vec<SaConfig>, ConfigError> {
        let root = DeTable::parse(text).map_err(|fault| {
            let at = fault.span().map_or(0, |span| span.start);
            ConfigError::new(text, at, None, None, fault.message())
        })?;
        let mut configs = Vec::new();
        let mut names = HashMap::new();
        for table in sa_tables(text, root.get_ref())? {
            let place = Place { text, index: configs.len().saturating_add(1), table };
            let config = read_sa(&place)?;
            if let Some(name) = &config.name
                && let Some(first) = names.insert(name.clone(), place.index)
            {
                return Err(place
                    .error("name", &format!("SA {first} has this name too; legal: {}", legal::of("name"))));
            }
            configs.push(config);
        }
        Ok(configs)
    }
}

/// Where an SA file is wrong, and why. Never shows a line of the file, which may hold a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    line: usize,
    column: usize,
    sa: Option<(usize, Option<String>)>,
    field: Option<String>,
    message: String,
}

impl ConfigError {
    fn new(
        text: &str,
        at: usize,
        sa: Option<(usize, Option<String>)>,
        field: Option<String>,
        message: &str,
    ) -> ConfigError {
        let before = text.get(..at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline.saturating_add(1));
        ConfigError {
            line: before.matches('\n').count().saturating_add(1),
            column: before.get(line_start..).map_or(0, |line| line.chars().count()).saturating_add(1),
            sa: sa.map(|(index, name)| (index, name.map(|name| without_key_text(&name)))),
            field: field.map(|field| without_key_text(&field)),
            message: without_key_text(message),
        }
    }

    /// Line, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Column, in characters, counted from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// Which `[[sa]]` table, counted from 1; `None` for a fault outside of them or in the TOML itself.
    pub fn sa(&self) -> Option<usize> {
        self.sa.as_ref().map(|(index, _)| *index)
    }

    /// Name of that SA, when it has one.
    pub fn name(&self) -> Option<&str> {
        self.sa.as_ref().and_then(|(_, name)| name.as_deref())
    }

    /// The field, for instance `mtu`, `udp.src_port` or `selectors[0].src`; `None` when no single one is at fault.
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        match &self.sa {
            Some((index, Some(name))) => write!(f, "SA {index} {name:?}: ")?,
            Some((index, None)) => write!(f, "SA {index}: ")?,
            None => {}
        }
        if let Some(field) = &self.field {
            write!(f, "{field}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConfigError {}

/// The tables of `sa`, which is all that a file may hold.
fn sa_tables<'t, 'i>(text: &str, root: &'t DeTable<'i>) -> Result<&'t [Spanned<DeValue<'i>>], ConfigError> {
    let error = |at, message| Err(ConfigError::new(text, at, None, None, message));
    if let Some((name, _)) = root.iter().find(|(name, _)| name.get_ref() != "sa") {
        return error(name.span().start, "not known here; an SA file holds [[sa]] tables only");
    }
    match root.get("sa") {
        None => Ok(&[]),
        Some(value) => match value.get_ref() {
            DeValue::Array(tables) => Ok(tables.as_ref()),
            _ => error(value.span().start, "sa is a list of tables; write [[sa]], in double brackets"),
        },
    }
}

fn read_sa(place: &Place<'_, '_>) -> Result<SaConfig, ConfigError> {
    let config = SaConfig::deserialize(ValueDeserializer::from(place.table.clone())).map_err(|fault| {
        let at = fault.span().map_or(place.table.span().start, |span| span.start);
        let field = place.field_at(at);
        let message = match field.as_deref().map(|field| legal::of(&without_indices(field))) {
            None | Some("") => fault.message().to_owned(),
            Some(legal) => format!("{}; legal: {legal}", fault.message()),
        };
        ConfigError::new(place.text, at, Some(place.sa()), field, &message)
    })?;
    let checked = match config.direction {
        Direction::Outbound => config.outbound().map(drop),
        Direction::Inbound => config.inbound().map(drop),
    };
    match checked {
        Ok(()) => Ok(config),
        Err(SaError::Field { field, value, legal }) => {
            Err(place.error(field, &format!("got {value}; legal: {legal}")))
        }
        Err(SaError::KeyLength { transform, expected, got }) => Err(place.error(
            "key",
            &format!("{transform} takes exactly {expected} bytes of keying material (salt last), got {got}"),
        )),
        Err(other) => Err(place.error("", &other.to_string())),
    }
}

/// One `[[sa]]` table and where it stands.
struct Place<'t, 'i> {
    text: &'i str,
    index: usize,
    table: &'t Spanned<DeValue<'i>>,
}

impl Place<'_, '_> {
    fn sa(&self) -> (usize, Option<String>) {
        let name = self.table.get_ref().get("name").and_then(|name| name.get_ref().as_str());
        (self.index, name.map(str::to_owned))
    }

    /// An error at a field, given as dotted path; at the table's head when the file does not mention it.
    fn error(&self, field: &str, message: &str) -> ConfigError {
        let mut value = self.table;
        for step in field.split('.') {
            value = value.get_ref().get(step).unwrap_or(value);
        }
        let field = (!field.is_empty()).then(|| field.to_owned());
        ConfigError::new(self.text, value.span().start, Some(self.sa()), field, message)
    }

    /// Path of the innermost field whose name or value covers the byte `at`.
    fn field_at(&self, at: usize) -> Option<String> {
        path_to(self.table.get_ref(), at)
    }
}

/// A table written under its own header is not inside its parent's span, so children are asked first.
fn path_to(value: &DeValue<'_>, at: usize) -> Option<String> {
    let covers = |span: std::ops::Range<usize>| span.contains(&at);
    match value {
        DeValue::Table(table) => table.iter().find_map(|(name, value)| {
            let inner = path_to(value.get_ref(), at).map(|inner| {
                let dot = if inner.starts_with('[') { "" } else { "." };
                format!("{}{dot}{inner}", name.get_ref())
            });
            inner
                .or_else(|| (covers(name.span()) || covers(value.span())).then(|| name.get_ref().to_string()))
        }),
        DeValue::Array(values) => values.iter().enumerate().find_map(|(index, value)| {
            let inner = path_to(value.get_ref(), at).map(|inner| format!("[{index}].{inner}"));
            inner.or_else(|| covers(value.span()).then(|| format!("[{index}]")))
        }),
        _ => None,
    }
}

/// `selectors[3].src` as `selectors.src`.
fn without_indices(path: &str) -> String {
    path.split('.').map(|step| step.split('[').next().unwrap_or(step)).collect::<Vec<_>>().join(".")
}

/// `message` with every word that looks like a key replaced: a key may have been put into the wrong field.
///
/// Such a word has 16 hexadecimal digits or more with nothing but separators between them, whatever stands around them
/// (`0X`, a digit mistyped), and is no IP address.
fn without_key_text(message: &str) -> String {
    let part_of_word = |c: char| c.is_alphanumeric() || matches!(c, ':' | '-' | '_');
    let mut shown = String::with_capacity(message.len());
    let mut rest = message;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(rest.find(|c| !part_of_word(c)).unwrap_or(rest.len()));
        shown.push_str(if looks_like_key(word) { "(hidden: it may be a key)" } else { word });
        let (gap, next) = after.split_at(after.find(part_of_word).unwrap_or(after.len()));
        shown.push_str(gap);
        rest = next;
    }
    shown
}

fn looks_like_key(word: &str) -> bool {
    let runs = word.split(|c: char| !c.is_ascii_hexdigit() && !matches!(c, ':' | '-' | '_'));
    let enough =
        runs.map(|run| run.chars().filter(char::is_ascii_hexdigit).count()).any(|digits| digits >= 16);
    let decimal = word.len() <= 20 && word.bytes().all(|c| c.is_ascii_digit());
    enough && !decimal && word.parse::<std::net::IpAddr>().is_err()
}
