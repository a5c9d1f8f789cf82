//! Stage 4: ESP header and IV, and what goes in front of them.

use esp_wire::{EspHeader, Seq64, esp, proto, udp};

use super::pad::Padded;
use super::{Burst, Slot, outer};
use crate::config::UdpEncap;
use crate::ip::patch_ip;
use crate::iv::IvSource;
use crate::lanes::{Step, sure};
use crate::narrow::u16_of;
use crate::packet::Packet;
use crate::sa::OutboundSa;

/// Every live packet is whole but for encryption, ICV and what depends on them.
pub(crate) struct Framed(());

impl<'c, 'p, 'g> Burst<'c, 'p, 'g, Padded> {
    pub(super) fn encap(mut self) -> Burst<'c, 'p, 'g, Framed> {
        let (runs, ivs) = (self.runs, &mut *self.ivs);
        self.lanes.each(|packet, slot| {
            let Some(sa) = runs.sa(slot.run) else { return Ok(()) };
            // In transport mode ESP comes to lie where the packet's own header was, so that moves first.
            match &sa.tunnel {
                Some(outer) => outer::put(sa, outer, packet, slot),
                None => put_transport(sa, packet, slot)?,
            }
            put_esp(sa, packet, slot);
            if sa.random_iv {
                put_random_iv(sa, packet, slot, ivs);
            }
            Ok(())
        });
        self.passed(Framed(()))
    }
}

/// SPI, low half of the sequence number, IV.
#[inline]
fn put_esp(sa: &OutboundSa, packet: &mut Packet<'_>, slot: &Slot) {
    let esp_off = slot.esp_off as usize;
    let header = EspHeader { spi: sa.spi.get(), seq: Seq64(slot.seq).low() }.write();
    if !sa.counter_iv {
        return packet.put(esp_off, &header);
    }
    // Unique as long as the number is (RFC 4106 section 3.1, RFC 7634 section 2); XOR with a constant keeps it so.
    let iv = (slot.seq ^ sa.iv_salt).to_be_bytes();
    let [h0, h1, h2, h3, h4, h5, h6, h7] = header;
    let [i0, i1, i2, i3, i4, i5, i6, i7] = iv;
    packet.put(esp_off, &[h0, h1, h2, h3, h4, h5, h6, h7, i0, i1, i2, i3, i4, i5, i6, i7]);
}

/// The IV of a block mode: 8 or 16 bytes of the worker's random generator, so that no one can foretell it.
//= https://www.rfc-editor.org/rfc/rfc3602#section-3
//# The IV MUST be chosen at random, and MUST be unpredictable.
#[inline]
fn put_random_iv(sa: &OutboundSa, packet: &mut Packet<'_>, slot: &Slot, ivs: &mut IvSource) {
    let off = slot.esp_off as usize + esp::HEADER_LEN;
    ivs.fill(packet.range_mut(off, usize::from(sa.shape.iv_len)));
}

/// Moves the packet's own header in front of ESP and patches what it says of its payload.
#[inline]
fn put_transport(sa: &OutboundSa, packet: &mut Packet<'_>, slot: &Slot) -> Step {
    let header_len = usize::from(slot.header_len);
    let from = packet.data_off();
    let to = from - sa.shape.front();
    packet.shift(from, header_len, to);
    let total = header_len + usize::from(sa.shape.udp_len) + slot.esp_len as usize;
    packet.set_data(to, total);
    let protocol = if sa.udp.is_some() { proto::UDP } else { proto::ESP };
    sure(patch_ip(packet.range_mut(to, header_len), total, slot.field, protocol))?;
    if let Some(encap) = sa.udp {
        put_udp(encap, packet, slot);
    }
    Ok(())
}

/// The UDP header of RFC 3948 section 2.1. The checksum stays zero here; over IPv6 it is made after the ICV.
#[inline]
pub(super) fn put_udp(encap: UdpEncap, packet: &mut Packet<'_>, slot: &Slot) {
    let length = u16_of(udp::HEADER_LEN + slot.esp_len as usize);
    let header = udp::UdpHeader { src_port: encap.src_port, dst_port: encap.dst_port, length, checksum: 0 };
    packet.put(slot.esp_off as usize - udp::HEADER_LEN, &header.write());
}
