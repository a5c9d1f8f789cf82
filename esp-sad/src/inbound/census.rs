//! How many SAs of each kind of key are in the table, so that readers skip the kinds that nobody uses.

use crossbeam_utils::CachePadded;

use crate::key::Kind;
use crate::sync::{AtomicU64, Ordering};

/// One line: read by every burst, written by installations and removals.
///
/// Relaxed throughout: an SA is counted before its table entry is stored and until after it is cleared, so a reader that the
/// installation happened before reads at least 1, and a reader in a race may as well have come first.
pub(super) struct Census(CachePadded<Counts>);

struct Counts {
    spi: AtomicU64,
    spi_dst: AtomicU64,
    spi_dst_src: AtomicU64,
}

impl Census {
    pub(super) fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self(CachePadded::new(Counts { spi: zero(), spi_dst: zero(), spi_dst_src: zero() }))
    }

    #[inline]
    pub(super) fn any(&self, kind: Kind) -> bool {
        self.count(kind).load(Ordering::Relaxed) != 0
    }

    /// For writers, who hold the mutex: no locked instruction.
    pub(super) fn add(&self, kind: Kind) {
        let count = self.count(kind);
        count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// As [`add`](Self::add).
    pub(super) fn subtract(&self, kind: Kind) {
        let count = self.count(kind);
        count.store(count.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
    }

    #[inline]
    fn count(&self, kind: Kind) -> &AtomicU64 {
        match kind {
            Kind::Spi => &self.0.spi,
            Kind::SpiDst => &self.0.spi_dst,
            Kind::SpiDstSrc => &self.0.spi_dst_src,
        }
    }
}
