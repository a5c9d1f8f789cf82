//! Counters under threads: nothing is lost, nothing is seen twice, no sum goes down.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use esp_stats::{CellDelta, CellSum, Label, SaCells, Shards, Totals};

#[test]
fn four_writers_and_a_reader() {
    let shards = Shards::<Reason, 4>::new(4);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let stop = StopReaders(&done);
        let reader = scope.spawn(|| watch(&done, || shards.totals(), not_below));
        let writers: Vec<_> = (0..4)
            .map(|_| {
                let mut writer = shards.claim().expect("four indices");
                scope.spawn(move || {
                    for burst in 0..BURSTS {
                        writer.add_hot([32, 32 * 64, 31, 31 * 40]);
                        if burst % 4 == 0 {
                            writer.add(Reason::Old, 2);
                        }
                        writer.add(Reason::Forged, 1);
                    }
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().expect("writer"));
        drop(stop);
        reader.join().expect("reader");
    });
    let all = 4 * BURSTS;
    let totals = shards.totals();
    assert_eq!(totals.hot, [32, 32 * 64, 31, 31 * 40].map(|each| each * all));
    assert_eq!((totals.of(Reason::Old), totals.of(Reason::Forged)), (all / 2, all));
}

/// Eight threads fight for three indices; each counts a little and gives its index back.
#[test]
fn indices_that_change_hands_keep_the_totals() {
    let shards = Shards::<Reason, 1>::new(3);
    let cells = shards.sa_cells(SaCells::BULK);
    cells.open_bulk(0).expect("one bulk");
    let done = AtomicBool::new(false);
    let counted: u64 = thread::scope(|scope| {
        let stop = StopReaders(&done);
        let engine = scope.spawn(|| watch(&done, || shards.totals(), not_below));
        let sa = scope.spawn(|| watch(&done, || cells.total(), |new, old| new.packets >= old.packets));
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| take_turns(&shards, &cells))).collect();
        let counted = threads.into_iter().map(|thread| thread.join().expect("thread")).sum();
        drop(stop);
        engine.join().expect("engine reader");
        sa.join().expect("SA reader");
        counted
    });
    assert!(counted > 0);
    assert_eq!(shards.totals().hot, [counted]);
    assert_eq!(shards.totals().of(Reason::Old), counted);
    assert_eq!(cells.sum(0).packets + cells.sum(1).packets, counted);
    assert_eq!(shards.live_workers(), 0);
}

fn take_turns(shards: &Arc<Shards<Reason, 1>>, cells: &SaCells) -> u64 {
    let mut counted = 0;
    for turn in 0..2_000_u64 {
        let Some(mut writer) = shards.claim() else {
            thread::yield_now();
            continue;
        };
        cells.prepare(writer.token());
        for now in 1..=16 {
            writer.add_hot([1]);
            writer.add(Reason::Old, 1);
            let delta = CellDelta { packets: 1, bytes: 64, drops: 0, now };
            cells.add(writer.token_mut(), u32::from(turn % 2 == 1), delta);
            counted += 1;
        }
    }
    counted
}

/// Workers count into one slot after another and hand each over when they left it (what a grace period says); the
/// control thread folds it. A reader that runs alongside never sees the grand total go down.
#[test]
fn folding_keeps_the_grand_total() {
    const SLOTS: u32 = 3_000;
    let shards = Shards::<Reason, 0>::new(3);
    let cells = shards.sa_cells(SLOTS);
    for bulk in 0..=SaCells::bulk_of(SLOTS - 1) {
        cells.open_bulk(bulk).expect("within capacity");
    }
    let (cells, done) = (&cells, &AtomicBool::new(false));
    thread::scope(|scope| {
        let stop = StopReaders(done);
        let reader = scope.spawn(|| watch(done, || cells.total(), |new, old| new.packets >= old.packets));
        let left: Vec<_> = (0..3)
            .map(|_| {
                let (leave, left) = mpsc::channel();
                let mut writer = shards.claim().expect("three indices");
                cells.prepare(writer.token());
                scope.spawn(move || {
                    for slot in 0..SLOTS {
                        for _ in 0..20 {
                            let delta = CellDelta { packets: 3, bytes: 300, drops: 1, now: u64::from(slot) };
                            cells.add(writer.token_mut(), slot, delta);
                        }
                        leave.send(slot).expect("control thread");
                    }
                });
                left
            })
            .collect();
        for slot in 0..SLOTS {
            for left in &left {
                assert_eq!(left.recv().expect("worker"), slot);
            }
            let expect = CellSum { packets: 180, bytes: 18_000, drops: 60, last_use: u64::from(slot) };
            assert_eq!(cells.fold(slot), expect);
        }
        drop(stop);
        reader.join().expect("reader");
    });
    assert_eq!(cells.removed(), cells.total());
    assert_eq!(cells.removed().packets, 180 * u64::from(SLOTS));
}

/// With no worker counting, every snapshot during folding is exact: an SA is in its cells or in the removed row, never
/// in neither or both. (Workers that count meanwhile would hide a dip.)
#[test]
fn an_sa_being_folded_is_seen_exactly_once() {
    const SLOTS: u32 = 20_000;
    let shards = Shards::<Reason, 0>::new(1);
    let cells = shards.sa_cells(SLOTS);
    let mut writer = shards.claim().expect("one index");
    cells.prepare(writer.token());
    for bulk in 0..=SaCells::bulk_of(SLOTS - 1) {
        cells.open_bulk(bulk).expect("within capacity");
    }
    for slot in 0..SLOTS {
        cells.add(writer.token_mut(), slot, CellDelta { packets: 1, bytes: 64, drops: 1, now: 7 });
    }
    let expect = cells.total();
    assert_eq!(expect.packets, u64::from(SLOTS));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let stop = StopReaders(&done);
        let reader = scope.spawn(|| watch(&done, || cells.total(), |new, _| *new == expect));
        (0..SLOTS).for_each(|slot| assert_eq!(cells.fold(slot).packets, 1));
        drop(stop);
        reader.join().expect("reader");
    });
    assert_eq!(cells.removed(), expect);
}

/// Ends the readers when dropped, also by a panic: a test that fails must not wait for them for ever.
struct StopReaders<'a>(&'a AtomicBool);

impl Drop for StopReaders<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Reads until `done`, once at least, and compares each snapshot with the one before.
fn watch<T>(done: &AtomicBool, read: impl Fn() -> T, in_order: impl Fn(&T, &T) -> bool) {
    let mut old = read();
    loop {
        let last = done.load(Ordering::Relaxed);
        let new = read();
        assert!(in_order(&new, &old), "a sum went down");
        old = new;
        if last {
            return;
        }
    }
}

fn not_below<const HOT: usize>(new: &Totals<HOT>, old: &Totals<HOT>) -> bool {
    let hot = new.hot.iter().zip(&old.hot);
    hot.chain(new.labels.iter().zip(&old.labels)).all(|(new, old)| new >= old)
}

const BURSTS: u64 = 200_000;

#[derive(Clone, Copy)]
enum Reason {
    Old,
    Forged,
}

impl Label for Reason {
    const COUNT: usize = 2;

    fn index(self) -> usize {
        self as usize
    }
}
