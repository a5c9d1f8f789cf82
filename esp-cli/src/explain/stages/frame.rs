//! The frame: layer 2, and how much of it was captured.

use esp_core::DropReason;
use serde::Serialize;

use super::{Mark, Said};
use crate::capture::{Content, Record};
use crate::explain::names;
use crate::explain::span::Span;
use crate::explain::story::Fate;

/// What the capture says of a frame.
#[derive(Debug, Serialize)]
pub(crate) struct Frame {
    link_type: &'static str,
    /// Everything in front of the IP packet.
    pub(crate) layer_2: Span,
    /// Of Ethernet: VLAN IDs, the outer one first.
    vlans: Vec<u16>,
    /// Of Ethernet: what follows the tags.
    ether_type: Option<u16>,
    /// Bytes in the capture, without frame check sequence.
    pub(crate) captured: usize,
    /// Bytes on the wire.
    pub(crate) on_the_wire: usize,
    /// Whether layer 2 names one IP version and the packet is another.
    contradiction: bool,
}

/// Reads the frame: where the IP packet starts.
///
/// # Errors
///
/// How a frame without one ends.
pub(crate) fn read(record: &Record<'_>) -> (Frame, Result<usize, Fate>) {
    let content = record.link.content(record.frame);
    let l2_len = if let Content::Ip { l2_len } = content { l2_len } else { 0 };
    let (vlans, ether_type) =
        if record.link.number() == ETHERNET { tags(record.frame) } else { (vec![], None) };
    let frame = Frame {
        link_type: record.link.name(),
        layer_2: Span { at: 0, len: l2_len },
        vlans,
        ether_type,
        captured: record.frame.len(),
        on_the_wire: record.wire_len,
        contradiction: content == Content::Contradiction,
    };
    let place = match content {
        Content::Ip { l2_len } => Ok(l2_len),
        Content::Contradiction => Err(DropReason::Malformed.into()),
        Content::Other if record.is_truncated() => Err(Fate::Truncated),
        Content::Other => Err(Fate::NotIp),
    };
    (frame, place)
}

/// VLAN IDs, and the EtherType behind them.
fn tags(frame: &[u8]) -> (Vec<u16>, Option<u16>) {
    let word = |at: usize| frame.get(at..)?.first_chunk().map(|field| u16::from_be_bytes(*field));
    let (mut vlans, mut at) = (Vec::new(), ADDRESSES_LEN);
    while let Some(0x8100 | 0x88a8 | 0x9100) = word(at) {
        vlans.extend(word(at + 2).map(|tag| tag & VLAN_ID));
        at += TAG_LEN;
    }
    (vlans, word(at))
}

impl Frame {
    /// The stage in words.
    pub(crate) fn said(&self) -> Said {
        let wire = names::bytes(self.on_the_wire);
        let (mut mark, captured) = if self.captured < self.on_the_wire {
            (Mark::Fail, format!("{wire} on the wire, of which the capture has the first {}", self.captured))
        } else {
            (Mark::Ok, format!("{wire}, all captured"))
        };
        let tags = self.vlans.iter().map(|id| format!(", VLAN {id}")).collect::<String>();
        let line = match (self.contradiction, self.ether_type) {
            (true, _) => {
                mark = Mark::Fail;
                format!("{}{tags} names one IP version and the packet is another; {captured}", self.link_type)
            }
            (false, Some(kind)) if self.layer_2.len == 0 => {
                mark = mark_of_stranger(mark);
                format!("{}{tags}, EtherType {kind:#06x}{}; {captured}", self.link_type, ether_name(kind))
            }
            _ if self.layer_2.len > 0 => {
                format!("{}{tags}, {} of layer 2; {captured}", self.link_type, names::bytes(self.layer_2.len))
            }
            _ => format!("{}; {captured}", self.link_type),
        };
        Said::new("frame", mark, line)
    }
}

fn mark_of_stranger(mark: Mark) -> Mark {
    if mark == Mark::Ok { Mark::Note } else { mark }
}

fn ether_name(kind: u16) -> &'static str {
    match kind {
        0x0806 => " (ARP)",
        0x8847 => " (MPLS)",
        0x8863 | 0x8864 => " (PPPoE)",
        0x88cc => " (LLDP)",
        0x88e5 => " (MACsec)",
        _ => "",
    }
}

/// Number of the link type.
const ETHERNET: u32 = 1;
/// IEEE 802.3: destination and source.
const ADDRESSES_LEN: usize = 12;
/// IEEE 802.1Q.
const TAG_LEN: usize = 4;
const VLAN_ID: u16 = 0x0fff;
