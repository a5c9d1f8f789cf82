//! Stage 6: the verdicts of what was sealed, and every counter, once.

use esp_stats::{CellDelta, SaCells};
use esp_wire::proto;

use super::Burst;
use super::seal::Sealed;
use crate::handle::SaId;
use crate::narrow::u32_of;
use crate::stats::{Direction, WorkerStats};
use crate::time::Millis;
use crate::verdict::{Delivered, Verdict};

/// Where a walk counts.
pub(crate) struct Counters<'w> {
    pub(crate) stats: &'w mut WorkerStats,
    pub(crate) cells: &'w SaCells,
    pub(crate) now: Millis,
}

impl Burst<'_, '_, '_, Sealed> {
    pub(super) fn count(self, counters: Counters<'_>) {
        let Counters { stats, cells, now } = counters;
        let live = self.lanes.live();
        for (run, members) in self.runs.iter() {
            let mut delta = CellDelta { now: now.0, ..CellDelta::default() };
            let sa = SaId::outbound(run.slot);
            let next_header = if run.sa.udp.is_some() { proto::UDP } else { proto::ESP };
            for i in members.iter().map(|i| usize::from(*i)) {
                let (Some(packet), Some(slot)) = (self.lanes.packets.get(i), self.lanes.slots.get(i)) else {
                    continue;
                };
                if !live.has(i) {
                    delta.drops += 1;
                    continue;
                }
                delta.packets += 1;
                delta.bytes += run.sa.shape.ciphered(slot.esp_len as usize) as u64;
                if let Some(verdict) = self.lanes.verdicts.get_mut(i) {
                    *verdict = Verdict::Delivered(Delivered {
                        offset: u32_of(packet.data_off()),
                        len: u32_of(packet.data_len()),
                        sa,
                        next_header,
                        tun_id: run.sa.tun_id,
                    });
                }
            }
            cells.add(stats.token_mut(), run.slot.index(), delta);
            stats.run(Direction::Outbound, &delta);
        }
        stats.burst(Direction::Outbound, live, self.lanes.verdicts, self.tally);
    }
}
