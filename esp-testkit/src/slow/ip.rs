//! IP and UDP headers around ESP: where it stands, and what its presence changes.

use super::{ESP, IPV4, IPV6, SlowError, UDP};
use std::net::IpAddr;

/// An outer header for tunnel mode, to be handed to [`wrap_esp`]: hop limit 64; DSCP, ECN, identification,
/// flags and flow label zero. Panics where the addresses are of two families.
pub fn tunnel_header(src: IpAddr, dst: IpAddr) -> Vec<u8> {
    match (src, dst) {
        (IpAddr::V4(src), IpAddr::V4(dst)) => {
            [&[0x45, 0, 0, 0, 0, 0, 0, 0, HOP_LIMIT, 0, 0, 0], &src.octets()[..], &dst.octets()].concat()
        }
        (IpAddr::V6(src), IpAddr::V6(dst)) => {
            [&[0x60, 0, 0, 0, 0, 0, 0, HOP_LIMIT], &src.octets()[..], &dst.octets()].concat()
        }
        _ => panic!("{src} and {dst} are of two families"),
    }
}

/// A whole packet: `headers` (IPv4 with options, or IPv6 with extension headers), a UDP header between the
/// ports `udp`, and `esp`. Lengths, checksums and the last next-header field are filled in.
///
/// The UDP checksum is zero over IPv4 (RFC 3948 section 2.1) and right over IPv6 (RFC 8200 section 8.1).
pub fn wrap_esp(headers: &[u8], udp: Option<(u16, u16)>, esp: &[u8]) -> Vec<u8> {
    let Some((src_port, dst_port)) = udp else { return with_protocol(headers, ESP, esp) };
    let length = u16::try_from(8 + esp.len()).expect("a UDP length fits 16 bits");
    let header = [src_port, dst_port, length, 0].map(u16::to_be_bytes);
    let mut datagram = [header.as_flattened(), esp].concat();
    if version(headers) == 6 {
        let checksum = udp_checksum_ipv6(headers, &datagram);
        datagram[6..8].copy_from_slice(&if checksum == 0 { 0xffff } else { checksum }.to_be_bytes());
    }
    with_protocol(headers, UDP, &datagram)
}

/// `headers` in front of `payload` of this protocol, with length, checksum and the last next-header field to
/// suit.
pub(super) fn with_protocol(headers: &[u8], protocol: u8, payload: &[u8]) -> Vec<u8> {
    let mut packet = [headers, payload].concat();
    let header_len = headers.len();
    if version(headers) == 4 {
        let total_len = u16::try_from(packet.len()).expect("an IPv4 packet has at most 65535 bytes");
        packet[2..4].copy_from_slice(&total_len.to_be_bytes());
        packet[9] = protocol;
        packet[10..12].fill(0);
        let checksum = !sum(&packet[..header_len]);
        packet[10..12].copy_from_slice(&checksum.to_be_bytes());
    } else {
        let payload_len = u16::try_from(packet.len() - 40).expect("an IPv6 payload has at most 65535 bytes");
        packet[4..6].copy_from_slice(&payload_len.to_be_bytes());
        packet[last_next_header_at(headers)] = protocol;
    }
    packet
}

/// Headers, protocol and payload, cut where ESP goes in transport mode.
///
/// RFC 4303 section 3.1.1: behind an IPv4 header with its options; in IPv6 behind hop-by-hop, routing and
/// fragment headers, and before destination options that follow them, which it then protects.
pub(super) fn split_for_transport(packet: &[u8]) -> Option<(Vec<u8>, u8, Vec<u8>)> {
    if version(packet) == 4 {
        let header_len = ipv4_header_len(packet)?;
        return Some((packet[..header_len].to_vec(), packet[9], packet[header_len..].to_vec()));
    }
    let chain = extension_headers(packet)?;
    let outside = chain.headers.iter().rev().find(|ext| matches!(ext.kind, HOP_BY_HOP | ROUTING | FRAGMENT));
    let (next_header, at) = outside.map_or((packet[6], 40), |ext| (packet[ext.at], ext.at + ext.len));
    Some((packet[..at].to_vec(), next_header, packet[at..].to_vec()))
}

/// The headers before ESP, and ESP from its SPI, of a packet of the right length. A UDP header before ESP
/// belongs to neither.
pub(super) fn unwrap_esp(packet: &[u8], udp: Option<(u16, u16)>) -> Result<(Vec<u8>, Vec<u8>), SlowError> {
    let (protocol, at) = payload_of(packet)?;
    let (headers, payload) = packet.split_at(at);
    let Some((_, dst_port)) = udp else {
        let found = if protocol == ESP { Ok(payload) } else { Err(SlowError::NotEsp("protocol is not ESP")) };
        return found.map(|esp| (headers.to_vec(), esp.to_vec()));
    };
    let (header, esp) = payload.split_first_chunk().ok_or(SlowError::NotEsp("UDP header"))?;
    let &[_, _, d0, d1, l0, l1, c0, c1]: &[u8; 8] = header;
    if protocol != UDP || u16::from_be_bytes([d0, d1]) != dst_port {
        return Err(SlowError::NotEsp("protocol is not UDP, or to another port"));
    }
    if usize::from(u16::from_be_bytes([l0, l1])) != payload.len() {
        return Err(SlowError::NotEsp("UDP length"));
    }
    if [c0, c1] != [0, 0] && version(packet) == 6 && udp_checksum_ipv6(headers, payload) != 0 {
        return Err(SlowError::NotEsp("UDP checksum"));
    }
    Ok((headers.to_vec(), esp.to_vec()))
}

