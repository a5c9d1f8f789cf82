//! One worker's part of the ring: opens what comes in, seals what is free, passes it on.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::Result;
use crossbeam_queue::ArrayQueue;
use crossbeam_utils::Backoff;
use esp_core::{Millis, SaId, TunnelId, Verdict, Worker};

use super::batch::{Batch, Packets};
use super::cpus::{self, Cpu};
use super::millis;
use super::plan::{BATCH, Load};
use super::sas::Sas;
use super::tally::Tally;
use super::traffic::{Serial, Traffic};

/// What the carriers of a phase share.
#[derive(Debug)]
pub(crate) struct Ring {
    inboxes: Vec<ArrayQueue<Batch>>,
    /// Worker i will pass on nothing more.
    done: Vec<AtomicBool>,
    ready: AtomicUsize,
    state: AtomicU8,
}

/// The states of a ring, in their order.
const WAITING: u8 = 0;
const RUNNING: u8 = 1;
const STOPPING: u8 = 2;

impl Ring {
    /// A ring of `workers`, at rest, for `batches` sets in all.
    pub(crate) fn new(workers: usize, batches: usize) -> Self {
        Self {
            inboxes: (0..workers).map(|_| ArrayQueue::new(batches)).collect(),
            done: (0..workers).map(|_| AtomicBool::new(false)).collect(),
            ready: AtomicUsize::new(0),
            state: AtomicU8::new(WAITING),
        }
    }

    /// How many carriers wait for the start.
    pub(crate) fn ready(&self) -> usize {
        self.ready.load(Ordering::Acquire)
    }

    /// Lets every carrier go at once.
    pub(crate) fn start(&self) {
        self.state.store(RUNNING, Ordering::Release);
    }

    /// From now on nothing is sealed; what is on its way is still opened.
    pub(crate) fn stop(&self) {
        self.state.store(STOPPING, Ordering::Release);
    }

    /// Stops carriers of a ring that has gaps.
    pub(crate) fn abort(&self) {
        self.stop();
        self.done.iter().for_each(|done| done.store(true, Ordering::Release));
    }

    fn state(&self) -> u8 {
        self.state.load(Ordering::Acquire)
    }
}

/// What a carrier works with.
pub(crate) struct Carrier<'a> {
    pub(crate) index: usize,
    pub(crate) ring: &'a Ring,
    pub(crate) worker: &'a mut Worker,
    pub(crate) sas: &'a Sas,
    pub(crate) load: Load,
    pub(crate) traffic: &'a Traffic,
    /// Sets that are free to be sealed.
    pub(crate) free: Vec<Batch>,
    /// Time zero of the engine's clock.
    pub(crate) epoch: Instant,
    /// The CPU to keep to.
    pub(crate) cpu: Option<Cpu>,
}

