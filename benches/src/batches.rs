//! Timing what uses up its input.

use std::time::{Duration, Instant};

/// The time of `iters` calls of `work`, without the time of `refill`, which makes input for at most [`CALLS`] of them:
/// `work` is told which of the inputs it is to use up.
pub fn in_batches(iters: u64, mut refill: impl FnMut(), mut work: impl FnMut(usize)) -> Duration {
    let mut time = Duration::ZERO;
    let mut left = iters;
    while left > 0 {
        let calls = left.min(CALLS as u64);
        refill();
        let start = Instant::now();
        (0..CALLS).take(usize::try_from(calls).unwrap_or(CALLS)).for_each(&mut work);
        time += start.elapsed();
        left -= calls;
    }
    time
}

/// Calls between two refills, so that the clock is read rarely.
pub const CALLS: usize = 16;
