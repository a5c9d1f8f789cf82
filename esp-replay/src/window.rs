//! The window itself: inference, check, commit.
//!
//! ```text
//!   too old   |<----------------- size ------------------>|   new
//!  -----------+-------------------------------------------+--------> sequence number
//!             bottom = top - size + 1                     top
//! ```

use esp_wire::{Seq64, SeqLow};
use thiserror::Error;

use crate::WindowSize;
use crate::ring::Ring;

/// The receive window of one SA, a plain value. See the crate's documentation for what it promises.
///
/// Cloning copies the map, up to 512 KiB: for tests, not for a lock's critical section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    top: u64,
    ring: Ring,
    mode: Mode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Off,
    Plain(WindowSize),
    Extended(WindowSize),
}

/// Why a sequence number is refused. Each is an auditable event (RFC 4303 section 3.4.3).
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Replay {
    /// The 64-bit number is zero, which no sender uses (RFC 4303 section 3.3.3).
    #[error("sequence number zero")]
    Zero,
    /// Below the window; or, with ESN, no 64-bit number with these low bits can lie in or above it.
    #[error("below the replay window")]
    TooOld,
    /// In the window and committed before.
    #[error("duplicate")]
    Duplicate,
}

/// What a commit did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Advance {
    /// How many sequence numbers left the window unseen in this step. Numbers that a jump skipped count as soon as
    /// they are below the window. Zero when the window did not move.
    pub lost: u64,
}

impl Window {
    /// A window for a new SA: nothing seen, the first legal number is 1. With `esn`, numbers have 64 bits of which a
    /// packet carries 32.
    #[must_use]
    pub fn new(size: WindowSize, esn: bool) -> Self {
        Self::with_top(size, esn, Seq64(0))
    }

    /// No anti-replay service: every number passes, zero and duplicates too. The high half is then always zero.
    ///
    /// There is no window that is off and extended, because the high half is inferred from the window: a receiver
    /// without anti-replay should not negotiate ESN (RFC 4303 section 3.3.3).
    #[must_use]
    pub fn off() -> Self {
        Self { top: 0, ring: Ring::none(), mode: Mode::Off }
    }

    /// A window whose highest authenticated number is `top` and whose map is empty, so that every number in it, `top`
    /// included, can still be accepted once. For tests; after a restart use
    /// [`all_seen_up_to`](Self::all_seen_up_to).
    #[must_use]
    pub fn with_top(size: WindowSize, esn: bool, top: Seq64) -> Self {
        let mode = if esn { Mode::Extended(size) } else { Mode::Plain(size) };
        Self { top: top.0, ring: Ring::new(size), mode }
    }

    /// A window in which every number up to and with `top` counts as seen: what a receiver that lost its map restarts
    /// with, when `top` is at least the highest number it ever accepted.
    #[must_use]
    pub fn all_seen_up_to(size: WindowSize, esn: bool, top: Seq64) -> Self {
        let mut window = Self::with_top(size, esn, top);
        window.ring.set_up_to(top.0);
        window
    }

    /// The whole number of a packet that carries `low`: the one candidate that lies in the window or less than
    /// 2^32 - size above it. Without ESN the high half is zero.
    ///
    /// # Errors
    ///
    /// [`Replay::TooOld`] where the candidate would be below 0 (a young SA) or beyond 2^64 - 1 (an exhausted one).
    //= https://www.rfc-editor.org/rfc/rfc4303#section-3.4.3
    //# If the ESN option is
    //# selected for an SA, only the low-order 32 bits of the sequence number
    //# are explicitly transmitted, but the receiver employs the full
    //# sequence number computed using the high-order 32 bits for the
    //# indicated SA (from his local counter) when checking the received
    //# Sequence Number against the receive window.
    #[inline]
    pub fn infer(&self, low: SeqLow) -> Result<Seq64, Replay> {
        let Mode::Extended(size) = self.mode else { return Ok(Seq64::from_parts(0, low)) };
        let (top_high, SeqLow(top_low)) = (Seq64(self.top).high(), Seq64(self.top).low());
        let below_top = size.bits().wrapping_sub(1);
        let bottom_low = top_low.wrapping_sub(below_top);
        let at_or_above_bottom = low.0 >= bottom_low;
        // RFC 4303 appendix A2.2. Case A: the window lies in one subspace. Case B: it spans two.
        let high = match (top_low >= below_top, at_or_above_bottom) {
            (true, true) | (false, false) => Some(top_high),
            (true, false) => top_high.checked_add(1),
            (false, true) => top_high.checked_sub(1),
        };
        high.map(|high| Seq64::from_parts(high, low)).ok_or(Replay::TooOld)
    }

    /// Whether `seq` would be committed now. Changes nothing, so it may come before the ICV is known.
    ///
    /// # Errors
    ///
    /// Why not.
    #[inline]
    pub fn check(&self, seq: Seq64) -> Result<(), Replay> {
        self.place(seq).map(|_| ())
    }

