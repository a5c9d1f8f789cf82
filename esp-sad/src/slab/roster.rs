//! Which slots are free, and which wait for what. Everything here is under the writers' mutex.

use std::collections::VecDeque;

use super::id::{MAX_GENERATION, SlotId};
use crate::error::SadError;
use crate::reclaim::{Domain, Epoch};

/// The slots that hold no live value.
///
/// ```text
///         take             filled         retire           begin_grace         next_ripe          wiped
///   free ------> reserved --------> live --------> waiting ------------> grace ----------> wiping ------> free
///    ^              |
///    +-- give_back -+     no reader ever saw a reserved slot
/// ```
pub(super) struct Roster {
    /// Slots that were never used, from here to the capacity.
    fresh: u32,
    capacity: u32,
    /// Oldest first. Each comes with its last generation.
    free: VecDeque<SlotId>,
    /// Unlinked; their grace period has not begun. Oldest first.
    waiting: VecDeque<SlotId>,
    /// Their grace period has begun. Oldest first, so epochs ascend.
    grace: VecDeque<(Epoch, SlotId)>,
    /// Slots being wiped at this moment.
    wiping: usize,
    /// The last epoch known to have passed.
    passed: Option<Epoch>,
    live: u32,
    seed: u64,
}

impl Roster {
    pub(super) fn new(capacity: u32, seed: u64) -> Self {
        let (free, waiting, grace) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        Self { fresh: 0, capacity, free, waiting, grace, wiping: 0, passed: None, live: 0, seed }
    }

    /// Takes a slot that never was used, or else the one that has been free longest, in a new generation.
    pub(super) fn take(&mut self, domain: &Domain) -> Result<SlotId, SadError> {
        if self.fresh < self.capacity {
            let index = self.fresh;
            self.fresh += 1;
            return Ok(SlotId::new(index, self.first_generation(index)));
        }
        match self.free.pop_front() {
            Some(last) => Ok(SlotId::new(last.index(), next_generation(last.generation()))),
            None => Err(self.refuse(domain)),
        }
    }

    /// Makes a slot free at once: no reader can know it in this generation.
    pub(super) fn give_back(&mut self, id: SlotId) {
        self.free.push_back(id);
    }

    pub(super) const fn filled(&mut self) {
        self.live += 1;
    }

    /// Notes an unlinked slot. Every [`GRACE_BATCH`] of them start a grace period.
    pub(super) fn retire(&mut self, id: SlotId, domain: &Domain) {
        self.live -= 1;
        self.waiting.push_back(id);
        if self.waiting.len() >= GRACE_BATCH {
            self.begin_grace(domain);
        }
    }

    /// Starts a grace period for every slot unlinked so far.
    pub(super) fn begin_grace(&mut self, domain: &Domain) {
        if !self.waiting.is_empty() {
            let epoch = domain.retire_epoch();
            self.grace.extend(self.waiting.drain(..).map(|id| (epoch, id)));
        }
    }

    /// The oldest slot whose grace period has passed.
    pub(super) fn next_ripe(&mut self, domain: &Domain) -> Option<SlotId> {
        let (epoch, id) = *self.grace.front()?;
        if self.passed.is_none_or(|passed| passed < epoch) {
            if !domain.passed(epoch) {
                return None;
            }
            self.passed = Some(epoch);
        }
        self.grace.pop_front();
        self.wiping += 1;
        Some(id)
    }

    /// Makes a slot from [`next_ripe`](Self::next_ripe) free.
    pub(super) fn wiped(&mut self, id: SlotId) {
        self.wiping -= 1;
        self.free.push_back(id);
    }

    /// The index of a reader that holds up the oldest grace period.
    pub(super) fn stalled(&self, domain: &Domain) -> Option<usize> {
        self.grace.front().and_then(|&(epoch, _)| domain.stalled(epoch))
    }

    /// Unlinked slots that are not free yet.
    pub(super) fn pending(&self) -> usize {
        self.waiting.len() + self.grace.len() + self.wiping
    }

    pub(super) const fn live(&self) -> u32 {
        self.live
    }

    /// The number of slots that were ever used.
    pub(super) const fn used(&self) -> u32 {
        self.fresh
    }

    /// Every slot that still holds a value although it is unlinked.
    pub(super) fn unlinked(&self) -> impl Iterator<Item = SlotId> {
        self.waiting.iter().copied().chain(self.grace.iter().map(|&(_, id)| id))
    }

    fn refuse(&mut self, domain: &Domain) -> SadError {
        if self.pending() == 0 {
            return SadError::Full { max: self.capacity };
        }
        self.begin_grace(domain);
        SadError::Busy { stalled: self.stalled(domain) }
    }

    /// A number in `1..=MAX_GENERATION` that differs from slot to slot and from run to run.
    fn first_generation(&self, index: u32) -> u32 {
        let mixed = (self.seed ^ u64::from(index)).wrapping_mul(MIX);
        let mixed = (mixed >> 33) as u32;
        next_generation(mixed)
    }
}

/// Skips 0.
const fn next_generation(last: u32) -> u32 {
    last % MAX_GENERATION + 1
}

/// The number of removals that start a grace period.
pub(super) const GRACE_BATCH: usize = 128;
/// 2^64 divided by the golden ratio, made odd: spreads consecutive indexes (Knuth, TAOCP 3, section 6.4).
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
