//! Link types, and what a frame of each carries.

use anyhow::{Result, bail};

/// What frames start with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    number: u32,
    /// Bytes of frame check sequence behind each frame.
    fcs_len: usize,
}

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// An IP packet behind `l2_len` bytes of layer 2.
    Ip {
        /// Length of layer 2 in bytes; 0 if frames start with the IP packet.
        l2_len: usize,
    },
    /// Something else: ARP, LLDP, a frame that is shorter than its header, a link type that we do not read.
    Other,
    /// Layer 2 says one IP version and the packet another.
    Contradiction,
}

impl Link {
    /// No layer 2.
    pub(crate) const RAW: Link = Link { number: RAW, fcs_len: 0 };

    /// Reads the link-type field of a classic file header.
    ///
    /// # Errors
    ///
    /// A link type that does not carry IP as we read it; the message names the legal ones.
    pub(super) fn from_field(field: u32) -> Result<Self> {
        let number = field & LINK_TYPE_MASK;
        let words = if field & FCS_LEN_PRESENT == 0 { 0 } else { field >> FCS_LEN_SHIFT };
        let link = Self { number, fcs_len: words as usize * 2 };
        if !link.is_known() {
            bail!("link type {number} is not supported; legal: {LEGAL_TEXT}");
        }
        Ok(link)
    }

    /// The link type of a pcapng interface, known or not.
    pub(super) fn of_interface(number: u16, fcs_len: usize) -> Self {
        Self { number: number.into(), fcs_len }
    }

    /// The number of the registry.
    pub(crate) fn number(self) -> u32 {
        self.number
    }

    /// Whether [`Link::content`] can find packets.
    pub(crate) fn is_known(self) -> bool {
        NAMES.iter().any(|(number, _)| *number == self.number)
    }

    /// Its name for people.
    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(number, _)| *number == self.number).map_or("unknown link type", |(_, name)| name)
    }

    /// The number for a file that holds these frames once some were sealed or opened: a tunnel can change the IP
    /// version, so a link type of one version becomes RAW.
    pub(crate) fn after(self) -> u32 {
        if matches!(self.number, IPV4 | IPV6) { RAW } else { self.number }
    }

    /// Whether frames of the file end in a frame check sequence, which is not read.
    pub(crate) fn has_fcs(self) -> bool {
        self.fcs_len > 0
    }

    pub(super) fn fcs_len(self) -> usize {
        self.fcs_len
    }

    /// The same, with this many bytes of frame check sequence.
    pub(super) fn with_fcs(self, fcs_len: usize) -> Self {
        Self { fcs_len, ..self }
    }

    /// `frame` without its frame check sequence.
    pub(super) fn without_fcs(self, frame: &[u8]) -> &[u8] {
        let len = frame.len().saturating_sub(self.fcs_len);
        frame.get(..len).unwrap_or_default()
    }

    /// Says where the IP packet lies in `frame`, if there is one.
    pub(crate) fn content(self, frame: &[u8]) -> Content {
        match self.number {
            ETHERNET => behind_type(frame, ADDRESSES_LEN, ADDRESSES_LEN + 2),
            SLL => behind_type(frame, SLL_TYPE_AT, SLL_LEN),
            SLL2 => behind_type(frame, 0, SLL2_LEN),
            NULL | LOOP => behind_family(frame),
            RAW | RAW_BSD | RAW_OPENBSD | IPV4 | IPV6 => Content::Ip { l2_len: 0 },
            _ => Content::Other,
        }
    }

    /// Makes layer 2 in front of a packet say its IP version.
    pub(crate) fn set_version(self, l2: &mut [u8], version: u8) {
        let ether_type = if version == 6 { IPV6_ETHER_TYPE } else { IPV4_ETHER_TYPE };
        match self.number {
            SLL2 if l2.len() == SLL2_LEN => put(l2.first_chunk_mut(), ether_type.to_be_bytes()),
            ETHERNET | SLL | SLL2 => put(l2.last_chunk_mut(), ether_type.to_be_bytes()),
            NULL | LOOP => set_family(l2, version),
            _ => {}
        }
    }
}

/// Behind the EtherType at `type_at` and the header's end at `end`; each tag moves both.
fn behind_type(frame: &[u8], mut type_at: usize, mut end: usize) -> Content {
    loop {
        let Some(ether_type) = ether_type_at(frame, type_at) else { return Content::Other };
        match ether_type {
            VLAN | QINQ | QINQ_OLD => (type_at, end) = (end + TAG_LEN - 2, end + TAG_LEN),
            IPV4_ETHER_TYPE => return ip_behind(frame, end, 4),
            IPV6_ETHER_TYPE => return ip_behind(frame, end, 6),
            _ => return Content::Other,
        }
    }
}

