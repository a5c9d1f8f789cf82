//! A global allocator that counts.
//!
//! A test binary that wants to show that something does not allocate says
//!
//! ```
//! use esp_testkit::alloc_counter::{CountingAlloc, allocations_during};
//!
//! #[global_allocator]
//! static ALLOC: CountingAlloc = CountingAlloc;
//!
//! assert_eq!(allocations_during(|| drop(Box::new(std::hint::black_box(1)))), 1);
//! ```
//!
//! Counts are per thread, so tests that run side by side do not disturb each other.

#![expect(unsafe_code, reason = "GlobalAlloc is an unsafe trait; every method hands its arguments to System")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

/// The system allocator, counting calls that may obtain memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingAlloc;

/// How often `body` allocated or reallocated, on this thread. Frees are not counted.
///
/// Panics where [`CountingAlloc`] is not the global allocator: nothing would be counted.
pub fn allocations_during<R>(body: impl FnOnce() -> R) -> u64 {
    let probe = count();
    drop(black_box(Box::new(black_box(0_u8))));
    assert_ne!(count(), probe, "CountingAlloc is not the #[global_allocator] of this binary");
    let before = count();
    let result = body();
    let after = count();
    drop(result);
    after - before
}

// SAFETY: memory is obtained, resized and freed by System alone, with the caller's arguments unchanged; the
// count neither allocates nor panics.
unsafe impl GlobalAlloc for CountingAlloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        tick();
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`, which is System's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        tick();
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc_zeroed`, which is System's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        tick();
        // SAFETY: the caller keeps the contract of `GlobalAlloc::realloc`; `block` came from System.
        unsafe { System.realloc(block, layout, new_size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::dealloc`; `block` came from System.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Nothing is counted while the thread is being torn down, when its cell is gone.
fn tick() {
    let _ = ALLOCATIONS.try_with(|cell| cell.set(cell.get() + 1));
}

fn count() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

thread_local! {
    /// Const-initialised and without destructor, so that its first use does not allocate.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}
