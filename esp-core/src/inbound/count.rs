//! Stage 8: the verdicts of what is delivered, every counter once, and the audit events.

use esp_stats::CellDelta;

use super::policy::Permitted;
use super::{Burst, Slot};
use crate::events::{Event, EventQueue, MAX_PER_BURST};
use crate::handle::SaId;
use crate::narrow::u32_of;
use crate::stats::{Counter, Counters, Direction};
use crate::time::Millis;
use crate::verdict::{Delivered, Verdict};

impl Burst<'_, '_, '_, Permitted> {
    pub(super) fn count(self, counters: Counters<'_>) {
        let Counters { stats, cells, events, now } = counters;
        let live = self.lanes.live();
        for (run, members) in self.runs.iter() {
            let mut delta = CellDelta { now: now.0, ..CellDelta::default() };
            for i in members.iter().map(|i| usize::from(*i)) {
                let (Some(packet), Some(slot), Some(verdict)) =
                    (self.lanes.packets.get(i), self.lanes.slots.get(i), self.lanes.verdicts.get_mut(i))
                else {
                    continue;
                };
                if live.has(i) {
                    delta.packets += 1;
                    delta.bytes += u64::from(slot.esp_len) - run.sa.overhead() as u64;
                    *verdict = Verdict::Delivered(Delivered {
                        offset: u32_of(packet.data_off()),
                        len: u32_of(packet.data_len()),
                        sa: SaId::inbound(run.slot),
                        next_header: slot.next_header,
                        tun_id: run.sa.tun_id,
                    });
                } else if matches!(verdict, Verdict::Dropped { .. }) {
                    delta.drops += 1;
                }
            }
            cells.add(stats.token_mut(), run.slot.index(), delta);
            stats.run(Direction::Inbound, &delta);
        }
        let unheard = self.audit(events, now);
        stats.add(Counter::EventsLost, unheard);
        stats.burst(Direction::Inbound, live, self.lanes.verdicts, self.tally);
    }

    /// Tells of the auditable drops, a few a burst: a flood must not become a flood of events. Returns how many
    /// went untold.
    fn audit(&self, events: &EventQueue, now: Millis) -> u64 {
        let drops = self.lanes.verdicts.iter().zip(self.lanes.slots.iter());
        let auditable = drops.filter_map(|(verdict, slot)| {
            let reason = verdict.reason().filter(|reason| reason.is_auditable())?;
            Some(event(reason, slot, now))
        });
        let mut untold = 0;
        for (n, event) in auditable.enumerate() {
            if n >= MAX_PER_BURST || !events.push(event) {
                untold += 1;
            }
        }
        untold
    }
}

#[cold]
fn event(reason: crate::verdict::DropReason, slot: &Slot, now: Millis) -> Event {
    Event {
        reason,
        at: now,
        spi: slot.query.spi,
        seq: slot.low.0,
        src: slot.query.src,
        dst: slot.query.dst,
        flow_label: slot.query.src.is_ipv6().then_some(slot.flow_label),
    }
}