fn behind_family(frame: &[u8]) -> Content {
    match family(frame) {
        Some((AF_INET, _)) => ip_behind(frame, FAMILY_LEN, 4),
        Some((family, _)) if AF_INET6.contains(&family) => ip_behind(frame, FAMILY_LEN, 6),
        _ => Content::Other,
    }
}

/// The address family, and whether it is big endian: a null header is in the byte order of the host that captured.
fn family(frame: &[u8]) -> Option<(u32, bool)> {
    let field = *frame.first_chunk()?;
    let (big, little) = (u32::from_be_bytes(field), u32::from_le_bytes(field));
    Some(if big < little { (big, true) } else { (little, false) })
}

/// A family of the version that is there already stays: systems differ in the number of IPv6.
fn set_family(l2: &mut [u8], version: u8) {
    let Some((old, big_endian)) = family(l2) else { return };
    let new = match (version, old) {
        (6, old) if old != AF_INET => old,
        (6, _) => AF_INET6_DARWIN,
        _ => AF_INET,
    };
    put(l2.first_chunk_mut(), if big_endian { new.to_be_bytes() } else { new.to_le_bytes() });
}

fn ip_behind(frame: &[u8], l2_len: usize, version: u8) -> Content {
    match frame.get(l2_len) {
        Some(first) if first >> 4 != version => Content::Contradiction,
        None if frame.len() < l2_len => Content::Other,
        _ => Content::Ip { l2_len },
    }
}

fn ether_type_at(frame: &[u8], at: usize) -> Option<u16> {
    frame.get(at..)?.first_chunk().map(|field| u16::from_be_bytes(*field))
}

fn put<const N: usize>(field: Option<&mut [u8; N]>, value: [u8; N]) {
    if let Some(field) = field {
        *field = value;
    }
}

/// The draft of the pcap format keeps the link type in the low bits; frame check sequence and class are above.
const LINK_TYPE_MASK: u32 = 0x03ff_ffff;
/// The four bits above [`FCS_LEN_SHIFT`] count 16-bit words of frame check sequence.
const FCS_LEN_PRESENT: u32 = 0x0400_0000;
const FCS_LEN_SHIFT: u32 = 28;

const NULL: u32 = 0;
const ETHERNET: u32 = 1;
const RAW_BSD: u32 = 12;
const RAW_OPENBSD: u32 = 14;
const RAW: u32 = 101;
const LOOP: u32 = 108;
const SLL: u32 = 113;
const IPV4: u32 = 228;
const IPV6: u32 = 229;
const SLL2: u32 = 276;
/// 12 and 14 are what some systems write for RAW.
const NAMES: [(u32, &str); 10] = [
    (NULL, "BSD null"),
    (ETHERNET, "Ethernet"),
    (RAW_BSD, "raw IP"),
    (RAW_OPENBSD, "raw IP"),
    (RAW, "raw IP"),
    (LOOP, "OpenBSD loop"),
    (SLL, "Linux cooked v1"),
    (IPV4, "raw IPv4"),
    (IPV6, "raw IPv6"),
    (SLL2, "Linux cooked v2"),
];
const LEGAL_TEXT: &str = "0 (BSD null), 1 (Ethernet), 101 (raw IP; 12 and 14 too), 108 (OpenBSD loop), 113 (Linux cooked v1), \
                          228 (IPv4), 229 (IPv6), 276 (Linux cooked v2)";

/// IEEE 802.3: destination and source.
const ADDRESSES_LEN: usize = 12;
/// Linux cooked: packet type, device type, address length, address, then the EtherType.
const SLL_TYPE_AT: usize = 14;
const SLL_LEN: usize = 16;
/// Version 2 starts with the EtherType.
const SLL2_LEN: usize = 20;
const FAMILY_LEN: usize = 4;
/// IEEE 802.1Q: EtherType of the tag, and the tag.
const TAG_LEN: usize = 4;
const VLAN: u16 = 0x8100;
const QINQ: u16 = 0x88a8;
/// What QinQ was before IEEE 802.1ad.
const QINQ_OLD: u16 = 0x9100;
const IPV4_ETHER_TYPE: u16 = 0x0800;
const IPV6_ETHER_TYPE: u16 = 0x86dd;
const AF_INET: u32 = 2;
/// Linux; NetBSD and OpenBSD; FreeBSD; Darwin.
const AF_INET6: [u32; 4] = [10, 24, 28, AF_INET6_DARWIN];
const AF_INET6_DARWIN: u32 = 30;

#[cfg(test)]
mod tests;
