//! Values in numbered slots, read without a lock.
//!
//! # Why a reader cannot be fooled
//!
//! A slot has a *word* that says which life it is in and whether its value is live. A reader loads the word under a
//! [`Guard`] and, if it is the life the reader means, takes a reference to the value.
//!
//! 1. *The value is whole.* It is written before the word is stored with Release; the reader's load is an Acquire.
//! 2. *The value stays.* Removing stores a dead word and puts the slot in a queue. The value is dropped only after an
//!    epoch that was started after that store has passed. A reader whose load gave the live word is in a section that
//!    the epoch waits for (see [`reclaim`](crate::reclaim)), so the drop comes after the guard's end.
//! 3. *The life is the one meant.* A slot is filled again only after that same wait, so within one section a word
//!    goes from live to dead at most once and never to another life. Between sections the generation tells them apart.

mod cells;
mod id;
mod roster;

use std::sync::Arc;

use self::cells::Cells;
pub use self::id::SlotId;
use self::roster::Roster;
use crate::error::SadError;
use crate::prefetch::prefetch_read;
use crate::reclaim::{Domain, Guard};
use crate::sync::{AtomicU64, Mutex, Ordering, seed};

/// Values in a fixed number of slots, named by [`SlotId`]. Reading is wait-free; everything else takes a mutex.
///
/// A removed value is dropped, and its bytes overwritten, by [`reclaim`](Self::reclaim) and on no other thread's
/// time. Until then its slot cannot be used.
pub struct Slab<T> {
    /// Tag (32 bits) | generation (31) | live (1), one per slot. Zero: never used.
    words: Box<[AtomicU64]>,
    cells: Cells<T>,
    roster: Arc<Mutex<Roster>>,
    domain: Arc<Domain>,
}

/// A slot that is taken but not filled; no reader sees it. Dropping it frees the slot at once.
#[must_use = "dropping a reservation frees its slot"]
pub struct Reserved {
    id: SlotId,
    home: Arc<Mutex<Roster>>,
    spent: bool,
}

impl<T> Slab<T> {
    /// The largest legal capacity, in slots.
    pub const MAX_CAPACITY: u32 = 1 << 24;

    /// A slab of `capacity` slots whose readers belong to `domain`.
    ///
    /// Takes 8 bytes a slot now; the memory of a value is touched when its slot is first filled.
    ///
    /// # Errors
    ///
    /// [`SadError::Capacity`] for 0 and above [`MAX_CAPACITY`](Self::MAX_CAPACITY).
    pub fn new(capacity: u32, domain: &Arc<Domain>) -> Result<Self, SadError> {
        if capacity == 0 || capacity > Self::MAX_CAPACITY {
            return Err(SadError::Capacity { asked: capacity, limit: Self::MAX_CAPACITY });
        }
        Ok(Self {
            words: (0..capacity).map(|_| AtomicU64::new(0)).collect(),
            cells: Cells::new(capacity),
            roster: Arc::new(Mutex::new(Roster::new(capacity, seed()))),
            domain: Arc::clone(domain),
        })
    }

