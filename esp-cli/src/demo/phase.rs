//! A timed phase: threads, a start, a stop, and what each worker did.

use std::thread::{self, Builder, ScopedJoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use esp_core::Worker;

use super::batch::Batch;
use super::carrier::{Carrier, Ring};
use super::plan::{BATCHES, Phase, Plan};
use super::progress::Progress;
use super::sas::Sas;
use super::tally::Tally;
use super::traffic::{Traffic, stride};

/// What a phase came to.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) phase: Phase,
    /// From the start until the last packet was opened.
    pub(crate) elapsed: Duration,
    /// One a worker.
    pub(crate) tallies: Vec<Tally>,
}

/// Runs a phase on every worker.
///
/// # Errors
///
/// A thread could not be started, or a carrier failed.
pub(crate) fn run(
    plan: &Plan,
    sas: &Sas,
    workers: &mut [Worker],
    phase: &Phase,
    progress: &Progress,
) -> Result<Outcome> {
    let ring = Ring::new(workers.len(), plan.batches());
    let traffic = Traffic::new(phase.mix);
    let stride = stride(phase.mix, sas.room);
    let epoch = Instant::now();
    thread::scope(|scope| {
        let carriers = workers.iter_mut().enumerate().map(|(index, worker)| {
            let (ring, traffic, load) = (&ring, &traffic, phase.load);
            // Two threads on one CPU would wait for each other however they are placed: let the system move them.
            let cpu = plan.cpus.get(index).copied().filter(|_| plan.workers <= plan.cpus.len());
            let carry = move || {
                let mut free = Vec::with_capacity(plan.batches());
                let batch = || Batch::new(stride, sas.room.headroom);
                free.extend(std::iter::repeat_with(batch).take(BATCHES));
                Carrier { index, ring, worker, sas, load, traffic, free, epoch, cpu }.run()
            };
            Builder::new().name(format!("worker {index}")).spawn_scoped(scope, carry)
        });
        let threads = carriers.collect::<Result<Vec<_>, _>>();
        if threads.is_err() {
            ring.abort();
        }
        let threads = threads.context("starting a worker thread")?;
        while ring.ready() < threads.len() && !threads.iter().any(ScopedJoinHandle::is_finished) {
            thread::yield_now();
        }
        let begin = Instant::now();
        ring.start();
        progress.phase(phase, &sas.engine, begin);
        ring.stop();
        let tallies =
            threads.into_iter().map(|thread| thread.join().map_err(|_| anyhow!("a worker panicked"))?);
        let tallies = tallies.collect::<Result<Vec<_>>>()?;
        Ok(Outcome { phase: *phase, elapsed: begin.elapsed(), tallies })
    })
}
