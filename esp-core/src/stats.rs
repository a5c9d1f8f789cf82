//! What an engine counts, and how a reader sees it.

mod counter;
mod writer;

use esp_stats::{CellSum, Shards, Totals};

pub use counter::Counter;
pub(crate) use writer::{Counters, Direction, WorkerStats};

use crate::verdict::DropReason;

/// Cells of the hot line: for each direction packets in, packets delivered, bytes of those, bursts.
const HOT: usize = 8;

pub(crate) type EngineShards = Shards<Counter, HOT>;

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
