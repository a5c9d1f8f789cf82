//! Stage 6: the verdicts of what was sealed, and every counter, once.

use esp_stats::CellDelta;
use esp_wire::{Ip, Seq64, proto};

use super::Burst;
use super::seal::Sealed;
use crate::events::Event;
use crate::handle::SaId;
use crate::narrow::u32_of;
use crate::runs::Run;
use crate::sa::{OutboundSa, Outer};
use crate::stats::{Counter, Counters, Direction};
use crate::time::Millis;
use crate::verdict::{Delivered, DropReason, Verdict};

impl Burst<'_, '_, '_, Sealed> {
    pub(super) fn count(self, counters: Counters<'_>) {
        let Counters { stats, cells, events, now } = counters;
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
            if delta.drops > 0
                && let Some(event) = self.exhausted(run, members, now)
                && !events.push(event)
            {
                stats.add(Counter::EventsLost, 1);
            }
            cells.add(stats.token_mut(), run.slot.index(), delta);
            stats.run(Direction::Outbound, &delta);
        }
        stats.burst(Direction::Outbound, live, self.lanes.verdicts, self.tally);
    }

    /// The event of an SA that has no numbers left, one a burst.
    //= https://www.rfc-editor.org/rfc/rfc4303#section-3.3.3
    //# An attempt to transmit a packet
    //# that would result in sequence number overflow is an auditable event.
    #[cold]
    fn exhausted(&self, run: &Run<'_, OutboundSa>, members: &[u8], now: Millis) -> Option<Event> {
        let refused = |i: &&u8| {
            let verdict = self.lanes.verdicts.get(usize::from(**i));
            verdict.and_then(Verdict::reason) == Some(DropReason::SeqOverflow)
        };
        let packet = self.lanes.packets.get(usize::from(*members.iter().find(refused)?))?;
        let ip = Ip::parse(packet.data()).ok();
        let own = || ip.as_ref().map(|ip| (ip.src(), ip.dst()));
        let (src, dst) = run.sa.tunnel.as_ref().map(Outer::ends).or_else(own)?;
        let flow_label = match &ip {
            Some(Ip::V6(ip)) => Some(ip.flow_label()),
            _ => None,
        };
        let (reason, spi) = (DropReason::SeqOverflow, run.sa.spi.get());
        Some(Event { reason, at: now, spi, seq: Seq64(run.sa.sequence.last()).low().0, src, dst, flow_label })
    }
}
