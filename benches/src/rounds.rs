//! Interleaved rounds: each visits every row once.

use std::time::Duration;

use anyhow::{Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::lane::Visit;
use crate::summary::Summary;

/// How long and how often rows are measured.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Timing {
    /// Rounds; each visits every row once.
    pub rounds: usize,
    /// Milliseconds of a visit.
    pub millis: u64,
}

impl Timing {
    /// # Errors
    ///
    /// No rounds.
    pub fn check(&self) -> Result<()> {
        ensure!(self.rounds > 0, "rounds: must be 1 or more");
        Ok(())
    }
}

/// What rounds visit.
pub trait Timed {
    /// Works for `time`.
    ///
    /// # Errors
    ///
    /// Work that failed: there is then nothing to time.
    fn visit(&mut self, time: Duration) -> Result<Visit>;
}

/// One summary a row. Shows how far it is on stderr, if that is a terminal.
///
/// # Errors
///
/// No rounds, or a packet that was dropped.
pub fn run<T: Timed>(rows: &mut [T], timing: Timing) -> Result<Vec<Summary>> {
    timing.check()?;
    let time = Duration::from_millis(timing.millis);
    let progress = ProgressBar::new((timing.rounds * rows.len()) as u64);
    progress.set_style(ProgressStyle::with_template("{bar:40} {pos}/{len} visits, {eta} left")?);
    let mut rounds = vec![Vec::new(); rows.len()];
    for _ in 0..timing.rounds {
        for (row, rounds) in rows.iter_mut().zip(&mut rounds) {
            rounds.push(row.visit(time)?);
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    Ok(rounds.into_iter().map(|rounds| Summary::of(&rounds)).collect())
}
