//! The packet inside (RFC 4303 section 3.4.4, RFC 6040 section 4.2).

mod short;

use esp_core::DropReason;
use esp_core::config::Mode;
use esp_wire::{Ecn, Ip, ecn, ipv4, ipv6, proto};
use serde::Serialize;
use zeroize::Zeroizing;

use super::ip::Upper;
use super::{Mark, Said, ip};
use crate::explain::names::{self, protocol};
use crate::explain::story::Fate;
pub(crate) use short::Short;

/// What was protected.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Inner {
    #[serde(skip)]
    tunnel: bool,
    pub(crate) next_header: u8,
    /// Its headers in short; null if it is no packet.
    pub(crate) packet: Option<Short>,
    /// Bytes behind the inner packet's own length (RFC 4303 section 2.7).
    tfc_padding: usize,
    /// Tunnel mode: the ECN fields (RFC 6040).
    ecn: Option<EcnFields>,
    /// Why there is no packet.
    pub(crate) fault: Option<String>,
}

/// The ECN field of both headers, and what becomes of the inner one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct EcnFields {
    inner: &'static str,
    outer: &'static str,
    /// Null: the packet is dropped.
    after: Option<&'static str>,
}

/// The packet that a plaintext makes, in bytes that are wiped.
pub(crate) type Clear = Zeroizing<Vec<u8>>;

/// Tunnel mode: the payload is an IP packet of the version that the next header says.
///
/// # Errors
///
/// It is none, or may not be delivered because of its ECN field.
pub(crate) fn of_tunnel(payload: &[u8], next_header: u8, outer_class: u8) -> (Inner, Result<Clear, Fate>) {
    let mut inner = Inner { tunnel: true, next_header, ..Inner::default() };
    let bad = Err(DropReason::BadInner.into());
    let ip = match Ip::parse(payload) {
        Ok(ip) => ip,
        Err(why) => {
            inner.fault = Some(format!("the payload is no IP packet: {why}"));
            return (inner, bad);
        }
    };
    inner.packet = Some(Short::of(&ip));
    let version = if matches!(ip, Ip::V4(_)) { proto::IPV4 } else { proto::IPV6 };
    if next_header != version {
        let (is, says) = (protocol(version), protocol(next_header));
        inner.fault = Some(format!("the payload looks like {is} and the next header says {says}"));
        return (inner, bad);
    }
    inner.tfc_padding = payload.len() - ip.total_len();
    let (arriving, marked) = (Ecn::from_tos(ip.traffic_class()), Ecn::from_tos(outer_class));
    let after = ecn::decap(arriving, marked).ok();
    inner.ecn = Some(EcnFields {
        inner: ip::ecn(ip.traffic_class()),
        outer: ip::ecn(outer_class),
        after: after.map(|ecn| ip::ecn(ecn as u8)),
    });
    let packet = Zeroizing::new(ip.bytes().to_vec());
    (inner, if after.is_some() { Ok(packet) } else { Err(DropReason::EcnIllegal.into()) })
}

/// Transport mode: the packet's own header goes on with what the trailer names.
///
/// # Errors
///
/// Together they are no packet.
pub(crate) fn of_transport(
    frame: &[u8],
    upper: &Upper,
    payload: &[u8],
    next_header: u8,
) -> (Inner, Result<Clear, Fate>) {
    let mut inner = Inner { next_header, ..Inner::default() };
    let header = upper.header.of(frame);
    let total = header.len() + payload.len();
    let mut packet = Zeroizing::new(Vec::with_capacity(total));
    packet.extend_from_slice(header);
    packet.extend_from_slice(payload);
    let length = |len: usize| u16::try_from(len).unwrap_or(u16::MAX);
    let patched = if header.first().is_some_and(|first| first >> 4 == 4) {
        ipv4::patch(&mut packet, length(total), next_header)
    } else {
        if let Some(named) = packet.get_mut(upper.field) {
            *named = next_header;
        }
        ipv6::set_payload_len(&mut packet, length(total.saturating_sub(ipv6::HEADER_LEN)))
    };
    match Ip::parse(&packet) {
        Ok(ip) if patched => inner.packet = Some(Short::of(&ip)),
        _ => {
            inner.fault = Some("header and payload make no IP packet".to_owned());
            // With a payload the engine's own header is what it hands on, whatever follows.
            if payload.is_empty() {
                return (inner, Err(DropReason::BadInner.into()));
            }
        }
    }
    (inner, Ok(packet))
}

/// What an SA of this mode makes of a plaintext.
pub(crate) struct Opened<'a> {
    pub(crate) frame: &'a [u8],
    pub(crate) upper: &'a Upper,
    pub(crate) outer_class: u8,
    pub(crate) mode: Mode,
}

impl Opened<'_> {
    /// The packet inside `payload`.
    ///
    /// # Errors
    ///
    /// There is none.
    pub(crate) fn packet(&self, payload: &[u8], next_header: u8) -> (Inner, Result<Clear, Fate>) {
        match self.mode {
            Mode::Tunnel => of_tunnel(payload, next_header, self.outer_class),
            Mode::Transport => of_transport(self.frame, self.upper, payload, next_header),
        }
    }
}

impl Inner {
    /// Whether the mode is what the next header speaks for.
    pub(crate) fn is_of_other_mode(&self) -> bool {
        self.tunnel != matches!(self.next_header, proto::IPV4 | proto::IPV6)
    }

    /// The stage in words.
    pub(crate) fn said(&self) -> Said {
        let refused = self.ecn.is_some_and(|ecn| ecn.after.is_none());
        let line = match (&self.packet, &self.fault) {
            (_, Some(fault)) => fault.clone(),
            (Some(packet), None) => packet.to_string(),
            (None, None) => String::new(),
        };
        let padding = (self.tfc_padding > 0).then(|| {
            format!("{} behind it: padding for traffic flow confidentiality", names::bytes(self.tfc_padding))
        });
        let ecn = self.ecn.filter(|ecn| ecn.outer != "Not-ECT" && ecn.outer != ecn.inner).map(|ecn| {
            let after = ecn.after.unwrap_or("none: dropped");
            format!("ECN {} inside, {} outside, so {after} (RFC 6040 section 4.2)", ecn.inner, ecn.outer)
        });
        let nested = self.packet.as_ref().and_then(Short::nested).map(|spi| {
            format!(
                "ESP again, SPI {}: one layer a pass; open this one, then explain the result",
                names::spi(spi)
            )
        });
        let whole = (!self.tunnel && self.is_of_other_mode() && self.fault.is_none()).then(|| {
            "a whole IP packet in transport mode; if the peer has tunnel mode, the SA should too".to_owned()
        });
        let noted = nested.is_some() || whole.is_some();
        let mark = match (self.fault.is_some() || refused, noted) {
            (true, _) => Mark::Fail,
            (false, true) => Mark::Note,
            (false, false) => Mark::Ok,
        };
        Said::new("inside", mark, line).and_if(padding).and_if(ecn).and_if(nested).and_if(whole)
    }
}
