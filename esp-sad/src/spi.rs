//! SPIs that the database chooses: a generation above the index of the slot that will hold the SA.
//!
//! ```text
//!    31                width  width-1        0
//!   +------------------------+----------------+
//!   | generation, never 0    | slot index     |     width = max(8, bits of the largest index), at most 24
//!   +------------------------+----------------+
//! ```
//! Finding such an SA takes no hash: mask, load the slot's word, compare the whole SPI. Since the width is at least 8
//! and the generation at least 1, no such SPI is in 0..=255 (RFC 4303 section 2.1).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use esp_wire::Spi;

use crate::slab::{Reserved, SlotId};
use crate::sync::Mutex;

/// How SPIs are put together; fixed when the database is made.
#[derive(Clone, Copy)]
pub(crate) struct Pattern {
    width: u32,
}

impl Pattern {
    /// For slots `0..capacity`; capacity is in `1..=2^24`.
    pub(crate) const fn new(capacity: u32) -> Self {
        let bits = u32::BITS - capacity.saturating_sub(1).leading_zeros();
        Self { width: if bits < MIN_WIDTH { MIN_WIDTH } else { bits } }
    }

    /// The slot an SPI would lie in had the database chosen it.
    #[inline]
    pub(crate) const fn index(self, spi: u32) -> u32 {
        spi & ((1 << self.width) - 1)
    }

    /// The SPI of a slot in one of its lives: consecutive lives have different SPIs, and one comes round only after
    /// every other of that slot.
    pub(crate) const fn spi(self, id: SlotId) -> Option<Spi> {
        let generations = u32::MAX >> self.width;
        let generation = (id.generation() - 1) % generations + 1;
        match Spi::new(generation << self.width | id.index()) {
            Ok(spi) => Some(spi),
            Err(_) => None,
        }
    }
}

/// SPIs that are spoken for without an SA in a slot of their own. Under the writers' mutex.
#[derive(Default)]
pub(crate) struct Ledger {
    /// Given out by the allocator, not installed yet.
    reserved: BTreeSet<Spi>,
    /// SPIs of the live SAs whose keys have addresses, with the number of such SAs.
    long: BTreeMap<Spi, u32>,
}

impl Ledger {
    pub(crate) fn is_reserved(&self, spi: Spi) -> bool {
        self.reserved.contains(&spi)
    }

    pub(crate) fn reserve(&mut self, spi: Spi) {
        self.reserved.insert(spi);
    }

    pub(crate) fn release(&mut self, spi: Spi) {
        self.reserved.remove(&spi);
    }

    /// Whether a key with addresses uses the SPI: it would take packets away from an SA known by the SPI alone.
    pub(crate) fn is_in_long_key(&self, spi: Spi) -> bool {
        self.long.contains_key(&spi)
    }

    pub(crate) fn add_long(&mut self, spi: Spi) {
        *self.long.entry(spi).or_insert(0) += 1;
    }

    pub(crate) fn remove_long(&mut self, spi: Spi) {
        if let Some(count) = self.long.get_mut(&spi) {
            *count -= 1;
            if *count == 0 {
                self.long.remove(&spi);
            }
        }
    }
}

/// An SPI that the database chose and keeps free until the SA is installed. Dropping it frees the SPI.
#[must_use = "dropping a reservation frees its SPI"]
#[derive(Debug)]
pub struct ReservedSpi {
    spi: Spi,
    hold: Hold,
    slot: Reserved,
}

impl ReservedSpi {
    pub(crate) fn new(spi: Spi, ledger: &Arc<Mutex<Ledger>>, slot: Reserved) -> Self {
        Self { spi, hold: Hold { spi, ledger: Arc::clone(ledger) }, slot }
    }

    /// The SPI to tell the peer.
    #[must_use]
    pub const fn spi(&self) -> Spi {
        self.spi
    }

    /// The slot that the SA will have.
    #[must_use]
    pub const fn slot(&self) -> SlotId {
        self.slot.id()
    }

    /// Frees the SPI. It is given out again only after all others.
    pub fn cancel(self) {}

    pub(crate) fn is_from(&self, ledger: &Arc<Mutex<Ledger>>) -> bool {
        Arc::ptr_eq(&self.hold.ledger, ledger)
    }

    /// The slot to fill, and the hold to keep until it is filled.
    pub(crate) fn into_parts(self) -> (Reserved, Hold) {
        (self.slot, self.hold)
    }
}

/// Keeps an SPI in the ledger; its drop takes the writers' mutex.
pub(crate) struct Hold {
    spi: Spi,
    ledger: Arc<Mutex<Ledger>>,
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.ledger.lock().release(self.spi);
    }
}

impl core::fmt::Debug for Hold {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Hold").finish_non_exhaustive()
    }
}

/// Keeps generation 1 at or above SPI 256.
const MIN_WIDTH: u32 = 8;

#[cfg(test)]
mod tests;
