//! The UDP header, if there is one, and what it carries (RFC 3948).

use std::net::IpAddr;

use esp_core::{Consumed, DropReason, HandedBack};
use esp_wire::udp::{self, UdpHeader};
use serde::Serialize;

use super::ip::Upper;
use super::{Mark, Said};
use crate::explain::names;
use crate::explain::span::Span;
use crate::explain::story::Fate;

/// A UDP header.
#[derive(Debug, Serialize)]
pub(crate) struct Udp {
    pub(crate) header: Span,
    pub(crate) src_port: u16,
    pub(crate) dst_port: u16,
    /// Bytes of header and payload, as the datagram says.
    length: u16,
    checksum: Checksum,
    /// Whether ESP is expected on the destination port.
    pub(crate) port_known: bool,
    carries: Carries,
    /// Bytes of the IP packet behind the datagram.
    behind: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Checksum {
    /// Zero: none was computed.
    Absent,
    Right,
    Wrong,
    /// The datagram is not whole.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Carries {
    Esp,
    /// Four zero bytes, then IKE.
    NonEspMarker,
    Keepalive,
    /// The length field does not fit.
    Nothing,
    /// The port is none of ESP's.
    NotKnown,
}

/// Reads the header, and says where its payload lies if that may be ESP.
///
/// # Errors
///
/// How a datagram ends that is none, or carries none.
pub(crate) fn read(
    frame: &[u8],
    upper: &Upper,
    known: impl Fn(&UdpHeader) -> bool,
) -> (Option<Udp>, Result<Span, Fate>) {
    let at = upper.header.end();
    let bytes = Span::between(at, upper.end).of(frame);
    let not_esp = Err(Fate::HandedBack(HandedBack::NotEsp));
    let Some(header) = UdpHeader::read(bytes) else { return (None, not_esp) };
    let mut udp = Udp {
        header: Span { at, len: udp::HEADER_LEN },
        src_port: header.src_port,
        dst_port: header.dst_port,
        length: header.length,
        checksum: checksum(frame, upper, &header),
        port_known: known(&header),
        carries: Carries::NotKnown,
        behind: upper.end.saturating_sub(at + usize::from(header.length)),
    };
    if !udp.port_known {
        return (Some(udp), not_esp);
    }
    // Of the first fragment, as much as there is.
    let end = if upper.fragment.is_some() { bytes.len() } else { usize::from(header.length) };
    let (carries, payload) = match bytes.get(udp::HEADER_LEN..end) {
        None => (Carries::Nothing, Err(DropReason::Malformed.into())),
        Some([0xff]) if upper.fragment.is_none() => {
            (Carries::Keepalive, Err(Fate::Consumed(Consumed::Keepalive)))
        }
        Some([0, 0, 0, 0, ..]) => (Carries::NonEspMarker, Err(Fate::HandedBack(HandedBack::Ike))),
        Some(_) => (Carries::Esp, Ok(Span::between(at + udp::HEADER_LEN, at + end))),
    };
    udp.carries = carries;
    (Some(udp), payload)
}

fn checksum(frame: &[u8], upper: &Upper, header: &UdpHeader) -> Checksum {
    let at = upper.header.end();
    if header.checksum == 0 {
        return Checksum::Absent;
    }
    let datagram = frame.get(at..at + usize::from(header.length)).filter(|_| upper.fragment.is_none());
    let ip = esp_wire::Ip::parse(frame.get(upper.header.at..).unwrap_or_default());
    let (Some(datagram), Ok(ip)) = (datagram, ip) else { return Checksum::Unknown };
    let right = match (ip.src(), ip.dst()) {
        (IpAddr::V4(src), IpAddr::V4(dst)) => udp::checksum_v4(src.octets(), dst.octets(), datagram),
        (IpAddr::V6(src), IpAddr::V6(dst)) => udp::checksum_v6(src.octets(), dst.octets(), datagram),
        _ => return Checksum::Unknown,
    };
    if right == header.checksum { Checksum::Right } else { Checksum::Wrong }
}

impl Udp {
    /// The stage in words.
    pub(crate) fn said(&self) -> Said {
        let sum = match self.checksum {
            Checksum::Absent => "no checksum",
            Checksum::Right => "checksum right",
            Checksum::Wrong => {
                "checksum wrong (not looked at: RFC 3948 section 2.1 has the sender write zero)"
            }
            Checksum::Unknown => "checksum not to be told",
        };
        let line = format!(
            "port {} -> {}, {} in all, header at {} ({:#04x}), {sum}",
            self.src_port,
            self.dst_port,
            names::bytes(self.length.into()),
            self.header.at,
            self.header.at
        );
        let (mark, carries) = match self.carries {
            Carries::Esp => (Mark::Ok, None),
            Carries::NonEspMarker => {
                (Mark::Ok, Some("four zero bytes, the non-ESP marker: IKE follows (RFC 3948 section 2.2)"))
            }
            Carries::Keepalive => (Mark::Ok, Some("one byte 0xff: a NAT keepalive (RFC 3948 section 2.3)")),
            Carries::Nothing => (Mark::Fail, Some("the length field does not fit the IP packet")),
            Carries::NotKnown => {
                (Mark::Note, Some("no SA has this destination port, so it is not taken for ESP"))
            }
        };
        let behind = (self.behind > 0)
            .then(|| format!("{} of the IP packet lie behind the datagram", names::bytes(self.behind)));
        Said::new("UDP", mark, line).and_if(carries.map(str::to_owned)).and_if(behind)
    }
}
