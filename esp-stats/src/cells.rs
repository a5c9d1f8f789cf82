//! SA-level counters: one array of cells per worker index and bulk of slots.
//!
//! ```text
//!                bulk 0   bulk 1   bulk 2   ...          directory: fixed when the engine is made
//!   worker 0     array    array    -                     array:     BULK cells, made by a control thread before
//!   worker 1     array    array    -                                the worker or the bulk is visible, kept until
//!   worker 2     -        -        -                                the engine ends
//! ```

use std::sync::{Arc, OnceLock};

use crossbeam_utils::CachePadded;
use parking_lot::Mutex;
use thiserror::Error;

use crate::cell::{Cell, CellDelta, CellSum};
use crate::workers::{WorkerToken, Workers};

/// Counters of every SA in one slab. Made by [`Shards::sa_cells`](crate::Shards::sa_cells).
///
/// Before a worker counts into a slot, a control thread must have called both [`prepare`](Self::prepare) for the
/// worker and [`open_bulk`](Self::open_bulk) for the slot's bulk, in either order.
#[derive(Debug)]
pub struct SaCells {
    /// Row by worker index, column by bulk.
    directory: Box<[OnceLock<Array>]>,
    bulks: usize,
    workers: Arc<Workers>,
    control: Mutex<Control>,
}

type Array = Box<[Group]>;

/// Padded, so that an array of one worker shares no line with what another worker writes.
type Group = CachePadded<[Cell; GROUP]>;

#[derive(Debug)]
struct Control {
    prepared: Box<[bool]>,
    open: Box<[bool]>,
    removed: CellSum,
}

/// A bulk beyond the capacity that was fixed when the cells were made.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("bulk {bulk} of SA counters: there are {bulks}")]
pub struct NoSuchBulk {
    /// The bulk that was asked for.
    pub bulk: u32,
    /// How many there are; they are numbered from 0.
    pub bulks: usize,
}

impl SaCells {
    /// Slots in one bulk.
    pub const BULK: u32 = 1024;

    pub(crate) fn new(workers: Arc<Workers>, max_workers: usize, max_slots: u32) -> Self {
        let bulks = at(max_slots.div_ceil(Self::BULK));
        Self {
            directory: (0..max_workers.saturating_mul(bulks)).map(|_| OnceLock::new()).collect(),
            bulks,
            workers,
            control: Mutex::new(Control {
                prepared: vec![false; max_workers].into_boxed_slice(),
                open: vec![false; bulks].into_boxed_slice(),
                removed: CellSum::default(),
            }),
        }
    }

    /// The bulk that holds `slot`.
    #[must_use]
    pub fn bulk_of(slot: u32) -> u32 {
        slot / Self::BULK
    }

    /// Makes the arrays of a worker for all open bulks. Control thread; allocates on the first owner of an index.
    pub fn prepare(&self, token: &WorkerToken) {
        debug_assert!(token.is_of(&self.workers), "token of another engine");
        let mut control = self.control.lock();
        if let Some(prepared) = control.prepared.get_mut(token.index()) {
            *prepared = true;
        }
        for (bulk, _) in control.open.iter().enumerate().filter(|(_, open)| **open) {
            self.make(token.index(), bulk);
        }
    }

    /// Makes the arrays of a bulk for all prepared workers. Control thread; allocates on the first call for a bulk.
    ///
    /// # Errors
    ///
    /// [`NoSuchBulk`] for a bulk beyond the capacity.
    pub fn open_bulk(&self, bulk: u32) -> Result<(), NoSuchBulk> {
        let mut control = self.control.lock();
        *control.open.get_mut(at(bulk)).ok_or(NoSuchBulk { bulk, bulks: self.bulks })? = true;
        for (worker, _) in control.prepared.iter().enumerate().filter(|(_, prepared)| **prepared) {
            self.make(worker, at(bulk));
        }
        Ok(())
    }

    /// Counts what a burst did to the SA in `slot`. Hot path: four plain loads and stores at most. Counts nothing
    /// (and asserts in debug builds) when the worker was not prepared or the bulk not opened.
    #[inline]
    pub fn add(&self, token: &mut WorkerToken, slot: u32, delta: CellDelta) {
        debug_assert!(token.is_of(&self.workers), "token of another engine");
        let cell = self.cell(token.index(), slot);
        debug_assert!(cell.is_some(), "worker {} not prepared or slot {slot} not open", token.index());
        if let Some(cell) = cell {
            cell.add(delta);
        }
    }

    /// The sum of `slot` over all workers; `last_use` is the latest. Zero for a slot that is not open. Not one
    /// instant; exact when workers are quiet.
    #[must_use]
    pub fn sum(&self, slot: u32) -> CellSum {
        self.cells(slot).map(Cell::sum).fold(CellSum::default(), CellSum::plus)
    }

    /// Moves the counts of a deleted SA into the row of removed SAs, zeroes its cells and returns what was moved.
    ///
    /// Legal only when no worker can still count into `slot`, and before the slot is given to another SA. The owner
    /// of the slab guarantees both: it calls this from the one control thread that frees the slot, after the grace
    /// period that began when the SA left the table. Seeing the grace period over orders every worker's stores to
    /// the cells before the reads here; publishing the next SA of the slot orders the zeroes before its first use.
    pub fn fold(&self, slot: u32) -> CellSum {
        let mut control = self.control.lock();
        let mut moved = CellSum::default();
        for cell in self.cells(slot) {
            moved = moved.plus(cell.sum());
            cell.zero();
        }
        control.removed = control.removed.plus(moved);
        moved
    }

    /// The sum of all SAs that were folded.
    #[must_use]
    pub fn removed(&self) -> CellSum {
        self.control.lock().removed
    }

    /// The removed SAs and all present ones. Under the mutex of [`fold`](Self::fold), so an SA that is being folded
    /// is seen once. Reads every cell: for tests and for slow readers.
    #[must_use]
    pub fn total(&self) -> CellSum {
        let control = self.control.lock();
        let arrays = self.directory.iter().filter_map(OnceLock::get);
        let cells = arrays.flat_map(|array| array.iter().flat_map(|group| group.iter()));
        cells.map(Cell::sum).fold(control.removed, CellSum::plus)
    }

    fn make(&self, worker: usize, bulk: usize) {
        if let Some(entry) = self.entry(worker, bulk) {
            entry.get_or_init(|| (0..at(Self::BULK) / GROUP).map(|_| Group::default()).collect());
        }
    }

    fn cells(&self, slot: u32) -> impl Iterator<Item = &Cell> {
        let workers = self.directory.len().checked_div(self.bulks).unwrap_or(0);
        (0..workers).filter_map(move |worker| self.cell(worker, slot))
    }

    #[inline]
    fn cell(&self, worker: usize, slot: u32) -> Option<&Cell> {
        let array = self.entry(worker, at(slot / Self::BULK))?.get()?;
        let within = at(slot % Self::BULK);
        array.get(within / GROUP)?.get(within % GROUP)
    }

    #[inline]
    fn entry(&self, worker: usize, bulk: usize) -> Option<&OnceLock<Array>> {
        if bulk >= self.bulks {
            return None;
        }
        self.directory.get(worker.checked_mul(self.bulks)?.checked_add(bulk)?)
    }
}

/// A slot or bulk number as an index.
#[inline]
fn at(number: u32) -> usize {
    number as usize
}

/// Cells in one padded unit of 128 bytes.
const GROUP: usize = 4;

const _: () = assert!(SaCells::BULK.is_power_of_two(), "slot to bulk is a shift");

#[cfg(test)]
mod tests;
