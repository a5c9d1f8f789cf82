//! UDP, as ESP is encapsulated in it (RFC 768; RFC 3948 section 2.1).

use crate::checksum::Sum;
use crate::proto;

/// Bytes of the UDP header.
pub const HEADER_LEN: usize = 8;

/// The four fields, in host byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UdpHeader {
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// Bytes of header and payload, so at least 8 in a correct datagram; not compared with anything here.
    pub length: u16,
    /// Zero says that none was computed.
    pub checksum: u16,
}

impl UdpHeader {
    /// Reads the header at the start of `bytes`; `None` if there are fewer than [`HEADER_LEN`].
    #[inline]
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let &[s0, s1, d0, d1, l0, l1, c0, c1] = bytes.first_chunk::<HEADER_LEN>()?;
        Some(Self {
            src_port: u16::from_be_bytes([s0, s1]),
            dst_port: u16::from_be_bytes([d0, d1]),
            length: u16::from_be_bytes([l0, l1]),
            checksum: u16::from_be_bytes([c0, c1]),
        })
    }

    /// The source and destination port, host byte order: the first four bytes of UDP, and of TCP, SCTP, DCCP and
    /// UDP-Lite as well.
    #[inline]
    #[must_use]
    pub fn read_ports(bytes: &[u8]) -> Option<(u16, u16)> {
        let &[s0, s1, d0, d1] = bytes.first_chunk()?;
        Some((u16::from_be_bytes([s0, s1]), u16::from_be_bytes([d0, d1])))
    }

    /// The header as it goes on the wire.
    #[inline]
    #[must_use]
    pub const fn write(self) -> [u8; HEADER_LEN] {
        let [s0, s1] = self.src_port.to_be_bytes();
        let [d0, d1] = self.dst_port.to_be_bytes();
        let [l0, l1] = self.length.to_be_bytes();
        let [c0, c1] = self.checksum.to_be_bytes();
        [s0, s1, d0, d1, l0, l1, c0, c1]
    }
}

/// The checksum of a UDP datagram over IPv4, in host byte order, never zero (RFC 768).
///
/// `datagram` starts at the UDP header and ends with the payload; its own length, not the length field, goes into the
/// pseudo header. Whatever the checksum field holds is left out of the sum, so a datagram that arrived with a checksum
/// is intact if its field equals the result.
#[inline]
#[must_use]
pub fn checksum_v4(src: [u8; 4], dst: [u8; 4], datagram: &[u8]) -> u16 {
    checksum(Sum::of(&src).plus(Sum::of(&dst)), datagram)
}

/// The checksum of a UDP datagram over IPv6, in host byte order, never zero (RFC 8200 section 8.1).
///
/// `datagram` is as for [`checksum_v4`]. A zero field is legal over IPv6 only for the tunnels of RFC 6935, which the
/// caller decides.
#[inline]
#[must_use]
pub fn checksum_v6(src: [u8; 16], dst: [u8; 16], datagram: &[u8]) -> u16 {
    checksum(Sum::of(&src).plus(Sum::of(&dst)), datagram)
}

/// Both versions: their pseudo headers differ by zeros only while the length fits 16 bits, as a UDP length must.
#[inline]
fn checksum(addresses: Sum, datagram: &[u8]) -> u16 {
    let [low, high, ..] = datagram.len().to_le_bytes();
    let len = u16::from_le_bytes([low, high]);
    let stored = UdpHeader::read(datagram).map_or(0, |header| header.checksum);
    let sum = addresses
        .plus(Sum::of_u16(u16::from(proto::UDP)))
        .plus(Sum::of_u16(len))
        .plus(Sum::of(datagram))
        .minus_u16(stored);
    match sum.checksum() {
        0 => 0xffff, // zero would say that there is none
        checksum => checksum,
    }
}
