//! The mistake that makes an ICV wrong: what people get wrong, one thing at a time and then two, until one fits.
//!
//! [`table`] has a row for each mistake: what it could have made of the packet, and how to say it. [`attempt`] computes the
//! ICV that the packet would then have. A mistake that fits is no guess: by chance an ICV fits once in 2^64 or less.

mod attempt;
mod extent;
mod key;
mod number;
mod table;
mod whose;

use esp_core::DropReason;
use esp_core::config::{Mode, SaConfig};
use esp_wire::{Seq64, SeqLow, proto};
use serde::Serialize;

use super::sas::{Known, Sas};
use super::span::Span;
use super::stages::inner::{self, Inner};
use super::stages::trailer::{self, Trailer};
use super::story::{Fate, Story};
use super::walk::Kept;
use attempt::{Attempt, Proof, Prover};
use table::{Hypothesis, NONSENSE, TABLE};

/// A packet whose ICV is wrong.
pub(crate) struct Case<'a> {
    sas: &'a Sas,
    frame: &'a [u8],
    esp: Span,
    spi: u32,
    low: SeqLow,
    in_udp: bool,
    outer_class: u8,
    /// The SA that it found.
    own: Option<usize>,
    /// The number that was inferred for it.
    seq: Option<Seq64>,
    /// The ICV is right, and the text makes no sense: the integrity key is the right one, and the cipher or its key is not.
    authentic: bool,
}

/// What was looked for and found.
#[derive(Debug)]
pub(crate) struct Search {
    /// Ways in which the ICV was computed.
    pub(crate) tried: u64,
    /// Whether there were more ways than are tried.
    pub(crate) bound_reached: bool,
    pub(crate) fit: Option<Fit>,
    /// Whether the ICV was right from the start, and the cipher was looked for.
    pub(crate) authentic: bool,
    /// Packets of the SA that were right before.
    pub(crate) authentic_before: u64,
}

/// What fits.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Fit {
    /// One, or two together.
    pub(crate) mistakes: Vec<Mistake>,
    /// Bytes of the ICV that fit.
    pub(crate) icv_len: usize,
    trailer: Option<Trailer>,
    inside: Option<Inner>,
    #[serde(skip)]
    attempt: Attempt,
}

/// One thing that is wrong, and what to do about it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Mistake {
    /// A stable name.
    pub(crate) id: &'static str,
    pub(crate) cause: String,
    #[serde(rename = "todo")]
    pub(crate) remedy: String,
}

impl<'a> Case<'a> {
    /// The case of a packet, if its ICV is wrong or could not be looked at.
    pub(crate) fn of(story: &Story, frame: &'a [u8], sas: &'a Sas) -> Option<Self> {
        let esp = story.esp.as_ref()?;
        let right = story.icv.as_ref().is_some_and(|icv| icv.right);
        let refused = match story.fate {
            Fate::Dropped(reason) => reason != DropReason::Fragment,
            _ => esp.misplaced,
        };
        let authentic = right && story.is_nonsense(sas);
        (refused && (!right || authentic)).then(|| Self {
            authentic,
            sas,
            frame,
            esp: esp.packet,
            spi: esp.spi,
            low: esp.low(),
            in_udp: esp.in_udp,
            outer_class: story.ip.as_ref().map_or(0, |ip| ip.traffic_class),
            own: story.sa.as_ref().and_then(|sa| sa.at),
            seq: story.replay.as_ref().and_then(|replay| replay.seq).map(Seq64),
        })
    }

    /// Tries every mistake.
    pub(crate) fn search(&self) -> Search {
        let mut prover = Prover::default();
        let fit = self.first_fit(&mut prover).map(|attempt| self.fit(attempt, &mut prover));
        Search {
            tried: prover.tried(),
            bound_reached: fit.is_none() && prover.is_exhausted(),
            fit,
            authentic: self.authentic,
            authentic_before: self.own().map_or(0, |known| known.authentic),
        }
    }

    fn first_fit(&self, prover: &mut Prover) -> Option<Attempt> {
        let starts = self.starts();
        // Where the SA is known and the number too, the packet as it is has failed already.
        let untried = starts.iter().cloned().filter_map(|start| match (start.steps.is_empty(), self.seq) {
            (true, Some(_)) => None,
            (true, None) => Some(start.after(&table::UNPLACED)),
            (false, _) => Some(start),
        });
        let table = if self.authentic { NONSENSE } else { TABLE };
        let singles = starts.iter().flat_map(|start| start.with_each(self, table));
        let pairs = starts.iter().filter(|start| start.steps.is_empty()).flat_map(|start| {
            let firsts = table.iter().enumerate().filter(|(_, first)| first.in_pairs);
            firsts.flat_map(move |(at, first)| {
                let others = table.get(at + 1..).unwrap_or_default();
                let seconds = move |one: Attempt| -> Vec<Attempt> {
                    let others = others.iter().filter(|second| second.in_pairs && second.axis != first.axis);
                    others.flat_map(|second| one.with(self, second)).collect()
                };
                start.with(self, first).into_iter().flat_map(seconds)
            })
        });
        self.best_of(prover, untried.chain(singles)).or_else(|| self.best_of(prover, pairs))
    }

