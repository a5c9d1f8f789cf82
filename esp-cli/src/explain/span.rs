//! A piece of a frame.

use std::fmt;

use serde::Serialize;

/// Bytes of a frame, by their place in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Span {
    /// First byte, counted from the start of the frame.
    pub(crate) at: usize,
    /// Bytes.
    pub(crate) len: usize,
}

impl Span {
    /// The bytes from `at` up to `end`; none if that lies before.
    pub(crate) fn between(at: usize, end: usize) -> Self {
        Self { at, len: end.saturating_sub(at) }
    }

    /// The first byte behind it.
    pub(crate) fn end(self) -> usize {
        self.at + self.len
    }

    /// The bytes themselves, as far as `frame` has them.
    pub(crate) fn of(self, frame: &[u8]) -> &[u8] {
        let end = self.end().min(frame.len());
        frame.get(self.at..end).unwrap_or_default()
    }
}

/// `at 34 (0x22), 8 bytes`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.len == 1 { "" } else { "s" };
        write!(f, "at {} ({:#04x}), {} byte{plural}", self.at, self.at, self.len)
    }
}

/// Pairs of digits, a space between: `0a ff`.
pub(crate) fn spaced(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// Digits without spaces, for JSON.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
