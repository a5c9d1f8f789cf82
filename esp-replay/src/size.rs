//! The size of a window.

use thiserror::Error;

/// How many sequence numbers a window covers, in bits of its map; the highest number seen is one of them.
///
/// # Legal values
///
/// * `32..=2^21`, and not only powers of two. RFC 4303 section 3.4.3 demands 32 at least; the upper bound is ours
///   (a map of 256 KiB) and is far below the 2^31 up to which the ESN rules of appendix A2 hold.
/// * The default is 64, as section 3.4.3 prefers.
///
/// No window at all is [`Window::off`](crate::Window::off) and has no size: zero is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WindowSize(u32);

/// A window size out of range.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("replay window of {bits} bits: must be {min}..={max}", min = WindowSize::MIN.bits(), max = WindowSize::MAX.bits())]
pub struct WindowSizeError {
    /// The refused size.
    pub bits: u32,
}

impl WindowSize {
    /// The smallest size, 32.
    pub const MIN: Self = Self(32);
    /// The default, 64.
    pub const DEFAULT: Self = Self(64);
    /// The largest size, 2^21.
    pub const MAX: Self = Self(1 << 21);

    /// A window of `bits` sequence numbers.
    ///
    /// # Errors
    ///
    /// [`WindowSizeError`] names the size and the legal range. Nothing has been allocated by then.
    pub const fn new(bits: u32) -> Result<Self, WindowSizeError> {
        if bits < Self::MIN.0 || bits > Self::MAX.0 { Err(WindowSizeError { bits }) } else { Ok(Self(bits)) }
    }

    /// The size in bits, which is in sequence numbers.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }
}

impl Default for WindowSize {
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b53_absurd_sizes_are_refused_by_name() {
        for bits in [0, 1, 31, (1 << 21) + 1, 1 << 31, u32::MAX] {
            assert_eq!(WindowSize::new(bits), Err(WindowSizeError { bits }));
        }
        let text = WindowSize::new(u32::MAX).unwrap_err().to_string();
        assert_eq!(text, "replay window of 4294967295 bits: must be 32..=2097152");
    }

    #[test]
    fn b53_odd_sizes_are_legal() {
        for bits in [32, 33, 64, 100, 1000, 4096, (1 << 21) - 1, 1 << 21] {
            assert_eq!(WindowSize::new(bits).unwrap().bits(), bits);
        }
    }

    #[test]
    fn b55_default_is_64() {
        assert_eq!(WindowSize::default().bits(), 64);
    }
}
