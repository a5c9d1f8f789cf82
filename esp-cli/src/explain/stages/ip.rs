//! The IP header, with its extension headers and what lies behind the packet.

use std::net::IpAddr;

use esp_core::DropReason;
use esp_wire::{Ip, IpError, ipv4, ipv6, proto};
use serde::Serialize;

use super::{Mark, Said};
use crate::explain::names::{self, protocol};
use crate::explain::span::Span;
use crate::explain::story::Fate;

/// An IP header that fits its packet, or what is wrong with it.
#[derive(Debug, Default, Serialize)]
pub(crate) struct IpHeader {
    version: u8,
    pub(crate) src: Option<IpAddr>,
    pub(crate) dst: Option<IpAddr>,
    /// With options and extension headers.
    pub(crate) header: Span,
    /// Numbers of the IPv6 extension headers.
    extension_headers: Vec<u8>,
    /// What follows all headers.
    pub(crate) protocol: u8,
    /// Bytes of the packet, as it says itself.
    pub(crate) total_len: usize,
    ttl: u8,
    /// DSCP in the upper six bits, ECN in the lower two.
    pub(crate) traffic_class: u8,
    /// Whether the header checksum is right; IPv6 has none.
    checksum_right: Option<bool>,
    /// `None`: a whole packet.
    pub(crate) fragment: Option<Fragment>,
    /// Bytes of the frame behind the packet: padding of layer 2.
    pub(crate) behind: Span,
    /// Why it is no IP packet.
    fault: Option<String>,
}

/// A part of a packet.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Fragment {
    /// Whether it is the first, which has the ESP header.
    pub(crate) first: bool,
    more_follow: bool,
    /// Bytes of the whole packet's payload in front of it.
    offset: usize,
}

/// What is behind the headers.
pub(crate) struct Upper {
    pub(crate) header: Span,
    pub(crate) protocol: u8,
    pub(crate) fragment: Option<Fragment>,
    /// End of the IP packet.
    pub(crate) end: usize,
    /// The byte that names what follows, from the start of the IP header.
    pub(crate) field: usize,
}

/// Reads the header at `at` of a frame.
///
/// # Errors
///
/// How a packet ends that is no IP packet, or whose extension headers lead nowhere.
pub(crate) fn read(frame: &[u8], at: usize) -> (IpHeader, Result<Upper, Fate>) {
    let packet = frame.get(at..).unwrap_or_default();
    let ip = match Ip::parse(packet) {
        Ok(ip) => ip,
        Err(why) => return (broken(packet, at, why), Err(DropReason::Malformed.into())),
    };
    let mut header = IpHeader {
        version: packet.first().map_or(0, |first| first >> 4),
        src: Some(ip.src()),
        dst: Some(ip.dst()),
        total_len: ip.total_len(),
        ttl: ip.hop_limit(),
        traffic_class: ip.traffic_class(),
        behind: Span::between(at + ip.total_len(), frame.len()),
        ..IpHeader::default()
    };
    let upper = match &ip {
        Ip::V4(v4) => {
            header.checksum_right = Some(v4.checksum_ok());
            header.fragment = v4.is_fragment().then(|| Fragment {
                first: v4.fragment_offset() == 0,
                more_follow: v4.more_fragments(),
                offset: usize::from(v4.fragment_offset()) * 8,
            });
            Ok((v4.header_len(), v4.protocol(), PROTOCOL_AT))
        }
        Ip::V6(v6) => of_v6(v6, &mut header),
    };
    let (len, protocol, field) = match upper {
        Ok(upper) => upper,
        Err(why) => {
            header.fault = Some(why);
            return (header, Err(DropReason::ExtensionHeaders.into()));
        }
    };
    (header.header, header.protocol) = (Span { at, len }, protocol);
    let (fragment, end) = (header.fragment, at + header.total_len);
    let upper = Upper { header: header.header, protocol, fragment, end, field };
    (header, Ok(upper))
}

/// Length of all headers, what follows them, and the byte that names it.
fn of_v6(v6: &ipv6::Ipv6<'_>, header: &mut IpHeader) -> Result<(usize, u8, usize), String> {
    let upper = ipv6::find_upper(v6).map_err(|why| why.to_string())?;
    let (kinds, place) = chain(v6, upper.offset);
    header.extension_headers = kinds;
    header.fragment = (upper.fragment && !upper.atomic).then_some(Fragment {
        first: upper.first,
        more_follow: place & 1 != 0,
        offset: usize::from(place & !7),
    });
    Ok((upper.offset, upper.next_header, upper.field))
}

