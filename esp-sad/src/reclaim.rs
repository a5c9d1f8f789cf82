#![doc = include_str!("../RECLAIM.md")]

use core::cell::Cell;
use core::marker::PhantomData;
use std::sync::Arc;

use crossbeam_utils::CachePadded;

use crate::sync::{AtomicBool, AtomicU64, Ordering, fence};

/// The readers of a database and the epoch they share.
///
/// One domain serves any number of slabs and tables. It has a fixed number of reader lines.
pub struct Domain {
    /// Read by every reader at each burst, written once a grace period.
    epoch: CachePadded<AtomicU64>,
    lines: Box<[CachePadded<Line>]>,
}

/// What one reader has announced. Written by its owner only, but for `taken`.
struct Line {
    /// The epoch the reader read before its section began, or [`OFFLINE`].
    seen: AtomicU64,
    taken: AtomicBool,
}

/// A moment after which a grace period counts. Later epochs are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(u64);

impl Domain {
    /// A domain for at most `max_readers` readers at a time. Each costs one cache line.
    #[must_use]
    pub fn new(max_readers: usize) -> Arc<Self> {
        let line = || Line { seen: AtomicU64::new(OFFLINE), taken: AtomicBool::new(false) };
        Arc::new(Self {
            epoch: CachePadded::new(AtomicU64::new(FIRST)),
            lines: (0..max_readers).map(|_| CachePadded::new(line())).collect(),
        })
    }

    /// The most readers there can be at a time.
    #[must_use]
    pub fn max_readers(&self) -> usize {
        self.lines.len()
    }

    /// Takes the free reader line with the lowest index; `None` if all are taken. Lock-free.
    ///
    /// Whatever the previous owner of the line did happened before this returns.
    #[must_use]
    pub fn register(self: &Arc<Self>) -> Option<Reader> {
        let free = |line: &CachePadded<Line>| {
            // Acquire: pairs with the Release of `taken` in `Reader::drop`. The new owner's announcements come after
            // the old owner's, so that a scan that reads a new one also knows the old sections to be over.
            line.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
        };
        let index = self.lines.iter().position(free)?;
        let domain = Arc::clone(self);
        Some(Reader {
            domain,
            index,
            style: Style::Bracket,
            online: false,
            seen: OFFLINE,
            not_sync: PhantomData,
        })
    }

    /// Starts a grace period for everything that the caller unlinked before. Control threads only.
    pub fn retire_epoch(&self) -> Epoch {
        // F_w of the proof; pairs with F_r in `Reader::announce`. Orders the unlinking stores before both the step
        // of the epoch and the loads of the scan.
        fence(Ordering::SeqCst);
        // Relaxed: after the fence it is a release all the same. Pairs with the Acquire load in `Reader::quiesce`: a
        // reader that reads this step sees the unlinking.
        Epoch(self.epoch.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Whether every section that could see what was unlinked before `epoch` is over. Control threads only; reads
    /// one line per reader.
    #[must_use]
    pub fn passed(&self, epoch: Epoch) -> bool {
        self.stalled(epoch).is_none()
    }

    /// The index of a reader whose section began before `epoch` and is not over; `None` if the epoch has passed.
    #[must_use]
    pub fn stalled(&self, epoch: Epoch) -> Option<usize> {
        // Acquire: pairs with the Release stores of `seen`. Whoever frees after this scan does so after the last use
        // in each section that ended.
        self.lines.iter().position(|line| line.seen.load(Ordering::Acquire) < epoch.0)
    }
}

/// How a reader says that a burst is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Each [`Guard`] announces itself and takes its announcement back. Costs a full fence a burst. The default.
    Bracket,
    /// The reader is inside all the time and calls [`Reader::quiesce`] between bursts. A guard then costs nothing,
    /// and a reader that stops calling `quiesce` holds up every grace period until it goes offline.
    CallerDriven,
}

/// One thread's right to look. Owns a cache line of its [`Domain`].
///
/// It can be moved to another thread but not shared; dropping it frees its line.
pub struct Reader {
    domain: Arc<Domain>,
    index: usize,
    style: Style,
    /// Caller-driven only: announced between bursts.
    online: bool,
    /// The epoch announced last, while online.
    seen: u64,
    not_sync: PhantomData<Cell<()>>,
}

impl Reader {
    /// The reader's index, below [`Domain::max_readers`]. Unique while the reader lives.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    /// The domain this reader belongs to.
    #[must_use]
    pub const fn domain(&self) -> &Arc<Domain> {
        &self.domain
    }

