//! The checksum of what was sealed in transport mode on the other side of a NAT (RFC 3948 section 3.1.2).
//!
//! A NAT changes the addresses of the outer header, which in transport mode are the packet's own; the TCP or UDP
//! checksum inside still covers the old ones. The packet is authentic, so of the RFC's choices the engine takes the
//! one that needs no knowledge of the old addresses: it computes the checksum anew.

use crate::narrow::u16_of;
use esp_wire::checksum::Sum;
use esp_wire::{Ip, proto};

/// Offset of the checksum in a TCP header, in bytes (RFC 9293 section 3.1).
const TCP_CHECKSUM: usize = 16;
/// Offset of the checksum in a UDP header, in bytes.
const UDP_CHECKSUM: usize = 6;

/// Recomputes the TCP or UDP checksum of the IP packet `data`, whose upper layer starts at `header_len`.
pub(super) fn fix_checksum(data: &mut [u8], header_len: usize, protocol: u8) {
    let at = match protocol {
        proto::TCP => TCP_CHECKSUM,
        proto::UDP => UDP_CHECKSUM,
        _ => return,
    };
    let Ok(ip) = Ip::parse(data) else { return };
    let Some(segment) = ip.bytes().get(header_len..) else { return };
    let Some(&[old_high, old_low]) = segment.get(at..).and_then(<[u8]>::first_chunk) else { return };
    // A UDP sender over IPv4 may do without (RFC 768).
    if protocol == proto::UDP && [old_high, old_low] == [0, 0] {
        return;
    }
    let addresses = match ip {
        Ip::V4(ip) => Sum::of(&ip.src()).plus(Sum::of(&ip.dst())),
        Ip::V6(ip) => Sum::of(&ip.src()).plus(Sum::of(&ip.dst())),
    };
    // The pseudo headers of both versions sum up alike while the length fits 16 bits, as it does here.
    let sum = addresses
        .plus(Sum::of_u16(u16::from(protocol)))
        .plus(Sum::of_u16(u16_of(segment.len())))
        .plus(Sum::of(segment))
        .minus_u16(u16::from_be_bytes([old_high, old_low]));
    let checksum = match sum.checksum() {
        // Zero would say that there is none (RFC 768).
        0 if protocol == proto::UDP => u16::MAX,
        checksum => checksum,
    };
    if let Some(place) = data.get_mut(header_len + at..header_len + at + 2) {
        place.copy_from_slice(&checksum.to_be_bytes());
    }
}
