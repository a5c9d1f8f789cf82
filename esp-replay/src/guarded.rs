//! The form of a window that several workers share.

use std::hint::spin_loop;
use std::ops::{Deref, DerefMut};

use parking_lot::{Mutex, MutexGuard};

use crate::Window;

/// A window, and the state `T` that changes in the same step, behind a mutex on cache lines of its own.
///
/// Not lock-free. An uncontended lock is one atomic exchange; a contended one is tried again at most [`SPINS`] times
/// before the thread may sleep, which is the one place of the datapath where a worker may enter the kernel. Workers
/// take it twice a burst and SA, for O(packets of the SA in the burst + words moved). Control threads take it the same
/// way and hold it O(1): they never copy the map under it.
#[derive(Debug)]
#[repr(align(64))]
pub struct Guarded<T> {
    mutex: Mutex<Protected<T>>,
}

/// What the mutex of a [`Guarded`] protects.
#[derive(Debug)]
pub struct Protected<T> {
    /// The replay window.
    pub window: Window,
    /// What else changes in the same step.
    pub state: T,
}

/// How often locking had to wait: plain counters of the caller, for one thread's use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contention {
    /// Locks whose first try failed.
    pub contended: u64,
    /// Locks, of those, that were still held after [`SPINS`] more tries, so that the thread may have slept.
    pub blocked: u64,
}

impl<T> Guarded<T> {
    /// Puts both behind one mutex.
    pub fn new(window: Window, state: T) -> Self {
        Self { mutex: Mutex::new(Protected { window, state }) }
    }

    /// Waits for the lock, and counts in `contention` what the wait took.
    #[inline]
    pub fn lock(&self, contention: &mut Contention) -> Guard<'_, T> {
        match self.mutex.try_lock() {
            Some(guard) => Guard(guard),
            None => self.wait(contention),
        }
    }

    #[cold]
    fn wait(&self, contention: &mut Contention) -> Guard<'_, T> {
        contention.contended = contention.contended.wrapping_add(1);
        for _ in 0..SPINS {
            spin_loop();
            if let Some(guard) = self.mutex.try_lock() {
                return Guard(guard);
            }
        }
        contention.blocked = contention.blocked.wrapping_add(1);
        Guard(self.mutex.lock())
    }
}

/// The lock, held until dropped.
#[derive(Debug)]
#[must_use]
pub struct Guard<'a, T>(MutexGuard<'a, Protected<T>>);

impl<T> Deref for Guard<'_, T> {
    type Target = Protected<T>;

    #[inline]
    fn deref(&self) -> &Protected<T> {
        &self.0
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Protected<T> {
        &mut self.0
    }
}

/// Further tries before the lock may sleep: about 1 to 3 us of pauses on current x86-64, several times what a burst
/// of 32 holds the lock.
pub const SPINS: u32 = 64;

#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(align_of::<Guarded<[u64; 2]>>() == 64, "the lock's line must not be shared");
    assert!(
        size_of::<Window>() == 40,
        "with the mutex and 16 bytes of state, a small window fits in one line"
    );
    assert!(
        size_of::<Guarded<[u64; 2]>>() == 64,
        "a small window, its lock and two words of state: one line"
    );
};

#[cfg(test)]
mod tests;
