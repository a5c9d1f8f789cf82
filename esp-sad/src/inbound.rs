//! From the SPI and the addresses of a packet to its SA.

mod burst;
mod census;
mod slots;

use core::net::IpAddr;
use std::sync::Arc;

use esp_wire::Spi;

pub use self::burst::Found;
use self::census::Census;
use crate::error::SadError;
use crate::hash::Hasher;
use crate::key::{Keyed, Kind, SaKey};
use crate::reclaim::{Domain, Guard};
use crate::slab::{Slab, SlotId};
use crate::spi::{Ledger, Pattern, ReservedSpi};
use crate::sync::Mutex;
use crate::table::{Entry, Table};

/// The inbound SAs. Finding is wait-free; installing, removing and reserving take the writers' mutex.
///
/// Two ways lead to a slot. An SPI that the database chose ([`allocate_spi`](Self::allocate_spi)) contains the slot's
/// index; its word, which holds the whole SPI, is all that a lookup compares. Every other key is in a table of
/// one-cache-line buckets. In both, an SA is found from the moment its installation returns until its removal begins.
///
/// # Which SA a packet belongs to
///
/// The one with the longest key that matches: SPI, destination and source, else SPI and destination, else SPI
/// (RFC 4301 section 4.1). SPIs 0 and 1 to 255 match nothing (RFC 4303 section 2.1).
///
/// # Why a reader with a guard cannot be fooled
///
/// Removing takes the table entry away first and unlinks the slot second, both before the grace period; the slot holds
/// another SA only after it. So a section that could load the old entry ends before the slot is used again, and
/// every later section finds the entry gone. Between the two a reader may follow the entry to a slot that is
/// already dead: the slot's word says so, and the packet has no SA. Besides, no answer rests on the entry alone. For an SPI
/// alone, the slot's word holds the live SA's whole SPI; for a longer key, the SA's own key is compared.
pub struct InboundSad<T: Keyed> {
    slab: Slab<T>,
    table: Table,
    census: Census,
    hasher: Hasher,
    pattern: Pattern,
    /// The writers' mutex; taken before the slab's.
    ledger: Arc<Mutex<Ledger>>,
}

impl<T: Keyed> InboundSad<T> {
    /// A database for at most `max_sas` SAs, whose readers belong to `domain`.
    ///
    /// Takes about 26 bytes an SA now; the memory of an SA is touched when its slot is first filled.
    ///
    /// # Errors
    ///
    /// [`SadError::Capacity`] for 0 and above 2^24.
    pub fn new(max_sas: u32, domain: &Arc<Domain>) -> Result<Self, SadError> {
        Ok(Self {
            slab: Slab::new(max_sas, domain)?,
            table: Table::new(max_sas),
            census: Census::new(),
            hasher: Hasher::random(),
            pattern: Pattern::new(max_sas),
            ledger: Arc::new(Mutex::new(Ledger::default())),
        })
    }

