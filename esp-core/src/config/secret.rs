//! Keying material on its way to an SA: wiped when dropped, never printed.

use std::fmt;

use serde::{Deserialize, Deserializer, de};
use zeroize::Zeroizing;

/// Keying material, in bytes. Its memory is wiped when it is dropped, `Debug` shows the length only, and it cannot
/// be serialized.
#[derive(Clone, Default)]
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Reads hexadecimal: two digits a byte, either case. No `0x`, spaces or separators: one spelling for a key.
    ///
    /// # Errors
    ///
    /// [`HexError`] says what is wrong and at which character, without showing the text.
    pub fn from_hex(text: &str) -> Result<Secret, HexError> {
        if text.starts_with("0x") || text.starts_with("0X") {
            return Err(HexError::Prefix);
        }
        if let Some((position, _)) = text.chars().enumerate().find(|(_, c)| !c.is_ascii_hexdigit()) {
            return Err(HexError::NotADigit { position: position.saturating_add(1) });
        }
        if !text.len().is_multiple_of(2) {
            return Err(HexError::Odd { digits: text.len() });
        }
        let mut bytes = Zeroizing::new(Vec::with_capacity(text.len() / 2));
        bytes.extend(
            text.as_bytes().as_chunks::<2>().0.iter().map(|&[high, low]| nibble(high) << 4 | nibble(low)),
        );
        Ok(Secret(bytes))
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it holds no byte.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes themselves; a copy is the copier's to wipe.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

/// Why text is not a key in hexadecimal. Never shows the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HexError {
    /// An odd number of digits: the last byte has only one.
    #[error("{digits} hexadecimal digits: an odd number, a byte has two")]
    Odd {
        /// How many there are.
        digits: usize,
    },
    /// Something that is no hexadecimal digit: a space, a separator, another letter.
    #[error("character {position} is no hexadecimal digit (0-9, a-f, A-F; no spaces or separators)")]
    NotADigit {
        /// Where, counted in characters from 1.
        position: usize,
    },
    /// The text starts with `0x`.
    #[error("character 1: a key has no 0x prefix, only its digits")]
    Prefix,
}

impl From<Vec<u8>> for Secret {
    fn from(bytes: Vec<u8>) -> Secret {
        Secret(Zeroizing::new(bytes))
    }
}

impl From<&[u8]> for Secret {
    fn from(bytes: &[u8]) -> Secret {
        bytes.to_vec().into()
    }
}

impl<const N: usize> From<[u8; N]> for Secret {
    fn from(bytes: [u8; N]) -> Secret {
        Zeroizing::new(bytes).as_slice().into()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({} bytes)", self.len())
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Secret, D::Error> {
        from.deserialize_str(HexText)
    }
}

/// Every value but a string is refused here by hand: serde's own refusal would quote it.
struct HexText;

impl<'de> de::Visitor<'de> for HexText {
    type Value = Secret;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NOT_TEXT)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Secret, E> {
        Secret::from_hex(text).map_err(E::custom)
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Secret, E> {
        self.visit_str(&Zeroizing::new(text))
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Secret, E> {
        Err(E::custom(NOT_TEXT))
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Secret, E> {
        Err(E::custom(NOT_TEXT))
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Secret, E> {
        Err(E::custom(NOT_TEXT))
    }

    fn visit_i128<E: de::Error>(self, _: i128) -> Result<Secret, E> {
        Err(E::custom(NOT_TEXT))
    }

    fn visit_u128<E: de::Error>(self, _: u128) -> Result<Secret, E> {
        Err(E::custom(NOT_TEXT))
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Secret, E> {
        Err(E::custom(NOT_TEXT))
    }
}

/// Value of a digit that `from_hex` has found to be one.
fn nibble(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit.wrapping_sub(b'0'),
        _ => (digit | 0x20).wrapping_sub(b'a').wrapping_add(10),
    }
}

const NOT_TEXT: &str = "a string of hexadecimal digits is needed, in quotes";
