//! The live line on standard error: what is going on, and how fast.

use std::io::{IsTerminal, stderr};
use std::thread;
use std::time::{Duration, Instant};

use esp_core::Engine;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::millis;
use super::plan::{Phase, Plan};
use crate::output::grouped;

/// The line, or nothing where nobody watches.
#[derive(Debug)]
pub(crate) struct Progress {
    /// Counts milliseconds of traffic.
    bar: ProgressBar,
}

impl Progress {
    /// The line of a run; none if `quiet`, or if standard error is no terminal.
    pub(crate) fn new(plan: &Plan, quiet: bool) -> Self {
        let shown = !quiet && stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(millis(Duration::from_secs_f64(plan.seconds))), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3}%  {msg}") {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// `done` of `all` SAs are installed.
    pub(crate) fn installing(&self, done: usize, all: usize) {
        self.bar.set_message(format!("installing SAs: {} of {}", grouped(done as u64), grouped(all as u64)));
    }

    /// Returns when the phase that began at `begin` has had its time, and shows it go by.
    pub(crate) fn phase(&self, phase: &Phase, engine: &Engine, begin: Instant) {
        let before = self.bar.position();
        let (mut seen, mut seen_at) = (engine.stats().inbound.delivered, begin);
        loop {
            let gone = begin.elapsed();
            self.bar.set_position(before + millis(gone.min(phase.time)));
            let left = phase.time.saturating_sub(gone);
            if left.is_zero() {
                return;
            }
            thread::sleep(left.min(REFRESH));
            let (delivered, now) = (engine.stats().inbound.delivered, Instant::now());
            let rate = (delivered - seen) as f64 / now.duration_since(seen_at).as_secs_f64() / 1e6;
            self.bar.set_message(format!("{}: {rate:.2} Mpps", phase.title()));
            (seen, seen_at) = (delivered, now);
        }
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

const REFRESH: Duration = Duration::from_millis(100);
