//! Counters that a benchmark adds around the engine, to show what others cost.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crossbeam_utils::CachePadded;
use esp_core::Verdict;

/// Packets and bytes, on one cache line.
#[derive(Debug, Default)]
pub struct Line {
    packets: AtomicU64,
    bytes: AtomicU64,
}

/// What counts packets and bytes besides the engine.
#[derive(Clone, Debug, Default)]
pub enum Counting {
    /// Nothing: the engine counts once a burst, in cells of the worker's own.
    #[default]
    Engine,
    /// Two locked adds a packet on a line that all threads write: the slow form.
    Shared(Arc<CachePadded<Line>>),
    /// Two plain adds a packet on a line of this thread's own.
    Own(Arc<CachePadded<Line>>),
}

impl Counting {
    /// Counts one burst.
    #[inline]
    pub(crate) fn note(&self, verdicts: &[Verdict]) {
        match self {
            Self::Engine => {}
            Self::Shared(line) => each(verdicts, |len| {
                line.packets.fetch_add(1, Relaxed);
                line.bytes.fetch_add(len, Relaxed);
            }),
            Self::Own(line) => each(verdicts, |len| {
                line.packets.store(line.packets.load(Relaxed) + 1, Relaxed);
                line.bytes.store(line.bytes.load(Relaxed) + len, Relaxed);
            }),
        }
    }
}

#[inline]
fn each(verdicts: &[Verdict], mut count: impl FnMut(u64)) {
    for delivered in verdicts.iter().filter_map(Verdict::delivered) {
        count(u64::from(delivered.len));
    }
}
