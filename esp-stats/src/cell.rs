//! One SA's counters of one worker.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::shards::add;

/// 32 bytes, so that four SAs share a 128-byte unit and none straddles a line.
#[derive(Debug, Default)]
#[repr(C, align(32))]
pub(crate) struct Cell {
    packets: AtomicU64,
    bytes: AtomicU64,
    drops: AtomicU64,
    last_use: AtomicU64,
}

const _: () = assert!(size_of::<Cell>() == 32, "documented size; four to a padded unit");

impl Cell {
    /// For the one writer of the cell.
    #[inline]
    pub(crate) fn add(&self, delta: CellDelta) {
        if delta.drops != 0 {
            add(&self.drops, delta.drops);
        }
        if delta.packets != 0 {
            add(&self.packets, delta.packets);
            add(&self.bytes, delta.bytes);
            self.last_use.store(self.last_use.load(Relaxed).max(delta.now), Relaxed);
        }
    }

    pub(crate) fn sum(&self) -> CellSum {
        CellSum {
            packets: self.packets.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
            drops: self.drops.load(Relaxed),
            last_use: self.last_use.load(Relaxed),
        }
    }

    /// Only once nobody else writes the cell.
    pub(crate) fn zero(&self) {
        for field in [&self.packets, &self.bytes, &self.drops, &self.last_use] {
            field.store(0, Relaxed);
        }
    }
}

/// What one burst did to one SA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellDelta {
    /// Packets that passed.
    pub packets: u64,
    /// Bytes of those packets, by the caller's definition. Not counted when `packets` is 0.
    pub bytes: u64,
    /// Packets of this SA that were dropped. They do not touch `last_use`: forged packets keep no SA alive.
    pub drops: u64,
    /// The caller's monotonic clock in milliseconds; stored as the last use when `packets` is not 0. A step back
    /// counts as no progress.
    pub now: u64,
}

/// Counters of one SA, or of many, over all workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellSum {
    /// Packets that passed.
    pub packets: u64,
    /// Bytes of those packets, by the caller's definition.
    pub bytes: u64,
    /// Packets dropped.
    pub drops: u64,
    /// The latest use that any worker stored, in milliseconds of the caller's clock; 0 means never.
    pub last_use: u64,
}

impl CellSum {
    /// Adds the counts (they wrap at 2^64) and keeps the later use.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            packets: self.packets.wrapping_add(other.packets),
            bytes: self.bytes.wrapping_add(other.bytes),
            drops: self.drops.wrapping_add(other.drops),
            last_use: self.last_use.max(other.last_use),
        }
    }
}