    /// The first attempt whose ICV fits and whose text makes sense; or else whose ICV fits. Under a separate MAC those are
    /// two questions.
    fn best_of(&self, prover: &mut Prover, attempts: impl Iterator<Item = Attempt>) -> Option<Attempt> {
        let mut second_best = None;
        for attempt in attempts {
            if prover.is_exhausted() {
                break;
            }
            match prover.proof(self, &attempt) {
                Proof::Text => return Some(attempt),
                Proof::IcvAlone if !self.authentic => {
                    second_best.get_or_insert(attempt);
                }
                Proof::IcvAlone | Proof::None => {}
            }
        }
        second_best
    }

    /// The packet under its own SA; or, if that is not known, under each.
    fn starts(&self) -> Vec<Attempt> {
        match self.own {
            Some(own) => vec![Attempt::of(self, own)],
            None => {
                (0..self.sas.list.len()).map(|at| Attempt::of(self, at).after(&table::UNKNOWN_SPI)).collect()
            }
        }
    }

    fn fit(&self, attempt: Attempt, prover: &mut Prover) -> Fit {
        let mistakes = attempt.steps.iter().map(|step| (step.say)(self, &attempt));
        let plaintext = prover.open(self, &attempt);
        let (trailer, payload) =
            plaintext.as_ref().map_or((None, Err(Fate::NoKeys)), |text| trailer::read(text));
        let inside = match (payload, &plaintext) {
            (Ok((len, next @ (proto::IPV4 | proto::IPV6))), Some(text)) => {
                Some(inner::of_tunnel(text.get(..len).unwrap_or_default(), next, self.outer_class).0)
            }
            _ => None,
        };
        Fit { mistakes: mistakes.collect(), icv_len: attempt.icv_len, trailer, inside, attempt }
    }

    fn mode(&self) -> Mode {
        self.own().map_or(Mode::Tunnel, |own| own.config.mode)
    }

    fn own(&self) -> Option<&'a Known> {
        self.sas.list.get(self.own?)
    }

    fn known(&self, at: usize) -> Option<&'a Known> {
        self.sas.list.get(at)
    }

    fn config(&self, at: usize) -> Option<&'a SaConfig> {
        self.known(at).map(|known| &known.config)
    }

    /// An SA as messages name it.
    fn shown(&self, at: usize) -> String {
        self.known(at).map_or_else(String::new, Known::shown)
    }

    fn own_place(&self) -> String {
        self.own.map_or_else(|| self.sas.file.clone(), |own| self.place(own))
    }

    /// `SA "west" of east.toml`, or the file alone if there is no such SA.
    fn place(&self, at: usize) -> String {
        match self.known(at) {
            Some(known) => format!("SA {} of {}", known.shown(), self.sas.file),
            None => self.sas.file.clone(),
        }
    }
}

impl Mistake {
    fn new(id: &'static str, cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { id, cause: cause.into(), remedy: remedy.into() }
    }
}

impl Fit {
    /// The stable names, joined by `+`.
    pub(crate) fn id(&self) -> String {
        self.mistakes.iter().map(|mistake| mistake.id).collect::<Vec<_>>().join("+")
    }

    /// How many of the other packets it fits as well.
    pub(crate) fn also_fits(&self, others: &[&Kept], sas: &Sas, esp_end: usize) -> usize {
        let fits = |kept: &&&Kept| {
            let moved = self.attempt.end.cast_signed() - esp_end.cast_signed();
            let case = Case::of(&kept.story, &kept.frame, sas);
            case.is_some_and(|case| {
                let end = case.esp.end().saturating_add_signed(moved);
                Prover::default().fits(&case, &Attempt { end, ..self.attempt.clone() })
            })
        };
        others.iter().filter(fits).count()
    }

    /// What is inside, in words; only what fits is opened.
    pub(crate) fn said(&self) -> Vec<super::stages::Said> {
        let trailer = self.trailer.as_ref().map(Trailer::said);
        trailer.into_iter().chain(self.inside.as_ref().map(Inner::said)).collect()
    }
}
