//! Stage 5: encryption and ICV, the whole burst in one call; then what depends on the ciphertext.

use esp_crypto::SealJob;
use esp_wire::{Seq64, ipv6, udp};

use super::encap::Framed;
use super::{Burst, Slot};
use crate::lanes::{BURST, sure};
use crate::packet::Packet;

/// Every live packet is sealed and ready to send.
pub(crate) struct Sealed(());

impl<'c, 'p, 'g> Burst<'c, 'p, 'g, Framed> {
    pub(super) fn seal(mut self) -> Burst<'c, 'p, 'g, Sealed> {
        let runs = self.runs;
        let mut results = [Ok(()); BURST];
        {
            let mut jobs = self.lanes.collect(|packet, slot| {
                let sa = runs.sa(slot.run)?;
                let seq_hi = sa.esn.then(|| Seq64(slot.seq).high());
                let esp = packet.range_mut(slot.esp_off as usize, slot.esp_len as usize);
                Some(SealJob { key: &sa.key, esp, seq_hi })
            });
            esp_crypto::seal_burst(&mut jobs, &mut results);
        }
        if results.iter().any(Result::is_err) {
            let mut results = results.iter();
            self.lanes.each(|_, _| sure(results.next().is_some_and(Result::is_ok)));
        }
        for (_, members) in runs.iter().filter(|(run, _)| run.sa.sums_udp()) {
            self.lanes.each_of(members, |packet, slot| {
                put_udp_checksum(packet, slot);
                Ok(())
            });
        }
        self.passed(Sealed(()))
    }
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
