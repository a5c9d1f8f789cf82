//! DiffServ code point: the upper six bits of the IPv4 TOS or IPv6 traffic class byte (RFC 2474). The lower two are
//! [`ecn`](crate::ecn)'s.

/// The code point of a TOS or traffic class byte, 0..=63.
#[inline]
#[must_use]
pub const fn dscp(tos: u8) -> u8 {
    tos >> 2
}

/// `tos` with its code point replaced and its ECN field kept. Bits of `dscp` above the lowest six are ignored.
#[inline]
#[must_use]
pub const fn with_dscp(tos: u8, dscp: u8) -> u8 {
    (dscp << 2) | (tos & 0b11)
}
