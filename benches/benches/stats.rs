//! Counting packets and bytes of a burst of 32, by one thread or two at once:
//! `own-once-a-burst/32/2` is the engine's way, `own-a-packet` the same cells written for each packet, and
//! `shared-a-packet` a locked add a packet on a line that the threads share.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use crossbeam_utils::CachePadded;
use esp_stats::{Label, ShardWriter, Shards};

const BURST: u64 = 32;
const THREADS: [usize; 2] = [1, 2];

#[derive(Clone, Copy)]
struct Rare;

impl Label for Rare {
    const COUNT: usize = 1;

    fn index(self) -> usize {
        0
    }
}

type Cells = Shards<Rare, 2>;

fn stats(c: &mut Criterion) {
    let once = |writer: &mut ShardWriter<Rare, 2>| writer.add_hot(black_box([BURST, BURST * 64]));
    own(c, "own-once-a-burst", once);
    own(c, "own-a-packet", |writer| (0..BURST).for_each(|_| writer.add_hot(black_box([1, 64]))));
    let mut group = c.benchmark_group("shared-a-packet");
    group.throughput(Throughput::Elements(BURST));
    for threads in THREADS {
        let line = CachePadded::new([const { AtomicU64::new(0) }; 2]);
        group.bench_function(format!("{BURST}/{threads}"), |b| {
            b.iter_custom(|iters| {
                together(iters, (0..threads).map(|_| ()).collect(), |()| {
                    for _ in 0..BURST {
                        line[0].fetch_add(black_box(1), Relaxed);
                        line[1].fetch_add(black_box(64), Relaxed);
                    }
                })
            });
        });
    }
    group.finish();
}

fn own(c: &mut Criterion, name: &str, count: impl Fn(&mut ShardWriter<Rare, 2>) + Sync) {
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(BURST));
    for threads in THREADS {
        let cells: Arc<Cells> = Cells::new(threads);
        group.bench_function(format!("{BURST}/{threads}"), |b| {
            b.iter_custom(|iters| {
                let writers = (0..threads).map(|_| cells.claim().expect("an index")).collect();
                together(iters, writers, &count)
            });
        });
    }
    group.finish();
}

/// The mean time that threads, one for each state, take for `iters` calls each.
fn together<S: Send>(iters: u64, states: Vec<S>, call: impl Fn(&mut S) + Sync) -> Duration {
    let barrier = Barrier::new(states.len());
    let (barrier, call, threads) = (&barrier, &call, u32::try_from(states.len()).unwrap_or(1));
    let run = move |mut state: S| {
        barrier.wait();
        let start = Instant::now();
        (0..iters).for_each(|_| call(&mut state));
        start.elapsed()
    };
    thread::scope(|scope| {
        let spawned: Vec<_> = states.into_iter().map(|state| scope.spawn(move || run(state))).collect();
        let times = spawned.into_iter().map(|thread| thread.join().expect("no panic"));
        times.sum::<Duration>() / threads
    })
}

criterion_group!(benches, stats);
criterion_main!(benches);
