//! One row: an engine, its SAs, its lanes.

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use esp_core::{Engine, InboundStart, OutboundStart, TunnelId};

use crate::axes::{Axes, Op};
use crate::counting::Counting;
use crate::lane::{Lane, Visit};
use crate::pin;
use crate::rounds::Timed;

/// A row ready to be visited.
#[derive(Debug)]
pub struct Bench {
    axes: Axes,
    engine: Engine,
    lanes: Vec<Lane>,
    pinned: bool,
}

impl Bench {
    /// Installs the SAs and makes the lanes; `counting(lane)` adds to what the engine counts.
    ///
    /// # Errors
    ///
    /// An axis out of its range, or an SA that cannot be.
    pub fn new(axes: Axes, counting: impl Fn(usize) -> Counting) -> Result<Self> {
        axes.check()?;
        let sets = if axes.shared { 1 } else { u32::try_from(axes.threads)? };
        let engine = Engine::builder().max_sas(axes.sas * sets).max_workers(axes.threads).build()?;
        let mut tunnels = Vec::new();
        for index in 0..axes.sas * sets {
            tunnels.push(install(&engine, &axes, index)?);
        }
        let lanes = (0..axes.threads).map(|lane| {
            let set = if axes.shared { 0 } else { lane };
            let own = tunnels.iter().skip(set * axes.sas as usize).take(axes.sas as usize);
            Lane::new(&engine, &axes, own.copied().collect(), counting(lane))
        });
        let lanes = lanes.collect::<Result<_>>()?;
        Ok(Self { axes, engine, lanes, pinned: false })
    }

    /// The row's place on every axis.
    #[must_use]
    pub const fn axes(&self) -> &Axes {
        &self.axes
    }

    /// The tier of the row's transform.
    #[must_use]
    pub fn tier(&self) -> &'static str {
        if self.axes.null { "null" } else { self.engine.tiers().best(self.axes.transform).name() }
    }

    /// Whether every thread of the last visit was pinned to a CPU of its own.
    #[must_use]
    pub const fn pinned(&self) -> bool {
        self.pinned
    }

    /// No drop, and every packet in one counter.
    fn assert_counted(&self) -> Result<()> {
        let stats = self.engine.stats();
        ensure!(stats.dropped_in_all() == 0, "{}: {} packets dropped", self.axes, stats.dropped_in_all());
        ensure!(stats.unaccounted() == 0, "{}: {} packets not counted", self.axes, stats.unaccounted());
        Ok(())
    }
}

impl Timed for Bench {
    /// Runs all lanes for `time`, at once: what a thread takes for a packet, and the presence of the lane that was away
    /// most. It is an error if a packet was dropped or not counted, or if there are more threads than CPUs.
    fn visit(&mut self, time: Duration) -> Result<Visit> {
        let cpus = pin::cpus();
        ensure!(
            cpus.is_empty() || self.lanes.len() <= cpus.len(),
            "{} threads on {} CPUs",
            self.lanes.len(),
            cpus.len()
        );
        let barrier = Barrier::new(self.lanes.len());
        let results: Vec<Result<(Visit, bool)>> = thread::scope(|scope| {
            let (cpus, barrier) = (&cpus, &barrier);
            let visit = move |index: usize, lane: &mut Lane| {
                let pinned = cpus.get(index).is_some_and(|cpu| pin::pin(*cpu));
                barrier.wait();
                lane.visit(time).map(|visit| (visit, pinned))
            };
            let lanes = self.lanes.iter_mut().enumerate();
            let threads: Vec<_> =
                lanes.map(|(index, lane)| scope.spawn(move || visit(index, lane))).collect();
            let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
            joined.map(|result| result.unwrap_or_else(|_| Err(anyhow!("a lane panicked")))).collect()
        });
        let results =
            results.into_iter().collect::<Result<Vec<_>>>().with_context(|| self.axes.to_string())?;
        self.pinned = results.iter().all(|(_, pinned)| *pinned);
        self.assert_counted()?;
        let rate: f64 = results.iter().map(|(visit, _)| 1.0 / visit.ns).sum();
        let presence = results.iter().filter_map(|(visit, _)| visit.presence).min_by(f64::total_cmp);
        Ok(Visit { ns: results.len() as f64 / rate, presence })
    }
}

/// Both ends of one SA; the inbound one only if something will be opened.
fn install(engine: &Engine, axes: &Axes, index: u32) -> Result<TunnelId> {
    let (outbound, inbound) = axes.sa_pair(index)?;
    let start = OutboundStart { null_twin: axes.null, ..OutboundStart::default() };
    let tunnel = engine.install_outbound_at(&outbound, start)?;
    if axes.op == Op::Open {
        let start = InboundStart { null_twin: axes.null, ..InboundStart::default() };
        engine.install_inbound_at(&inbound, start)?;
    }
    Ok(tunnel)
}
