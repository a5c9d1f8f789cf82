//! IPv6 packets with chains of extension headers.

use super::{Upper, joined};
use etherparse::{IpFragOffset, IpNumber, Ipv6FragmentHeader, Ipv6Header, Ipv6RawExtHeader};

/// The header fields of an IPv6 packet. Payload length and next header follow from what it carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ipv6 {
    /// Source address.
    pub src: [u8; 16],
    /// Destination address; the checksum of what the packet carries is made with it, whatever a routing
    /// header says.
    pub dst: [u8; 16],
    /// DSCP in the upper six bits, ECN in the lower two.
    pub traffic_class: u8,
    /// Flow label, below 2^20.
    pub flow_label: u32,
    /// Hop limit.
    pub hop_limit: u8,
    /// Extension headers in the order in which they stand.
    pub exts: Vec<Ext>,
}

/// An extension header (RFC 8200 section 4). `len` is its whole length in bytes: a multiple of 8, from 8 to
/// 2048.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ext {
    /// Hop-by-hop options, all of them padding.
    HopByHop {
        /// Whole length in bytes.
        len: usize,
    },
    /// Destination options, all of them padding.
    DestOpts {
        /// Whole length in bytes.
        len: usize,
    },
    /// A routing header of 24 bytes of the experimental type 253, with one address.
    Routing {
        /// Segments still to visit.
        segments_left: u8,
    },
    /// A fragment header, of 8 bytes.
    Fragment {
        /// Fragment offset in units of 8 bytes, below 2^13.
        offset: u16,
        /// More fragments follow.
        more: bool,
        /// Identification.
        id: u32,
    },
}

impl Default for Ipv6 {
    /// From 2001:db8:1::1 to 2001:db8:2::2, hop limit 64, no extension headers.
    fn default() -> Ipv6 {
        Ipv6 {
            src: [0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            dst: [0x20, 0x01, 0x0d, 0xb8, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2],
            traffic_class: 0,
            flow_label: 0,
            hop_limit: 64,
            exts: Vec::new(),
        }
    }
}

impl Ipv6 {
    /// The packet that carries `upper`. Panics where a field is out of range or the payload is over 65535
    /// bytes.
    pub fn packet(&self, upper: &Upper) -> Vec<u8> {
        let (protocol, bytes) = upper.ipv6(self.src, self.dst);
        joined(&self.header(protocol, bytes.len()), &bytes)
    }

    /// The header and its extension headers, in front of `payload_len` bytes of `protocol`.
    pub fn header(&self, protocol: u8, payload_len: usize) -> Vec<u8> {
        let mut exts = Vec::new();
        for (place, ext) in self.exts.iter().enumerate() {
            let next = self.exts.get(place + 1).map_or(protocol, Ext::number);
            exts.extend(ext.bytes(IpNumber(next)));
        }
        let fixed = Ipv6Header {
            traffic_class: self.traffic_class,
            flow_label: self.flow_label.try_into().expect("flow_label is below 2^20"),
            payload_length: u16::try_from(exts.len() + payload_len)
                .expect("an IPv6 payload has at most 65535 bytes"),
            next_header: IpNumber(self.exts.first().map_or(protocol, Ext::number)),
            hop_limit: self.hop_limit,
            source: self.src,
            destination: self.dst,
        };
        joined(&fixed.to_bytes(), &exts)
    }
}

impl Ext {
    /// The number that the header before gives as next header.
    pub fn number(&self) -> u8 {
        match self {
            Ext::HopByHop { .. } => 0,
            Ext::Routing { .. } => 43,
            Ext::Fragment { .. } => 44,
            Ext::DestOpts { .. } => 60,
        }
    }

    fn bytes(&self, next: IpNumber) -> Vec<u8> {
        match *self {
            Ext::HopByHop { len } | Ext::DestOpts { len } => {
                let data_len = len.checked_sub(2).expect("an extension header has at least 8 bytes");
                options(next, &padding_options(data_len))
            }
            Ext::Routing { segments_left } => {
                let mut data = vec![253, segments_left, 0, 0, 0, 0];
                data.extend([0x20, 0x01, 0x0d, 0xb8, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]);
                options(next, &data)
            }
            Ext::Fragment { offset, more, id } => {
                let offset = IpFragOffset::try_new(offset).expect("offset is below 2^13");
                Ipv6FragmentHeader::new(next, offset, more, id).to_bytes().to_vec()
            }
        }
    }
}

fn options(next: IpNumber, data: &[u8]) -> Vec<u8> {
    let header =
        Ipv6RawExtHeader::new_raw(next, data).expect("an extension header is a multiple of 8, at most 2048");
    header.to_bytes().to_vec()
}

/// `len` bytes of PadN options (RFC 8200 section 4.2), each of at most 256 bytes; a byte left over is Pad1.
fn padding_options(mut len: usize) -> Vec<u8> {
    let mut options = Vec::with_capacity(len);
    while len >= 2 {
        let data = (len - 2).min(254);
        options.extend([1, u8::try_from(data).expect("at most 254")]);
        options.resize(options.len() + data, 0);
        len -= 2 + data;
    }
    options.resize(options.len() + len, 0);
    options
}
