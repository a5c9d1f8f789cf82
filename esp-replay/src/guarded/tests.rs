use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use esp_wire::Seq64;

use super::*;
use crate::WindowSize;

#[test]
fn uncontended_lock_counts_nothing() {
    let guarded = Guarded::new(Window::new(WindowSize::DEFAULT, false), 0_u64);
    let mut contention = Contention::default();
    {
        let mut guard = guarded.lock(&mut contention);
        guard.window.commit(Seq64(1)).unwrap();
        guard.state += 1;
    }
    assert_eq!(guarded.lock(&mut contention).state, 1);
    assert_eq!(guarded.lock(&mut contention).window.top(), Seq64(1));
    assert_eq!(contention, Contention::default());
}

#[test]
fn a_lock_held_long_counts_as_contended_and_blocked() {
    let guarded = Guarded::new(Window::off(), ());
    let held = Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            let _guard = guarded.lock(&mut Contention::default());
            held.wait();
            thread::sleep(Duration::from_millis(100));
        });
        held.wait();
        let mut contention = Contention::default();
        drop(guarded.lock(&mut contention));
        assert_eq!(contention, Contention { contended: 1, blocked: 1 });
    });
}

/// Four threads offer the same numbers: check and update are one step, so each number passes once or is lost.
#[test]
fn b01_copies_between_threads_pass_once() {
    const NUMBERS: u64 = 100_000;
    let guarded = Guarded::new(Window::new(WindowSize::new(4096).unwrap(), false), Tally::default());
    let start = Barrier::new(4);
    let passed: u64 = thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(|| offer(&guarded, &start, NUMBERS)));
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    let guard = guarded.lock(&mut Contention::default());
    assert_eq!(guard.state.passed, passed, "the state changes with the window");
    assert_eq!(
        passed + guard.state.lost,
        NUMBERS,
        "every thread offered every number, so none is left unseen"
    );
    assert_eq!(guard.window.top(), Seq64(NUMBERS));
}

#[derive(Default)]
struct Tally {
    passed: u64,
    lost: u64,
}

#[expect(clippy::arithmetic_side_effects, reason = "counts of at most NUMBERS")]
fn offer(guarded: &Guarded<Tally>, start: &Barrier, numbers: u64) -> u64 {
    let mut contention = Contention::default();
    let mut passed = 0;
    start.wait();
    for seq in 1..=numbers {
        let mut guard = guarded.lock(&mut contention);
        if let Ok(advance) = guard.window.commit(Seq64(seq)) {
            guard.state.passed += 1;
            guard.state.lost += advance.lost;
            passed += 1;
        }
    }
    passed
}
