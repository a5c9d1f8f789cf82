//! A worker: what one poll-mode thread calls.

use std::fmt;
use std::sync::Arc;

use esp_sad::Reader;
use thiserror::Error;

use crate::engine::Shared;
use crate::handle::TunnelId;
use crate::iv::IvSource;
use crate::lanes::{BURST, Lanes};
use crate::packet::Packet;
use crate::runs::Runs;
use crate::sa::OutboundSa;
use crate::stats::{Counters, WorkerStats};
use crate::tally::Tally;
use crate::time::Millis;
use crate::verdict::{DropReason, Verdict};
use crate::{inbound, outbound};

/// The slices of one call must be equally long; nothing was done.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("a burst of {packets} packets came with {others} {what}: give one each")]
pub struct BurstError {
    /// Packets in the call.
    pub packets: usize,
    /// Length of the other slice.
    pub others: usize,
    /// What the other slice holds: "verdicts" or "tunnels".
    pub what: &'static str,
}

/// One poll-mode thread's way into the engine. `Send`, not `Sync`, not `Clone`, used by `&mut`.
///
/// ```
/// fn is_send<T: Send>() {}
/// is_send::<esp_core::Worker>();
/// ```
///
/// ```compile_fail,E0277
/// fn is_sync<T: Sync>() {}
/// is_sync::<esp_core::Worker>();
/// ```
///
/// ```compile_fail,E0277
/// fn is_clone<T: Clone>() {}
/// is_clone::<esp_core::Worker>();
/// ```
///
/// A call takes any number of packets, in place, and leaves a verdict for each. It does not allocate, panic or make a
/// system call, but for a contended replay lock. Dropping a worker frees its index; its counters stay.
pub struct Worker {
    shared: Arc<Shared>,
    reader: Reader,
    stats: WorkerStats,
    ivs: IvSource,
    outbound: Box<outbound::Scratch>,
    inbound: Box<inbound::Scratch>,
}

impl Worker {
    pub(crate) fn new(shared: Arc<Shared>, reader: Reader, stats: WorkerStats, ivs: IvSource) -> Self {
        let (outbound, inbound) = Default::default();
        Self { shared, reader, stats, ivs, outbound, inbound }
    }

    /// Warms what the thread keeps: call it once on the poll-mode thread, before its first burst.
    pub fn enter(&mut self) {
        *self.outbound = outbound::Scratch::default();
        *self.inbound = inbound::Scratch::default();
    }

    /// Says that this thread holds nothing of the engine: the caller-driven style of reclamation, instead of a
    /// bracket round each burst. Call it at least once every few bursts; see [`Worker::caller_driven`].
    #[inline]
    pub fn quiesce(&mut self) {
        self.reader.quiesce();
    }

    /// Chooses the caller-driven style (true) or the bracket round each burst (false, the default).
    pub fn caller_driven(&mut self, yes: bool) {
        self.reader.set_style(if yes { esp_sad::Style::CallerDriven } else { esp_sad::Style::Bracket });
    }

    /// Before a sleep: an offline worker holds up no one.
    pub fn offline(&mut self) {
        self.reader.offline();
    }

    /// After a sleep.
    pub fn online(&mut self) {
        self.reader.online();
    }

    /// The worker's index, for statistics.
    #[must_use]
    pub fn index(&self) -> usize {
        self.stats.token().index()
    }

