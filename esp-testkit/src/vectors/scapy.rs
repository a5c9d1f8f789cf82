//! Packets sealed by scapy, made by `scripts/scapy_vectors.py`.

use super::{field, parse};
use crate::slow::{SlowMode, SlowSa, SlowTransform};
use serde::Deserialize;
use std::net::IpAddr;

/// One packet before and after ESP, with its SA.
#[derive(Clone, Debug)]
pub struct ScapyVector {
    /// Transform, mode, families, sequence numbers and encapsulation: `aes-128-gcm-16/tunnel-6-in-4/esn/udp`.
    pub name: String,
    /// The SA, in the words of the slow ESP.
    pub sa: SlowSa,
    /// 64-bit sequence number; the high half is zero without ESN.
    pub seq: u64,
    /// The IV on the wire: 8 bytes, or none with NULL.
    pub iv: Vec<u8>,
    /// The packet in clear, from its IP header: IPv4 with id 0x1111 or IPv6, a UDP datagram inside.
    pub inner: Vec<u8>,
    /// The sealed packet, from its outer IP header. In tunnel mode that has hop limit 64 and zero DSCP, ECN,
    /// identification and flags. A UDP header before ESP has checksum zero, over IPv6 too.
    pub sealed: Vec<u8>,
}

/// All packets that scapy sealed: every transform of the slow ESP with each AES key size, transport and
/// tunnel mode, all families, with and without ESN and UDP encapsulation.
pub fn scapy() -> Vec<ScapyVector> {
    let sas: Vec<Sa> = parse(include_str!("../../data/scapy.json"), "esp-scapy/1", "sas")
        .unwrap_or_else(|why| panic!("data/scapy.json: {why}"));
    sas.into_iter().flat_map(Sa::vectors).collect()
}

#[derive(Deserialize)]
struct Sa {
    name: String,
    transform: String,
    spi: u32,
    #[serde(deserialize_with = "field::bytes")]
    key: Vec<u8>,
    #[serde(deserialize_with = "field::bytes")]
    salt: Vec<u8>,
    esn: bool,
    tunnel: Option<(IpAddr, IpAddr)>,
    udp: Option<(u16, u16)>,
    packets: Vec<Packet>,
}

#[derive(Deserialize)]
struct Packet {
    #[serde(deserialize_with = "field::number")]
    seq: u64,
    #[serde(deserialize_with = "field::bytes")]
    iv: Vec<u8>,
    #[serde(deserialize_with = "field::bytes")]
    inner: Vec<u8>,
    #[serde(deserialize_with = "field::bytes")]
    sealed: Vec<u8>,
}

impl Sa {
    fn vectors(self) -> Vec<ScapyVector> {
        let sa = SlowSa {
            spi: self.spi,
            transform: SlowTransform::named(&self.transform)
                .unwrap_or_else(|| panic!("data/scapy.json: no transform {}", self.transform)),
            key: [self.key, self.salt].concat(),
            esn: self.esn,
            mode: self.tunnel.map_or(SlowMode::Transport, |(src, dst)| SlowMode::Tunnel { src, dst }),
            udp: self.udp,
        };
        let vector = |Packet { seq, iv, inner, sealed }| {
            let (name, sa) = (self.name.clone(), sa.clone());
            ScapyVector { name, sa, seq, iv, inner, sealed }
        };
        self.packets.into_iter().map(vector).collect()
    }
}
