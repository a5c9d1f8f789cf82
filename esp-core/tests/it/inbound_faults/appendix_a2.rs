//! RFC 4303 appendix A2.2: the high half of a number, by where its low half lies.
//!
//! ```text
//!   case A: the window lies in one subspace        case B: the window spans two
//!     Th - 1         Th         Th + 1               Th - 1       Th       Th + 1
//!   --a--|=b=|--c--d--|=e=|--f--g--|=h=|--i--      a--|--b--|=c==d=|--e--|f g|--h--|i
//!                     Bl  Tl                                Bl     Tl
//! ```

use std::ops::RangeInclusive;

use esp_core::DropReason::{AuthFailed, ReplayDuplicate};

use super::{Pair, reasons};

/// A letter of the picture, numbers at its two ends, and whether they are the sender's.
type Place = (&'static str, u64, RangeInclusive<u32>, bool);

const W: u32 = 64;

#[test]
fn b03_case_a_the_window_lies_in_one_subspace() {
    let (high, low) = (1, 104);
    let bottom = low - W + 1;
    let places: [Place; 9] = [
        ("a", high - 1, 1..=bottom - 1, false),
        ("b", high - 1, bottom..=low, false),
        ("c", high - 1, low + 1..=u32::MAX, false),
        ("d", high, 0..=bottom - 1, false),
        ("e", high, bottom..=low, true),
        ("f", high, low + 1..=u32::MAX, true),
        ("g", high + 1, 0..=bottom - 1, true),
        ("h", high + 1, bottom..=low, false),
        ("i", high + 1, low + 1..=u32::MAX, false),
    ];
    try_all(high << 32 | u64::from(low), &places);
}

#[test]
fn b03_case_b_the_window_spans_two_subspaces() {
    let (high, low) = (2, 30_u32);
    let bottom = low.wrapping_sub(W - 1);
    let places: [Place; 9] = [
        ("a", high - 1, 0..=low, false),
        ("b", high - 1, low + 1..=bottom - 1, false),
        ("c", high - 1, bottom..=u32::MAX, true),
        ("d", high, 0..=low, true),
        ("e", high, low + 1..=bottom - 1, true),
        ("f", high, bottom..=u32::MAX, false),
        ("g", high + 1, 0..=low, false),
        ("h", high + 1, low + 1..=bottom - 1, false),
        ("i", high + 1, bottom..=u32::MAX, false),
    ];
    try_all(high << 32 | u64::from(low), &places);
}

#[test]
fn b03_window_that_starts_a_subspace() {
    // Tl = W - 1 is the last of case B's neighbours in case A: the bottom's low half is zero.
    let top = 1 << 32 | u64::from(W - 1);
    let places: [Place; 3] = [
        ("previous subspace", 0, u32::MAX - 1..=u32::MAX, false),
        ("window", 1, 0..=W - 1, true),
        ("above", 1, W..=u32::MAX, true),
    ];
    try_all(top, &places);
}

/// Each place in a window of its own, both ends and the middle.
fn try_all(top: u64, places: &[Place]) {
    for (letter, high, lows, genuine) in places {
        let (first, last) = (*lows.start(), *lows.end());
        for low in [first, first + (last - first) / 2, last] {
            let seq = high << 32 | u64::from(low);
            let mut pair = Pair::at(W, true, Some(top));
            let told = reasons(&pair.burst(&[seq]));
            assert_eq!(told, [(!genuine).then_some(AuthFailed)], "{letter}: {seq:#x} at top {top:#x}");
            assert_eq!(pair.top(), if *genuine { top.max(seq) } else { top }, "{letter}: {seq:#x}");
            let again = if *genuine { ReplayDuplicate } else { AuthFailed };
            assert_eq!(reasons(&pair.burst(&[seq])), [Some(again)], "{letter}: {seq:#x} twice");
        }
    }
}
