//! Sequence numbers: the 64-bit number of an SA and the 32 bits of it that a packet carries (RFC 4303 sections 2.2
//! and 2.2.1).

use core::fmt;

/// A whole sequence number. With ESN all 64 bits count; without, the high half is zero.
///
/// Zero is never given to a packet: the first one sent is 1 (RFC 4303 section 3.3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Seq64(pub u64);

impl Seq64 {
    /// The number whose high 32 bits are `hi` and whose low 32 bits, the ones on the wire, are `low`.
    #[inline]
    #[must_use]
    pub const fn from_parts(hi: u32, low: SeqLow) -> Self {
        let [h0, h1, h2, h3] = hi.to_be_bytes();
        let [l0, l1, l2, l3] = low.0.to_be_bytes();
        Self(u64::from_be_bytes([h0, h1, h2, h3, l0, l1, l2, l3]))
    }

    /// The 32 bits that the ESP header carries.
    #[inline]
    #[must_use]
    pub const fn low(self) -> SeqLow {
        let [_, _, _, _, l0, l1, l2, l3] = self.0.to_be_bytes();
        SeqLow(u32::from_be_bytes([l0, l1, l2, l3]))
    }

    /// The 32 bits that are not sent; with ESN they are covered by the ICV (RFC 4303 section 2.2.1).
    #[inline]
    #[must_use]
    pub const fn high(self) -> u32 {
        let [h0, h1, h2, h3, ..] = self.0.to_be_bytes();
        u32::from_be_bytes([h0, h1, h2, h3])
    }
}

/// Decimal.
impl fmt::Display for Seq64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The sequence number field of the ESP header: the low 32 bits of a [`Seq64`], in host byte order.
///
/// Its order is that of the bare field; where a number stands after the field wrapped is for the replay window to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct SeqLow(pub u32);

/// Decimal.
impl fmt::Display for SeqLow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
