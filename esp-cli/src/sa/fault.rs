//! What is wrong with an SA file, and what is only doubtful.

use std::fmt;

use esp_core::config::ConfigError;
use serde::Serialize;

/// One fault, with its place. Never shows what may be a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Fault {
    /// Line and column, counted from 1; column in characters.
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// The field, where one is at fault.
    pub(crate) field: Option<String>,
    pub(crate) message: String,
}

/// Something that is legal but should be known. Never shows what may be a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Note {
    /// Line of the SA, counted from 1; `None` of the whole file.
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
}

impl Fault {
    pub(super) fn new(line: usize, column: usize, field: &str, message: impl Into<String>) -> Self {
        let field = (!field.is_empty()).then(|| field.to_owned());
        Self { line, column, field, message: hidden(&message.into()) }
    }
}

impl Note {
    pub(super) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: hidden(&message.into()) }
    }
}

/// Text of a file as messages show it: on one line, and hidden if it may be a key that stands in the wrong place.
pub(super) fn shown(text: &str) -> String {
    let longest = text.split(|c: char| !c.is_ascii_hexdigit()).map(str::len).max().unwrap_or(0);
    if longest >= KEY_DIGITS { HIDDEN.to_owned() } else { text.escape_debug().to_string() }
}

/// `message` without words that can only be keys: the last guard, for whatever quotes a file without [`shown`].
fn hidden(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    for part in message.split_inclusive(|c: char| !c.is_ascii_hexdigit()) {
        let digits = part.chars().take_while(char::is_ascii_hexdigit).count();
        if digits > MAX_NUMBER_LEN {
            shown.push_str(HIDDEN);
            shown.push_str(part.get(digits..).unwrap_or_default());
        } else {
            shown.push_str(part);
        }
    }
    shown
}

impl From<&ConfigError> for Fault {
    fn from(error: &ConfigError) -> Self {
        let sa = match (error.sa(), error.name()) {
            (Some(index), Some(name)) => format!("SA {index} {name:?}: "),
            (Some(index), None) => format!("SA {index}: "),
            (None, _) => String::new(),
        };
        let field = error.field().map(|field| format!("{sa}{field}"));
        let message =
            if field.is_none() { format!("{sa}{}", error.message()) } else { error.message().to_owned() };
        Self { line: error.line(), column: error.column(), field, message }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        if let Some(field) = &self.field {
            write!(f, "{field}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// No key is shorter than eight bytes.
pub(super) const KEY_DIGITS: usize = 16;
/// Digits of the longest number that a message shows: 2^64.
const MAX_NUMBER_LEN: usize = 20;
const HIDDEN: &str = "(hidden: it may be a key)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b82_what_can_only_be_a_key_is_hidden() {
        let key = "9f8b2c63d1e40a7758c6b3f0142d9ea5c07d31fe";
        for message in [format!("{key}: no"), format!("a 0x{key}, b"), key.to_owned()] {
            let fault = Fault::new(1, 1, "aead", message.clone());
            let note = Note::new(1, message);
            assert!(!fault.to_string().contains(&key[..16]) && !note.message.contains(&key[..16]));
        }
        assert_eq!(
            hidden("a 0x0000c001, 18446744073709551615 beef"),
            "a 0x0000c001, 18446744073709551615 beef"
        );
        assert_eq!(shown(&key[..16]), HIDDEN);
    }
}
