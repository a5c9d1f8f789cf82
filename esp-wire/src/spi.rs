//! The Security Parameters Index (RFC 4303 section 2.1).

use core::fmt;
use core::num::NonZeroU32;

/// Security Parameters Index: the tag by which a receiver finds the SA of a packet. Host byte order.
///
/// # Legal values
///
/// * `0` never appears on the wire, so `Option<Spi>` is as large as `u32`.
/// * `1..=255` are reserved by IANA; no SA is installed with one.
/// * `256..=0xffff_ffff` are all equal: none of them stands for "none".
///
/// Source: RFC 4303 section 2.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Spi(NonZeroU32);

impl Spi {
    /// The lowest SPI that an SA may have.
    pub const MIN: u32 = 256;

    /// An SPI from its value in host byte order.
    ///
    /// # Errors
    ///
    /// [`InvalidSpi`] carries the refused value, which is below [`Spi::MIN`].
    #[inline]
    pub const fn new(raw: u32) -> Result<Self, InvalidSpi> {
        match NonZeroU32::new(raw) {
            Some(spi) if raw >= Self::MIN => Ok(Self(spi)),
            _ => Err(InvalidSpi(raw)),
        }
    }

    /// The value, in host byte order.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

impl TryFrom<u32> for Spi {
    type Error = InvalidSpi;

    #[inline]
    fn try_from(raw: u32) -> Result<Self, InvalidSpi> {
        Self::new(raw)
    }
}

impl From<Spi> for u32 {
    #[inline]
    fn from(spi: Spi) -> Self {
        spi.get()
    }
}

/// Eight hexadecimal digits after `0x`.
impl fmt::Display for Spi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.get())
    }
}

/// A value that no SA may have as its SPI: zero, or one of the 255 that IANA reserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("SPI {0:#010x} is outside 0x00000100..=0xffffffff (RFC 4303 section 2.1 reserves 0 to 255)")]
pub struct InvalidSpi(pub u32);

const _: () = assert!(size_of::<Option<Spi>>() == 4 && align_of::<Option<Spi>>() == 4);
