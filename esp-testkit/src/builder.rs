//! Packets in clear, and buffers with room around them.
//!
//! [`Ipv4`] and [`Ipv6`] hold every header field that an ESP implementation looks at; [`Upper`] is what they
//! carry. Lengths and checksums are filled in. A packet starts at its IP header; [`ethernet_padded`] adds
//! what a link adds behind.
//!
//! ```
//! use esp_testkit::builder::{Ext, Ipv4, Ipv6, Room, Upper};
//!
//! let packet = Ipv4 { tos: 0xb8, df: true, ..Ipv4::default() }.packet(&Upper::udp(46));
//! assert_eq!(packet.len(), 20 + 8 + 46);
//! let packet = Ipv6 { exts: vec![Ext::HopByHop { len: 8 }], ..Ipv6::default() }.packet(&Upper::tcp(0));
//! let room = Room::new(64, &packet, 64);
//! room.assert_untouched_outside(64..64 + packet.len());
//! ```

mod ipv4;
mod ipv6;
mod room;

pub use ipv4::Ipv4;
pub use ipv6::{Ext, Ipv6};
pub use room::Room;

use etherparse::{IcmpEchoHeader, Icmpv4Header, Icmpv4Type, Icmpv6Header, Icmpv6Type, TcpHeader, UdpHeader};

/// What an IP packet carries. `len` is the number of [`pattern`] bytes behind the upper header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Upper {
    /// A UDP datagram; its header has 8 bytes.
    Udp {
        /// Source port.
        src_port: u16,
        /// Destination port.
        dst_port: u16,
        /// Bytes of payload.
        len: usize,
    },
    /// A TCP segment without options; its header has 20 bytes.
    Tcp {
        /// Source port.
        src_port: u16,
        /// Destination port.
        dst_port: u16,
        /// Bytes of payload.
        len: usize,
    },
    /// An echo request of the family's ICMP; its header has 8 bytes.
    Icmp {
        /// Bytes of payload.
        len: usize,
    },
    /// Any bytes.
    Raw {
        /// IP protocol number.
        protocol: u8,
        /// All that follows the IP header.
        bytes: Vec<u8>,
    },
}

impl Upper {
    /// A UDP datagram with `len` bytes of payload, from port 5001 to 5002.
    pub fn udp(len: usize) -> Upper {
        Upper::Udp { src_port: 5001, dst_port: 5002, len }
    }

    /// A TCP segment with `len` bytes of payload, from port 5001 to 5002.
    pub fn tcp(len: usize) -> Upper {
        Upper::Tcp { src_port: 5001, dst_port: 5002, len }
    }

    /// The protocol number and the bytes, checksummed for these addresses.
    fn ipv4(&self, src: [u8; 4], dst: [u8; 4]) -> (u8, Vec<u8>) {
        match *self {
            Upper::Udp { src_port, dst_port, len } => {
                let (mut header, payload) = (udp_header(src_port, dst_port, len), pattern(len));
                header.checksum = header.calc_checksum_ipv4_raw(src, dst, &payload).expect("fits UDP");
                (17, joined(&header.to_bytes(), &payload))
            }
            Upper::Tcp { src_port, dst_port, len } => {
                let (mut header, payload) = (TcpHeader::new(src_port, dst_port, 1, 0x2000), pattern(len));
                header.checksum = header.calc_checksum_ipv4_raw(src, dst, &payload).expect("fits TCP");
                (6, joined(&header.to_bytes(), &payload))
            }
            Upper::Icmp { len } => {
                let payload = pattern(len);
                let header = Icmpv4Header::with_checksum(Icmpv4Type::EchoRequest(ECHO), &payload);
                (1, joined(&header.to_bytes(), &payload))
            }
            Upper::Raw { protocol, ref bytes } => (protocol, bytes.clone()),
        }
    }

    /// The protocol number and the bytes, checksummed for these addresses.
    fn ipv6(&self, src: [u8; 16], dst: [u8; 16]) -> (u8, Vec<u8>) {
        match *self {
            Upper::Udp { src_port, dst_port, len } => {
                let (mut header, payload) = (udp_header(src_port, dst_port, len), pattern(len));
                header.checksum = header.calc_checksum_ipv6_raw(src, dst, &payload).expect("fits UDP");
                (17, joined(&header.to_bytes(), &payload))
            }
            Upper::Tcp { src_port, dst_port, len } => {
                let (mut header, payload) = (TcpHeader::new(src_port, dst_port, 1, 0x2000), pattern(len));
                header.checksum = header.calc_checksum_ipv6_raw(src, dst, &payload).expect("fits TCP");
                (6, joined(&header.to_bytes(), &payload))
            }
            Upper::Icmp { len } => {
                let payload = pattern(len);
                let header = Icmpv6Header::with_checksum(Icmpv6Type::EchoRequest(ECHO), src, dst, &payload)
                    .expect("fits ICMPv6");
                (58, joined(&header.to_bytes(), &payload))
            }
            Upper::Raw { protocol, ref bytes } => (protocol, bytes.clone()),
        }
    }
}

/// `len` bytes of which each tells its place: 0, 1, .. 250, 0, 1, .. (251 is prime, so a shift by any power
/// of two shows).
pub fn pattern(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}

/// `packet` followed by `len` bytes of `0xfc`, as TFC padding (RFC 4303 section 2.7) follows an inner packet:
/// the IP length does not cover them.
pub fn with_tail(packet: &[u8], len: usize) -> Vec<u8> {
    joined(packet, &vec![0xfc; len])
}

/// `packet` followed by zeros up to the 46 bytes that an Ethernet frame carries at least; the IP length does
/// not cover them.
pub fn ethernet_padded(packet: &[u8]) -> Vec<u8> {
    joined(packet, &vec![0; ETHERNET_MIN_PAYLOAD.saturating_sub(packet.len())])
}

/// The Ethernet frame of `packet`, without frame check sequence: 14 bytes of header, then
/// [`ethernet_padded`].
pub fn ethernet_frame(packet: &[u8]) -> Vec<u8> {
    let ether_type: [u8; 2] =
        if packet.first().is_some_and(|first| first >> 4 == 6) { [0x86, 0xdd] } else { [0x08, 0] };
    let addresses = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
    joined(&joined(&addresses, &ether_type), &ethernet_padded(packet))
}

fn udp_header(source_port: u16, destination_port: u16, len: usize) -> UdpHeader {
    let length = u16::try_from(8 + len).expect("a UDP length fits 16 bits");
    UdpHeader { source_port, destination_port, length, checksum: 0 }
}

fn joined(front: &[u8], back: &[u8]) -> Vec<u8> {
    [front, back].concat()
}

const ECHO: IcmpEchoHeader = IcmpEchoHeader { id: 0x1234, seq: 1 };

/// IEEE 802.3: 64 bytes of frame less 14 of header and 4 of frame check sequence.
const ETHERNET_MIN_PAYLOAD: usize = 46;

#[cfg(test)]
mod tests;
