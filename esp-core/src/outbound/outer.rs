//! The outer header of tunnel mode (RFC 4301 section 5.1.2).

use esp_wire::{Ipv4Fields, Ipv6Fields};

use super::{Slot, encap};
use crate::narrow::{low16, u16_of};
use crate::packet::Packet;
use crate::sa::{OutboundSa, Outer, OuterHeader};

/// Writes the outer IP header, and the UDP header if the SA has one, in front of ESP.
#[inline]
pub(super) fn put(sa: &OutboundSa, outer: &Outer, packet: &mut Packet<'_>, slot: &Slot) {
    let start = packet.data_off() - sa.shape.front();
    let payload_len = usize::from(sa.shape.udp_len) + slot.esp_len as usize;
    let total_len = usize::from(sa.shape.outer_len) + payload_len;
    match &outer.header {
        OuterHeader::V4(fields) => {
            let header = Ipv4Fields {
                tos: outer.tos(slot.tos),
                total_len: u16_of(total_len),
                // Unique for 65,536 packets of this SA (RFC 6864 section 4.2), without a shared counter.
                id: low16(slot.seq),
                dont_fragment: outer.dont_fragment(slot.dont_fragment),
                ..*fields
            };
            packet.put(start, &header.write());
        }
        OuterHeader::V6(fields) => {
            let header = Ipv6Fields {
                traffic_class: outer.tos(slot.tos),
                flow_label: outer.flow_label(slot.flow_label),
                payload_len: u16_of(payload_len),
                ..*fields
            };
            packet.put(start, &header.write());
        }
    }
    packet.set_data(start, total_len);
    if let Some(encap) = sa.udp {
        encap::put_udp(encap, packet, slot);
    }
}
