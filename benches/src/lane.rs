//! One thread of a row.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use esp_core::{Engine, Millis, Packet, TunnelId, Verdict, Worker};
use rand::RngExt as _;
use rand::rngs::SmallRng;

use crate::arena::Arena;
use crate::axes::{Axes, Op, inner_packet};
use crate::counting::Counting;
use crate::summary::percentile;

/// A worker with its packets.
#[derive(Debug)]
pub struct Lane {
    worker: Worker,
    arena: Arena,
    counting: Counting,
    op: Op,
    burst: usize,
    /// SAs that this lane's packets go through.
    tunnels: Vec<TunnelId>,
    /// The tunnel of each packet of the batch.
    chosen: Vec<TunnelId>,
    verdicts: Vec<Verdict>,
    rng: SmallRng,
    now: u64,
}

impl Lane {
    /// A lane of `engine` whose packets go through `tunnels`, of which there is at least one.
    ///
    /// # Errors
    ///
    /// If the engine has no worker to give, or there is no tunnel.
    pub fn new(engine: &Engine, axes: &Axes, tunnels: Vec<TunnelId>, counting: Counting) -> Result<Self> {
        ensure!(!tunnels.is_empty(), "a lane needs a tunnel");
        let batch = axes.burst * BATCH.div_ceil(axes.burst);
        Ok(Self {
            worker: engine.worker()?,
            arena: Arena::new(batch, inner_packet(axes.size)),
            counting,
            op: axes.op,
            burst: axes.burst,
            chosen: vec![tunnels[0]; batch],
            tunnels,
            verdicts: vec![Verdict::default(); batch],
            rng: rand::make_rng(),
            now: 0,
        })
    }

    /// Runs batches for `time`, after a few that warm up.
    ///
    /// # Errors
    ///
    /// If a packet was not delivered.
    pub fn visit(&mut self, time: Duration) -> Result<Visit> {
        self.worker.enter();
        sample(time, || self.batch())
    }

    /// One batch: nanoseconds a packet, of the walk in question alone.
    fn batch(&mut self) -> Result<f64> {
        self.now += 1;
        if self.tunnels.len() > 1 {
            for tunnel in &mut self.chosen {
                *tunnel = self.tunnels[self.rng.random_range(0..self.tunnels.len())];
            }
        }
        let mut packets = self.arena.refill();
        let mut calls = Calls {
            worker: &mut self.worker,
            counting: &self.counting,
            chosen: &self.chosen,
            mixed: self.tunnels.len() > 1,
            burst: self.burst,
            now: Millis(self.now),
        };
        let time = match self.op {
            Op::Seal => timed(|| calls.seal(&mut packets, &mut self.verdicts))?,
            Op::Open => {
                calls.seal(&mut packets, &mut self.verdicts)?;
                timed(|| calls.open(&mut packets, &mut self.verdicts))?
            }
        };
        if let Some(other) = self.verdicts.iter().find(|verdict| verdict.delivered().is_none()) {
            anyhow::bail!("a packet was not delivered: {other:?}");
        }
        Ok(time.as_secs_f64() * 1e9 / packets.len() as f64)
    }
}

/// What one lane found in one visit.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    /// The median batch, in nanoseconds a packet.
    pub ns: f64,
    /// The share of the visit during which the thread had its core, if the system tells. Threads that are away much of
    /// the time do not meet, and so show no contention.
    pub presence: Option<f64>,
}

/// What a batch calls, burst by burst.
struct Calls<'l> {
    worker: &'l mut Worker,
    counting: &'l Counting,
    chosen: &'l [TunnelId],
    mixed: bool,
    burst: usize,
    now: Millis,
}

impl Calls<'_> {
    fn seal(&mut self, packets: &mut [Packet<'_>], verdicts: &mut [Verdict]) -> Result<()> {
        let bursts = packets.chunks_mut(self.burst).zip(verdicts.chunks_mut(self.burst));
        for ((packets, verdicts), tunnels) in bursts.zip(self.chosen.chunks(self.burst)) {
            if self.mixed {
                self.worker.seal_mixed(self.now, tunnels, packets, verdicts)?;
            } else {
                self.worker.seal_burst(self.now, tunnels[0], packets, verdicts)?;
            }
            self.counting.note(verdicts);
        }
        Ok(())
    }

    fn open(&mut self, packets: &mut [Packet<'_>], verdicts: &mut [Verdict]) -> Result<()> {
        for (packets, verdicts) in packets.chunks_mut(self.burst).zip(verdicts.chunks_mut(self.burst)) {
            self.worker.open_burst(self.now, packets, verdicts)?;
            self.counting.note(verdicts);
        }
        Ok(())
    }
}

/// Repeats `batch`, which answers nanoseconds a packet, for `time` after a few that warm up.
pub(crate) fn sample(time: Duration, mut batch: impl FnMut() -> Result<f64>) -> Result<Visit> {
    let start = Instant::now();
    for _ in 0..WARM_UP {
        batch()?;
        if start.elapsed() >= time {
            break;
        }
    }
    let mut samples = Vec::new();
    let (start, on_cpu) = (Instant::now(), on_cpu());
    while start.elapsed() < time || samples.len() < FEWEST {
        samples.push(batch()?);
    }
    let ran = on_cpu.zip(self::on_cpu()).map(|(before, after)| after.saturating_sub(before));
    let presence = ran.map(|ran| ran.as_secs_f64() / start.elapsed().as_secs_f64());
    Ok(Visit { ns: percentile(&mut samples, 50), presence })
}

/// How long this thread has run so far, as the scheduler counts it.
fn on_cpu() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

/// About so many packets a batch: 10 to 100 us, long against reading a clock and short against a time slice.
pub(crate) const BATCH: usize = 256;
/// Batches before the first that counts, unless one takes longer than a visit.
const WARM_UP: usize = 20;
/// Batches that count, at least.
const FEWEST: usize = 5;
