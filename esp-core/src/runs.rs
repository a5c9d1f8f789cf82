//! A burst ordered by SA, so that a lock or an atomic is paid once an SA.

use arrayvec::ArrayVec;
use esp_sad::SlotId;

use crate::lanes::{BURST, Live};
use crate::narrow::{u8_of, u32_of};

/// The packets of one SA in a burst.
#[derive(Debug)]
pub(crate) struct Run<'g, T> {
    /// The SA's slot.
    pub(crate) slot: SlotId,
    /// The SA, for as long as the burst's guard is held.
    pub(crate) sa: &'g T,
    start: u8,
    len: u8,
}

/// A stable permutation of a burst: runs in the order of their first packet, packets in the caller's order.
///
/// Plain values on the stack of one call: an SA reference never outlives the burst.
#[derive(Debug)]
pub(crate) struct Runs<'g, T> {
    order: ArrayVec<u8, BURST>,
    runs: ArrayVec<Run<'g, T>, BURST>,
}

impl<'g, T> Runs<'g, T> {
    /// No run.
    pub(crate) const fn none() -> Self {
        Self { order: ArrayVec::new_const(), runs: ArrayVec::new_const() }
    }

    /// All of `live` in one run.
    #[inline]
    pub(crate) fn single(slot: SlotId, sa: &'g T, live: Live) -> Self {
        let mut all = Self::none();
        all.fill_single(slot, sa, live);
        all
    }

    /// Orders `live` by the SA that `found` names for each packet; packets with none are left out.
    #[inline]
    pub(crate) fn group(live: Live, found: impl Fn(usize) -> Option<(SlotId, &'g T)>) -> Self {
        let mut all = Self::none();
        let mut iter = live.iter();
        let Some((slot, sa)) = iter.next().and_then(&found) else {
            all.fill(live, found);
            return all;
        };
        if iter.all(|i| found(i).is_some_and(|(other, _)| other == slot)) {
            all.fill_single(slot, sa, live);
        } else {
            all.fill(live, found);
        }
        all
    }

    /// Each run with the indices of its packets.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Run<'g, T>, &[u8])> {
        self.runs.iter().map(|run| {
            let members = self.order.get(usize::from(run.start)..).unwrap_or_default();
            (run, members.get(..usize::from(run.len)).unwrap_or_default())
        })
    }

    /// The SA of a run.
    #[inline]
    pub(crate) fn sa(&self, run: u8) -> Option<&'g T> {
        self.runs.get(usize::from(run)).map(|run| run.sa)
    }

    /// Those of `live` that are in no run.
    #[inline]
    pub(crate) fn left_out(&self, live: Live) -> Live {
        let mut rest = live;
        if self.order.len() < live.count() as usize {
            for i in &self.order {
                rest.remove(usize::from(*i));
            }
            return rest;
        }
        Live::first(0)
    }

    fn fill_single(&mut self, slot: SlotId, sa: &'g T, live: Live) {
        for i in live.iter() {
            self.push_member(i);
        }
        let len = u8_of(self.order.len());
        let _ = self.runs.try_push(Run { slot, sa, start: 0, len });
    }

    /// Chains each packet behind the last of its SA, through a table that is hashed by slot; then lays the chains
    /// end to end.
    #[inline(never)]
    fn fill(&mut self, live: Live, found: impl Fn(usize) -> Option<(SlotId, &'g T)>) {
        let mut chains = Chains::new();
        for i in live.iter() {
            let Some((slot, sa)) = found(i) else { continue };
            let known = |run: u8| self.runs.get(usize::from(run)).is_some_and(|have| have.slot == slot);
            if chains.add(u8_of(i), slot.index(), known) {
                let _ = self.runs.try_push(Run { slot, sa, start: 0, len: 0 });
            }
        }
        for (run, head) in self.runs.iter_mut().zip(chains.heads) {
            run.start = u8_of(self.order.len());
            let mut at = head;
            while at != NONE {
                let _ = self.order.try_push(at);
                at = chains.next.get(usize::from(at)).copied().unwrap_or(NONE);
            }
            run.len = u8_of(self.order.len()) - run.start;
        }
    }

    fn push_member(&mut self, i: usize) {
        let _ = self.order.try_push(u8_of(i));
    }
}

