//! Asking the cache for a line before it is needed.

/// Asks for the cache line that holds the first byte of `target`, for reading, into every cache level.
///
/// A hint without effect on results. On x86-64 it is one `prefetcht0`; elsewhere it is nothing.
#[inline(always)]
pub fn prefetch_read<T>(target: &T) {
    prefetch_at(target, 0);
}

/// Asks for the first two lines of `target`, or its only one.
#[inline(always)]
pub(crate) fn prefetch_two<T>(target: &T) {
    prefetch_at(target, 0);
    if size_of::<T>() > LINE {
        prefetch_at(target, LINE);
    }
}

#[inline(always)]
fn prefetch_at<T>(target: &T, offset: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let byte = core::ptr::from_ref(target).cast::<i8>().wrapping_add(offset);
        // SAFETY: a prefetch neither faults nor changes memory, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(byte) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (target, offset);
}

const LINE: usize = 64;
