//! From a key's hash to a slot, for keys that do not say themselves where their SA is.
//!
//! A bucket is one cache line: seven entries and a count. An entry is one word:
//!
//! ```text
//!    63        32 31  30 29       24 23        0
//!   +------------+------+-----------+-----------+
//!   | SPI        | kind | 0         | slot      |      kind 1..=3; an empty entry is 0, which no key makes
//!   +------------+------+-----------+-----------+
//! ```
//! A key lies in the first bucket, from its home on, that had room when it was inserted. Each bucket it had to pass
//! counts it, so a reader goes on from a bucket only while some live key went past it: a lookup looks at one line, nearly
//! always, and never at more than all. Live keys never move, so a reader cannot miss one; buckets never fill up, since
//! there are twice as many entries as slots.
//!
//! Readers are wait-free. Writers are serialised by the caller. An entry says which slot to look at and no more: the
//! caller confirms the slot's key, which also settles the race with a removal.

use esp_wire::Spi;

use crate::key::Kind;
use crate::prefetch::prefetch_read;
use crate::sync::{AtomicU64, Ordering};

/// Buckets in a number fixed at creation.
pub(crate) struct Table {
    buckets: Box<[Bucket]>,
}

#[repr(C, align(64))]
struct Bucket {
    entries: [AtomicU64; ENTRIES],
    /// The number of live keys that lie in a later bucket although their home is this one or an earlier one.
    passed: AtomicU64,
}

/// What an entry says: the SPI and kind of a key, and the slot to look at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) spi: Spi,
    pub(crate) kind: Kind,
    /// Below 2^24.
    pub(crate) index: u32,
}

impl Table {
    /// For at most `capacity` keys at a time: half full then. 18.3 bytes a key, touched now.
    pub(crate) fn new(capacity: u32) -> Self {
        let buckets = (u64::from(capacity) * 2).div_ceil(ENTRIES as u64) + 1;
        Self { buckets: (0..buckets).map(|_| Bucket::empty()).collect() }
    }

    /// Asks for the line where a key's search begins.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        if let Some(bucket) = self.buckets.get(self.home(hash)) {
            prefetch_read(bucket);
        }
    }

    /// The first slot among the entries of this SPI and kind that `confirm` accepts.
    #[inline]
    pub(crate) fn find<R>(
        &self,
        hash: u64,
        spi: Spi,
        kind: Kind,
        mut confirm: impl FnMut(u32) -> Option<R>,
    ) -> Option<R> {
        let key = Entry { spi, kind, index: 0 }.pack();
        for bucket in self.probe(hash) {
            if let Some(found) = bucket.matches(key).find_map(&mut confirm) {
                return Some(found);
            }
            if !bucket.is_passed() {
                return None;
            }
        }
        None
    }

    /// Adds an entry. `false` if every entry is taken, which twice as many entries as slots rule out.
    pub(crate) fn insert(&self, hash: u64, entry: Entry) -> bool {
        for (distance, bucket) in self.probe(hash).enumerate() {
            let Some(place) = bucket.place_of(EMPTY) else { continue };
            self.probe(hash).take(distance).for_each(Bucket::pass);
            // Release: pairs with the Acquire in `find`.
            place.store(entry.pack(), Ordering::Release);
            return true;
        }
        false
    }

    /// Takes an entry away; `false` if it is not there.
    pub(crate) fn remove(&self, hash: u64, entry: Entry) -> bool {
        for (distance, bucket) in self.probe(hash).enumerate() {
            if let Some(place) = bucket.place_of(entry.pack()) {
                // Relaxed: the fence in `Domain::retire_epoch` orders it before the slot can be used again.
                place.store(EMPTY, Ordering::Relaxed);
                self.probe(hash).take(distance).for_each(Bucket::unpass);
                return true;
            }
            // An SA whose SPI the database chose is in no bucket; it must not cost a look at each of them.
            if !bucket.is_passed() {
                return false;
            }
        }
        false
    }

    /// Every bucket once, from the home of a hash on.
    #[inline]
    fn probe(&self, hash: u64) -> impl Iterator<Item = &Bucket> {
        let (before, after) = self.buckets.split_at_checked(self.home(hash)).unwrap_or((&[], &self.buckets));
        after.iter().chain(before)
    }

    /// The high half of the hash, scaled to the number of buckets (a multiplication in place of a division).
    #[inline]
    fn home(&self, hash: u64) -> usize {
        (((hash >> 32) * self.buckets.len() as u64) >> 32) as usize
    }
}

impl Bucket {
    fn empty() -> Self {
        Self { entries: core::array::from_fn(|_| AtomicU64::new(EMPTY)), passed: AtomicU64::new(0) }
    }

    /// The slots of the entries with this SPI and kind. All seven are compared before the first answer: where in the
    /// bucket a key lies cannot be predicted, so a branch at each would cost more than the rest of the line.
    #[inline]
    fn matches(&self, key: u64) -> impl Iterator<Item = u32> {
        // Acquire: pairs with the Release in `insert`. Who sees the entry sees the slot filled, and does not take it
        // for a dead one.
        let entries: [u64; ENTRIES] = self.entries.each_ref().map(|entry| entry.load(Ordering::Acquire));
        let bit = |place: usize, entry: &u64| u32::from(entry & !INDEX == key) << place;
        let mut left = entries.iter().enumerate().fold(0, |mask, (place, entry)| mask | bit(place, entry));
        core::iter::from_fn(move || {
            let entry = entries.get(left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(index_of(*entry))
        })
    }

    /// Where this word stands. For writers, so Relaxed: their own stores, or another's under the same mutex.
    fn place_of(&self, word: u64) -> Option<&AtomicU64> {
        self.entries.iter().find(|entry| entry.load(Ordering::Relaxed) == word)
    }

    /// Whether any live key lies behind.
    ///
    /// Relaxed: a live key keeps the count above 0 from before its entry is stored, so a reader that the installation
    /// happened before reads at least 1 here.
    #[inline]
    fn is_passed(&self) -> bool {
        self.passed.load(Ordering::Relaxed) != 0
    }

    /// One more key lies behind. Release, so that on every machine it is seen no later than the entry.
    fn pass(&self) {
        self.passed.store(self.passed.load(Ordering::Relaxed) + 1, Ordering::Release);
    }

    /// One fewer.
    fn unpass(&self) {
        self.passed.store(self.passed.load(Ordering::Relaxed) - 1, Ordering::Release);
    }
}

impl Entry {
    const fn pack(self) -> u64 {
        (self.spi.get() as u64) << 32 | (self.kind as u64) << KIND_SHIFT | self.index as u64
    }
}

const fn index_of(entry: u64) -> u32 {
    (entry & INDEX) as u32
}

const ENTRIES: usize = 7;
/// No key packs to 0: the kind is at least 1.
const EMPTY: u64 = 0;
const KIND_SHIFT: u32 = 30;
/// The slot's bits, 2^24 slots at most.
const INDEX: u64 = (1 << 24) - 1;

#[cfg(not(loom))]
const _: () = {
    assert!(size_of::<Bucket>() == 64, "a bucket is one cache line");
    assert!(align_of::<Bucket>() == 64, "a bucket starts a cache line");
};

#[cfg(test)]
mod tests;