/// No packet, no run.
const NONE: u8 = u8::MAX;
/// Twice [`BURST`], so that the table is at most half full.
const TABLE: usize = 64;

/// For each run its first and last packet, for each packet the next one of its run.
struct Chains {
    table: [u8; TABLE],
    heads: [u8; BURST],
    tails: [u8; BURST],
    next: [u8; BURST],
    runs: u8,
}

impl Chains {
    const fn new() -> Self {
        Self {
            table: [NONE; TABLE],
            heads: [NONE; BURST],
            tails: [NONE; BURST],
            next: [NONE; BURST],
            runs: 0,
        }
    }

    /// Adds packet `i` of the SA at `slot`; `known(run)` says whether that run is the SA's. True for a new run.
    #[inline]
    fn add(&mut self, i: u8, slot: u32, known: impl Fn(u8) -> bool) -> bool {
        let hash = slot.wrapping_mul(0x9e37_79b9) >> 26;
        for probe in 0..u32_of(TABLE) {
            let Some(entry) = self.table.get_mut((hash.wrapping_add(probe) as usize) % TABLE) else { break };
            if *entry == NONE {
                *entry = self.runs;
                self.append(usize::from(self.runs), i);
                self.runs += 1;
                return true;
            }
            if known(*entry) {
                let run = usize::from(*entry);
                self.append(run, i);
                return false;
            }
        }
        false
    }

    #[inline]
    fn append(&mut self, run: usize, i: u8) {
        let (Some(head), Some(tail)) = (self.heads.get_mut(run), self.tails.get_mut(run)) else { return };
        if *head == NONE {
            *head = i;
        } else if let Some(next) = self.next.get_mut(usize::from(*tail)) {
            *next = i;
        }
        *tail = i;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(index: u32) -> SlotId {
        SlotId::from_u64(1 << 32 | u64::from(index))
    }

    /// The definition: for each SA in the order of its first packet, its packets in order.
    fn expected(sas: &[Option<u32>]) -> Vec<(u32, Vec<u8>)> {
        let mut runs: Vec<(u32, Vec<u8>)> = Vec::new();
        for (i, sa) in sas.iter().enumerate() {
            let Some(sa) = sa else { continue };
            match runs.iter_mut().find(|(have, _)| have == sa) {
                Some((_, members)) => members.push(u8_of(i)),
                None => runs.push((*sa, vec![u8_of(i)])),
            }
        }
        runs
    }

    fn grouped(sas: &[Option<u32>]) -> Vec<(u32, Vec<u8>)> {
        let runs = Runs::group(Live::first(sas.len()), |i| sas[i].map(|index| (slot(index), &())));
        runs.iter().map(|(run, members)| (run.slot.index(), members.to_vec())).collect()
    }

    #[test]
    fn order_within_an_sa_is_the_callers() {
        let cases: [&[Option<u32>]; 6] = [
            &[],
            &[None, None],
            &[Some(3), Some(3), Some(3)],
            &[Some(1), Some(2), Some(1), Some(2)],
            &[None, Some(7), None, Some(8), Some(7)],
            &[Some(5), None],
        ];
        for sas in cases {
            assert_eq!(grouped(sas), expected(sas), "{sas:?}");
        }
    }

    #[test]
    fn colliding_slots_stay_apart() {
        let mut state = 1_u32;
        for round in 0..2000 {
            let sas: Vec<Option<u32>> = (0..round % 33)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 28 != 0).then_some((state >> 16) % (1 + round % 70))
                })
                .collect();
            assert_eq!(grouped(&sas), expected(&sas), "{sas:?}");
        }
        let all_apart: Vec<Option<u32>> = (0..32).map(|i| Some(i * 64)).collect();
        assert_eq!(grouped(&all_apart), expected(&all_apart));
    }

    #[test]
    fn live_counts_its_packets() {
        for n in [0, 1, 31, 32, 33] {
            assert_eq!(Live::first(n).iter().count(), n.min(BURST));
            assert_eq!(Live::first(n).count() as usize, n.min(BURST));
        }
        let mut live = Live::first(3);
        live.remove(1);
        assert_eq!(live.iter().collect::<Vec<_>>(), [0, 2]);
        assert!(!live.has(1) && !live.has(32));
    }
}
