//! The Internet checksum (RFC 1071).
//!
//! The sum is taken over words as they lie in memory and swapped once at the end: a ones-complement sum does not
//! depend on the byte order (RFC 1071 section 2 (B)). Thirty-two bits at a time go into 64, so that no carry is looked
//! at before the end and the loop is vectorised.

/// A ones-complement sum that grows by parts; every part but the last has an even number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum(u32); // of 16-bit words in memory order, folded to at most 17 bits

impl Sum {
    /// The sum of `bytes`; an odd last byte counts as the first of a word whose second is zero.
    #[inline]
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let (words, tail) = bytes.as_chunks::<4>();
        let mut last = [0; 4];
        for (to, from) in last.iter_mut().zip(tail) {
            *to = *from;
        }
        // 2^32 words fit before the sum could wrap: 16 GiB, and an IP packet has 64 KiB.
        let sum = words.iter().fold(u64::from(u32::from_ne_bytes(last)), |sum, word| {
            sum.wrapping_add(u64::from(u32::from_ne_bytes(*word)))
        });
        Self(fold_64(sum))
    }

    /// The sum of one 16-bit field, given in host byte order.
    #[inline]
    #[must_use]
    pub const fn of_u16(value: u16) -> Self {
        Self(value.to_be() as u32)
    }

    /// Both sums together.
    #[inline]
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        let sum = self.0.wrapping_add(other.0);
        Self((sum >> 16).wrapping_add(sum & 0xffff))
    }

    /// The sum without a field that had been counted, given in host byte order (RFC 1624).
    #[inline]
    #[must_use]
    pub const fn minus_u16(self, value: u16) -> Self {
        self.plus(Self::of_u16(!value))
    }

    /// The checksum field for these parts, in host byte order: the complement of the sum.
    #[inline]
    #[must_use]
    pub const fn checksum(self) -> u16 {
        let [_, _, high, low] = (self.0 >> 16).wrapping_add(self.0 & 0xffff).to_be_bytes();
        !u16::from_be(u16::from_be_bytes([high, low]))
    }
}

/// The checksum of `bytes`, in host byte order. Zero over bytes that hold their own, correct checksum.
#[inline]
#[must_use]
pub fn of(bytes: &[u8]) -> u16 {
    Sum::of(bytes).checksum()
}

/// Adds the four 16-bit words of `sum` with end-around carry; the result is at most 17 bits.
#[inline]
const fn fold_64(sum: u64) -> u32 {
    let sum = (sum >> 32).wrapping_add(sum & 0xffff_ffff); // 33 bits
    let sum = (sum >> 16).wrapping_add(sum & 0xffff); // 18 bits
    ((sum >> 16).wrapping_add(sum & 0xffff) & 0x1_ffff) as u32
}