    /// Judges `seq` again and marks it as seen, moving the window up to it if it is the highest yet. Only for a
    /// number whose packet has been authenticated.
    ///
    /// # Errors
    ///
    /// Why not; the window is then unchanged.
    //= https://www.rfc-editor.org/rfc/rfc4303#section-3.4.3
    //# The receive window is updated
    //# only if the integrity verification succeeds.
    #[inline]
    pub fn commit(&mut self, seq: Seq64) -> Result<Advance, Replay> {
        #[cfg(debug_assertions)]
        let before = self.witness();
        let advance = match self.place(seq)? {
            Place::Unguarded => {
                self.top = self.top.max(seq.0);
                return Ok(Advance::default());
            }
            Place::Inside => Advance::default(),
            Place::Above(size) => self.slide(size, seq.0),
        };
        self.ring.set(seq.0);
        #[cfg(debug_assertions)]
        self.assert_follows(before, seq);
        Ok(advance)
    }

    /// The highest number committed so far; zero if none.
    #[inline]
    #[must_use]
    pub fn top(&self) -> Seq64 {
        Seq64(self.top)
    }

    /// The size; `None` when anti-replay is off.
    #[must_use]
    pub fn size(&self) -> Option<WindowSize> {
        match self.mode {
            Mode::Off => None,
            Mode::Plain(size) | Mode::Extended(size) => Some(size),
        }
    }

    /// Whether numbers have 64 bits.
    #[must_use]
    pub fn esn(&self) -> bool {
        matches!(self.mode, Mode::Extended(_))
    }

    /// The one judge of `check` and `commit`. The range comes first: the bit of a number below the window belongs to
    /// another number.
    //= https://www.rfc-editor.org/rfc/rfc4303#section-3.4.3
    //# Packets that contain
    //# sequence numbers lower than the "left" edge of the window are
    //# rejected.  Packets falling within the window are checked against a
    //# list of received packets within the window.
    #[inline]
    fn place(&self, Seq64(seq): Seq64) -> Result<Place, Replay> {
        let Some(size) = self.size() else { return Ok(Place::Unguarded) };
        if seq == 0 {
            return Err(Replay::Zero);
        }
        match self.top.checked_sub(seq) {
            None => Ok(Place::Above(size)),
            Some(back) if back >= u64::from(size.bits()) => Err(Replay::TooOld),
            Some(_) if self.ring.has(seq) => Err(Replay::Duplicate),
            Some(_) => Ok(Place::Inside),
        }
    }

    /// Moves the top from where it is up to `to`.
    #[inline]
    fn slide(&mut self, size: WindowSize, to: u64) -> Advance {
        let size = u64::from(size.bits());
        if to == self.top.saturating_add(1) {
            return self.step(size, to);
        }
        // Numbers first..=left leave the window; those above the old top are in no word of the ring yet.
        let first = self.top.saturating_sub(size).saturating_add(1);
        let left = to.saturating_sub(size);
        let mut lost = left.saturating_sub(self.top);
        if first <= left.min(self.top) {
            lost = lost.saturating_add(self.ring.count_unset(first, left.min(self.top)));
        }
        self.ring.enter(self.top, to);
        self.top = to;
        Advance { lost }
    }

    /// Moves the top up by one, as in-order traffic does: at most one number leaves, at most one word is entered.
    #[inline]
    fn step(&mut self, size: u64, to: u64) -> Advance {
        let left = to.saturating_sub(size);
        let lost = left > 0 && !self.ring.has(left);
        self.ring.enter_at(to);
        self.top = to;
        Advance { lost: u64::from(lost) }
    }
}

/// Where a number that may pass stands.
enum Place {
    /// Anti-replay is off.
    Unguarded,
    /// In the window, unseen.
    Inside,
    /// Above the top of a window of this size.
    Above(WindowSize),
}

#[cfg(debug_assertions)]
impl Window {
    /// The state before a commit, where copying it is cheap.
    fn witness(&self) -> Option<Self> {
        self.ring.is_inline().then(|| self.clone())
    }

    /// After a commit of `seq`: that number and no other became seen, and the top is the larger of the two.
    fn assert_follows(&self, before: Option<Self>, seq: Seq64) {
        let Some((before, size)) = before.zip(self.size()) else { return };
        assert_eq!(before.check(seq), Ok(()), "committed what the check refuses: {seq}");
        assert_eq!(self.check(seq), Err(Replay::Duplicate), "committed and not seen: {seq}");
        assert_eq!(self.top, before.top.max(seq.0), "top after {seq}");
        for back in 0..u64::from(size.bits()) {
            let Some(other) = self.top.checked_sub(back).map(Seq64).filter(|other| *other != seq) else {
                continue;
            };
            assert_eq!(self.check(other), before.check(other), "{other} changed by {seq}");
        }
    }
}

#[cfg(test)]
mod tests;