/// Protocol and offset of what is behind all headers; fragments are refused (RFC 4303 section 3.4.1).
fn payload_of(packet: &[u8]) -> Result<(u8, usize), SlowError> {
    const BROKEN: SlowError = SlowError::NotEsp("broken headers");
    const PIECE: SlowError = SlowError::NotEsp("fragment");
    if version(packet) == 4 {
        let header_len = ipv4_header_len(packet).ok_or(BROKEN)?;
        return if [packet[6] & 0x3f, packet[7]] == [0, 0] {
            Ok((packet[9], header_len))
        } else {
            Err(PIECE)
        };
    }
    let chain = extension_headers(packet).ok_or(BROKEN)?;
    let piece =
        |ext: &Extension| ext.kind == FRAGMENT && [packet[ext.at + 2], packet[ext.at + 3] & 0xf9] != [0, 0];
    if chain.headers.iter().any(piece) { Err(PIECE) } else { Ok((chain.protocol, chain.end)) }
}

/// `packet` cut to the length that its IP header states; `None` where it is shorter, or no IP packet.
pub(super) fn trimmed(packet: &[u8]) -> Option<&[u8]> {
    let field = |at: usize| Some(usize::from(u16::from_be_bytes([*packet.get(at)?, *packet.get(at + 1)?])));
    let len = match version(packet) {
        4 => field(2)?.max(20),
        6 => 40 + field(4)?,
        _ => return None,
    };
    packet.get(..len)
}

/// The next header that stands for this packet in tunnel mode.
pub(super) fn protocol_of(packet: &[u8]) -> u8 {
    if version(packet) == 4 { IPV4 } else { IPV6 }
}

fn version(packet: &[u8]) -> u8 {
    packet.first().map_or(0, |first| first >> 4)
}

fn ipv4_header_len(packet: &[u8]) -> Option<usize> {
    let header_len = usize::from(packet.first()? & 0xf) * 4;
    (header_len >= 20 && header_len <= packet.len()).then_some(header_len)
}

/// Where the field is that says what follows `headers`.
fn last_next_header_at(headers: &[u8]) -> usize {
    let chain = extension_headers_until(headers, headers.len()).expect("whole extension headers");
    assert_eq!(chain.end, headers.len(), "extension headers end where the payload starts");
    chain.headers.last().map_or(6, |ext| ext.at)
}

struct Chain {
    headers: Vec<Extension>,
    /// What the last header gives as next header, and where that starts.
    protocol: u8,
    end: usize,
}

struct Extension {
    kind: u8,
    at: usize,
    len: usize,
}

fn extension_headers(packet: &[u8]) -> Option<Chain> {
    extension_headers_until(packet, packet.len())
}

/// Walks the extension headers (RFC 8200 section 4) of an IPv6 packet, no farther than `limit`.
fn extension_headers_until(packet: &[u8], limit: usize) -> Option<Chain> {
    let mut chain = Chain { headers: Vec::new(), protocol: *packet.get(6)?, end: 40 };
    while matches!(chain.protocol, HOP_BY_HOP | ROUTING | FRAGMENT | DEST_OPTS) && chain.end < limit {
        let (kind, at) = (chain.protocol, chain.end);
        let len = if kind == FRAGMENT { 8 } else { 8 + 8 * usize::from(*packet.get(at + 1)?) };
        packet.get(at..at + len)?;
        chain = Chain { protocol: packet[at], end: at + len, headers: chain.headers };
        chain.headers.push(Extension { kind, at, len });
    }
    (chain.end <= limit).then_some(chain)
}

/// RFC 8200 section 8.1, over what is in `datagram`: the checksum where that field is zero; zero where the
/// field is right. The destination of the pseudo-header is that of the fixed header: a routing header with
/// segments left isn't handled.
fn udp_checksum_ipv6(headers: &[u8], datagram: &[u8]) -> u16 {
    let length = u32::try_from(datagram.len()).expect("short").to_be_bytes();
    !sum(&[&headers[8..40], &length, &[0, 0, 0, UDP], datagram].concat())
}

/// One's complement sum of 16-bit words (RFC 1071).
fn sum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]));
    words.fold(0, |sum, word| {
        let (sum, carry) = sum.overflowing_add(word);
        sum + u16::from(carry)
    })
}

const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const DEST_OPTS: u8 = 60;
const HOP_LIMIT: u8 = 64;
