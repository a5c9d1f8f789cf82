//! The outbound sequence counter: numbers for a whole burst with one atomic add, never one twice, never a wrapped one.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crossbeam_utils::CachePadded;

use crate::lanes::BURST;

/// The last sequence number given, on a cache line of its own: all workers that seal on the SA write it.
#[derive(Debug)]
pub(crate) struct Sequence {
    last: CachePadded<AtomicU64>,
    limit: u64,
}

/// What a burst got: `usable` numbers from `first` on, and `spent` ones that may not go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reserved {
    pub(crate) first: u64,
    pub(crate) usable: u32,
    pub(crate) spent: u32,
}

impl Sequence {
    /// Last number without ESN (RFC 4303 section 3.3.3).
    const LIMIT: u64 = 0xffff_ffff;
    /// Last number with ESN. Short of 2^64 so that no overshoot brings the counter round: after the limit is
    /// reached each worker can add at most one burst.
    const LIMIT_ESN: u64 = u64::MAX - 0xffff_ffff;

    /// A counter whose next number is `last + 1`.
    pub(crate) fn new(esn: bool, last: u64) -> Self {
        let limit = if esn { Self::LIMIT_ESN } else { Self::LIMIT };
        Self { last: CachePadded::new(AtomicU64::new(last.min(limit))), limit }
    }

    /// Reserves `n` numbers, at most [`BURST`]. At or past the limit nothing is added.
    ///
    /// Relaxed: the add alone makes the numbers unique, and nothing else is published through the counter.
    #[inline]
    pub(crate) fn reserve(&self, n: u32) -> Reserved {
        debug_assert!(n as usize <= BURST);
        let nothing = Reserved { first: 0, usable: 0, spent: 0 };
        if n == 0 || self.last.load(Relaxed) >= self.limit {
            return nothing;
        }
        // The load may be stale by now, so each number is judged by what the add returned.
        let before = self.last.fetch_add(u64::from(n), Relaxed);
        let left = self.limit.saturating_sub(before);
        let usable = u32::try_from(left).map_or(n, |left| left.min(n));
        Reserved { first: before.wrapping_add(1), usable, spent: n - usable }
    }

    /// The last number given that may have gone out.
    pub(crate) fn last(&self) -> u64 {
        self.last.load(Relaxed).min(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_number_is_one() {
        let sequence = Sequence::new(false, 0);
        assert_eq!(sequence.reserve(3), Reserved { first: 1, usable: 3, spent: 0 });
        assert_eq!(sequence.reserve(1).first, 4);
        assert_eq!(sequence.last(), 4);
    }

    #[test]
    fn b14_refused_numbers_do_not_advance_the_counter() {
        let sequence = Sequence::new(false, 0xffff_ffff);
        for _ in 0..1000 {
            assert_eq!(sequence.reserve(21).usable, 0);
        }
        assert_eq!(sequence.last.load(Relaxed), 0xffff_ffff);
    }

    #[test]
    fn b15_a_burst_across_the_limit_is_split() {
        let sequence = Sequence::new(false, 0xffff_fff0);
        assert_eq!(sequence.reserve(32), Reserved { first: 0xffff_fff1, usable: 15, spent: 17 });
        assert_eq!(sequence.reserve(32).usable, 0);
        assert_eq!(sequence.last(), 0xffff_ffff);
    }

    #[test]
    fn esn_goes_on_past_32_bits_and_ends_before_64() {
        let sequence = Sequence::new(true, 0xffff_ffff);
        assert_eq!(sequence.reserve(2).first, 1 << 32);
        let near_end = Sequence::new(true, Sequence::LIMIT_ESN - 1);
        assert_eq!(near_end.reserve(32).usable, 1);
        for _ in 0..100 {
            assert_eq!(near_end.reserve(32).usable, 0);
        }
        assert!(near_end.last.load(Relaxed) < u64::MAX - 0xffff_0000);
    }
}
