//! Threads that repeat one piece of work, as many as asked for on whatever cores there are.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};

use crate::lane::{Visit, sample};
use crate::pin;
use crate::rounds::Timed;

/// What one thread repeats.
pub(crate) trait Work: Send {
    /// Makes what the last batch used up. Not timed.
    fn refill(&mut self) {}

    /// One batch, timed: how many packets it was.
    fn batch(&mut self) -> Result<usize>;
}

/// One row: a thread for each piece of work. Threads beyond the cores share them evenly.
pub(crate) struct Team {
    name: String,
    works: Vec<Box<dyn Work>>,
    pinned: bool,
}

impl Team {
    /// `name` is for errors.
    pub(crate) fn new(name: String, works: Vec<Box<dyn Work>>) -> Self {
        Self { name, works, pinned: false }
    }

    /// Whether every thread of the last visit stayed on its CPU.
    pub(crate) const fn pinned(&self) -> bool {
        self.pinned
    }
}

impl Timed for Team {
    /// Runs all threads for `time`, at once: what a thread takes for a packet while it has its core, and the share of
    /// the cores that the threads had of those they could have had.
    fn visit(&mut self, time: Duration) -> Result<Visit> {
        let cpus = pin::cpus();
        let barrier = Barrier::new(self.works.len());
        let results: Vec<Result<(Visit, bool)>> = thread::scope(|scope| {
            let (cpus, barrier) = (&cpus, &barrier);
            let visit = move |index: usize, work: &mut Box<dyn Work>| {
                let pinned = pin::nth(cpus, index).is_some_and(pin::pin);
                barrier.wait();
                sample(time, || one(work.as_mut())).map(|visit| (visit, pinned))
            };
            let works = self.works.iter_mut().enumerate();
            let threads: Vec<_> =
                works.map(|(index, work)| scope.spawn(move || visit(index, work))).collect();
            let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
            joined.map(|result| result.unwrap_or_else(|_| Err(anyhow!("a thread panicked")))).collect()
        });
        let results = results.into_iter().collect::<Result<Vec<_>>>().with_context(|| self.name.clone())?;
        self.pinned = results.iter().all(|(_, pinned)| *pinned);
        let visits: Vec<Visit> = results.into_iter().map(|(visit, _)| visit).collect();
        Ok(together(&visits, cpus.len()))
    }
}

/// Nanoseconds a packet of one batch.
fn one(work: &mut dyn Work) -> Result<f64> {
    work.refill();
    let start = Instant::now();
    let packets = work.batch()?;
    Ok(start.elapsed().as_secs_f64() * 1e9 / packets as f64)
}

/// The threads' rates added up, and their presence over the most that `cores` allow (0 if unknown: one each). The
/// system counts presence by ticks, so of a short visit it may say a little more than all.
fn together(visits: &[Visit], cores: usize) -> Visit {
    let rate: f64 = visits.iter().map(|visit| 1.0 / visit.ns).sum();
    let most = if cores == 0 { visits.len() } else { visits.len().min(cores) };
    let presence: Option<f64> = visits.iter().map(|visit| visit.presence).sum();
    Visit { ns: visits.len() as f64 / rate, presence: presence.map(|sum| (sum / most as f64).min(1.0)) }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    struct Counting(&'static AtomicUsize);

    impl Work for Counting {
        fn batch(&mut self) -> Result<usize> {
            self.0.fetch_add(1, Relaxed);
            Ok(10)
        }
    }

    struct Failing;

    impl Work for Failing {
        fn batch(&mut self) -> Result<usize> {
            anyhow::bail!("no key")
        }
    }

    #[test]
    fn every_thread_works_though_there_are_more_of_them_than_cores() {
        static BATCHES: [AtomicUsize; 9] = [const { AtomicUsize::new(0) }; 9];
        let works = BATCHES.iter().map(|batches| Box::new(Counting(batches)) as Box<dyn Work>);
        let visit =
            Team::new("counting".to_owned(), works.collect()).visit(Duration::from_millis(1)).unwrap();
        assert!(BATCHES.iter().all(|batches| batches.load(Relaxed) > 0));
        assert!(visit.ns > 0.0, "{visit:?}");
    }

    #[test]
    fn a_failure_names_the_row() {
        let error = Team::new("hmac-sha1 keyed".to_owned(), vec![Box::new(Failing)]).visit(Duration::ZERO);
        assert_eq!(format!("{:#}", error.unwrap_err()), "hmac-sha1 keyed: no key");
    }

    #[test]
    fn rates_add_up_and_presence_is_of_the_cores_there_are() {
        let visits = [(10.0, 0.5), (30.0, 0.4), (30.0, 0.4), (30.0, 0.5)];
        let visits = visits.map(|(ns, presence)| Visit { ns, presence: Some(presence) });
        let all = together(&visits, 2);
        assert!((all.ns - 20.0).abs() < 1e-9, "{all:?}");
        assert!((all.presence.unwrap() - 0.9).abs() < 1e-9, "{all:?}");
    }
}
