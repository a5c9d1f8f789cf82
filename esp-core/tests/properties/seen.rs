//! A packet on the wire as this side sees it, and as the slow ESP opens it.

use std::net::IpAddr;

use esp_testkit::slow::{self, SlowError, SlowOpened};
use esp_wire::{EspHeader, Ip, UdpHeader, ipv6, proto};

use crate::sas::UDP_PORT;
use crate::targets::Target;

/// An ESP packet and what is around it, as this side sees it.
pub(crate) struct Seen<'a> {
    pub(crate) src: IpAddr,
    pub(crate) dst: IpAddr,
    pub(crate) tos: u8,
    /// IP header and extension headers.
    pub(crate) headers: &'a [u8],
    pub(crate) udp: bool,
    pub(crate) header: EspHeader,
    pub(crate) esp: &'a [u8],
}

/// Finds the ESP packet, bare or in UDP.
pub(crate) fn look(wire: &[u8]) -> Option<Seen<'_>> {
    let ip = Ip::parse(wire).ok()?;
    let (offset, protocol, first) = match &ip {
        Ip::V4(ip) => (ip.header_len(), ip.protocol(), ip.fragment_offset() == 0),
        Ip::V6(v6) => {
            let upper = ipv6::find_upper(v6).ok()?;
            (upper.offset, upper.next_header, upper.first)
        }
    };
    let (headers, rest) = ip.bytes().split_at(offset);
    let (udp, esp) = match protocol {
        proto::ESP => (false, rest),
        proto::UDP if first => (true, datagram(rest).filter(|esp| !esp.starts_with(&[0; 4]))?),
        _ => return None,
    };
    let header = EspHeader::read(esp)?;
    Some(Seen { src: ip.src(), dst: ip.dst(), tos: ip.traffic_class(), headers, udp, header, esp })
}

/// The payload of a UDP datagram to the port of UDP-encapsulated ESP.
fn datagram(rest: &[u8]) -> Option<&[u8]> {
    let header = UdpHeader::read(rest).filter(|header| header.dst_port == UDP_PORT)?;
    rest.get(8..usize::from(header.length))
}

/// Whether the packet ends in a keepalive's one byte (RFC 3948 section 2.3): no header can stand around so little.
pub(crate) fn is_keepalive(wire: &[u8]) -> bool {
    let upper = |offset: usize| Ip::parse(wire).ok().and_then(|ip| ip.bytes().get(offset..));
    (20..wire.len()).any(|offset| upper(offset).and_then(datagram) == Some(&[0xff]))
}

/// What the slow ESP makes of it: the number that it authenticates by, and the packet; `None` for a forgery.
pub(crate) fn slow_open(target: &Target, seen: &Seen<'_>) -> Option<(u64, Result<SlowOpened, SlowError>)> {
    let highs = if target.config.esn { HIGHS } else { 0..1 };
    let wire = slow::wrap_esp(seen.headers, target.slow.udp, seen.esp);
    highs.map(|high| (high, slow::open(&target.slow, high, &wire))).find_map(|(high, opened)| {
        let seq = u64::from(high) << 32 | u64::from(seen.header.seq.0);
        (!matches!(opened, Err(SlowError::BadIcv | SlowError::TooShort))).then_some((seq, opened))
    })
}

/// High halves that the numbers of the programs can have, and one more.
const HIGHS: std::ops::Range<u32> = 0..10;
