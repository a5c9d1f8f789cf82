//! Time, as the caller tells it.

/// Monotonic milliseconds of the caller's clock, from any start. A step back counts as no progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Millis(pub u64);
