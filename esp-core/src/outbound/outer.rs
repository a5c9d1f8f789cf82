//! The outer header of tunnel mode (RFC 4301 section 5.1.2).

use std::net::IpAddr;

use esp_wire::{Ecn, dscp, ecn, ipv4, ipv6, proto};

use super::{Slot, encap};
use crate::config::{Df, Dscp, EcnMode, FlowLabel, TunnelSpec};
use crate::lanes::{Step, sure};
use crate::narrow::{low16, u16_of};
use crate::packet::Packet;
use crate::sa::OutboundSa;

/// Writes the outer IP header, and the UDP header if the SA has one, in front of ESP.
#[inline]
pub(super) fn put(sa: &OutboundSa, tunnel: &TunnelSpec, packet: &mut Packet<'_>, slot: &Slot) -> Step {
    let outer_len = usize::from(sa.shape.outer_len);
    let start = packet.data_off() - sa.shape.front();
    let payload_len = usize::from(sa.shape.udp_len) + slot.esp_len as usize;
    let protocol = if sa.udp.is_some() { proto::UDP } else { proto::ESP };
    let tos = traffic_class(tunnel, slot.tos);
    match (tunnel.src, tunnel.dst) {
        (IpAddr::V4(src), IpAddr::V4(dst)) => {
            let header = ipv4::Ipv4Fields {
                tos,
                total_len: u16_of(outer_len + payload_len),
                // Unique for 65,536 packets of this SA (RFC 6864 section 4.2), without a shared counter.
                id: low16(slot.seq),
                dont_fragment: match tunnel.df {
                    Df::Copy => slot.dont_fragment,
                    Df::Set => true,
                    Df::Clear => false,
                },
                ttl: tunnel.ttl,
                protocol,
                src: src.octets(),
                dst: dst.octets(),
            };
            packet.put(start, &header.write());
        }
        (IpAddr::V6(src), IpAddr::V6(dst)) => {
            let header = ipv6::Ipv6Fields {
                traffic_class: tos,
                flow_label: match tunnel.flow_label {
                    FlowLabel::Copy => slot.flow_label,
                    FlowLabel::Set(label) => label,
                },
                payload_len: u16_of(payload_len),
                next_header: protocol,
                hop_limit: tunnel.ttl,
                src: src.octets(),
                dst: dst.octets(),
            };
            packet.put(start, &header.write());
        }
        // Both ends are of one family: the configuration was checked.
        _ => return sure(false),
    }
    packet.set_data(start, outer_len + payload_len);
    if let Some(encap) = sa.udp {
        encap::put_udp(encap, packet, slot);
    }
    Ok(())
}

/// DSCP and ECN of the outer header, from the inner one and the SA's policy.
#[inline]
fn traffic_class(tunnel: &TunnelSpec, inner: u8) -> u8 {
    let ecn = match tunnel.ecn {
        EcnMode::Normal => ecn::encap_normal(Ecn::from_tos(inner)),
        EcnMode::Compatibility => ecn::encap_compatibility(),
    };
    let dscp = match tunnel.dscp {
        Dscp::Copy => dscp::dscp(inner),
        Dscp::Set(dscp) => dscp,
    };
    dscp::with_dscp(ecn as u8, dscp)
}