impl Carrier<'_> {
    /// Carries until the ring stops and all that was sealed is opened.
    ///
    /// # Errors
    ///
    /// A set or a burst is not well formed: a defect of the demo.
    pub(crate) fn run(mut self) -> Result<Tally> {
        // However this ends, the next worker must not wait for it.
        let _done = Done(&self.ring.done[self.index]);
        let mut tally = Tally { pinned: self.cpu.is_some_and(cpus::pin), ..Tally::default() };
        self.worker.enter();
        self.ring.ready.fetch_add(1, Ordering::AcqRel);
        let idle = Backoff::new();
        while self.ring.state() == WAITING {
            idle.snooze();
        }
        let mut next = Next::of(&self);
        loop {
            // Done is looked at before the inbox: nothing comes in after an empty inbox then.
            let (stopping, last) = (self.ring.state() == STOPPING, self.nothing_will_come());
            if let Some(batch) = self.ring.inboxes[self.index].pop() {
                self.receive(batch, &mut tally)?;
            } else if let Some(batch) = self.free.pop_if(|_| !stopping) {
                self.send(batch, &mut next, &mut tally)?;
            } else {
                if stopping {
                    self.ring.done[self.index].store(true, Ordering::Release);
                }
                if stopping && last {
                    return Ok(tally);
                }
                idle.snooze();
                continue;
            }
            idle.reset();
        }
    }

    fn nothing_will_come(&self) -> bool {
        let workers = self.ring.done.len();
        self.ring.done[(self.index + workers - 1) % workers].load(Ordering::Acquire)
    }

    fn send(&mut self, mut batch: Batch, next: &mut Next, tally: &mut Tally) -> Result<()> {
        let begin = Instant::now();
        batch.turn = next.turn;
        let (sas, load, turn) = (self.sas, self.load, next.turn);
        let (worker, now) = (&mut *self.worker, Millis(millis(begin - self.epoch)));
        let mut called = (begin, begin);
        let verdicts = batch.seal(self.traffic, next.serial, |packets, verdicts| {
            let tunnels = many(sas, load, turn);
            called.0 = Instant::now();
            seal(worker, now, sas, load, &tunnels, packets, verdicts)?;
            called.1 = Instant::now();
            Ok(())
        })?;
        for verdict in &verdicts {
            match verdict {
                Verdict::Delivered(_) => tally.sealed += 1,
                other => tally.faults.unsealed(other),
            }
        }
        next.advance(sas.many.len());
        tally.seal += called.1 - called.0;
        tally.compare += begin.elapsed().saturating_sub(called.1 - called.0);
        let to = (self.index + 1) % self.ring.inboxes.len();
        // An inbox holds every set that there is.
        self.ring.inboxes[to].push(batch).map_err(|_| anyhow::anyhow!("the ring is full"))
    }

    fn receive(&mut self, mut batch: Batch, tally: &mut Tally) -> Result<()> {
        let begin = Instant::now();
        let (sas, load, turn, traffic) = (self.sas, self.load, batch.turn, self.traffic);
        let (worker, now) = (&mut *self.worker, Millis(millis(begin - self.epoch)));
        let mut called = (begin, begin);
        batch.open(
            |packets, verdicts| {
                called.0 = Instant::now();
                worker.open_burst(now, packets, verdicts)?;
                called.1 = Instant::now();
                Ok(())
            },
            |verdict, n, serial, data| {
                let Verdict::Delivered(got) = verdict else { return tally.faults.unopened(verdict) };
                tally.opened += 1;
                let by = opener(sas, load, turn + n);
                if got.sa == by && traffic.is(serial, data) {
                    tally.compared += 1;
                    tally.inner_bytes += data.len() as u64;
                } else {
                    tally.faults.different(|| difference(traffic, serial, got.sa == by, data));
                }
            },
        )?;
        tally.open += called.1 - called.0;
        tally.compare += begin.elapsed().saturating_sub(called.1 - called.0);
        self.free.push(batch);
        Ok(())
    }
}

/// What a worker seals next.
struct Next {
    serial: Serial,
    turn: usize,
}

impl Next {
    /// Workers begin at places of their own in the round of SAs.
    fn of(carrier: &Carrier<'_>) -> Self {
        let turn = carrier.sas.many.len() * carrier.index / carrier.ring.done.len();
        Self { serial: Serial { worker: carrier.index, number: 0 }, turn }
    }

    fn advance(&mut self, sas: usize) {
        self.serial.number += BATCH;
        self.turn = (self.turn + BATCH) % sas;
    }
}

struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

fn seal(
    worker: &mut Worker,
    now: Millis,
    sas: &Sas,
    load: Load,
    tunnels: &[TunnelId; BATCH],
    packets: &mut Packets<'_>,
    verdicts: &mut [Verdict],
) -> Result<()> {
    match load {
        Load::Shared => worker.seal_burst(now, sas.shared.tunnel, packets, verdicts)?,
        Load::Many => worker.seal_mixed(now, tunnels, packets, verdicts)?,
    }
    Ok(())
}

/// The tunnels of a set in a phase with many SAs.
fn many(sas: &Sas, load: Load, turn: usize) -> [TunnelId; BATCH] {
    let mut tunnels = [sas.shared.tunnel; BATCH];
    if load == Load::Many {
        let round = sas.many.iter().skip(turn).chain(sas.many.iter().cycle());
        for (tunnel, pair) in tunnels.iter_mut().zip(round) {
            *tunnel = pair.tunnel;
        }
    }
    tunnels
}

/// The SA that must open what was sealed in that turn.
fn opener(sas: &Sas, load: Load, turn: usize) -> SaId {
    match load {
        Load::Shared => sas.shared.inbound,
        Load::Many => sas.many[turn % sas.many.len()].inbound,
    }
}

#[cold]
fn difference(traffic: &Traffic, serial: Serial, right_sa: bool, data: &[u8]) -> String {
    let Serial { worker, number } = serial;
    let sa = if right_sa { "" } else { "opened by another SA; " };
    format!("packet {number} of worker {worker}: {sa}{}", traffic.difference(serial, data))
}
