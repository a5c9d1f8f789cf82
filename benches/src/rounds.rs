//! Interleaved rounds: each visits every row once.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde::Serialize;

use crate::bench::Bench;
use crate::summary::Summary;

/// How long and how often rows are measured.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Timing {
    /// Rounds; each visits every row once.
    pub rounds: usize,
    /// Milliseconds of a visit.
    pub millis: u64,
}

/// One summary a row.
///
/// # Errors
///
/// No rounds, or a packet that was dropped.
pub fn run(benches: &mut [Bench], timing: Timing) -> Result<Vec<Summary>> {
    ensure!(timing.rounds > 0, "rounds: must be 1 or more");
    let time = Duration::from_millis(timing.millis);
    let mut rounds = vec![Vec::new(); benches.len()];
    for _ in 0..timing.rounds {
        for (bench, rounds) in benches.iter_mut().zip(&mut rounds) {
            rounds.push(bench.visit(time)?);
        }
    }
    Ok(rounds.into_iter().map(|rounds| Summary::of(&rounds)).collect())
}
