//! What a run consists of, and how far workers can run ahead of each other.

use std::time::Duration;

use esp_core::Transform;

use super::cpus::Cpu;
use super::traffic::Mix;
use crate::cli::DemoArgs;

/// Packets in a set: four bursts of the engine's.
pub(crate) const BATCH: usize = 128;
/// Sets that a worker begins with.
pub(crate) const BATCHES: usize = 4;

/// One run.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) seconds: f64,
    pub(crate) workers: usize,
    /// SAs of the phases with many.
    pub(crate) sas: usize,
    pub(crate) transform: Transform,
    /// CPUs that this process may use.
    pub(crate) cpus: Vec<Cpu>,
}

/// One timed phase.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phase {
    pub(crate) mix: Mix,
    pub(crate) load: Load,
    pub(crate) time: Duration,
}

/// Which SAs a phase uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// One, shared by all workers.
    Shared,
    /// Each packet another one.
    Many,
}

impl Plan {
    /// The run that `args` ask for, on a machine with these CPUs.
    pub(crate) fn new(args: &DemoArgs, cpus: &[Cpu]) -> Self {
        let workers = args.workers.map_or(cpus.len().clamp(1, MAX_WORKERS), usize::from);
        let sas = args.sas as usize;
        Self { seconds: args.seconds, workers, sas, transform: args.transform, cpus: cpus.to_vec() }
    }

    /// The timed phases, in order; each takes the same time.
    pub(crate) fn phases(&self) -> [Phase; 4] {
        let time = Duration::from_secs_f64(self.seconds / 4.0);
        [
            Phase { mix: Mix::Imix, load: Load::Shared, time },
            Phase { mix: Mix::Imix, load: Load::Many, time },
            Phase { mix: Mix::Small, load: Load::Shared, time },
            Phase { mix: Mix::Small, load: Load::Many, time },
        ]
    }

    /// Sets of packets in the ring.
    pub(crate) fn batches(&self) -> usize {
        self.workers * BATCHES
    }

    /// Replay window of the SA that all workers share, in bits.
    pub(crate) fn window_shared(&self) -> usize {
        self.ahead().max(WINDOW_SHARED)
    }

    /// Replay window of each of many SAs, in bits.
    ///
    /// A worker takes the SAs in turn. So of the packets sealed while one is on its way, each worker gives at most
    /// one more than its share to the SA of that packet.
    pub(crate) fn window_many(&self) -> usize {
        let most = self.ahead() / self.sas + self.workers + 1;
        most.min(self.ahead()).next_multiple_of(64).max(WINDOW_MANY)
    }

    /// Most packets that can be sealed from the moment a packet gets its number until it is opened, that packet
    /// included.
    ///
    /// While one set waits at worker i or i+1, any other can be sealed at most once by each worker before it waits
    /// behind: sets are opened in the order they come, and only who opens one can seal it again.
    fn ahead(&self) -> usize {
        self.workers * self.batches() * BATCH
    }
}

impl Phase {
    /// The name in reports: `IMIX, one SA`.
    pub(crate) fn title(&self) -> String {
        let load = match self.load {
            Load::Shared => "one SA",
            Load::Many => "many SAs",
        };
        format!("{}, {load}", self.mix.name())
    }
}

const MAX_WORKERS: usize = 64;
/// A window in keeping with what a switch would give an SA that all its cores use.
const WINDOW_SHARED: usize = 4096;
/// The default of RFC 4303 section 3.4.3.
const WINDOW_MANY: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(workers: usize, sas: usize) -> Plan {
        Plan { seconds: 1.0, workers, sas, transform: Transform::Aes128Gcm16, cpus: Vec::new() }
    }

    #[test]
    fn every_legal_run_has_legal_windows() {
        for workers in 1..=MAX_WORKERS {
            for sas in [1, 2, 3, 1000, 1_000_000] {
                let plan = plan(workers, sas);
                for window in [plan.window_shared(), plan.window_many()] {
                    assert!((64..=1 << 21).contains(&window), "{workers} workers, {sas} SAs: {window}");
                }
            }
        }
    }

    #[test]
    fn windows_cover_what_can_be_on_its_way() {
        assert_eq!(plan(2, 1).window_shared(), 4096);
        assert_eq!(plan(8, 1).window_shared(), 8 * 8 * BATCHES * BATCH);
        assert_eq!(plan(2, 1).window_many(), 2 * 2 * BATCHES * BATCH);
        assert_eq!(plan(2, 1000).window_many(), 64);
        assert_eq!(plan(64, 1000).window_many(), 2176);
    }

    #[test]
    fn phases_share_the_time() {
        let phases = plan(1, 1).phases();
        assert_eq!(phases.iter().map(|phase| phase.time).sum::<Duration>(), Duration::from_secs(1));
    }
}
