//! ESN on or off, and another high half.

use esp_replay::Window;
use esp_wire::Seq64;

use super::attempt::Attempt;
use super::{Case, Mistake};
use crate::explain::names::grouped;

/// ESN where there is none, and none where there is.
pub(super) fn on_or_off(_: &Case<'_>, from: &Attempt) -> Vec<Attempt> {
    let seq_hi = if from.seq_hi.is_some() { None } else { Some(0) };
    vec![Attempt { seq_hi, ..from.clone() }]
}

/// The high halves beside the one inferred, and the lowest.
pub(super) fn near(case: &Case<'_>, from: &Attempt) -> Vec<Attempt> {
    let beside = from.seq_hi.into_iter().flat_map(|high| [high.wrapping_sub(1), high.wrapping_add(1)]);
    halves(case, from, beside.chain(0..NEAR))
}

/// All others that are tried.
pub(super) fn far(case: &Case<'_>, from: &Attempt) -> Vec<Attempt> {
    halves(case, from, NEAR..FAR)
}

fn halves(case: &Case<'_>, from: &Attempt, halves: impl Iterator<Item = u32>) -> Vec<Attempt> {
    // Without a number that could be inferred, the half that the attempt has is as untried as any. Without ESN, the half
    // 0 is what `on_or_off` tries.
    let tried = if case.seq.is_some() { from.seq_hi.or(Some(0)) } else { None };
    let new = halves.filter(|high| Some(*high) != tried);
    new.map(|high| Attempt { seq_hi: Some(high), ..from.clone() }).collect()
}

pub(super) fn say(case: &Case<'_>, fits: &Attempt) -> Mistake {
    let place = case.place(fits.sa);
    let esn = case.config(fits.sa).is_some_and(|config| config.esn);
    match (esn, fits.seq_hi) {
        (_, None) => Mistake::new(
            "esn_off",
            format!("the sender has 32-bit sequence numbers, and {place} has esn = true"),
            format!("set esn = false in {place}, or turn extended sequence numbers on at the peer"),
        ),
        (false, Some(high)) => {
            let more = if high > 0 { format!(" and explain with --seq-hi {high}") } else { String::new() };
            Mistake::new(
                "esn_on",
                format!(
                    "the sender has extended sequence numbers (ESN, high half {high}), and {place} has esn = false"
                ),
                format!("set esn = true in {place}{more}, or turn it off at the peer"),
            )
        }
        (true, Some(high)) => say_high(case, fits, &place, high),
    }
}

fn say_high(case: &Case<'_>, fits: &Attempt, place: &str, high: u32) -> Mistake {
    let Seq64(seq) = Seq64::from_parts(high, case.low);
    let window = case.known(fits.sa).map(|known| &known.window);
    let top = window.map_or(0, |window| window.top().0);
    let size = window.and_then(Window::size).map_or(0, |size| u64::from(size.bits()));
    let inferred = case.seq.map_or_else(|| "none".to_owned(), |seq| seq.high().to_string());
    if let Some(behind) = top.checked_sub(seq).filter(|behind| *behind >= size) {
        return Mistake::new(
            "left_of_window",
            format!(
                "the packet is old: number {seq} is {} behind the top {top}, left of the window of {size}; with ESN such a low \
                 half is taken for the next high half, {inferred} (RFC 4303 appendix A2.2), so the ICV does not fit",
                grouped(behind)
            ),
            format!(
                "if it is a copy, someone replays: nothing to change; if the network reorders that far, set replay_window to \
                 more than {behind} in {place}"
            ),
        );
    }
    Mistake::new(
        "esn_high_half",
        format!(
            "the sender is at high half {high} of its sequence numbers, and the receiver infers {inferred} (number {seq}; top \
             of the window {top})"
        ),
        format!(
            "if the capture begins in the middle, explain (and open) it with --seq-hi {high}; a receiver that was restarted or \
             installed the SA anew must rekey"
        ),
    )
}

pub(super) fn say_unplaced(case: &Case<'_>, fits: &Attempt) -> Mistake {
    let place = case.place(fits.sa);
    let top = case.known(fits.sa).map_or(0, |known| known.window.top().0);
    let Seq64(seq) = Seq64::from_parts(fits.seq_hi.unwrap_or(0), case.low);
    Mistake::new(
        "number_too_far",
        format!(
            "the packet is right, but its number {seq} is {} above the top {top}: with ESN a number that far away is taken for \
             one before the first (RFC 4303 appendix A2.2)",
            grouped(seq.saturating_sub(top))
        ),
        format!("look at the sender, whose numbers must go up one by one; {place} must be rekeyed"),
    )
}

/// High halves tried together with other mistakes, and alone.
const NEAR: u32 = 16;
const FAR: u32 = 4096;
