//! The only door to atomics, cells and the mutex. Under `--cfg loom` they are loom's, so that a model checker can
//! stand in it.
//!
//! # What the model checker does not see
//!
//! - loom treats `SeqCst` loads and stores as acquire and release. This crate makes none; where a store must be
//!   ordered before a later load it uses `fence(SeqCst)`, which loom does model.
//! - loom does not explore load buffering (a load that returns a value stored later in the same thread's order).
//!   No proof in this crate leans on a relaxed load being that early.
//! - loom 0.7 remembers the last access to each atomic only. A store right after the same thread's load of the same
//!   atomic hides from it that the store races with an older load elsewhere. So a [`Reader`](crate::Reader) remembers
//!   what it announced and does not read its line back; a model found nothing wrong with a relaxed `quiesce` before.
//! - [`std::sync::Arc`] stays the standard library's: its counts are not part of what is checked.
//! - Seeds are constants under loom, since every run of a model must take the same decisions.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

#[cfg(loom)]
pub(crate) use loom::cell::UnsafeCell;
#[cfg(not(loom))]
pub(crate) use plain::UnsafeCell;

#[cfg(loom)]
pub(crate) use modelled::Mutex;
#[cfg(not(loom))]
pub(crate) use parking_lot::Mutex;

/// A number that an outsider cannot guess.
#[cfg(not(loom))]
pub(crate) fn seed() -> u64 {
    rand::random()
}

/// The same number in every run.
#[cfg(loom)]
pub(crate) fn seed() -> u64 {
    0x9e37_79b9_7f4a_7c15
}

#[cfg(not(loom))]
mod plain {
    /// `core`'s cell with loom's way of reaching into it.
    pub(crate) struct UnsafeCell<T>(core::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) const fn new(value: T) -> Self {
            Self(core::cell::UnsafeCell::new(value))
        }

        #[inline(always)]
        pub(crate) fn with<R>(&self, look: impl FnOnce(*const T) -> R) -> R {
            look(self.0.get())
        }

        #[inline(always)]
        pub(crate) fn with_mut<R>(&self, change: impl FnOnce(*mut T) -> R) -> R {
            change(self.0.get())
        }
    }
}

#[cfg(loom)]
mod modelled {
    /// loom's mutex with `parking_lot`'s face: a panicking holder fails the model anyway.
    pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
            match self.0.lock() {
                Ok(held) => held,
                Err(poisoned) => poisoned.into_inner(),
            }
        }
    }
}
