//! An IP packet in one line.

use std::fmt;
use std::net::IpAddr;

use esp_wire::udp::UdpHeader;
use esp_wire::{EspHeader, Ip, ipv6, proto};
use serde::Serialize;

use crate::explain::names::{self, protocol};

/// The headers of a packet in the clear.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Short {
    version: u8,
    pub(crate) src: IpAddr,
    pub(crate) dst: IpAddr,
    /// What follows all headers.
    pub(crate) protocol: u8,
    /// Source and destination, of protocols that have them.
    pub(crate) ports: Option<(u16, u16)>,
    /// Bytes.
    pub(crate) len: usize,
    /// Of ESP once more.
    nested_spi: Option<u32>,
}

impl Short {
    /// Of a packet that was parsed.
    pub(crate) fn of(ip: &Ip<'_>) -> Self {
        let (version, protocol, upper, first) = match ip {
            Ip::V4(v4) => (4, v4.protocol(), v4.payload(), v4.fragment_offset() == 0),
            Ip::V6(v6) => match ipv6::find_upper(v6) {
                Ok(upper) => {
                    let bytes = v6.bytes().get(upper.offset..).unwrap_or_default();
                    (6, upper.next_header, bytes, upper.first)
                }
                Err(_) => (6, v6.next_header(), v6.payload(), false),
            },
        };
        Self {
            version,
            src: ip.src(),
            dst: ip.dst(),
            protocol,
            ports: UdpHeader::read_ports(upper).filter(|_| first && WITH_PORTS.contains(&protocol)),
            len: ip.total_len(),
            nested_spi: EspHeader::read(upper)
                .filter(|_| first && protocol == proto::ESP)
                .map(|header| header.spi),
        }
    }

    /// The SPI, if the packet is ESP itself.
    pub(crate) fn nested(&self) -> Option<u32> {
        self.nested_spi
    }
}

/// `IPv4 10.1.0.1 -> 10.2.0.2, protocol 17 (UDP), port 5001 -> 5002, 74 bytes`.
impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IPv{} {} -> {}, protocol {}", self.version, self.src, self.dst, protocol(self.protocol))?;
        if let Some((src, dst)) = self.ports {
            write!(f, ", port {src} -> {dst}")?;
        }
        write!(f, ", {}", names::bytes(self.len))
    }
}

const WITH_PORTS: [u8; 4] = [proto::TCP, proto::UDP, proto::SCTP, proto::UDP_LITE];
