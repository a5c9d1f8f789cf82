//! Where ESP lies in an IP packet.

use esp_wire::{EspHeader, Ip, UdpHeader, ipv6, proto, udp};

/// An ESP packet inside an IP packet. Offsets are from the start of the IP packet, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located<'a> {
    /// The UDP header around it, and where that starts.
    pub(crate) udp: Option<(UdpHeader, usize)>,
    pub(crate) esp_off: usize,
    /// From the SPI to the end that IP, or UDP, says.
    pub(crate) esp: &'a [u8],
    pub(crate) header: EspHeader,
}

/// What is behind the IP headers, and whether it is whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Upper<'a> {
    pub(crate) protocol: u8,
    pub(crate) offset: usize,
    pub(crate) bytes: &'a [u8],
    pub(crate) fragment: bool,
    /// Whether the bytes start with the protocol's own header.
    pub(crate) first: bool,
}

/// Passes over the IP headers; `None` if the extension headers lead nowhere.
pub(crate) fn upper<'a>(ip: &Ip<'a>) -> Option<Upper<'a>> {
    let (protocol, offset, fragment, first) = match ip {
        Ip::V4(v4) => (v4.protocol(), v4.header_len(), v4.is_fragment(), v4.fragment_offset() == 0),
        Ip::V6(v6) => {
            let upper = ipv6::find_upper(v6).ok()?;
            (upper.next_header, upper.offset, upper.fragment && !upper.atomic, upper.first)
        }
    };
    let bytes = ip.bytes().get(offset..)?;
    Some(Upper { protocol, offset, bytes, fragment, first })
}

/// The ESP packet in a whole IP packet, bare or in UDP to or from a port that `encapsulates`.
pub(crate) fn esp<'a>(ip: &Ip<'a>, encapsulates: impl Fn(&UdpHeader) -> bool) -> Option<Located<'a>> {
    let upper = upper(ip).filter(|upper| upper.first && !upper.fragment)?;
    match upper.protocol {
        proto::ESP => located(upper.bytes, upper.offset, None),
        proto::UDP => {
            let header = UdpHeader::read(upper.bytes).filter(|header| encapsulates(header))?;
            let esp = upper.bytes.get(udp::HEADER_LEN..usize::from(header.length))?;
            let keepalive_or_ike = esp.len() < 4 || esp.starts_with(&[0; 4]);
            let found = || located(esp, upper.offset + udp::HEADER_LEN, Some((header, upper.offset)));
            if keepalive_or_ike { None } else { found() }
        }
        _ => None,
    }
}

fn located(esp: &[u8], esp_off: usize, udp: Option<(UdpHeader, usize)>) -> Option<Located<'_>> {
    EspHeader::read(esp).map(|header| Located { udp, esp_off, esp, header })
}

/// RFC 3948 section 2.
pub(crate) const UDP_ENCAP_PORT: u16 = 4500;
