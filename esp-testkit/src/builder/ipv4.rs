//! IPv4 packets.

use super::{Upper, joined};
use etherparse::{IpDscp, IpEcn, IpFragOffset, IpNumber, Ipv4Header};

/// The header fields of an IPv4 packet. Length, protocol and checksum follow from what it carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ipv4 {
    /// Source address.
    pub src: [u8; 4],
    /// Destination address.
    pub dst: [u8; 4],
    /// DSCP in the upper six bits, ECN in the lower two.
    pub tos: u8,
    /// Identification.
    pub id: u16,
    /// Don't fragment.
    pub df: bool,
    /// More fragments follow.
    pub mf: bool,
    /// Fragment offset in units of 8 bytes, below 2^13.
    pub frag_offset: u16,
    /// Time to live.
    pub ttl: u8,
    /// Options, a multiple of 4 bytes, at most 40.
    pub options: Vec<u8>,
}

impl Default for Ipv4 {
    /// From 10.1.0.1 to 10.2.0.2, id 0x1111, ttl 64, no flags, no options.
    fn default() -> Ipv4 {
        Ipv4 {
            src: [10, 1, 0, 1],
            dst: [10, 2, 0, 2],
            tos: 0,
            id: 0x1111,
            df: false,
            mf: false,
            frag_offset: 0,
            ttl: 64,
            options: Vec::new(),
        }
    }
}

impl Ipv4 {
    /// The packet that carries `upper`. Panics where a field is out of range or the packet is over 65535
    /// bytes.
    pub fn packet(&self, upper: &Upper) -> Vec<u8> {
        let (protocol, bytes) = upper.ipv4(self.src, self.dst);
        joined(&self.header(protocol, bytes.len()), &bytes)
    }

    /// The header alone, with checksum, in front of `payload_len` bytes of `protocol`.
    pub fn header(&self, protocol: u8, payload_len: usize) -> Vec<u8> {
        let mut header = Ipv4Header {
            dscp: IpDscp::try_new(self.tos >> 2).expect("six bits"),
            ecn: IpEcn::try_new(self.tos & 3).expect("two bits"),
            identification: self.id,
            dont_fragment: self.df,
            more_fragments: self.mf,
            fragment_offset: IpFragOffset::try_new(self.frag_offset).expect("frag_offset is below 2^13"),
            time_to_live: self.ttl,
            protocol: IpNumber(protocol),
            source: self.src,
            destination: self.dst,
            ..Ipv4Header::default()
        };
        header.options =
            self.options.as_slice().try_into().expect("options are a multiple of 4 bytes, at most 40");
        header.set_payload_len(payload_len).expect("an IPv4 packet has at most 65535 bytes");
        header.header_checksum = header.calc_header_checksum();
        header.to_bytes().to_vec()
    }
}
