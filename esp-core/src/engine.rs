//! The engine: SAs, workers and counters of one datapath. Everything here is the control plane.

mod builder;
mod install;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use esp_crypto::Tiers;
use esp_replay::Contention;
use esp_sad::{Domain, InboundSad, Slab, SlotId};
use esp_stats::{CellSum, SaCells};
use parking_lot::Mutex;

use crate::error::SaError;
use crate::events::{Event, EventQueue};
use crate::handle::{Place, SaId, TunnelId};
use crate::iv::IvSource;
use crate::sa::{InboundSa, OutboundSa};
use crate::shape::Shape;
use crate::stats::{EngineShards, SaStats, Stats, WorkerStats};
use crate::time::Millis;
use crate::worker::Worker;

pub use builder::EngineBuilder;
pub use install::{InboundStart, OutboundStart, ReservedSpi};

/// A datapath engine: the SA database, the workers' counters, the audit events.
///
/// Clones are handles to the same engine. Its methods are for control threads: they may take a mutex and allocate.
/// Packets go through [`Worker`]s.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

/// What workers and control threads share.
pub(crate) struct Shared {
    pub(crate) domain: Arc<Domain>,
    pub(crate) outbound: Slab<OutboundSa>,
    pub(crate) inbound: InboundSad<InboundSa>,
    pub(crate) outbound_cells: SaCells,
    pub(crate) inbound_cells: SaCells,
    pub(crate) events: EventQueue,
    pub(crate) udp_ports: Box<[u16]>,
    shards: Arc<EngineShards>,
    /// The worker index behind each reader of the domain, to name the one that stalls.
    owners: Box<[AtomicUsize]>,
    tiers: Tiers,
    max_sas: u32,
    /// Serialises installs, removals and reclamation, so that cells are folded before their slot is used again.
    control: Mutex<()>,
}

impl Engine {
    /// An engine with the defaults of [`EngineBuilder`].
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// A new worker, for one poll-mode thread.
    ///
    /// # Errors
    ///
    /// [`SaError::NoRoomForWorkers`] if `max_workers` of them are alive; [`SaError::NoRandom`] if the operating system has
    /// no seed for its IVs.
    pub fn worker(&self) -> Result<Worker, SaError> {
        let ivs = IvSource::seeded()?;
        let full = || SaError::NoRoomForWorkers { max_workers: self.shared.shards.max_workers() };
        let writer = self.shared.shards.claim().ok_or_else(full)?;
        let reader = self.shared.domain.register().ok_or_else(full)?;
        if let Some(owner) = self.shared.owners.get(reader.index()) {
            owner.store(writer.index(), Relaxed);
        }
        let stats = WorkerStats::new(writer);
        self.shared.outbound_cells.prepare(stats.token());
        self.shared.inbound_cells.prepare(stats.token());
        Ok(Worker::new(Arc::clone(&self.shared), reader, stats, ivs))
    }

    /// Removes an SA: bursts that begin later do not find it. Its slot, keys and counters are cleared by a later
    /// [`Engine::tick`] or install, once every worker has finished the burst it was in.
    ///
    /// # Errors
    ///
    /// [`SaError::Stale`] if the handle names no live SA.
    pub fn remove(&self, sa: SaId) -> Result<(), SaError> {
        let _control = self.shared.control.lock();
        let removed = match sa.place() {
            Place::Outbound(slot) => self.shared.outbound.remove(slot),
            Place::Inbound(slot) => self.shared.inbound.remove(slot),
        };
        if removed { Ok(()) } else { Err(SaError::Stale) }
    }

    /// Housekeeping for a control thread, a few times a second: frees and wipes removed SAs whose grace period is
    /// over. Returns how many.
    pub fn tick(&self, _now: Millis) -> usize {
        let _control = self.shared.control.lock();
        self.shared.reclaim()
    }

