//! Engine-level counters: per worker one hot line, and one cell a label.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crossbeam_utils::CachePadded;

use crate::SaCells;
use crate::workers::{WorkerToken, Workers};

/// The hot and labelled counters of every worker of one engine.
///
/// `L` names the cold cells (drop reasons and other rare events); `HOT` is the number of cells that are written once
/// a burst, at most [`MAX_HOT`] so that they share one 64-byte line.
#[derive(Debug)]
pub struct Shards<L, const HOT: usize> {
    shards: Box<[Shard<HOT>]>,
    workers: Arc<Workers>,
    label: PhantomData<fn(L)>,
}

/// A name for a cold cell: a dense enum whose discriminant is the index.
pub trait Label: Copy {
    /// How many labels there are; every [`index`](Self::index) is below it.
    const COUNT: usize;

    /// The cell of this label, `0..COUNT`. An index outside the range is a defect of the implementation: it is
    /// asserted against in debug builds and counts nothing in release builds.
    fn index(self) -> usize;
}

impl<L: Label, const HOT: usize> Shards<L, HOT> {
    /// Counters for worker indices `0..max_workers`, all zero. The number is fixed for the engine's life.
    #[must_use]
    pub fn new(max_workers: usize) -> Arc<Self> {
        const { assert!(HOT <= MAX_HOT, "the hot cells of a worker share one 64-byte line") };
        Arc::new(Self {
            shards: (0..max_workers).map(|_| Shard::new(L::COUNT)).collect(),
            workers: Workers::new(max_workers),
            label: PhantomData,
        })
    }

    /// Takes the lowest free worker index; `None` when `max_workers` writers are alive. The cells keep what earlier
    /// owners of the index counted. Takes a mutex: for the control plane.
    #[must_use]
    pub fn claim(self: &Arc<Self>) -> Option<ShardWriter<L, HOT>> {
        let token = self.workers.claim()?;
        Some(ShardWriter { token, shards: Arc::clone(self) })
    }

    /// Empty SA-level counters for slots `0..max_slots`, written through the tokens of this engine's workers. An
    /// engine with two slabs makes two.
    #[must_use]
    pub fn sa_cells(&self, max_slots: u32) -> SaCells {
        SaCells::new(Arc::clone(&self.workers), self.max_workers(), max_slots)
    }

    /// The number of worker indices.
    #[must_use]
    pub fn max_workers(&self) -> usize {
        self.shards.len()
    }

    /// The number of writers alive now.
    #[must_use]
    pub fn live_workers(&self) -> usize {
        self.workers.live()
    }

    /// The sum over all workers, past and present. Not one instant; exact when workers are quiet.
    #[must_use]
    pub fn totals(&self) -> Totals<HOT> {
        let mut totals = Totals::zero(L::COUNT);
        for shard in &self.shards {
            totals.add(shard);
        }
        totals
    }

    /// One row a worker index, also for indices that nobody holds now.
    #[must_use]
    pub fn per_worker(&self) -> Vec<Totals<HOT>> {
        self.shards
            .iter()
            .map(|shard| {
                let mut row = Totals::zero(L::COUNT);
                row.add(shard);
                row
            })
            .collect()
    }
}

/// The writing half of one worker index. `Send`, not `Clone`, used by `&mut`: each cell has exactly one writer.
/// Dropping it frees the index and leaves the cells; the next claimant goes on adding to them.
#[derive(Debug)]
pub struct ShardWriter<L, const HOT: usize> {
    token: WorkerToken,
    shards: Arc<Shards<L, HOT>>,
}

impl<L: Label, const HOT: usize> ShardWriter<L, HOT> {
    /// Adds to the hot cells; meant once a burst. Sums wrap at 2^64.
    #[inline]
    pub fn add_hot(&mut self, deltas: [u64; HOT]) {
        if let Some(shard) = self.shards.shards.get(self.token.index()) {
            for (cell, delta) in shard.hot.iter().zip(deltas) {
                add(cell, delta);
            }
        }
    }

    /// Adds `n` to the cell of `label` and touches nothing else.
    #[inline]
    pub fn add(&mut self, label: L, n: u64) {
        let index = label.index();
        debug_assert!(index < L::COUNT, "label index {index} of {}", L::COUNT);
        if index >= L::COUNT {
            return;
        }
        if let Some(cell) = self.shards.shards.get(self.token.index()).and_then(|shard| shard.cold(index)) {
            add(cell, n);
        }
    }

    /// The worker index, `0..max_workers`.
    #[must_use]
    pub fn index(&self) -> usize {
        self.token.index()
    }

    /// The token for [`SaCells::prepare`].
    #[must_use]
    pub fn token(&self) -> &WorkerToken {
        &self.token
    }

    /// The token for [`SaCells::add`].
    #[must_use]
    pub fn token_mut(&mut self) -> &mut WorkerToken {
        &mut self.token
    }
}

/// A sum of counters. The unit of each cell is the caller's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals<const HOT: usize> {
    /// The hot cells.
    pub hot: [u64; HOT],
    /// The cold cells, by [`Label::index`].
    pub labels: Box<[u64]>,
}

impl<const HOT: usize> Totals<HOT> {
    /// The sum of one label; 0 for an index that is out of range.
    #[must_use]
    pub fn of<L: Label>(&self, label: L) -> u64 {
        self.labels.get(label.index()).copied().unwrap_or(0)
    }

    fn zero(labels: usize) -> Self {
        Self { hot: [0; HOT], labels: vec![0; labels].into_boxed_slice() }
    }

    fn add(&mut self, shard: &Shard<HOT>) {
        for (sum, cell) in self.hot.iter_mut().zip(shard.hot.iter()) {
            *sum = sum.wrapping_add(cell.load(Relaxed));
        }
        for (sum, cell) in self.labels.iter_mut().zip(shard.cold.iter().flat_map(|line| line.iter())) {
            *sum = sum.wrapping_add(cell.load(Relaxed));
        }
    }
}

/// The cells of one worker index, on lines that no other index uses.
#[derive(Debug)]
struct Shard<const HOT: usize> {
    hot: CachePadded<[AtomicU64; HOT]>,
    cold: Box<[CachePadded<[AtomicU64; COLD_LINE]>]>,
}

impl<const HOT: usize> Shard<HOT> {
    fn new(labels: usize) -> Self {
        Self { hot: zeroes(), cold: (0..labels.div_ceil(COLD_LINE)).map(|_| zeroes()).collect() }
    }

    fn cold(&self, index: usize) -> Option<&AtomicU64> {
        self.cold.get(index / COLD_LINE)?.get(index % COLD_LINE)
    }
}

fn zeroes<const N: usize>() -> CachePadded<[AtomicU64; N]> {
    CachePadded::new([const { AtomicU64::new(0) }; N])
}

/// One writer a cell, so a load and a store do what a locked add would.
#[inline]
pub(crate) fn add(cell: &AtomicU64, delta: u64) {
    // Relaxed: see "Orderings" in the crate's documentation.
    cell.store(cell.load(Relaxed).wrapping_add(delta), Relaxed);
}

/// The most hot cells: one 64-byte line of 8-byte cells.
pub const MAX_HOT: usize = 8;

/// Cold cells in one padded unit: 128 bytes, the padding of x86-64 (a line and the one prefetched with it).
const COLD_LINE: usize = 16;

#[cfg(test)]
mod tests;
