//! The definition that [`Window`] is tested against, from both sides: what the definition accepts the window must
//! accept, and what it refuses the window must refuse with the same reason.
//!
//! It is written in other arithmetic than the window, on purpose: signed 128-bit numbers that cannot saturate, a set
//! of the numbers seen, and the losses of the SA's whole life counted anew after every step.

use std::collections::BTreeSet;

use esp_wire::{Seq64, SeqLow};

use crate::{Advance, Replay, Window, WindowSize};

mod decode;

/// What an SA starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Nothing was seen ([`Window::new`]).
    Fresh,
    /// The top is in place, nothing else ([`Window::with_top`]).
    Top(u64),
    /// All up to the top was seen ([`Window::all_seen_up_to`]).
    AllSeen(u64),
}

/// Offers `steps` to a fresh window of `size` bits and to the definition, and compares what both say.
///
/// # Panics
///
/// Where they differ, or where `size` is out of range.
pub fn agrees_with_the_definition(size: u32, esn: bool, steps: &[u64]) {
    agrees_from(Start::Fresh, size, esn, steps);
}

/// As [`agrees_with_the_definition`], with a start. Without `esn` a step is cut to its low 32 bits.
///
/// # Panics
///
/// Where window and definition differ, or where `size` is out of range.
pub fn agrees_from(start: Start, size: u32, esn: bool, steps: &[u64]) {
    let bits = WindowSize::new(size);
    assert!(bits.is_ok(), "{bits:?}");
    let Ok(bits) = bits else { return };
    let mut window = match start {
        Start::Fresh => Window::new(bits, esn),
        Start::Top(top) => Window::with_top(bits, esn, Seq64(top)),
        Start::AllSeen(top) => Window::all_seen_up_to(bits, esn, Seq64(top)),
    };
    let mut definition = Definition::new(start, size, esn);
    for (step, &seq) in steps.iter().enumerate() {
        let seq = if esn { seq } else { seq & LOW_BITS };
        let at = format!("step {step}: {seq} at top {}, {start:?}, size {size}, esn {esn}", definition.top);
        let low = Seq64(seq).low();
        assert_eq!(window.infer(low), definition.infer(low), "infer, {at}");
        let expect = definition.verdict(seq);
        assert_eq!(window.check(Seq64(seq)), expect, "check, {at}");
        assert_eq!(window.commit(Seq64(seq)), expect.map(|()| definition.accept(seq)), "commit, {at}");
        assert_eq!(i128::from(window.top().0), definition.top, "top, {at}");
    }
}

/// Decodes any bytes to a size, a start and steps that like edges, and runs
/// [`agrees_from`]: the body of a fuzz target and of a property test.
///
/// # Panics
///
/// Where window and definition differ.
pub fn run(data: &[u8]) {
    let case = decode::case(data);
    agrees_from(case.start, case.size, case.esn, &case.steps);
}

/// RFC 4303 section 3.4.3 and appendix A2, by the letter.
struct Definition {
    size: i128,
    esn: bool,
    top: i128,
    /// Every number up to here counts as seen.
    all_seen: i128,
    seen: BTreeSet<i128>,
    /// No number up to here can be lost any more: zero is no number, and what was below the window at the start was
    /// never this window's.
    settled: i128,
    lost: i128,
}

#[expect(clippy::arithmetic_side_effects, reason = "sums of a few 64-bit numbers in 128 bits")]
impl Definition {
    fn new(start: Start, size: u32, esn: bool) -> Self {
        let size = i128::from(size);
        let (top, all_seen) = match start {
            Start::Fresh => (0, 0),
            Start::Top(top) => (i128::from(top), 0),
            Start::AllSeen(top) => (i128::from(top), i128::from(top)),
        };
        let settled = all_seen.max(top - size).max(0);
        Self { size, esn, top, all_seen, seen: BTreeSet::new(), settled, lost: 0 }
    }

    fn verdict(&self, seq: u64) -> Result<(), Replay> {
        let seq = i128::from(seq);
        match seq {
            0 => Err(Replay::Zero),
            _ if seq < self.top - self.size + 1 => Err(Replay::TooOld),
            _ if seq <= self.all_seen || self.seen.contains(&seq) => Err(Replay::Duplicate),
            _ => Ok(()),
        }
    }

    fn accept(&mut self, seq: u64) -> Advance {
        let seq = i128::from(seq);
        self.seen.insert(seq);
        self.top = self.top.max(seq);
        let gone = self.top - self.size;
        let mut lost = 0;
        if gone > self.settled {
            let seen = self.seen.range(self.settled + 1..=gone).count();
            lost = gone - self.settled - i128::try_from(seen).unwrap_or(i128::MAX);
        }
        let step = u64::try_from(lost - self.lost).unwrap_or(u64::MAX);
        self.lost = lost;
        Advance { lost: step }
    }

    /// Of the 2^32 consecutive numbers that begin at the bottom of the window, exactly one has these low bits.
    fn infer(&self, low: SeqLow) -> Result<Seq64, Replay> {
        let low = i128::from(low.0);
        if !self.esn {
            return Ok(Seq64(u64::try_from(low).unwrap_or(u64::MAX)));
        }
        let bottom = self.top - self.size + 1;
        let whole = bottom + (low - bottom).rem_euclid(1 << 32);
        u64::try_from(whole).map(Seq64).map_err(|_| Replay::TooOld)
    }
}

const LOW_BITS: u64 = u32::MAX as u64;

#[cfg(test)]
mod tests;