/// The numbers of the extension headers in front of `end`, which is known to be where they end, and the offset and flags
/// of the last fragment header among them (RFC 8200 section 4.5).
fn chain(v6: &ipv6::Ipv6<'_>, end: usize) -> (Vec<u8>, u16) {
    let (mut kinds, mut kind, mut at, mut place) = (Vec::new(), v6.next_header(), ipv6::HEADER_LEN, 0);
    while at < end {
        let Some(&[next, units, high, low]) = v6.bytes().get(at..).and_then(<[u8]>::first_chunk) else {
            break;
        };
        kinds.push(kind);
        if kind == proto::FRAGMENT {
            place = u16::from_be_bytes([high, low]);
            at += 8;
        } else {
            at += 8 + 8 * usize::from(units);
        }
        kind = next;
    }
    (kinds, place)
}

fn broken(packet: &[u8], at: usize, why: IpError) -> IpHeader {
    let version = packet.first().map_or(0, |first| first >> 4);
    let field =
        |at: usize| packet.get(at..).and_then(<[u8]>::first_chunk).map(|field| u16::from_be_bytes(*field));
    let says = match version {
        4 => field(TOTAL_LEN_AT).map(usize::from),
        6 => field(PAYLOAD_LEN_AT).map(|len| ipv6::HEADER_LEN + usize::from(len)),
        _ => None,
    };
    let lengths = says.filter(|_| why == IpError::TotalLen).map(|says| {
        format!(": the header says {}, and the frame has {}", names::bytes(says), names::bytes(packet.len()))
    });
    IpHeader {
        version,
        total_len: packet.len(),
        header: Span {
            at,
            len: packet.len().min(if version == 6 { ipv6::HEADER_LEN } else { ipv4::MIN_HEADER_LEN }),
        },
        fault: Some(format!("{why}{}", lengths.unwrap_or_default())),
        ..IpHeader::default()
    }
}

impl IpHeader {
    /// The stage in words.
    pub(crate) fn said(&self) -> Said {
        let (Some(src), Some(dst)) = (self.src, self.dst) else { return self.said_broken() };
        let mark = match (self.fragment, &self.fault) {
            (Some(_), _) | (_, Some(_)) => Mark::Fail,
            (None, None) if self.checksum_right == Some(false) => Mark::Note,
            (None, None) => Mark::Ok,
        };
        let line = format!("IPv{} {src} -> {dst}, {}", self.version, self.what());
        let numbers = format!(
            "{} in all, {} of headers at {} ({:#04x}); TTL {}, DSCP {}, ECN {}",
            names::bytes(self.total_len),
            self.header.len,
            self.header.at,
            self.header.at,
            self.ttl,
            self.traffic_class >> 2,
            ecn(self.traffic_class)
        );
        let headers = self.extension_headers.iter().map(|kind| protocol(*kind)).collect::<Vec<_>>();
        let extensions = (!headers.is_empty()).then(|| format!("extension headers: {}", headers.join(", ")));
        let padding = (self.behind.len > 0)
            .then(|| format!("behind the packet: {} of layer-2 padding, {}", self.behind.len, self.behind));
        let checksum = (self.checksum_right == Some(false)).then(|| {
            "the header checksum is wrong; the engine leaves that to the network card, and to the ICV"
                .to_owned()
        });
        Said::new("IP", mark, line)
            .and(numbers)
            .and_if(extensions)
            .and_if(self.fault.clone())
            .and_if(padding)
            .and_if(checksum)
    }

    fn what(&self) -> String {
        match self.fragment {
            None => format!("protocol {}", protocol(self.protocol)),
            Some(part) => {
                let place =
                    if part.first { "the first".to_owned() } else { format!("offset {}", part.offset) };
                let more = if part.more_follow { ", more follow" } else { "" };
                format!("a fragment ({place}{more}) of protocol {}", protocol(self.protocol))
            }
        }
    }

    fn said_broken(&self) -> Said {
        let why = self.fault.clone().unwrap_or_default();
        Said::new("IP", Mark::Fail, format!("no whole IP packet at {}: {why}", self.header.at))
    }
}

/// The ECN field of a traffic class (RFC 3168 section 5).
pub(crate) fn ecn(traffic_class: u8) -> &'static str {
    match traffic_class & 3 {
        0 => "Not-ECT",
        1 => "ECT(1)",
        2 => "ECT(0)",
        _ => "CE",
    }
}

/// Of the protocol field in an IPv4 header (RFC 791 section 3.1).
const PROTOCOL_AT: usize = 9;
const TOTAL_LEN_AT: usize = 2;
/// Of the payload length in an IPv6 header (RFC 8200 section 3).
const PAYLOAD_LEN_AT: usize = 4;
