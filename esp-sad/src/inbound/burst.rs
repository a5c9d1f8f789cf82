//! Finding the SAs of a whole burst: every line is asked for before the first is needed.

use std::borrow::Borrow;

use esp_wire::Spi;

use super::InboundSad;
use crate::key::{Keyed, Kind, Query};
use crate::reclaim::Guard;
use crate::slab::SlotId;

/// An SA that a packet belongs to.
#[derive(Debug)]
pub struct Found<'g, T> {
    /// The name under which it outlives the burst.
    pub id: SlotId,
    /// The SA, for this burst.
    pub sa: &'g T,
}

impl<T> Clone for Found<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Found<'_, T> {}

impl<T: Keyed> InboundSad<T> {
    /// Answers each query as [`find`](Self::find) would, at the same place in `out`. Wait-free.
    ///
    /// A query is anything that holds one, so that a caller need not copy them out of its own per-packet state.
    ///
    /// Waits once for all slot words and table lines of 32 queries, not once for each, and has asked for the first
    /// two lines of every SA that it finds. Queries past the end of `out` are not answered; places of `out` past the
    /// last query are left alone.
    pub fn find_burst<'g, Q: Borrow<Query>>(
        &'g self,
        guard: &'g Guard<'_>,
        queries: &[Q],
        out: &mut [Option<Found<'g, T>>],
    ) {
        let long = self.census.any(Kind::SpiDst) || self.census.any(Kind::SpiDstSrc);
        let tabled = self.census.any(Kind::Spi);
        for (queries, out) in queries.chunks(AHEAD).zip(out.chunks_mut(AHEAD)) {
            if !long && let Some(spi) = only_spi(queries) {
                // The usual burst is one SA's.
                let found = Spi::new(spi)
                    .ok()
                    .and_then(|spi| self.find_direct(guard, spi).or_else(|| self.find_tabled(guard, spi)));
                let found = self.noted(found);
                out.iter_mut().zip(queries).for_each(|(out, _)| *out = found);
                continue;
            }
            queries
                .iter()
                .map(Borrow::borrow)
                .for_each(|query: &Query| self.slab.prefetch_word(self.pattern.index(query.spi)));
            if long {
                queries.iter().for_each(|query| self.prefetch_long_keys(query.borrow()));
            }
            self.answer_direct(guard, queries, out, tabled);
            if tabled {
                self.answer_tabled(guard, queries, out);
            }
            if long {
                self.answer_long(guard, queries, out);
            }
        }
    }

    /// The SPIs that the database chose. Asks for the home buckets of the others.
    fn answer_direct<'g, Q: Borrow<Query>>(
        &'g self,
        guard: &'g Guard<'_>,
        queries: &[Q],
        out: &mut [Option<Found<'g, T>>],
        tabled: bool,
    ) {
        for (query, out) in queries.iter().map(Borrow::borrow).zip(out) {
            let found = Spi::new(query.spi).ok().and_then(|spi| self.find_direct(guard, spi));
            if found.is_none() && tabled {
                self.table.prefetch(self.hasher.spi(query.spi));
            }
            *out = self.noted(found);
        }
    }

    /// The SPIs that are left.
    fn answer_tabled<'g, Q: Borrow<Query>>(
        &'g self,
        guard: &'g Guard<'_>,
        queries: &[Q],
        out: &mut [Option<Found<'g, T>>],
    ) {
        for (query, out) in queries.iter().map(Borrow::borrow).zip(out).filter(|(_, out)| out.is_none()) {
            let found = Spi::new(query.spi).ok().and_then(|spi| self.find_tabled(guard, spi));
            *out = self.noted(found);
        }
    }

    /// Longer keys, which go before what the SPI alone has found. The first pass asks for the SAs whose keys the
    /// second compares.
    fn answer_long<'g, Q: Borrow<Query>>(
        &'g self,
        guard: &'g Guard<'_>,
        queries: &[Q],
        out: &mut [Option<Found<'g, T>>],
    ) {
        queries.iter().for_each(|query| self.prefetch_long_sas(query.borrow()));
        for (query, out) in queries.iter().map(Borrow::borrow).zip(out) {
            let Ok(spi) = Spi::new(query.spi) else { continue };
            if let Some((id, sa)) = self.find_long(guard, spi, query.dst, query.src) {
                *out = Some(Found { id, sa });
            }
        }
    }

    fn prefetch_long_keys(&self, query: &Query) {
        if self.census.any(Kind::SpiDst) {
            self.table.prefetch(self.hasher.spi_dst(query.spi, query.dst));
        }
        if self.census.any(Kind::SpiDstSrc) {
            self.table.prefetch(self.hasher.spi_dst_src(query.spi, query.dst, query.src));
        }
    }

    /// Asks for the slot words and SAs that entries with this packet's SPI lead to.
    fn prefetch_long_sas(&self, query: &Query) {
        let Ok(spi) = Spi::new(query.spi) else { return };
        let ask = |index| self.ask_for(index);
        if self.census.any(Kind::SpiDst) {
            self.table.find(self.hasher.spi_dst(query.spi, query.dst), spi, Kind::SpiDst, ask);
        }
        if self.census.any(Kind::SpiDstSrc) {
            let hash = self.hasher.spi_dst_src(query.spi, query.dst, query.src);
            self.table.find(hash, spi, Kind::SpiDstSrc, ask);
        }
    }

    /// Asks for the word and the value of a slot that an entry leads to, and goes on to the next entry.
    #[inline]
    fn ask_for(&self, index: u32) -> Option<()> {
        self.slab.prefetch_word(index);
        self.slab.prefetch_value(index);
        None
    }

    /// Asks for the SA that was found.
    #[inline]
    fn noted<'g>(&self, found: Option<(SlotId, &'g T)>) -> Option<Found<'g, T>> {
        let (id, sa) = found?;
        self.slab.prefetch_value(id.index());
        Some(Found { id, sa })
    }
}

/// The SPI of all queries, if there is only one.
#[inline]
fn only_spi<Q: Borrow<Query>>(queries: &[Q]) -> Option<u32> {
    let spi = queries.first()?.borrow().spi;
    queries.iter().all(|query| query.borrow().spi == spi).then_some(spi)
}

/// The number of queries whose lines are asked for at once: a usual burst, and about as many as a core can wait for.
const AHEAD: usize = 32;
