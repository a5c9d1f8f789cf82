//! The memory that values live in, and the three things that are done to it.

use core::mem::MaybeUninit;
use core::slice;

use zeroize::Zeroize;

use crate::prefetch::prefetch_two;
use crate::sync::UnsafeCell;

/// A fixed number of cells, each on cache lines of its own. A cell's memory is first touched when it is filled.
pub(super) struct Cells<T>(Box<[Cell<T>]>);

#[repr(C, align(64))]
struct Cell<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: a cell's value is shared as `&T` by readers (so `T: Sync`), and moved in by one thread and dropped by another
// (so `T: Send`). Everything else that touches a cell does so through an unsafe function with its own conditions.
unsafe impl<T: Send + Sync> Sync for Cells<T> {}

impl<T> Cells<T> {
    pub(super) fn new(capacity: u32) -> Self {
        Self((0..capacity).map(|_| Cell(UnsafeCell::new(MaybeUninit::uninit()))).collect())
    }

    /// Asks for the first two lines of a value.
    #[inline]
    pub(super) fn prefetch(&self, index: u32) {
        if let Some(cell) = self.cell(index) {
            prefetch_two(cell);
        }
    }

    /// The value in a cell; `None` past the capacity.
    ///
    /// # Safety
    ///
    /// The cell was filled, the filling happened before this call, and it is not wiped while the reference lives.
    #[inline]
    pub(super) unsafe fn value(&self, index: u32) -> Option<&T> {
        // SAFETY: the caller vouches that the cell holds a value and that nothing changes it as long as `&self` lasts.
        self.cell(index).map(|cell| cell.0.with(|value| unsafe { &*value.cast() }))
    }

    /// Moves a value into a cell; drops it past the capacity.
    ///
    /// # Safety
    ///
    /// The cell is empty and no other thread touches it during the call.
    pub(super) unsafe fn fill(&self, index: u32, value: T) {
        if let Some(cell) = self.cell(index) {
            // SAFETY: the caller vouches that nobody else touches the cell; nothing in it is lost.
            cell.0.with_mut(|place| unsafe { place.cast::<T>().write(value) });
        }
    }

    /// Drops the value in a cell in place, then overwrites every byte of it by volatile writes.
    ///
    /// # Safety
    ///
    /// The cell holds a value, and no other thread touches it during the call or will look for that value after it.
    pub(super) unsafe fn wipe(&self, index: u32) {
        let Some(cell) = self.cell(index) else { return };
        // SAFETY: the caller vouches that the cell holds a value that nobody looks at.
        cell.0.with_mut(|place| unsafe { place.cast::<T>().drop_in_place() });
        // SAFETY: as above; `MaybeUninit` demands nothing of the bytes.
        cell.0.with_mut(|place| slice::from_mut(unsafe { &mut *place }).zeroize());
    }

    #[inline]
    fn cell(&self, index: u32) -> Option<&Cell<T>> {
        self.0.get(index as usize)
    }
}

#[cfg(test)]
mod tests;
