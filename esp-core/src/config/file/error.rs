//! Where an SA file is wrong, and why, without showing what may be a key.

use std::fmt;

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
    pub(super) fn new(
        text: &str,
        at: usize,
        sa: Option<(usize, Option<String>)>,
        field: Option<String>,
        message: &str,
    ) -> ConfigError {
        let before = text.get(..at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline.saturating_add(1));
        ConfigError {
            line: line_at(text, at),
            column: before.get(line_start..).map_or(0, |line| line.chars().count()).saturating_add(1),
            sa: sa.map(|(index, name)| (index, name.map(|name| short(&without_key_text(&name))))),
            field: field.map(|field| short(&without_key_text(&field))),
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

    /// What is wrong, without place and field.
    pub fn message(&self) -> &str {
        &self.message
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

/// Line of the byte `at`, counted from 1.
pub(super) fn line_at(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).matches('\n').count().saturating_add(1)
}

/// The start of a name that nobody reads to the end.
fn short(name: &str) -> String {
    match name.char_indices().nth(SHOWN_LEN) {
        Some((cut, _)) => format!("{}..", name.get(..cut).unwrap_or_default()),
        None => name.to_owned(),
    }
}

/// `message` with everything that looks like a key replaced: a key may have been put into the wrong field.
///
/// That is 16 hexadecimal digits or more with nothing but separators between them, or spaces between whole words of
/// digits, whatever stands around them (`0X`, a digit mistyped), unless it is an IP address.
fn without_key_text(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    let mut rest = message;
    while !rest.is_empty() {
        let (word, after) = split_word(rest);
        shown.push_str(if looks_like_key(word) { HIDDEN } else { word });
        let (gap, next) = after.split_at(after.find(part_of_word).unwrap_or(after.len()));
        shown.push_str(gap);
        rest = next;
    }
    shown
}

/// A word at the start of `text`, or several that are all digits of one long number, and what follows.
fn split_word(text: &str) -> (&str, &str) {
    let end_of_word = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        at.saturating_add(rest.find(|c| !part_of_word(c)).unwrap_or(rest.len()))
    };
    let mut end = end_of_word(0);
    while text.get(..end).is_some_and(all_digits) && text.get(end..).is_some_and(|gap| gap.starts_with(' ')) {
        let next = end_of_word(end.saturating_add(1));
        if !text.get(end.saturating_add(1)..next).is_some_and(all_digits) {
            break;
        }
        end = next;
    }
    text.split_at_checked(end).unwrap_or((text, ""))
}

fn part_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, ':' | '-' | '_')
}

/// Hexadecimal digits only, by twos, and single spaces.
fn all_digits(words: &str) -> bool {
    words.split(' ').all(|word| {
        !word.is_empty() && word.len().is_multiple_of(2) && word.bytes().all(|c| c.is_ascii_hexdigit())
    })
}

fn looks_like_key(word: &str) -> bool {
    let digit = |c: char| c.is_ascii_hexdigit();
    let runs = word.split(|c: char| !digit(c) && !matches!(c, ':' | '-' | '_' | ' '));
    let enough = runs.map(|run| run.chars().filter(|c| digit(*c)).count()).any(|digits| digits >= KEY_DIGITS);
    let decimal = word.len() <= 20 && word.bytes().all(|c| c.is_ascii_digit());
    enough && !decimal && word.parse::<std::net::IpAddr>().is_err()
}

const HIDDEN: &str = "(hidden: it may be a key)";
/// No key is shorter than eight bytes, and few other words have this many digits.
const KEY_DIGITS: usize = 16;
/// Characters of a name in a message; legal names are no longer.
const SHOWN_LEN: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b82_a_key_in_the_wrong_field_is_hidden() {
        for key in
            ["00112233445566778899aabbccddeeff", "00:11:22:33:44:55:66:77:88", "deadbeef cafebabe 01020304"]
        {
            let shown = without_key_text(&format!("got \"{key}\"; legal: 1..=255"));
            assert_eq!(shown, format!("got \"{HIDDEN}\"; legal: 1..=255"));
        }
    }

    #[test]
    fn words_numbers_and_addresses_are_shown() {
        for text in
            ["got 18446744073709551615", "src: 2001:db8::1, be a face", "ad 10 be ef", "line 12, column 4: a"]
        {
            assert_eq!(without_key_text(text), text);
        }
    }

    #[test]
    fn a_long_name_is_cut() {
        assert_eq!(short(&"x".repeat(64)).len(), 64);
        assert_eq!(short(&"é".repeat(10_000_000)), "é".repeat(64) + "..");
    }
}
