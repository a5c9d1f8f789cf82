//! Buffers that end, or start, at a page that can't be touched.
//!
//! A read or write of one byte beyond faults at once, where an ordinary buffer hides it.
//!
//! ```
//! use esp_testkit::guard_page::{GuardedBuf, Side};
//!
//! let mut packet = GuardedBuf::new(61, Side::End);
//! packet[60] = 1; // packet.as_ptr().add(61) would be a segmentation fault
//! ```

#![expect(unsafe_code, reason = "maps pages, and makes slices of them")]

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};
use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::ptr::{NonNull, null_mut};

/// Which end of the buffer abuts the page that can't be touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A byte before the first faults.
    Start,
    /// A byte behind the last faults.
    End,
}

/// `len` bytes, zero at first, between pages that can't be touched; one end lies exactly at such a page.
#[derive(Debug)]
pub struct GuardedBuf {
    map: NonNull<u8>,
    map_len: usize,
    start: usize,
    len: usize,
}

impl GuardedBuf {
    /// A buffer of `len` bytes. Panics where the system gives no memory.
    pub fn new(len: usize, side: Side) -> GuardedBuf {
        let usable = len.next_multiple_of(PAGE).max(PAGE);
        let map_len = PAGE + usable + PAGE;
        let map = map_untouchable(map_len);
        open_pages(map, usable);
        let start = match side {
            Side::Start => PAGE,
            Side::End => PAGE + usable - len,
        };
        GuardedBuf { map, map_len, start, len }
    }

    /// A buffer that holds `bytes`.
    pub fn holding(bytes: &[u8], side: Side) -> GuardedBuf {
        let mut buf = GuardedBuf::new(bytes.len(), side);
        buf.copy_from_slice(bytes);
        buf
    }

    fn data(&self) -> NonNull<u8> {
        // SAFETY: `start + len` is at most `map_len`, the length of the one mapping behind `map`.
        unsafe { self.map.add(self.start) }
    }
}

/// Reserves `len` bytes, a multiple of the page, none of them accessible.
fn map_untouchable(len: usize) -> NonNull<u8> {
    // SAFETY: the system chooses the address, so no mapping in use is replaced.
    let map = unsafe { mmap_anonymous(null_mut(), len, ProtFlags::empty(), MapFlags::PRIVATE) };
    let map = map.unwrap_or_else(|why| panic!("mapping {len} bytes: {why}"));
    NonNull::new(map.cast()).expect("a mapping is not at address 0")
}

/// Makes `len` bytes behind the first page of `map` accessible.
fn open_pages(map: NonNull<u8>, len: usize) {
    // SAFETY: the mapping has a page, `len` bytes and another page.
    let first = unsafe { map.add(PAGE) };
    // SAFETY: the range is a whole number of pages inside a mapping of ours that nothing refers to yet.
    unsafe { mprotect(first.as_ptr().cast::<c_void>(), len, MprotectFlags::READ | MprotectFlags::WRITE) }
        .unwrap_or_else(|why| panic!("opening {len} bytes: {why}"));
}

impl Deref for GuardedBuf {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `len` bytes from `data` are mapped, readable, zero or written since, and ours until `drop`.
        unsafe { std::slice::from_raw_parts(self.data().as_ptr(), self.len) }
    }
}

impl DerefMut for GuardedBuf {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`; `&mut self` makes this the only reference.
        unsafe { std::slice::from_raw_parts_mut(self.data().as_ptr(), self.len) }
    }
}

impl Drop for GuardedBuf {
    fn drop(&mut self) {
        // SAFETY: the mapping is `map_len` bytes from `map`, made in `new`, and no slice of it outlives
        // `self`.
        let unmapped = unsafe { munmap(self.map.as_ptr().cast(), self.map_len) };
        debug_assert!(unmapped.is_ok(), "unmapping our own mapping can't fail");
    }
}

// SAFETY: the mapping belongs to this value alone and is reached through `&` and `&mut` as a Vec's memory is.
unsafe impl Send for GuardedBuf {}

// SAFETY: `&GuardedBuf` gives out shared slices only.
unsafe impl Sync for GuardedBuf {}

/// A multiple of the page of every Linux target we build for (arm64 goes up to 64 KiB).
const PAGE: usize = 64 * 1024;

#[cfg(test)]
mod tests;
