//! Stage 1: the packet is fit to be sealed. Nothing is written and no number is spent before this passes.

use esp_wire::{EspHeader, Ip, ipv6, proto, trailer, udp};

use super::{Burst, Given, Slot};
use crate::ip::malformed;
use crate::lanes::Step;
use crate::narrow::{u8_of, u16_of, u32_of};
use crate::packet::{Packet, PacketFlags};
use crate::sa::{OutboundSa, Outer};
use crate::verdict::{DropReason, Verdict};

/// Every live packet is fit, and its sizes are known.
pub(crate) struct Ready(());

impl<'c, 'p, 'g> Burst<'c, 'p, 'g, Given> {
    pub(super) fn ready(mut self) -> Burst<'c, 'p, 'g, Ready> {
        for (at, (run, members)) in self.runs.iter().enumerate() {
            self.lanes.each_of(members, |packet, slot| {
                slot.run = u8_of(at);
                examine(run.sa, packet, slot)
            });
        }
        self.passed(Ready(()))
    }
}

#[inline]
fn examine(sa: &OutboundSa, packet: &Packet<'_>, slot: &mut Slot) -> Step {
    packet.flags().admit()?;
    let inner_len = match &sa.tunnel {
        Some(_) if packet.flags().contains(PacketFlags::DUMMY) => bare_dummy(packet, slot),
        Some(outer) => tunnel_plan(sa, outer, packet, slot)?,
        None => transport_plan(sa, packet, slot)?,
    };
    fit(sa, packet, slot, inner_len)
}

/// A dummy packet in tunnel mode: the data is no packet, only bytes to send.
fn bare_dummy(packet: &Packet<'_>, slot: &mut Slot) -> usize {
    slot.next_header = proto::NO_NEXT;
    slot.tos = 0;
    slot.flow_label = 0;
    slot.dont_fragment = false;
    slot.header_len = 0;
    packet.data_len()
}

#[inline]
fn tunnel_plan(
    sa: &OutboundSa,
    outer: &Outer,
    packet: &Packet<'_>,
    slot: &mut Slot,
) -> Result<usize, Verdict> {
    let ip = Ip::parse(packet.data()).map_err(malformed)?;
    slot.header_len = 0;
    slot.tos = ip.traffic_class();
    match &ip {
        Ip::V4(ip) => {
            slot.next_header = proto::IPV4;
            slot.flow_label = 0;
            slot.dont_fragment = ip.dont_fragment();
        }
        Ip::V6(ip) => {
            slot.next_header = proto::IPV6;
            slot.flow_label = ip.flow_label();
            // Routers never fragment IPv6 (RFC 8200 section 5), as if DF were set.
            slot.dont_fragment = true;
        }
    }
    let (protocol, payload) = match &ip {
        Ip::V4(ip) => (ip.protocol(), ip.payload()),
        Ip::V6(ip) => (ip.next_header(), ip.payload()),
    };
    if carries_own_spi(sa, protocol, payload) && outer.ends() == (ip.src(), ip.dst()) {
        return Err(DropReason::Loop.into());
    }
    Ok(ip.total_len())
}

#[inline]
fn transport_plan(sa: &OutboundSa, packet: &Packet<'_>, slot: &mut Slot) -> Result<usize, Verdict> {
    let ip = Ip::parse(packet.data()).map_err(malformed)?;
    let fragment = match &ip {
        Ip::V4(ip) => {
            slot.next_header = ip.protocol();
            slot.header_len = u16_of(ip.header_len());
            slot.field = 9;
            ip.is_fragment()
        }
        Ip::V6(ip) => {
            let place = ipv6::esp_place(ip).map_err(|_| DropReason::ExtensionHeaders)?;
            slot.next_header = place.next_header;
            slot.header_len = u16_of(place.offset);
            slot.field = u16_of(place.field);
            place.fragment && !place.atomic
        }
    };
    //= https://www.rfc-editor.org/rfc/rfc4303#section-3.3.4
    //# Thus, transport mode ESP is applied only to whole IP datagrams (not to
    //# IP fragments).
    if fragment {
        return Err(DropReason::Fragment.into());
    }
    let payload = ip.bytes().get(usize::from(slot.header_len)..).unwrap_or_default();
    if carries_own_spi(sa, slot.next_header, payload) {
        return Err(DropReason::Loop.into());
    }
    if packet.flags().contains(PacketFlags::DUMMY) {
        slot.next_header = proto::NO_NEXT;
    }
    Ok(ip.total_len())
}

/// Whether what stands where this very SA puts its ESP is ESP under its SPI, bare or in UDP as the SA has it.
#[inline]
fn carries_own_spi(sa: &OutboundSa, protocol: u8, payload: &[u8]) -> bool {
    let esp = match (protocol, sa.udp) {
        (proto::ESP, None) => payload,
        (proto::UDP, Some(encap)) if udp_ports(payload) == Some((encap.src_port, encap.dst_port)) => {
            payload.get(udp::HEADER_LEN..).unwrap_or_default()
        }
        _ => return false,
    };
    EspHeader::read(esp).is_some_and(|header| header.spi == sa.spi.get())
}

fn udp_ports(datagram: &[u8]) -> Option<(u16, u16)> {
    udp::UdpHeader::read(datagram).map(|header| (header.src_port, header.dst_port))
}

/// Sizes, MTU and room.
#[inline]
fn fit(sa: &OutboundSa, packet: &Packet<'_>, slot: &mut Slot, inner_len: usize) -> Step {
    let shape = &sa.shape;
    let header_len = usize::from(slot.header_len);
    let content_len = shape.content_len(inner_len, header_len);
    let sealed_len = shape.sealed_len(content_len, header_len);
    let limit = usize::from(shape.mtu);
    if sealed_len > limit {
        let usable = shape.inner_mtu(limit, header_len);
        return Err(Verdict::Dropped { reason: DropReason::TooBig, detail: u32_of(usable) });
    }
    let grown_behind = sealed_len - shape.front() - inner_len;
    let missing = shape.front().saturating_sub(packet.headroom())
        + grown_behind.saturating_sub(packet.tailroom_behind(inner_len));
    if missing > 0 {
        return Err(Verdict::Dropped { reason: DropReason::NoRoom, detail: u32_of(missing) });
    }
    let content_off = packet.data_off() + header_len;
    let esp_front = shape.esp_front();
    slot.pad_len = u8_of(shape.padded_len(content_len) - content_len - trailer::TRAILER_LEN);
    slot.tfc_len = u32_of(content_len + header_len - inner_len);
    slot.content_off = u32_of(content_off);
    slot.content_len = u32_of(content_len);
    slot.esp_off = u32_of(content_off - esp_front);
    slot.esp_len = u32_of(sealed_len - header_len - shape.front() + esp_front);
    Ok(())
}
