//! The replay window, as it was before the packet (RFC 4303 section 3.4.3).

use esp_core::DropReason;
use esp_replay::Replay as Refused;
use esp_wire::{Seq64, SeqLow};
use serde::Serialize;

use super::{Mark, Said};
use crate::explain::names;
use crate::explain::sas::Known;
use crate::explain::story::Fate;

/// Where a number stands against the window.
#[derive(Debug, Serialize)]
pub(crate) struct Replay {
    /// All 64 bits, as inferred; `None` where no number with these low bits can be right.
    pub(crate) seq: Option<u64>,
    esn: bool,
    /// Highest number that was authentic before; 0 if none was.
    pub(crate) top: u64,
    /// Numbers that the window covers; `None`: off.
    pub(crate) size: Option<u32>,
    position: Position,
    /// How far above the top, or behind it.
    pub(crate) distance: u64,
    /// The packet that had this number first, if it is remembered.
    pub(crate) first_in: Option<u64>,
    #[serde(skip)]
    low: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Position {
    /// Above the top.
    New,
    /// In the window, unseen.
    Inside,
    Duplicate,
    /// Left of the window.
    TooOld,
    Zero,
    /// There is no window.
    Off,
}

/// Places the number in the window; `first` says which packet had it first.
///
/// # Errors
///
/// Why the window refuses it; the number is there all the same if it could be inferred.
pub(crate) fn check(
    known: &Known,
    low: SeqLow,
    first: impl FnOnce(Seq64) -> Option<u64>,
) -> (Replay, Option<Seq64>, Result<(), Fate>) {
    let window = &known.window;
    let seq = window.infer(low);
    let judged = seq.and_then(|seq| window.check(seq));
    let top = window.top().0;
    let number = seq.ok();
    let replay = Replay {
        seq: number.map(|seq| seq.0),
        esn: known.config.esn,
        top,
        size: window.size().map(esp_replay::WindowSize::bits),
        position: match judged {
            _ if window.size().is_none() => Position::Off,
            Ok(()) if number.is_some_and(|seq| seq.0 > top) => Position::New,
            Ok(()) => Position::Inside,
            Err(Refused::Duplicate) => Position::Duplicate,
            Err(Refused::TooOld) => Position::TooOld,
            Err(Refused::Zero) => Position::Zero,
        },
        distance: number.map_or(0, |seq| seq.0.abs_diff(top)),
        first_in: number.and_then(first),
        low: low.0,
    };
    let refused = |why| match why {
        Refused::Zero => DropReason::SeqZero,
        Refused::TooOld => DropReason::ReplayTooOld,
        Refused::Duplicate => DropReason::ReplayDuplicate,
    };
    (replay, number, judged.map_err(|why| refused(why).into()))
}

impl Replay {
    /// The stage in words.
    pub(crate) fn said(&self) -> Said {
        let mark = match self.position {
            Position::New | Position::Inside | Position::Off => Mark::Ok,
            Position::Duplicate | Position::TooOld | Position::Zero => Mark::Fail,
        };
        Said::new("replay", mark, self.number()).and(self.window()).and(self.place())
    }

    fn number(&self) -> String {
        match self.seq {
            Some(seq) if self.esn => {
                format!(
                    "number {seq} ({seq:#x}): high half {} inferred, low half {} sent",
                    seq >> 32,
                    self.low
                )
            }
            Some(seq) => format!("number {seq}; without ESN all of it is sent"),
            None => {
                format!("no number of 64 bits with the low half {} lies in or above the window", self.low)
            }
        }
    }

    fn window(&self) -> String {
        match self.size {
            None => "no replay window: replay_window is off".to_owned(),
            Some(size) if self.top == 0 => format!("window of {size}, before this packet: empty"),
            Some(size) => {
                let bottom = (self.top + 1).saturating_sub(size.into()).max(1);
                format!("window of {size}, before this packet: {bottom} to {}", self.top)
            }
        }
    }

    fn place(&self) -> String {
        let far = names::grouped(self.distance);
        match self.position {
            Position::Off => "every number passes".to_owned(),
            Position::New => format!("{far} above the top: new"),
            Position::Inside => format!("{far} behind the top, inside the window: not seen yet"),
            Position::Duplicate => {
                format!("{far} behind the top, inside the window: already seen{}", self.first())
            }
            Position::TooOld if self.seq.is_some() => {
                format!("{far} behind the top, left of the window{}", self.first())
            }
            Position::TooOld => "left of the window, where no number is".to_owned(),
            Position::Zero => "zero: no sender uses it, the first packet has 1".to_owned(),
        }
    }

    /// The packet that had the number before.
    fn first(&self) -> String {
        self.first_in.map_or_else(String::new, |number| format!(", in packet {number}"))
    }
}
