//! The writing half: what one worker adds, once a burst.

use esp_stats::{CellDelta, SaCells, ShardWriter, WorkerToken};

use super::{Counter, HOT};
use crate::events::EventQueue;
use crate::lanes::Live;
use crate::tally::Tally;
use crate::time::Millis;
use crate::verdict::{Consumed, HandedBack, Verdict};

/// Where a walk counts.
pub(crate) struct Counters<'w> {
    pub(crate) stats: &'w mut WorkerStats,
    pub(crate) cells: &'w SaCells,
    pub(crate) events: &'w EventQueue,
    pub(crate) now: Millis,
}

/// Which walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Outbound,
    Inbound,
}

/// A worker's writing half.
#[derive(Debug)]
pub(crate) struct WorkerStats {
    writer: ShardWriter<Counter, HOT>,
    hot: [u64; HOT],
}

impl WorkerStats {
    pub(crate) fn new(writer: ShardWriter<Counter, HOT>) -> Self {
        Self { writer, hot: [0; HOT] }
    }

    pub(crate) fn token(&self) -> &WorkerToken {
        self.writer.token()
    }

    #[inline]
    pub(crate) fn token_mut(&mut self) -> &mut WorkerToken {
        self.writer.token_mut()
    }

    /// Notes what one SA delivered in this burst.
    #[inline]
    pub(crate) fn run(&mut self, direction: Direction, delta: &CellDelta) {
        let [out_in, out_packets, out_bytes, out_bursts, in_in, in_packets, in_bytes, in_bursts] = self.hot;
        self.hot = match direction {
            Direction::Outbound => [
                out_in,
                out_packets + delta.packets,
                out_bytes + delta.bytes,
                out_bursts,
                in_in,
                in_packets,
                in_bytes,
                in_bursts,
            ],
            Direction::Inbound => [
                out_in,
                out_packets,
                out_bytes,
                out_bursts,
                in_in,
                in_packets + delta.packets,
                in_bytes + delta.bytes,
                in_bursts,
            ],
        };
    }

    /// Adds `n` to one of the rarer counters, if it is anything.
    #[inline]
    pub(crate) fn add(&mut self, counter: Counter, n: u64) {
        if n > 0 {
            self.writer.add(counter, n);
        }
    }

    /// Counts a burst whose verdicts are final: every packet in exactly one place.
    #[inline]
    pub(crate) fn burst(&mut self, direction: Direction, live: Live, verdicts: &[Verdict], tally: &Tally) {
        for verdict in live.others(verdicts.len()).iter().filter_map(|i| verdicts.get(i)) {
            let counter = match verdict {
                Verdict::Delivered(_) => continue,
                Verdict::Dropped { reason, .. } => Counter::Dropped(*reason),
                Verdict::Consumed(Consumed::Dummy) => Counter::Dummy,
                Verdict::Consumed(Consumed::Keepalive) => Counter::Keepalive,
                Verdict::HandedBack(HandedBack::Ike) => Counter::Ike,
                Verdict::HandedBack(HandedBack::NotEsp) => Counter::NotEsp,
            };
            self.writer.add(counter, 1);
        }
        self.add(Counter::Spent, tally.spent);
        self.add(Counter::Lost, tally.lost);
        self.add(Counter::LockContended, tally.contention.contended);
        self.add(Counter::LockBlocked, tally.contention.blocked);
        let mut hot = std::mem::take(&mut self.hot);
        let packets = verdicts.len() as u64;
        match direction {
            Direction::Outbound => {
                hot[0] += packets;
                hot[3] += 1;
            }
            Direction::Inbound => {
                hot[4] += packets;
                hot[7] += 1;
            }
        }
        self.writer.add_hot(hot);
    }
}
