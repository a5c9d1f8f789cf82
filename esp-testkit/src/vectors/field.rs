//! How single fields are written in the files: bytes as hex, numbers as numbers or as `"0x.."`.

use serde::{Deserialize, Deserializer, de::Error};

/// Hex digits; absent (with `#[serde(default)]`), null and `""` are all no bytes.
pub(super) fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    Ok(optional_bytes(from)?.unwrap_or_default())
}

/// Hex digits or null.
pub(super) fn optional_bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<u8>>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
    hex::decode(&text).map(Some).map_err(D::Error::custom)
}

/// A sequence number: `"0x.."`, decimal digits, or a number.
pub(super) fn number<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    Number::deserialize(from)?.value().map_err(D::Error::custom)
}

/// As [`number`], or null.
pub(super) fn optional_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    Option::<Number>::deserialize(from)?.map(|number| number.value()).transpose().map_err(D::Error::custom)
}

/// A list of what [`number`] takes.
pub(super) fn numbers<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u64>, D::Error> {
    Vec::<Number>::deserialize(from)?
        .iter()
        .map(Number::value)
        .collect::<Result<_, _>>()
        .map_err(D::Error::custom)
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Plain(u64),
    Text(String),
}

impl Number {
    fn value(&self) -> Result<u64, String> {
        match self {
            Number::Plain(value) => Ok(*value),
            Number::Text(text) => match text.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16),
                None => text.parse(),
            }
            .map_err(|why| format!("{text}: {why}")),
        }
    }
}
