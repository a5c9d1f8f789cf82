//! Lengths and indices in fewer bits. Each function says why nothing is lost; debug builds check it.

/// A position in a burst or a run number: below [`BURST`](crate::BURST).
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a burst has 32 packets")]
pub(crate) const fn u8_of(index: usize) -> u8 {
    debug_assert!(index <= u8::MAX as usize);
    index as u8
}

/// A length inside an IP packet: at most 65,535 bytes, checked where the packet's sizes are planned or parsed.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "an IP packet has at most 65,535 bytes")]
pub(crate) const fn u16_of(len: usize) -> u16 {
    debug_assert!(len <= u16::MAX as usize);
    len as u16
}

/// A length or an offset in a packet's buffer: at most 2^31 bytes, checked when the packet is made.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a buffer has at most 2^31 bytes")]
pub(crate) const fn u32_of(len: usize) -> u32 {
    debug_assert!(len <= u32::MAX as usize);
    len as u32
}

/// The lowest 16 bits of a sequence number.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the low bits are wanted")]
pub(crate) const fn low16(seq: u64) -> u16 {
    seq as u16
}
