//! Matching the packet inside against the SA's selectors (RFC 4301 section 4.4.1.1).

use std::net::IpAddr;

use esp_wire::{Ip, ipv6, udp};

use crate::config::Selector;

/// What selectors look at.
struct Inner {
    src: IpAddr,
    dst: IpAddr,
    protocol: u8,
    /// Source and destination, if the packet holds them: a fragment other than the first does not.
    ports: Option<(u16, u16)>,
}

/// Whether the IP packet `data` matches one of `selectors`.
pub(super) fn any_matches(selectors: &[Selector], data: &[u8]) -> bool {
    Inner::read(data).is_some_and(|inner| selectors.iter().any(|selector| inner.matches(selector)))
}

impl Inner {
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
