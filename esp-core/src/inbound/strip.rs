//! Stage 6: the trailer comes off, and the packet inside becomes the data.

use esp_wire::{Ecn, Ip, TrailerError, ecn, ipv4, ipv6, proto, trailer};

use super::commit::Committed;
use super::{Burst, Slot, nat};
use crate::ip::patch_ip;
use crate::lanes::{Step, sure};
use crate::packet::Packet;
use crate::sa::InboundSa;
use crate::verdict::{Consumed, DropReason, Verdict};

/// Every live packet's data is the IP packet that the peer protected.
pub(crate) struct Stripped(());

impl<'c, 'p, 'g> Burst<'c, 'p, 'g, Committed> {
    pub(super) fn strip(mut self) -> Burst<'c, 'p, 'g, Stripped> {
        let runs = &*self.runs;
        self.lanes.each(|packet, slot| match runs.sa(slot.run) {
            Some(sa) => strip(sa, packet, slot),
            None => Err(DropReason::NoSa.into()),
        });
        self.passed(Stripped(()))
    }
}

#[inline]
fn strip(sa: &InboundSa, packet: &mut Packet<'_>, slot: &mut Slot) -> Step {
    let payload_off = packet.data_off() + slot.esp_off as usize + sa.front();
    let plaintext_len = slot.esp_len as usize - sa.overhead();
    if !sa.is_whole(plaintext_len) {
        return Err(DropReason::PadLength.into());
    }
    let found = trailer::read(packet.range(payload_off, plaintext_len)).map_err(refused)?;
    slot.next_header = found.next_header;
    //= https://www.rfc-editor.org/rfc/rfc4303#section-2.6
    //# A receiver MUST be prepared to
    //# discard such packets without indicating an error.
    if found.next_header == proto::NO_NEXT {
        return Err(Verdict::Consumed(Consumed::Dummy));
    }
    if sa.tunnel {
        decapsulate(packet, slot, payload_off, found.payload_len)
    } else {
        rejoin(packet, slot, payload_off, found.payload_len)
    }
}

fn refused(why: TrailerError) -> Verdict {
    match why {
        TrailerError::TooShort => DropReason::TooShort,
        TrailerError::PadTooLong => DropReason::PadLength,
        TrailerError::PadContent => DropReason::PadContent,
    }
    .into()
}

/// Tunnel mode: the payload is an IP packet, with TFC padding behind its own length (RFC 4303 section 2.7).
#[inline]
fn decapsulate(packet: &mut Packet<'_>, slot: &Slot, payload_off: usize, payload_len: usize) -> Step {
    let inner = Ip::parse(packet.range(payload_off, payload_len)).map_err(|_| DropReason::BadInner)?;
    let wanted = match &inner {
        Ip::V4(_) => proto::IPV4,
        Ip::V6(_) => proto::IPV6,
    };
    if slot.next_header != wanted {
        return Err(DropReason::BadInner.into());
    }
    let (inner_len, tos, is_v4) = (inner.total_len(), inner.traffic_class(), wanted == proto::IPV4);
    packet.set_data(payload_off, inner_len);
    let (arriving, marked) = (Ecn::from_tos(tos), Ecn::from_tos(slot.tos));
    // RFC 6040 section 4.2: an outer header that says nothing, or the same, changes nothing.
    if marked == Ecn::NotEct || marked == arriving {
        return Ok(());
    }
    let outgoing = ecn::decap(arriving, marked).map_err(|_| DropReason::EcnIllegal)?;
    if outgoing != arriving {
        let tos = ecn::with_ecn(tos, outgoing);
        let header = packet.data_mut();
        if is_v4 {
            ipv4::set_tos(header, tos)
        } else {
            ipv6::set_traffic_class(header, tos)
        };
    }
    Ok(())
}

/// Transport mode: the IP header moves up to the payload and says again what it said before ESP.
#[inline]
fn rejoin(packet: &mut Packet<'_>, slot: &Slot, payload_off: usize, payload_len: usize) -> Step {
    let header_len = usize::from(slot.header_len);
    let to = payload_off - header_len;
    packet.shift(packet.data_off(), header_len, to);
    let total = header_len + payload_len;
    packet.set_data(to, total);
    let header = packet.data_mut().get_mut(..header_len).unwrap_or_default();
    sure(patch_ip(header, total, slot.field, slot.next_header))?;
    // Without payload, next header 0 makes an IPv6 packet say that it is a jumbogram (RFC 2675): no packet to deliver.
    if payload_len == 0 && Ip::parse(packet.data()).is_err() {
        return Err(DropReason::BadInner.into());
    }
    if slot.udp {
        nat::fix_checksum(packet.data_mut(), header_len, slot.next_header);
    }
    Ok(())
}
