//! What is left in a cell after its value is gone.

#![cfg(not(loom))]

use core::mem::{ManuallyDrop, MaybeUninit};

use super::Cells;

/// Has bytes that no `Drop` of a key type would wipe.
struct Key {
    bytes: [u8; 200],
    dropped: *mut u32,
}

impl Drop for Key {
    fn drop(&mut self) {
        assert_eq!(self.bytes, [0xa5; 200]);
        // SAFETY: points at the test's counter, which outlives the value.
        unsafe { *self.dropped += 1 };
    }
}

#[test]
fn wiping_drops_once_and_leaves_no_byte() {
    let mut count = 0;
    let cells = Cells::new(3);
    let key = Key { bytes: [0xa5; 200], dropped: &raw mut count };
    // SAFETY: cell 1 is empty and this is the only thread.
    unsafe { cells.fill(1, key) };
    // SAFETY: cell 1 was just filled.
    assert_eq!(unsafe { cells.value(1) }.map(|key| key.bytes[199]), Some(0xa5));
    // SAFETY: cell 1 was filled and no reference is left.
    unsafe { cells.wipe(1) };
    assert_eq!(count, 1);
    let left = cells.0[1].0.with(|cell| {
        // SAFETY: the memory of one cell, whose every byte `wipe` has written.
        unsafe { *cell.cast::<ManuallyDrop<[MaybeUninit<u8>; size_of::<Key>()]>>() }
    });
    for byte in *left {
        // SAFETY: `wipe` has written it.
        assert_eq!(unsafe { byte.assume_init() }, 0);
    }
}

#[test]
fn each_value_has_lines_of_its_own() {
    assert_eq!(size_of::<super::Cell<u8>>(), 64);
    assert_eq!(align_of::<super::Cell<u8>>(), 64);
    assert_eq!(size_of::<super::Cell<[u8; 65]>>(), 128);
}