    /// Begins a burst. References found under the guard live no longer than it. Wait-free.
    ///
    /// Costs a load, a store and a full fence; nothing if the reader is caller-driven and online.
    #[inline]
    pub fn enter(&mut self) -> Guard<'_> {
        let bracket = !self.online;
        if bracket {
            self.announce();
        }
        Guard { reader: self, bracket }
    }

    /// Chooses the style. Caller-driven readers are online at once.
    pub fn set_style(&mut self, style: Style) {
        self.style = style;
        match style {
            Style::Bracket => self.offline(),
            Style::CallerDriven => self.online(),
        }
    }

    /// Says, between bursts, that nothing from before is still looked at. Wait-free: a load, and a store if a grace
    /// period has begun since. No effect unless caller-driven and online.
    #[inline]
    pub fn quiesce(&mut self) {
        if !self.online {
            return;
        }
        let Some(line) = self.line() else { return };
        // Acquire: pairs with the fence and step in `Domain::retire_epoch`. No fence is needed: whoever reads the new
        // epoch also sees what was unlinked before it.
        let now = self.domain.epoch.load(Ordering::Acquire);
        if self.seen != now {
            // Release: pairs with the Acquire scan in `Domain::stalled`.
            line.seen.store(now, Ordering::Release);
            self.seen = now;
        }
    }

    /// Before a sleep: this reader delays nobody until [`online`](Self::online) or the next burst.
    pub fn offline(&mut self) {
        self.online = false;
        self.withdraw();
    }

    /// After a sleep. Only a caller-driven reader is online between bursts; otherwise this has no effect.
    pub fn online(&mut self) {
        if self.style == Style::CallerDriven && !self.online {
            self.seen = self.announce();
            self.online = true;
        }
    }

    /// Announces the current epoch; loads that follow see everything unlinked before any later epoch that the scan
    /// finds passed.
    #[inline]
    fn announce(&self) -> u64 {
        // Relaxed: an old value only makes the announcement more cautious.
        let now = self.domain.epoch.load(Ordering::Relaxed);
        let Some(line) = self.line() else { return now };
        // Release: pairs with the Acquire scan in `Domain::stalled`, which may read this store in place of the
        // withdrawal that ended the section before.
        line.seen.store(now, Ordering::Release);
        // F_r of the proof; pairs with F_w in `Domain::retire_epoch`.
        fence(Ordering::SeqCst);
        now
    }

    #[inline]
    fn withdraw(&self) {
        let Some(line) = self.line() else { return };
        // Release: pairs with the Acquire scan in `Domain::stalled`. Every use in this section comes before.
        line.seen.store(OFFLINE, Ordering::Release);
    }

    #[inline]
    fn line(&self) -> Option<&Line> {
        self.domain.lines.get(self.index).map(|line| &**line)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.withdraw();
        if let Some(line) = self.line() {
            // Release: pairs with the Acquire in `Domain::register`.
            line.taken.store(false, Ordering::Release);
        }
    }
}

/// A burst in progress. What was found under it cannot be freed before it is dropped.
///
/// Stays on its thread. Forgetting a guard frees nothing early: the reader then counts as inside until its next burst.
#[must_use = "a burst ends when its guard is dropped"]
pub struct Guard<'r> {
    reader: &'r Reader,
    bracket: bool,
}

impl Guard<'_> {
    /// Whether this guard protects what `domain`'s control threads free.
    #[inline]
    pub(crate) fn protects(&self, domain: &Arc<Domain>) -> bool {
        Arc::ptr_eq(&self.reader.domain, domain)
    }
}

impl Drop for Guard<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.bracket {
            self.reader.withdraw();
        }
    }
}

/// Not reading. Greater than every epoch, so that one comparison serves.
const OFFLINE: u64 = u64::MAX;
/// The epoch in which a domain is made.
const FIRST: u64 = 1;

const _: () = {
    assert!(size_of::<CachePadded<Line>>() >= 64, "a reader's line is shared with nobody");
    assert!(align_of::<CachePadded<Line>>() >= 64, "a reader's line starts a cache line");
};

#[cfg(test)]
mod tests;
