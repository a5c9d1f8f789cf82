//! The result of a run, as `--json` prints it and the tables show it.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use esp_core::{Counter, CpuFeature, DropReason};
use serde::Serialize;

use super::bad_packets::BadPackets;
use super::phase::Outcome;
use super::plan::{Load, Plan};
use super::proof::Proof;
use super::sas::Sas;
use super::tally::Tally;
use crate::cpu_deny;

/// One run. The keys are documented in `esp demo --help`.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) version: &'static str,
    pub(crate) transform: &'static str,
    pub(crate) tier: &'static str,
    pub(crate) denied: Vec<&'static str>,
    pub(crate) seconds: f64,
    pub(crate) sas: usize,
    pub(crate) workers: usize,
    pub(crate) cores: usize,
    pub(crate) pinned: bool,
    pub(crate) window_shared: usize,
    pub(crate) window_many: usize,
    pub(crate) bad_packets: Vec<BadPackets>,
    pub(crate) phases: Vec<PhaseReport>,
    pub(crate) drops: BTreeMap<&'static str, u64>,
    pub(crate) counters: BTreeMap<&'static str, u64>,
    pub(crate) conservation: Proof,
    pub(crate) faults: Vec<String>,
    pub(crate) ok: bool,
}

/// One timed phase.
#[derive(Debug, Serialize)]
pub(crate) struct PhaseReport {
    pub(crate) name: String,
    pub(crate) mix: &'static str,
    pub(crate) sas: usize,
    pub(crate) seconds: f64,
    pub(crate) total: Figures,
    pub(crate) workers: Vec<WorkerReport>,
}

/// One worker in one phase.
#[derive(Debug, Serialize)]
pub(crate) struct WorkerReport {
    pub(crate) worker: usize,
    #[serde(flatten)]
    pub(crate) figures: Figures,
}

/// What the packets that one worker, or all, opened and compared come to.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    pub(crate) packets: u64,
    pub(crate) inner_bytes: u64,
    /// Millions of packets a second, by the clock on the wall.
    pub(crate) mpps: f64,
    /// Gigabits of inner IP packets a second.
    pub(crate) gbps: f64,
    /// Nanoseconds a packet.
    pub(crate) seal_ns: f64,
    pub(crate) open_ns: f64,
    pub(crate) compare_ns: f64,
    /// Share of the time in which a worker had packets to work on, in percent.
    pub(crate) busy: f64,
}

impl Report {
    /// Draws up the report. The workers are quiet.
    ///
    /// # Errors
    ///
    /// As [`Proof::of`].
    pub(crate) fn new(
        plan: &Plan,
        denied: &[CpuFeature],
        sas: &Sas,
        bad_packets: Vec<BadPackets>,
        phases: &[Outcome],
    ) -> Result<Self> {
        let stats = sas.engine.stats();
        let conservation = Proof::of(sas, &stats, phases)?;
        let faults = faults(&bad_packets, phases, &conservation);
        let drops = DropReason::ALL.iter().map(|reason| (reason.name(), stats.dropped(*reason)));
        let counters = Counter::OTHERS.iter().map(|counter| (counter.name(), stats.of(*counter)));
        Ok(Self {
            version: env!("CARGO_PKG_VERSION"),
            transform: plan.transform.name(),
            tier: sas.tier.name(),
            denied: cpu_deny::names(denied),
            seconds: plan.seconds,
            sas: plan.sas,
            workers: plan.workers,
            cores: plan.cpus.len(),
            pinned: phases.iter().flat_map(|phase| &phase.tallies).all(|tally| tally.pinned),
            window_shared: plan.window_shared(),
            window_many: plan.window_many(),
            bad_packets,
            phases: phases.iter().map(|phase| PhaseReport::of(plan, phase)).collect(),
            drops: drops.filter(|(_, n)| *n > 0).collect(),
            counters: counters.filter(|(_, n)| *n > 0).collect(),
            conservation,
            ok: faults.is_empty(),
            faults,
        })
    }
}

/// Everything that must not happen, in words.
fn faults(bad_packets: &[BadPackets], phases: &[Outcome], proof: &Proof) -> Vec<String> {
    let let_through = bad_packets.iter().filter(|kind| !kind.ok).map(|kind| {
        let BadPackets { kind, sent, dropped, reason, .. } = kind;
        format!("{kind}: only {dropped} of {sent} packets were dropped as {reason}")
    });
    let mut faults: Vec<String> = let_through.chain(proof.faults()).collect();
    for phase in phases {
        for (worker, tally) in phase.tallies.iter().enumerate() {
            let found = tally.faults.describe();
            faults.extend(
                found.iter().map(|fault| format!("{}, worker {worker}: {fault}", phase.phase.title())),
            );
        }
    }
    faults
}

impl PhaseReport {
    fn of(plan: &Plan, outcome: &Outcome) -> Self {
        let Outcome { phase, elapsed, tallies } = outcome;
        let workers = tallies.iter().enumerate();
        Self {
            name: phase.title(),
            mix: phase.mix.name(),
            sas: if phase.load == Load::Shared { 1 } else { plan.sas },
            seconds: elapsed.as_secs_f64(),
            total: Figures::of(tallies, *elapsed),
            workers: workers
                .map(|(worker, tally)| WorkerReport { worker, figures: Figures::of([tally], *elapsed) })
                .collect(),
        }
    }
}

impl Figures {
    fn of<'a>(tallies: impl IntoIterator<Item = &'a Tally>, elapsed: Duration) -> Self {
        let (mut all, mut seal, mut open, mut compare) = (Tally::default(), 0.0, 0.0, 0.0);
        let mut workers = 0_u32;
        for tally in tallies {
            workers += 1;
            all.sealed += tally.sealed;
            all.opened += tally.opened;
            all.compared += tally.compared;
            all.inner_bytes += tally.inner_bytes;
            seal += tally.seal.as_secs_f64();
            open += tally.open.as_secs_f64();
            compare += tally.compare.as_secs_f64();
        }
        let seconds = elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
        let ns = |time: f64, packets: u64| round(time * 1e9 / packets.max(1) as f64, 1);
        Self {
            packets: all.compared,
            inner_bytes: all.inner_bytes,
            mpps: round(all.compared as f64 / seconds / 1e6, 3),
            gbps: round(all.inner_bytes as f64 * 8.0 / seconds / 1e9, 3),
            seal_ns: ns(seal, all.sealed),
            open_ns: ns(open, all.opened),
            compare_ns: ns(compare, all.compared),
            busy: round(100.0 * (seal + open + compare) / seconds / f64::from(workers.max(1)), 1),
        }
    }
}

/// `value` with so many decimals.
fn round(value: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_per_packet_and_second() {
        let tally = |packets| Tally {
            sealed: packets,
            opened: packets,
            compared: packets,
            inner_bytes: packets * 125,
            seal: Duration::from_millis(100),
            open: Duration::from_millis(200),
            compare: Duration::from_millis(50),
            ..Tally::default()
        };
        let figures = Figures::of(&[tally(1_000_000), tally(3_000_000)], Duration::from_secs(2));
        assert_eq!((figures.packets, figures.inner_bytes), (4_000_000, 500_000_000));
        assert_eq!((figures.mpps, figures.gbps), (2.0, 2.0));
        assert_eq!((figures.seal_ns, figures.open_ns, figures.compare_ns), (50.0, 100.0, 25.0));
        assert_eq!(figures.busy, 17.5);
        assert_eq!(Figures::of(&[], Duration::ZERO).mpps, 0.0);
    }
}