    /// The outbound SA behind a tunnel.
    ///
    /// # Errors
    ///
    /// [`SaError::Stale`] if the handle names no live tunnel.
    pub fn outbound_sa(&self, tunnel: TunnelId) -> Result<SaId, SaError> {
        self.with_outbound(tunnel.slot(), |_| SaId::outbound(tunnel.slot()))
    }

    /// Lengths that a tunnel adds: room, overhead, MTU.
    ///
    /// # Errors
    ///
    /// [`SaError::Stale`] if the handle names no live tunnel.
    pub fn shape(&self, tunnel: TunnelId) -> Result<Shape, SaError> {
        self.with_outbound(tunnel.slot(), |sa| sa.shape)
    }

    /// The sum of all workers' counters, past and present.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats::new(self.shared.shards.totals())
    }

    /// One row a worker index, also for indices that nobody holds now.
    #[must_use]
    pub fn worker_stats(&self) -> Vec<Stats> {
        self.shared.shards.per_worker().into_iter().map(Stats::new).collect()
    }

    /// What one SA has done.
    ///
    /// # Errors
    ///
    /// [`SaError::Stale`] if the handle names no live SA.
    pub fn sa_stats(&self, sa: SaId) -> Result<SaStats, SaError> {
        match sa.place() {
            Place::Outbound(slot) => {
                let sequence = self.with_outbound(slot, |sa| sa.sequence.last())?;
                Ok(SaStats::new(self.shared.outbound_cells.sum(slot.index()), sequence, 0))
            }
            Place::Inbound(slot) => {
                let (top, lost) = self.with_inbound(slot, |sa| {
                    let replay = sa.replay.lock(&mut Contention::default());
                    (replay.window.top().0, replay.state.lost)
                })?;
                Ok(SaStats::new(self.shared.inbound_cells.sum(slot.index()), top, lost))
            }
        }
    }

    /// What all SAs that are gone did, both directions together; with [`Engine::sa_stats`] of those present it sums
    /// up to [`Engine::stats`].
    #[must_use]
    pub fn removed_stats(&self) -> SaStats {
        let (out, inward) = (self.shared.outbound_cells.removed(), self.shared.inbound_cells.removed());
        let sum = CellSum {
            packets: out.packets.wrapping_add(inward.packets),
            bytes: out.bytes.wrapping_add(inward.bytes),
            drops: out.drops.wrapping_add(inward.drops),
            last_use: out.last_use.max(inward.last_use),
        };
        SaStats::new(sum, 0, 0)
    }

    /// The oldest audit event that nobody has taken.
    #[must_use]
    pub fn poll_event(&self) -> Option<Event> {
        self.shared.events.pop()
    }

    /// The tiers that SAs of this engine get.
    #[must_use]
    pub fn tiers(&self) -> &Tiers {
        &self.shared.tiers
    }

    /// How many SAs of one direction there can be.
    #[must_use]
    pub fn max_sas(&self) -> u32 {
        self.shared.max_sas
    }

    fn with_outbound<R>(&self, slot: SlotId, read: impl FnOnce(&OutboundSa) -> R) -> Result<R, SaError> {
        self.shared.outbound.peek(slot, read).ok_or(SaError::Stale)
    }

    fn with_inbound<R>(&self, slot: SlotId, read: impl FnOnce(&InboundSa) -> R) -> Result<R, SaError> {
        self.shared.inbound.peek(slot, read).ok_or(SaError::Stale)
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("max_sas", &self.shared.max_sas).finish_non_exhaustive()
    }
}

impl Shared {
    /// The worker behind a reader of the domain. Relaxed: a name for a message, not an order.
    fn worker_of(&self, reader: usize) -> Option<usize> {
        self.owners.get(reader).map(|owner| owner.load(Relaxed))
    }

    /// Frees what passed its grace period, counters first. The control mutex is held.
    fn reclaim(&self) -> usize {
        let outbound = self.outbound.reclaim(|slot| {
            self.outbound_cells.fold(slot.index());
        });
        let inbound = self.inbound.reclaim(|slot| {
            self.inbound_cells.fold(slot.index());
        });
        outbound + inbound
    }
}
