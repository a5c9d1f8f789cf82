//! The books: every packet in exactly one place, whoever counted.

use anyhow::Result;
use esp_core::{Counter, SaStats, Stats};
use serde::Serialize;

use super::phase::Outcome;
use super::sas::Sas;

/// Three equations. Packets, but for the keys with `bytes`, which count what the cipher covered.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Proof {
    /// Packets that the engine was handed, in both directions, over the whole run.
    #[serde(rename = "in")]
    pub(crate) came: u64,
    pub(crate) delivered: u64,
    pub(crate) consumed: u64,
    pub(crate) handed_back: u64,
    pub(crate) dropped: u64,
    /// What the workers saw in the timed phases.
    pub(crate) sealed: u64,
    pub(crate) opened: u64,
    pub(crate) compared: u64,
    /// Sums over the SAs that live, the row of those removed, and the engine's own count.
    pub(crate) sa_packets: u64,
    pub(crate) removed_packets: u64,
    pub(crate) engine_packets: u64,
    pub(crate) sa_bytes: u64,
    pub(crate) removed_bytes: u64,
    pub(crate) engine_bytes: u64,
}

impl Proof {
    /// Reads every counter. The workers are quiet.
    ///
    /// # Errors
    ///
    /// An SA is gone that should be there.
    pub(crate) fn of(sas: &Sas, stats: &Stats, phases: &[Outcome]) -> Result<Self> {
        let consumed = [Counter::Dummy, Counter::Keepalive];
        let handed_back = [Counter::Ike, Counter::NotEsp];
        let (mut sa_packets, mut sa_bytes) = (0, 0);
        for pair in sas.pairs() {
            for sa in [pair.outbound, pair.inbound] {
                let SaStats { packets, bytes, .. } = sas.engine.sa_stats(sa)?;
                sa_packets += packets;
                sa_bytes += bytes;
            }
        }
        let removed = sas.engine.removed_stats();
        let tallies = || phases.iter().flat_map(|phase| &phase.tallies);
        Ok(Self {
            came: stats.outbound.packets_in + stats.inbound.packets_in,
            delivered: stats.outbound.delivered + stats.inbound.delivered,
            consumed: consumed.iter().map(|counter| stats.of(*counter)).sum(),
            handed_back: handed_back.iter().map(|counter| stats.of(*counter)).sum(),
            dropped: stats.dropped_in_all(),
            sealed: tallies().map(|tally| tally.sealed).sum(),
            opened: tallies().map(|tally| tally.opened).sum(),
            compared: tallies().map(|tally| tally.compared).sum(),
            sa_packets,
            removed_packets: removed.packets,
            engine_packets: stats.outbound.delivered + stats.inbound.delivered,
            sa_bytes,
            removed_bytes: removed.bytes,
            engine_bytes: stats.outbound.bytes + stats.inbound.bytes,
        })
    }

    /// Whether every packet that came in ended in one place.
    pub(crate) fn conserved(&self) -> bool {
        self.came == self.delivered + self.consumed + self.handed_back + self.dropped
    }

    /// Whether what was sealed was opened, and equal.
    pub(crate) fn carried(&self) -> bool {
        self.sealed == self.opened && self.opened == self.compared
    }

    /// Whether SAs and engine count alike.
    pub(crate) fn sas_agree(&self) -> bool {
        self.sa_packets + self.removed_packets == self.engine_packets
            && self.sa_bytes + self.removed_bytes == self.engine_bytes
    }

    /// The equations that do not hold, in words.
    pub(crate) fn faults(&self) -> impl Iterator<Item = String> {
        let equations = [
            (self.conserved(), "packets in and packets accounted for differ"),
            (self.carried(), "not every sealed packet was opened and found equal"),
            (self.sas_agree(), "the counters of the SAs and those of the engine differ"),
            (self.sealed > 0, "no packet was sealed"),
        ];
        equations.into_iter().filter(|(holds, _)| !holds).map(|(_, fault)| fault.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sound() -> Proof {
        Proof {
            came: 20,
            delivered: 16,
            consumed: 1,
            handed_back: 1,
            dropped: 2,
            sealed: 8,
            opened: 8,
            compared: 8,
            sa_packets: 14,
            removed_packets: 2,
            engine_packets: 16,
            sa_bytes: 140,
            removed_bytes: 20,
            engine_bytes: 160,
        }
    }

    #[test]
    fn sound_books_have_no_fault() {
        assert_eq!(sound().faults().count(), 0);
    }

    #[test]
    fn one_packet_or_byte_amiss_is_a_fault() {
        let amiss: [fn(&mut Proof); 10] = [
            |proof| proof.came += 1,
            |proof| proof.delivered -= 1,
            |proof| proof.consumed += 1,
            |proof| proof.handed_back -= 1,
            |proof| proof.dropped -= 1,
            |proof| proof.opened -= 1,
            |proof| proof.compared -= 1,
            |proof| proof.sa_packets -= 1,
            |proof| proof.removed_packets += 1,
            |proof| proof.sa_bytes -= 1,
        ];
        for (n, spoil) in amiss.iter().enumerate() {
            let mut proof = sound();
            spoil(&mut proof);
            assert_eq!(proof.faults().count(), 1, "case {n}: {proof:?}");
        }
        assert_ne!(Proof::default().faults().count(), 0, "an empty run proves nothing");
    }
}