    /// Seals every packet for one tunnel.
    ///
    /// # Errors
    ///
    /// [`BurstError`] if there is not one verdict for each packet; then nothing is touched.
    pub fn seal_burst(
        &mut self,
        now: Millis,
        tunnel: TunnelId,
        packets: &mut [Packet<'_>],
        verdicts: &mut [Verdict],
    ) -> Result<(), BurstError> {
        same_len(packets.len(), verdicts.len(), "verdicts")?;
        for (packets, verdicts) in packets.chunks_mut(BURST).zip(verdicts.chunks_mut(BURST)) {
            self.seal_lanes(now, packets, verdicts, |outbound, guard, lanes| {
                let slot = tunnel.slot();
                match outbound.get(guard, slot) {
                    Some(sa) => Runs::single(slot, sa, lanes.live()),
                    None => Runs::none(),
                }
            });
        }
        Ok(())
    }

    /// Seals each packet for a tunnel of its own.
    ///
    /// # Errors
    ///
    /// [`BurstError`] if there is not one verdict and one tunnel for each packet; then nothing is touched.
    pub fn seal_mixed(
        &mut self,
        now: Millis,
        tunnels: &[TunnelId],
        packets: &mut [Packet<'_>],
        verdicts: &mut [Verdict],
    ) -> Result<(), BurstError> {
        same_len(packets.len(), verdicts.len(), "verdicts")?;
        same_len(packets.len(), tunnels.len(), "tunnels")?;
        let bursts = packets.chunks_mut(BURST).zip(verdicts.chunks_mut(BURST));
        for ((packets, verdicts), tunnels) in bursts.zip(tunnels.chunks(BURST)) {
            self.seal_lanes(now, packets, verdicts, |outbound, guard, lanes| {
                Runs::group(lanes.live(), |i| {
                    let slot = tunnels.get(i)?.slot();
                    Some((slot, outbound.get(guard, slot)?))
                })
            });
        }
        Ok(())
    }

    /// Opens every packet that is ESP; the SPI finds the SA.
    ///
    /// # Errors
    ///
    /// [`BurstError`] if there is not one verdict for each packet; then nothing is touched.
    pub fn open_burst(
        &mut self,
        now: Millis,
        packets: &mut [Packet<'_>],
        verdicts: &mut [Verdict],
    ) -> Result<(), BurstError> {
        same_len(packets.len(), verdicts.len(), "verdicts")?;
        for (packets, verdicts) in packets.chunks_mut(BURST).zip(verdicts.chunks_mut(BURST)) {
            self.open_lanes(now, packets, verdicts);
        }
        Ok(())
    }

    #[inline]
    fn seal_lanes(
        &mut self,
        now: Millis,
        packets: &mut [Packet<'_>],
        verdicts: &mut [Verdict],
        order: impl for<'g> FnOnce(
            &'g esp_sad::Slab<OutboundSa>,
            &'g esp_sad::Guard<'_>,
            &Lanes<'_, '_, outbound::Slot>,
        ) -> Runs<'g, OutboundSa>,
    ) {
        let guard = self.reader.enter();
        let mut lanes = Lanes::new(packets, verdicts, &mut self.outbound);
        let runs = order(&self.shared.outbound, &guard, &lanes);
        for i in runs.left_out(lanes.live()).iter() {
            lanes.end(i, DropReason::StaleTunnel.into());
        }
        let mut tally = Tally::default();
        let counters = Counters {
            stats: &mut self.stats,
            cells: &self.shared.outbound_cells,
            events: &self.shared.events,
            now,
        };
        outbound::Burst::new(lanes, &runs, &mut tally, &mut self.ivs).walk(counters);
    }

    #[inline]
    fn open_lanes(&mut self, now: Millis, packets: &mut [Packet<'_>], verdicts: &mut [Verdict]) {
        let guard = self.reader.enter();
        let lanes = Lanes::new(packets, verdicts, &mut self.inbound);
        let mut runs = Runs::none();
        let mut tally = Tally::default();
        let context =
            inbound::Context { sad: &self.shared.inbound, guard: &guard, udp_ports: &self.shared.udp_ports };
        let counters = Counters {
            stats: &mut self.stats,
            cells: &self.shared.inbound_cells,
            events: &self.shared.events,
            now,
        };
        inbound::Burst::new(lanes, &mut runs, &mut tally, context).walk(counters);
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("index", &self.index()).finish_non_exhaustive()
    }
}

#[inline]
const fn same_len(packets: usize, others: usize, what: &'static str) -> Result<(), BurstError> {
    if packets == others { Ok(()) } else { Err(BurstError { packets, others, what }) }
}
