//! Link types, and what a frame of each carries.

use anyhow::{Result, bail};
use pcap_file::DataLink;

/// The link type of a capture: whether frames start with an Ethernet header or with the IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    number: u32,
    /// Bytes of frame check sequence behind each frame.
    fcs_len: usize,
}

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// An IP packet behind `l2_len` bytes of layer 2, whose last two are the EtherType.
    Ip {
        /// Length of layer 2 in bytes; 0 if frames start with the IP packet.
        l2_len: usize,
    },
    /// Something else: ARP, LLDP, a frame that is shorter than its header.
    Other,
    /// Layer 2 says one IP version and the packet another.
    Contradiction,
}

impl Link {
    /// Reads the link-type field of a file header.
    ///
    /// # Errors
    ///
    /// A link type that does not carry IP as we read it; the message names the legal ones.
    pub(crate) fn from_field(field: u32) -> Result<Self> {
        let number = field & LINK_TYPE_MASK;
        if !LEGAL.contains(&number) {
            bail!("link type {number} is not supported; legal: {LEGAL_TEXT}");
        }
        let words = if field & FCS_LEN_PRESENT == 0 { 0 } else { field >> FCS_LEN_SHIFT };
        Ok(Self { number, fcs_len: words as usize * 2 })
    }

    /// The link type of a file that holds these frames once some were sealed or opened.
    ///
    /// A tunnel can change the IP version, so a link type of one version becomes RAW. No frame check sequence is
    /// written, so the field does not announce one.
    pub(crate) fn after(self) -> DataLink {
        DataLink::from(if matches!(self.number, IPV4 | IPV6) { RAW } else { self.number })
    }

    /// `frame` without its frame check sequence.
    pub(crate) fn without_fcs(self, frame: &[u8]) -> &[u8] {
        let len = frame.len().saturating_sub(self.fcs_len);
        frame.get(..len).unwrap_or_default()
    }

    /// Says where the IP packet lies in `frame`, if there is one.
    pub(crate) fn content(self, frame: &[u8]) -> Content {
        if self.number != ETHERNET {
            return Content::Ip { l2_len: 0 };
        }
        let mut at = ADDRESSES_LEN;
        loop {
            let Some(ether_type) = ether_type_at(frame, at) else { return Content::Other };
            match ether_type {
                VLAN | QINQ => at += TAG_LEN,
                IPV4_ETHER_TYPE => return ip_behind(frame, at + 2, 4),
                IPV6_ETHER_TYPE => return ip_behind(frame, at + 2, 6),
                _ => return Content::Other,
            }
        }
    }
}

/// Makes the EtherType at the end of `l2` say what `packet` is. Nothing to do without layer 2.
pub(crate) fn set_ether_type(l2: &mut [u8], packet_version: u8) {
    let ether_type = if packet_version == 6 { IPV6_ETHER_TYPE } else { IPV4_ETHER_TYPE };
    if let Some(field) = l2.last_chunk_mut() {
        *field = ether_type.to_be_bytes();
    }
}

fn ip_behind(frame: &[u8], l2_len: usize, version: u8) -> Content {
    match frame.get(l2_len) {
        Some(first) if first >> 4 != version => Content::Contradiction,
        _ => Content::Ip { l2_len },
    }
}

fn ether_type_at(frame: &[u8], at: usize) -> Option<u16> {
    frame.get(at..)?.first_chunk().map(|field| u16::from_be_bytes(*field))
}

/// The draft of the pcap format keeps the link type in the low bits; frame check sequence and class are above.
const LINK_TYPE_MASK: u32 = 0x03ff_ffff;
/// The four bits above [`FCS_LEN_SHIFT`] count 16-bit words of frame check sequence.
const FCS_LEN_PRESENT: u32 = 0x0400_0000;
const FCS_LEN_SHIFT: u32 = 28;

const ETHERNET: u32 = 1;
const RAW: u32 = 101;
const IPV4: u32 = 228;
const IPV6: u32 = 229;
/// 12 and 14 are what some systems write for RAW.
const LEGAL: [u32; 6] = [ETHERNET, 12, 14, RAW, IPV4, IPV6];
const LEGAL_TEXT: &str = "1 (Ethernet), 101 (raw IP; 12 and 14 too), 228 (IPv4), 229 (IPv6)";

/// IEEE 802.3: destination and source.
const ADDRESSES_LEN: usize = 12;
/// IEEE 802.1Q: EtherType of the tag, and the tag.
const TAG_LEN: usize = 4;
const VLAN: u16 = 0x8100;
const QINQ: u16 = 0x88a8;
const IPV4_ETHER_TYPE: u16 = 0x0800;
const IPV6_ETHER_TYPE: u16 = 0x86dd;

#[cfg(test)]
mod tests;
