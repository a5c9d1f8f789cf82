//! Stage 5: encryption and ICV, the whole burst in one call; then what depends on the ciphertext.

use arrayvec::ArrayVec;
use esp_crypto::{JobError, SealJob};
use esp_wire::{Seq64, ipv6, udp};

use super::encap::Framed;
use super::{Burst, Slot};
use crate::lanes::{BURST, Step};
use crate::packet::Packet;
use crate::sa::OutboundSa;
use crate::verdict::DropReason;

/// Every live packet is sealed and ready to send.
pub(crate) struct Sealed(());

impl<'c, 'p, 'g> Burst<'c, 'p, 'g, Framed> {
    pub(super) fn seal(mut self) -> Burst<'c, 'p, 'g, Sealed> {
        let runs = self.runs;
        let mut results = [Ok(()); BURST];
        {
            let mut jobs = ArrayVec::<SealJob<'_, '_>, BURST>::new();
            let live = self.lanes.live();
            let lanes = self.lanes.packets.iter_mut().zip(self.lanes.slots.iter());
            for (_, (packet, slot)) in lanes.enumerate().filter(|(i, _)| live.has(*i)) {
                let Some(sa) = runs.sa(slot.run) else { continue };
                let seq_hi = sa.esn.then_some(Seq64(slot.seq).high());
                let esp = packet.range_mut(slot.esp_off as usize, slot.esp_len as usize);
                let _ = jobs.try_push(SealJob { key: &sa.key, esp, seq_hi });
            }
            esp_crypto::seal_burst(&mut jobs, &mut results);
        }
        let mut results = results.iter();
        self.lanes.each(|packet, slot| finish(runs.sa(slot.run), packet, slot, results.next()));
        self.passed(Sealed(()))
    }
}

#[inline]
fn finish(
    sa: Option<&OutboundSa>,
    packet: &mut Packet<'_>,
    slot: &Slot,
    result: Option<&Result<(), JobError>>,
) -> Step {
    let (Some(sa), Some(Ok(()))) = (sa, result) else { return Err(DropReason::Internal.into()) };
    if let Some(encap) = sa.udp
        && !encap.zero_checksum
    {
        put_udp_checksum(packet, slot);
    }
    Ok(())
}

/// Over IPv4 the checksum stays zero; over IPv6 it is computed.
//= https://www.rfc-editor.org/rfc/rfc3948#section-2.1
//# the IPv4 UDP Checksum SHOULD be transmitted as a zero value
fn put_udp_checksum(packet: &mut Packet<'_>, slot: &Slot) {
    let datagram_off = slot.esp_off as usize - udp::HEADER_LEN;
    let datagram_len = udp::HEADER_LEN + slot.esp_len as usize;
    let checksum = match ipv6::Ipv6::parse(packet.data()) {
        Ok(ip) => udp::checksum_v6(ip.src(), ip.dst(), packet.range(datagram_off, datagram_len)),
        Err(_) => return,
    };
    packet.put(datagram_off + 6, &checksum.to_be_bytes());
}
