//! What an engine counts, and how a reader sees it.

use esp_stats::{CellDelta, CellSum, Label, ShardWriter, Shards, Totals, WorkerToken};

use crate::lanes::Live;
use crate::tally::Tally;
use crate::verdict::{Consumed, DropReason, HandedBack, Verdict};

/// Everything that is counted but the hot line: drop reasons first, with their own discriminants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Packets dropped, by reason.
    Dropped(DropReason),
    /// Authentic dummy packets.
    Dummy,
    /// NAT keepalives.
    Keepalive,
    /// Packets handed back as IKE.
    Ike,
    /// Packets handed back as neither ESP nor UDP-encapsulated ESP.
    NotEsp,
    /// Sequence numbers reserved past an SA's limit: spent, unsent.
    Spent,
    /// Sequence numbers that left a replay window unseen.
    Lost,
    /// Locks of a replay mutex whose first try failed.
    LockContended,
    /// Locks of a replay mutex that may have slept.
    LockBlocked,
    /// Audit events that found no room in the queue or in their burst's share.
    EventsLost,
}

const DROPS: usize = DropReason::ALL.len();

impl Counter {
    /// The counters that are not drop reasons.
    pub const OTHERS: &'static [Self] = &[
        Self::Dummy,
        Self::Keepalive,
        Self::Ike,
        Self::NotEsp,
        Self::Spent,
        Self::Lost,
        Self::LockContended,
        Self::LockBlocked,
        Self::EventsLost,
    ];

    /// The counter's label in statistics and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dropped(reason) => reason.name(),
            Self::Dummy => "dummy",
            Self::Keepalive => "keepalive",
            Self::Ike => "ike",
            Self::NotEsp => "not_esp",
            Self::Spent => "spent",
            Self::Lost => "lost",
            Self::LockContended => "lock_contended",
            Self::LockBlocked => "lock_blocked",
            Self::EventsLost => "events_lost",
        }
    }
}

impl Label for Counter {
    const COUNT: usize = DROPS + Self::OTHERS.len();

    #[inline]
    fn index(self) -> usize {
        match self {
            Self::Dropped(reason) => reason as usize,
            Self::Dummy => DROPS,
            Self::Keepalive => DROPS + 1,
            Self::Ike => DROPS + 2,
            Self::NotEsp => DROPS + 3,
            Self::Spent => DROPS + 4,
            Self::Lost => DROPS + 5,
            Self::LockContended => DROPS + 6,
            Self::LockBlocked => DROPS + 7,
            Self::EventsLost => DROPS + 8,
        }
    }
}

/// Which walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Outbound,
    Inbound,
}

/// Cells of the hot line: for each direction packets in, packets delivered, bytes of those, bursts.
const HOT: usize = 8;

pub(crate) type EngineShards = Shards<Counter, HOT>;

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

/// Packets and bytes of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Packets that the caller handed in.
    pub packets_in: u64,
    /// Packets delivered.
    pub delivered: u64,
    /// Bytes that the cipher covered in the delivered packets: payload, padding and trailer. The same in both
    /// directions, and nothing for a packet that was dropped.
    pub bytes: u64,
    /// Calls, counted in bursts of at most 32.
    pub bursts: u64,
}

/// A sum of counters: of one worker index, or of all.
///
/// A snapshot is not one instant: workers go on counting while it is taken. It is exact when they are quiet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Packets to seal.
    pub outbound: Traffic,
    /// Packets to open.
    pub inbound: Traffic,
    totals: Totals<HOT>,
}

impl Stats {
    pub(crate) fn new(totals: Totals<HOT>) -> Self {
        let [o_in, o_out, o_bytes, o_bursts, i_in, i_out, i_bytes, i_bursts] = totals.hot;
        Self {
            outbound: Traffic { packets_in: o_in, delivered: o_out, bytes: o_bytes, bursts: o_bursts },
            inbound: Traffic { packets_in: i_in, delivered: i_out, bytes: i_bytes, bursts: i_bursts },
            totals,
        }
    }

    /// One counter.
    #[must_use]
    pub fn of(&self, counter: Counter) -> u64 {
        self.totals.of(counter)
    }

    /// Packets dropped for one reason.
    #[must_use]
    pub fn dropped(&self, reason: DropReason) -> u64 {
        self.of(Counter::Dropped(reason))
    }

    /// Packets dropped in all.
    #[must_use]
    pub fn dropped_in_all(&self) -> u64 {
        DropReason::ALL.iter().map(|reason| self.dropped(*reason)).sum()
    }

    /// Packets that came in and ended nowhere, or in two places: 0 when workers are quiet.
    ///
    /// `in == delivered + consumed + handed back + dropped`, over both directions.
    #[must_use]
    pub fn unaccounted(&self) -> i128 {
        let came = i128::from(self.outbound.packets_in) + i128::from(self.inbound.packets_in);
        let others = [Counter::Dummy, Counter::Keepalive, Counter::Ike, Counter::NotEsp];
        let ended = i128::from(self.outbound.delivered)
            + i128::from(self.inbound.delivered)
            + i128::from(self.dropped_in_all())
            + others.iter().map(|counter| i128::from(self.of(*counter))).sum::<i128>();
        came - ended
    }
}

/// What one SA has done, summed over all workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaStats {
    /// Packets delivered.
    pub packets: u64,
    /// Bytes as in [`Traffic::bytes`].
    pub bytes: u64,
    /// Packets dropped after the SA was found.
    pub drops: u64,
    /// The latest `now` of a burst with a packet for the SA, in milliseconds.
    pub last_use: u64,
    /// Outbound: the last sequence number given. Inbound: the highest that authenticated.
    pub sequence: u64,
    /// Inbound: sequence numbers that left the replay window unseen.
    pub lost: u64,
}

impl SaStats {
    pub(crate) fn new(sum: CellSum, sequence: u64, lost: u64) -> Self {
        Self {
            packets: sum.packets,
            bytes: sum.bytes,
            drops: sum.drops,
            last_use: sum.last_use,
            sequence,
            lost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_counter_has_a_cell_and_a_name_of_its_own() {
        let all: Vec<Counter> = DropReason::ALL
            .iter()
            .map(|reason| Counter::Dropped(*reason))
            .chain(Counter::OTHERS.iter().copied())
            .collect();
        assert_eq!(all.len(), Counter::COUNT);
        for (index, counter) in all.iter().enumerate() {
            assert_eq!(counter.index(), index, "{}", counter.name());
            assert_eq!(all.iter().filter(|other| other.name() == counter.name()).count(), 1);
        }
    }
}
