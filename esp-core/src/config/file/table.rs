//! One `[[sa]]` table: read, checked, and its fields found again for messages.

use std::borrow::Cow;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeValue, ValueDeserializer};

use super::error::line_at;
use super::{ConfigError, SaConfig};
use crate::SaError;
use crate::config::{Direction, Mode, legal};

/// One `[[sa]]` table and where it stands.
pub(super) struct Place<'t, 'i> {
    pub(super) text: &'i str,
    /// Counted from 1.
    pub(super) index: usize,
    pub(super) table: &'t Spanned<DeValue<'i>>,
}

impl Place<'_, '_> {
    /// Line of the table's head, counted from 1.
    pub(super) fn line(&self) -> usize {
        line_at(self.text, self.table.span().start)
    }

    /// The SA, checked by itself.
    pub(super) fn read(&self) -> Result<SaConfig, ConfigError> {
        let config = SaConfig::deserialize(ValueDeserializer::from(self.table.clone()))
            .map_err(|fault| self.refused(&fault))?;
        let has = |field| self.table.get_ref().get(field).is_some();
        if !has("key") && !has("integrity_key") {
            return Err(
                self.error("key", &format!("missing; every SA needs it; legal: {}", legal::of("key")))
            );
        }
        self.check_fields_belong(&config)?;
        let checked = match config.direction {
            Direction::Outbound => config.outbound().map(drop),
            Direction::Inbound => config.inbound().map(drop),
        };
        match checked {
            Ok(()) => Ok(config),
            Err(SaError::Field { field, value, legal }) => {
                Err(self.error(field, &format!("got {value}; legal: {legal}")))
            }
            Err(why @ SaError::KeyLength { .. }) => {
                // The place names the field already.
                let why = why.to_string();
                Err(self.error("key", why.strip_prefix("key: ").unwrap_or(&why)))
            }
            Err(other) => Err(self.error("", &other.to_string())),
        }
    }

    /// An error at a field, given as dotted path; at the table's head when the file does not mention it.
    pub(super) fn error(&self, field: &str, message: &str) -> ConfigError {
        let mut value = self.table;
        for step in field.split('.') {
            value = value.get_ref().get(step).unwrap_or(value);
        }
        let field = (!field.is_empty()).then(|| field.to_owned());
        ConfigError::new(self.text, value.span().start, Some(self.sa()), field, message)
    }

    /// Refuses fields of the other direction or mode even at their defaults: whoever writes one expects it to work.
    fn check_fields_belong(&self, sa: &SaConfig) -> Result<(), ConfigError> {
        let strangers = match sa.direction {
            Direction::Outbound => (INBOUND_ONLY, "for inbound SAs only; leave it out of an outbound SA"),
            Direction::Inbound => (OUTBOUND_ONLY, "for outbound SAs only; leave it out of an inbound SA"),
        };
        let not_in_tunnels: &[&str] = if sa.mode == Mode::Transport { TUNNEL_ONLY } else { &[] };
        let modes =
            (not_in_tunnels, "for tunnel mode only; in transport mode the packet keeps its own header");
        for (fields, legal) in [strangers, modes] {
            if let Some(field) = fields.iter().find(|field| self.table.get_ref().get(**field).is_some()) {
                return Err(self.error(field, &format!("got a value; legal: {legal}")));
            }
        }
        Ok(())
    }

    fn refused(&self, fault: &toml::de::Error) -> ConfigError {
        let at = fault.span().map_or(self.table.span().start, |span| span.start);
        let missing = missing_field(fault.message());
        let field = missing.map(str::to_owned).or_else(|| path_to(self.table.get_ref(), at));
        let message = in_plain_words(fault.message());
        let message = match field.as_deref().map(|field| legal::of(&without_indices(field))) {
            None | Some("") => message.into_owned(),
            Some(legal) => format!("{message}; legal: {legal}"),
        };
        ConfigError::new(self.text, at, Some(self.sa()), field, &message)
    }

    fn sa(&self) -> (usize, Option<String>) {
        let name = self.table.get_ref().get("name").and_then(|name| name.get_ref().as_str());
        (self.index, name.map(str::to_owned))
    }
}

/// Path of the innermost field whose name or value covers the byte `at`. A table written under its own header is not
/// inside its parent's span, so children are asked first.
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

/// The deserializer's message without the names of Rust types; what is legal is said behind it.
fn in_plain_words(message: &str) -> Cow<'_, str> {
    let got = |rest: &str| match rest.rsplit_once(", expected ") {
        Some((got, _)) => format!("got {got}"),
        None => format!("got {rest}"),
    };
    for start in ["invalid type: ", "invalid value: ", "unknown variant "] {
        if let Some(rest) = message.strip_prefix(start) {
            return got(rest).into();
        }
    }
    match missing_field(message) {
        Some(field) if REQUIRED.contains(&field) => "missing; every SA needs it".into(),
        Some(_) => "missing".into(),
        None if message.starts_with("wanted ") => "got a value of another kind".into(),
        None => message.into(),
    }
}

fn missing_field(message: &str) -> Option<&str> {
    message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'))
}

const REQUIRED: &[&str] = &["direction", "spi", "transform", "key", "mode"];
const INBOUND_ONLY: &[&str] = &["replay_window", "lookup", "check_outer"];
const OUTBOUND_ONLY: &[&str] = &["mtu", "tfc_pad_to", "dscp", "df", "ttl", "flow_label"];
const TUNNEL_ONLY: &[&str] = &["dscp", "ecn", "df", "ttl", "flow_label"];