    /// The value that `id` names, if it is live. Wait-free. A guard of another domain finds nothing.
    #[inline]
    pub fn get<'g>(&'g self, guard: &'g Guard<'_>, id: SlotId) -> Option<&'g T> {
        let live = id.word(0, true);
        self.look(guard, id.index(), |word| untagged(word) == live).map(|(_, value)| value)
    }

    /// The live value in slot `index`, whatever its generation. Wait-free. A guard of another domain finds nothing.
    #[inline]
    pub fn at<'g>(&'g self, guard: &'g Guard<'_>, index: u32) -> Option<(SlotId, &'g T)> {
        self.look(guard, index, |_| true)
    }

    /// The live value in slot `index` if it was filled with this `tag`.
    #[inline]
    pub(crate) fn tagged<'g>(
        &'g self,
        guard: &'g Guard<'_>,
        index: u32,
        tag: u32,
    ) -> Option<(SlotId, &'g T)> {
        self.look(guard, index, |word| tag_of(word) == tag)
    }

    /// Asks for the line that says whether slot `index` is live. Nothing happens past the capacity.
    #[inline]
    pub fn prefetch_word(&self, index: u32) {
        if let Some(word) = self.words.get(index as usize) {
            prefetch_read(word);
        }
    }

    /// Asks for the first two lines of the value in slot `index`. Nothing happens past the capacity.
    #[inline]
    pub fn prefetch_value(&self, index: u32) {
        self.cells.prefetch(index);
    }

    /// Puts a value into the slot that has been free longest.
    ///
    /// # Errors
    ///
    /// [`SadError::Busy`] if a slot will be free after a grace period, else [`SadError::Full`]. The value is dropped.
    pub fn insert(&self, value: T) -> Result<SlotId, SadError> {
        self.fill(self.reserve()?, value)
    }

    /// Takes the slot that has been free longest, for a value that must know its slot before it is made.
    ///
    /// # Errors
    ///
    /// [`SadError::Busy`] if a slot will be free after a grace period, else [`SadError::Full`].
    pub fn reserve(&self) -> Result<Reserved, SadError> {
        let id = self.roster.lock().take(&self.domain)?;
        Ok(Reserved { id, home: Arc::clone(&self.roster), spent: false })
    }

    /// Fills a reserved slot; readers see the value from now on.
    ///
    /// # Errors
    ///
    /// [`SadError::ForeignReservation`] if another slab made the reservation. The value is dropped.
    pub fn fill(&self, reserved: Reserved, value: T) -> Result<SlotId, SadError> {
        self.fill_tagged(reserved, 0, value)
    }

    /// As `fill`, with a tag that `tagged` compares.
    pub(crate) fn fill_tagged(&self, mut reserved: Reserved, tag: u32, value: T) -> Result<SlotId, SadError> {
        if !Arc::ptr_eq(&reserved.home, &self.roster) {
            return Err(SadError::ForeignReservation);
        }
        reserved.spent = true;
        let id = reserved.id;
        let mut roster = self.roster.lock();
        // SAFETY: the reservation made this slot ours; its last value was wiped before it became free, and its word is
        // dead, so no reader looks here.
        unsafe { self.cells.fill(id.index(), value) };
        // Release: pairs with the Acquire in `word`. Who sees the life sees the value.
        self.store(id.index(), id.word(tag, true), Ordering::Release);
        roster.filled();
        Ok(id)
    }

    /// Unlinks a value: readers that enter from now on do not find it. It is dropped by a later
    /// [`reclaim`](Self::reclaim). `false`, and no effect, if `id` is stale.
    pub fn remove(&self, id: SlotId) -> bool {
        let mut roster = self.roster.lock();
        if !self.holds(id) {
            return false;
        }
        // Relaxed: the fence in `Domain::retire_epoch` orders it before the grace period that frees the value.
        self.store(id.index(), id.word(0, false), Ordering::Relaxed);
        roster.retire(id, &self.domain);
        true
    }

    /// Starts a grace period for what was removed, then drops and wipes, oldest first, each removed value whose
    /// grace period has passed. `freed` hears each slot's last identifier before the slot can be used again.
    /// Returns how many.
    ///
    /// Neither the values' `Drop` nor `freed` runs under the mutex, so both may call back.
    pub fn reclaim(&self, mut freed: impl FnMut(SlotId)) -> usize {
        self.roster.lock().begin_grace(&self.domain);
        let mut count = 0;
        while let Some(id) = self.next_ripe() {
            // SAFETY: the slot was filled in life `id`, unlinked, and its grace period is over, so no reader has or
            // will find a reference; `next_ripe` gave it to this thread alone.
            unsafe { self.cells.wipe(id.index()) };
            freed(id);
            self.roster.lock().wiped(id);
            count += 1;
        }
        count
    }

    /// Looks at a live value under the mutex, for a thread that is no reader. `look` must not change this slab.
    pub fn peek<R>(&self, id: SlotId, look: impl FnOnce(&T) -> R) -> Option<R> {
        let _roster = self.roster.lock();
        if !self.holds(id) {
            return None;
        }
        // SAFETY: the value is live, and only a holder of the mutex can unlink it.
        unsafe { self.cells.value(id.index()) }.map(look)
    }

    /// The identifier and tag of the live value in slot `index`, for writers.
    pub(crate) fn inspect(&self, index: u32) -> Option<(SlotId, u32)> {
        // Relaxed: the caller serialises writers, so this is a value it stored or saw stored under a mutex.
        let word = self.words.get(index as usize)?.load(Ordering::Relaxed);
        if is_live(word) { Some((id_of(index, word), tag_of(word))) } else { None }
    }

    /// The number of slots, fixed at creation.
    #[must_use]
    pub fn capacity(&self) -> u32 {
        u32::try_from(self.words.len()).unwrap_or(u32::MAX)
    }

    /// The number of live values.
    #[must_use]
    pub fn live(&self) -> u32 {
        self.roster.lock().live()
    }

    /// The number of removed values that are not freed yet. At most the capacity.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.roster.lock().pending()
    }

    /// The index of a reader that holds up the oldest grace period in progress.
    #[must_use]
    pub fn stalled(&self) -> Option<usize> {
        self.roster.lock().stalled(&self.domain)
    }

    /// The domain whose readers may look.
    #[must_use]
    pub const fn domain(&self) -> &Arc<Domain> {
        &self.domain
    }

    /// The one place where readers take a reference: a live value whose word is `wanted`.
    #[inline]
    fn look<'g>(
        &'g self,
        guard: &'g Guard<'_>,
        index: u32,
        wanted: impl FnOnce(u64) -> bool,
    ) -> Option<(SlotId, &'g T)> {
        if !guard.protects(&self.domain) {
            return None;
        }
        // Acquire: pairs with the Release in `fill_tagged`.
        let word = self.words.get(index as usize)?.load(Ordering::Acquire);
        if !is_live(word) || !wanted(word) {
            return None;
        }
        // SAFETY: the word was live, so the cell was filled before; the guard is of this domain and outlives the
        // reference, and no cell is wiped before the guards are gone under which its word was live.
        let value = unsafe { self.cells.value(index) }?;
        Some((id_of(index, word), value))
    }

    /// Whether `id` is live. Exact under the mutex.
    fn holds(&self, id: SlotId) -> bool {
        self.inspect(id.index()).is_some_and(|(live, _)| live == id)
    }

    fn store(&self, index: u32, word: u64, order: Ordering) {
        if let Some(place) = self.words.get(index as usize) {
            place.store(word, order);
        }
    }

    /// Every slot that holds a value: live, or unlinked and not wiped yet.
    fn filled(&self) -> Vec<SlotId> {
        let roster = self.roster.lock();
        let live = (0..roster.used()).filter_map(|index| self.inspect(index)).map(|(id, _)| id);
        live.chain(roster.unlinked()).collect()
    }

    /// In a function of its own so that the mutex is free while the slot is wiped.
    fn next_ripe(&self) -> Option<SlotId> {
        self.roster.lock().next_ripe(&self.domain)
    }
}

impl<T> Drop for Slab<T> {
    fn drop(&mut self) {
        for id in self.filled() {
            // SAFETY: the slab is borrowed mutably, so no reference into it is left; the slot holds a value and is
            // listed once.
            unsafe { self.cells.wipe(id.index()) };
        }
    }
}

impl Reserved {
    /// The identifier that the value will have.
    #[must_use]
    pub const fn id(&self) -> SlotId {
        self.id
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if !self.spent {
            self.home.lock().give_back(self.id);
        }
    }
}

impl core::fmt::Debug for Reserved {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Reserved").field(&self.id).finish()
    }
}

const fn is_live(word: u64) -> bool {
    word & 1 == 1
}

const fn tag_of(word: u64) -> u32 {
    (word >> 32) as u32
}

const fn untagged(word: u64) -> u64 {
    word & 0xffff_ffff
}

#[expect(clippy::cast_possible_truncation, reason = "31 bits of the low half")]
const fn id_of(index: u32, word: u64) -> SlotId {
    SlotId::new(index, (word as u32) >> 1)
}
