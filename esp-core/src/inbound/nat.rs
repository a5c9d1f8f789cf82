//! The checksum of what was sealed in transport mode on the other side of a NAT (RFC 3948 section 3.1.2).
//!
//! A NAT changes the addresses of the outer header, which in transport mode are the packet's own; the TCP, UDP or ICMPv6
//! checksum inside still covers the old ones. The packet is authentic, so of the RFC's choices the engine takes the
//! one that needs no knowledge of the old addresses: it computes the checksum anew.

use crate::narrow::u16_of;
use esp_wire::checksum::Sum;
use esp_wire::{Ip, proto, udp};

/// Offset of the checksum in a TCP header, in bytes (RFC 9293 section 3.1).
const TCP_CHECKSUM: usize = 16;
/// Offset of the checksum in a UDP header, in bytes.
const UDP_CHECKSUM: usize = 6;

/// Offset of the checksum in an ICMPv6 header, in bytes (RFC 4443 section 2.1).
const ICMPV6_CHECKSUM: usize = 2;

/// Recomputes the TCP, UDP or ICMPv6 checksum of the IP packet `data`, whose upper layer starts at `header_len`.
pub(super) fn fix_checksum(data: &mut [u8], header_len: usize, protocol: u8) {
    let Ok(ip) = Ip::parse(data) else { return };
    let at = match (protocol, &ip) {
        (proto::TCP, _) => TCP_CHECKSUM,
        (proto::UDP, _) => UDP_CHECKSUM,
        (proto::ICMPV6, Ip::V6(_)) => ICMPV6_CHECKSUM,
        _ => return,
    };
    let Some(upper) = ip.bytes().get(header_len..) else { return };
    let Some(segment) = covered(upper, protocol) else { return };
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

/// What the checksum covers: a TCP segment whole, a UDP datagram by its own length, behind which there may be more
/// (RFC 9868). `None` for a length that is no UDP length here: the receiver refuses it, whatever the sum.
fn covered(upper: &[u8], protocol: u8) -> Option<&[u8]> {
    if protocol != proto::UDP {
        return Some(upper);
    }
    let length = usize::from(udp::UdpHeader::read(upper)?.length);
    upper.get(..length).filter(|_| length >= udp::HEADER_LEN)
}