    /// The SA of a packet with this SPI (as on the wire, in host byte order) and these outer addresses. Wait-free.
    ///
    /// A guard of another domain finds nothing.
    #[inline]
    pub fn find<'g>(
        &'g self,
        guard: &'g Guard<'_>,
        spi: u32,
        dst: IpAddr,
        src: IpAddr,
    ) -> Option<(SlotId, &'g T)> {
        let spi = Spi::new(spi).ok()?;
        self.find_long(guard, spi, dst, src)
            .or_else(|| self.find_direct(guard, spi))
            .or_else(|| self.find_tabled(guard, spi))
    }

    /// Chooses an SPI that is neither live nor reserved, nor part of a longer live key, and a slot for its SA.
    ///
    /// # Errors
    ///
    /// [`SadError::Busy`] if a slot will be free after a grace period, else [`SadError::Full`].
    pub fn allocate_spi(&self) -> Result<ReservedSpi, SadError> {
        // Each try that fails met another SPI in the table, so one try more than it holds is enough.
        let mut tries = u64::from(self.slab.capacity()) + 1;
        loop {
            let slot = self.slab.reserve()?;
            let mut ledger = self.ledger.lock();
            match self.pattern.spi(slot.id()) {
                Some(spi) if !self.is_spoken_for(&ledger, spi) => {
                    ledger.reserve(spi);
                    return Ok(ReservedSpi::new(spi, &self.ledger, slot));
                }
                _ if tries == 0 => return Err(SadError::Full { max: self.slab.capacity() }),
                _ => tries -= 1,
            }
        }
    }

    /// Installs an SA under a key of the caller's choice.
    ///
    /// # Errors
    ///
    /// [`SadError::Exists`] if the key is live or its SPI is reserved, [`SadError::KeyMismatch`] if it is not the
    /// SA's own, [`SadError::Busy`] or [`SadError::Full`] if there is no slot. The SA is dropped.
    pub fn install(&self, key: SaKey, sa: T) -> Result<SlotId, SadError> {
        if *sa.key() != key {
            return Err(SadError::KeyMismatch);
        }
        self.install_with(key, |_| sa)
    }

    /// As [`install`](Self::install), for an SA that is made, or prepared for, when its slot is known and before any
    /// reader can find it.
    ///
    /// # Errors
    ///
    /// As [`install`](Self::install). `make` runs under the writers' mutex, and only when there is a slot.
    pub fn install_with(&self, key: SaKey, make: impl FnOnce(SlotId) -> T) -> Result<SlotId, SadError> {
        let mut ledger = self.ledger.lock();
        if self.is_taken(&ledger, &key) {
            return Err(SadError::Exists { key });
        }
        let slot = self.slab.reserve()?;
        let sa = make(slot.id());
        if *sa.key() != key {
            return Err(SadError::KeyMismatch);
        }
        self.census.add(key.kind());
        let id = self.slab.fill_tagged(slot, tag(&key), sa)?;
        self.table.insert(self.hasher.key(&key), entry(&key, id));
        if key.is_long() {
            ledger.add_long(key.spi());
        }
        Ok(id)
    }

    /// Installs the SA of a reserved SPI. Its key must be that SPI alone.
    ///
    /// # Errors
    ///
    /// [`SadError::KeyMismatch`] if it is not, [`SadError::ForeignReservation`] if another database made the
    /// reservation. The SA is dropped and the SPI is free again.
    pub fn install_reserved(&self, reserved: ReservedSpi, sa: T) -> Result<SlotId, SadError> {
        if !reserved.is_from(&self.ledger) {
            return Err(SadError::ForeignReservation);
        }
        if *sa.key() != SaKey::Spi(reserved.spi()) {
            return Err(SadError::KeyMismatch);
        }
        let tag = reserved.spi().get();
        let (slot, _hold) = reserved.into_parts();
        self.slab.fill_tagged(slot, tag, sa)
    }

    /// Removes an SA: bursts that begin from now on do not find it. `false`, and no effect, if `id` is stale.
    pub fn remove(&self, id: SlotId) -> bool {
        let mut ledger = self.ledger.lock();
        let Some(key) = self.slab.peek(id, |sa| *sa.key()) else { return false };
        // Before the slot, so that no reader is led to it once it can be filled again.
        if self.table.remove(self.hasher.key(&key), entry(&key, id)) {
            self.census.subtract(key.kind());
            if key.is_long() {
                ledger.remove_long(key.spi());
            }
        }
        self.slab.remove(id)
    }

    /// Drops and wipes removed SAs whose grace period has passed: see [`Slab::reclaim`].
    pub fn reclaim(&self, freed: impl FnMut(SlotId)) -> usize {
        self.slab.reclaim(freed)
    }

    /// By SPI and addresses; nothing, and no look at the table, while no such SA exists.
    #[inline]
    fn find_long<'g>(
        &'g self,
        guard: &'g Guard<'_>,
        spi: Spi,
        dst: IpAddr,
        src: IpAddr,
    ) -> Option<(SlotId, &'g T)> {
        let exact = |key: SaKey| {
            let confirm = |index| self.slab.at(guard, index).filter(|(_, sa)| *sa.key() == key);
            self.table.find(self.hasher.key(&key), spi, key.kind(), confirm)
        };
        if self.census.any(Kind::SpiDstSrc)
            && let Some(found) = exact(SaKey::SpiDstSrc(spi, dst, src))
        {
            return Some(found);
        }
        if self.census.any(Kind::SpiDst) { exact(SaKey::SpiDst(spi, dst)) } else { None }
    }

    /// By the SPI alone, had the database chosen it.
    #[inline]
    fn find_direct<'g>(&'g self, guard: &'g Guard<'_>, spi: Spi) -> Option<(SlotId, &'g T)> {
        self.slab.tagged(guard, self.pattern.index(spi.get()), spi.get())
    }

    /// By the SPI alone, in the table.
    #[inline]
    fn find_tabled<'g>(&'g self, guard: &'g Guard<'_>, spi: Spi) -> Option<(SlotId, &'g T)> {
        if !self.census.any(Kind::Spi) {
            return None;
        }
        let confirm = |index| self.slab.tagged(guard, index, spi.get());
        self.table.find(self.hasher.spi(spi.get()), spi, Kind::Spi, confirm)
    }

    /// Whether the allocator must not give this SPI out. The caller holds the slot it would lie in.
    fn is_spoken_for(&self, ledger: &Ledger, spi: Spi) -> bool {
        ledger.is_in_long_key(spi) || self.is_tabled(&SaKey::Spi(spi))
    }

    /// Whether an SA with this key is live, or its SPI is reserved.
    fn is_taken(&self, ledger: &Ledger, key: &SaKey) -> bool {
        let direct = |spi: Spi| {
            let slot = self.slab.inspect(self.pattern.index(spi.get()));
            slot.is_some_and(|(_, tag)| tag == spi.get())
        };
        match *key {
            SaKey::Spi(spi) if ledger.is_reserved(spi) || direct(spi) => true,
            _ => self.is_tabled(key),
        }
    }

    /// Whether the table leads to a live SA with this key. Under the writers' mutex.
    fn is_tabled(&self, key: &SaKey) -> bool {
        let is_key = |index| {
            let (id, _) = self.slab.inspect(index)?;
            self.slab.peek(id, |sa| sa.key() == key)?.then_some(())
        };
        self.table.find(self.hasher.key(key), key.spi(), key.kind(), is_key).is_some()
    }
}

/// What a slot's word carries beside its life: the whole SPI if that is the whole key, else 0, which no packet's SPI
/// that is looked up can be.
const fn tag(key: &SaKey) -> u32 {
    match key {
        SaKey::Spi(spi) => spi.get(),
        SaKey::SpiDst(..) | SaKey::SpiDstSrc(..) => 0,
    }
}

const fn entry(key: &SaKey, id: SlotId) -> Entry {
    Entry { spi: key.spi(), kind: key.kind(), index: id.index() }
}
