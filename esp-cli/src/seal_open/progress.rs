//! How far a long file is, on a terminal.

use std::fs;
use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that shows itself once a run takes long, or nothing where nobody watches.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    begun: Instant,
    shown: bool,
    /// Where it is next worth a look at the clock, in bytes.
    next: u64,
}

impl Progress {
    /// For the file at `path`; a pipe has no length, and shows bytes alone.
    pub(crate) fn new(path: &Path) -> Self {
        let len = fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|file| file.len());
        let bar = ProgressBar::with_draw_target(len, ProgressDrawTarget::hidden());
        let template = match len {
            Some(_) => "{bar:40} {percent:>3}%  {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
            None => "{spinner} {bytes}, {bytes_per_sec}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, begun: Instant::now(), shown: false, next: 0 }
    }

    /// So many bytes of the file were read.
    pub(crate) fn at(&mut self, offset: u64) {
        if offset < self.next {
            return;
        }
        self.next = offset + STEP;
        if !self.shown && self.begun.elapsed() > PATIENCE && stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
        if self.shown {
            self.bar.set_position(offset);
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Bytes between two looks at the clock.
const STEP: u64 = 1 << 18;
/// A run that is over sooner shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);
