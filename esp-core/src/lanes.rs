//! A burst on its way through a walk: up to 32 packets, a slot of plain data each, and who is still in it.

use arrayvec::ArrayVec;

use crate::narrow::u32_of;
use crate::packet::Packet;
use crate::verdict::{DropReason, Verdict};

/// Most packets that a walk takes at once (OVS `NETDEV_MAX_BURST`); longer bursts are cut into these.
pub const BURST: usize = 32;

/// The packets still on their way: bit `i` is packet `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Live(u32);

impl Live {
    /// The first `n` packets, `n` at most [`BURST`].
    #[inline]
    pub(crate) const fn first(n: usize) -> Self {
        if n >= BURST { Self(u32::MAX) } else { Self((1 << n) - 1) }
    }

    /// The packets of a burst of `n` that have left.
    #[inline]
    pub(crate) const fn others(self, n: usize) -> Self {
        Self(Self::first(n).0 & !self.0)
    }

    #[inline]
    pub(crate) const fn has(self, i: usize) -> bool {
        i < BURST && self.0 >> i & 1 != 0
    }

    #[inline]
    pub(crate) const fn remove(&mut self, i: usize) {
        if i < BURST {
            self.0 &= !(1 << i);
        }
    }

    #[inline]
    pub(crate) const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// How many of `members` there are.
    #[inline]
    pub(crate) fn among(self, members: &[u8]) -> u32 {
        let all = members.iter().fold(0_u32, |all, i| all | 1_u32.wrapping_shl(u32::from(*i)));
        (self.0 & all).count_ones()
    }

    /// The packets' indices, lowest first.
    #[inline]
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let i = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(i)
        })
    }
}

/// What a stage says of one packet: it goes on, or it leaves the walk with this verdict.
pub(crate) type Step = Result<(), Verdict>;

/// The packet goes on if `done`: for what cannot fail unless an earlier stage is wrong, so that nothing half-made goes
/// out.
#[inline]
pub(crate) fn sure(done: bool) -> Step {
    if done { Ok(()) } else { Err(DropReason::Internal.into()) }
}

/// Up to [`BURST`] packets with their verdicts, and a slot each of what the stages pass on.
pub(crate) struct Lanes<'c, 'p, S> {
    pub(crate) packets: &'c mut [Packet<'p>],
    pub(crate) verdicts: &'c mut [Verdict],
    pub(crate) slots: &'c mut [S; BURST],
    live: Live,
}

impl<'c, 'p, S> Lanes<'c, 'p, S> {
    /// `packets` and `verdicts` are equally many and at most [`BURST`].
    #[inline]
    pub(crate) fn new(
        packets: &'c mut [Packet<'p>],
        verdicts: &'c mut [Verdict],
        slots: &'c mut [S; BURST],
    ) -> Self {
        debug_assert!(packets.len() == verdicts.len() && packets.len() <= BURST);
        let live = Live::first(packets.len().min(verdicts.len()));
        Self { packets, verdicts, slots, live }
    }

    #[inline]
    pub(crate) const fn live(&self) -> Live {
        self.live
    }

    /// Takes every live packet one step.
    #[inline]
    pub(crate) fn each(&mut self, mut step: impl FnMut(&mut Packet<'p>, &mut S) -> Step) {
        self.each_numbered(|_, packet, slot| step(packet, slot));
    }

    /// Takes every live packet one step; the step is told the packet's index.
    #[inline]
    pub(crate) fn each_numbered(&mut self, mut step: impl FnMut(usize, &mut Packet<'p>, &mut S) -> Step) {
        let (mut rest, mut ended) = (self.live.0, 0);
        let lanes = self.packets.iter_mut().zip(self.slots.iter_mut()).zip(self.verdicts.iter_mut());
        for (i, ((packet, slot), verdict)) in lanes.enumerate() {
            if rest & 1 != 0
                && let Err(end) = step(i, packet, slot)
            {
                *verdict = end;
                ended |= 1_u32.wrapping_shl(u32_of(i));
            }
            rest >>= 1;
        }
        self.live.0 &= !ended;
    }

    /// Takes the live packets among `members` one step.
    #[inline]
    pub(crate) fn each_of(&mut self, members: &[u8], mut step: impl FnMut(&mut Packet<'p>, &mut S) -> Step) {
        if members.len() == self.packets.len() {
            return self.each(step);
        }
        for i in members {
            self.one(usize::from(*i), &mut step);
        }
    }

    /// What `make` makes of each live packet, in order.
    #[inline]
    pub(crate) fn collect<'a, J>(
        &'a mut self,
        mut make: impl FnMut(&'a mut Packet<'p>, &'a S) -> Option<J>,
    ) -> ArrayVec<J, BURST> {
        let mut made = ArrayVec::new();
        let mut rest = self.live.0;
        for (packet, slot) in self.packets.iter_mut().zip(self.slots.iter()) {
            if rest & 1 != 0
                && let Some(one) = make(packet, slot)
            {
                let _ = made.try_push(one);
            }
            rest >>= 1;
        }
        made
    }

    /// Takes one packet one step, if it is live.
    #[inline]
    fn one(&mut self, i: usize, step: impl FnOnce(&mut Packet<'p>, &mut S) -> Step) {
        if self.live.has(i)
            && let (Some(packet), Some(slot)) = (self.packets.get_mut(i), self.slots.get_mut(i))
            && let Err(end) = step(packet, slot)
        {
            self.end(i, end);
        }
    }

    /// Packet `i` leaves the walk.
    #[inline]
    pub(crate) fn end(&mut self, i: usize, verdict: Verdict) {
        if let Some(place) = self.verdicts.get_mut(i) {
            *place = verdict;
        }
        self.live.remove(i);
    }
}
