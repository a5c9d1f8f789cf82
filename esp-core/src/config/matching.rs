//! Matching a packet that is in the clear against selectors (RFC 4301 section 4.4.1.1).

use std::net::IpAddr;

use esp_wire::{Ip, ipv6, udp};

use super::Selector;

impl Selector {
    /// Whether the IP packet at the start of `data` is of this kind. What is no whole IP header is of no kind, and
    /// neither are ports that the packet does not hold: those of a fragment other than the first.
    pub fn matches(&self, data: &[u8]) -> bool {
        Clear::read(data).is_some_and(|packet| packet.matches(self))
    }
}

/// Whether the IP packet `data` matches one of `selectors`.
pub(crate) fn any_matches(selectors: &[Selector], data: &[u8]) -> bool {
    Clear::read(data).is_some_and(|packet| selectors.iter().any(|selector| packet.matches(selector)))
}

/// What selectors look at.
struct Clear {
    src: IpAddr,
    dst: IpAddr,
    protocol: u8,
    /// Source and destination, if the packet holds them: a fragment other than the first does not.
    ports: Option<(u16, u16)>,
}

impl Clear {
    fn read(data: &[u8]) -> Option<Self> {
        let ip = Ip::parse(data).ok()?;
        let (protocol, upper, whole) = match &ip {
            Ip::V4(ip) => (ip.protocol(), ip.payload(), ip.fragment_offset() == 0),
            Ip::V6(v6) => {
                let upper = ipv6::find_upper(v6).ok()?;
                (upper.next_header, v6.bytes().get(upper.offset..)?, upper.first)
            }
        };
        // All protocols with ports carry them in their first four bytes, as UDP does; the configuration asks for
        // ports of those only.
        let ports = udp::UdpHeader::read_ports(upper).filter(|_| whole);
        Some(Self { src: ip.src(), dst: ip.dst(), protocol, ports })
    }

    fn matches(&self, selector: &Selector) -> bool {
        selector.src.contains(self.src)
            && selector.dst.contains(self.dst)
            && selector.protocol.is_none_or(|protocol| protocol == self.protocol)
            && selector.src_port.is_none_or(|range| self.ports.is_some_and(|(src, _)| range.contains(src)))
            && selector.dst_port.is_none_or(|range| self.ports.is_some_and(|(_, dst)| range.contains(dst)))
    }
}
