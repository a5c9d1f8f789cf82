//! Which kernels a key or a burst needs.

use super::KernelId;

/// Kernels, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KernelSet(u64);

impl KernelSet {
    pub(crate) const EMPTY: Self = Self(0);

    pub(crate) const fn with(self, kernel: KernelId) -> Self {
        Self(self.0 | 1 << kernel as u8)
    }

    /// The kernels of all `sets`.
    pub(crate) fn union(sets: impl Iterator<Item = Self>) -> Self {
        Self(sets.fold(0, |all, set| all | set.0))
    }

    /// Each kernel once, in the order of the table.
    pub(crate) fn iter(self) -> impl Iterator<Item = KernelId> {
        let mut left = self.0;
        core::iter::from_fn(move || {
            let first = KernelId::ALL.get(left.trailing_zeros() as usize).copied()?;
            left &= left.wrapping_sub(1);
            Some(first)
        })
    }
}
