//! What a packet costs beside what making its SA's key costs, for every transform.
//!
//! | figure         | is                                                                                          |
//! |----------------|---------------------------------------------------------------------------------------------|
//! | `set-up`       | a key from keying material, dropped and wiped again; no packet                                |
//! | `seal`, `open` | a packet of a burst of 32, all of one SA whose key was made once: what the engine does        |
//! | `keyed-seal`   | the same sealing, but each packet of the burst with a key of its own, made and dropped for it |
//!
//! A figure of the second kind has no set-up in it if the third is as much more expensive as the first says. The column
//! `explained` is that: (keyed-seal - seal) / set-up, where 1 is all of it. The null twin, whose set-up is nothing,
//! stands in the first row.

mod packets;
mod report;

use std::hint::black_box;

use anyhow::{Context as _, Result, ensure};
use arrayvec::ArrayVec;
use esp_crypto::{
    Cipher, KeyError, KeyMaterial, OpenJob, OpenKey, SealJob, SealKey, Tier, Tiers, Transform, open_burst,
};

pub use report::{Report, Row};

use crate::machine::Machine;
use crate::rounds::{Timing, run};
use crate::team::{Team, Work};

/// The payloads in bytes, rounded up to what the transform's cipher takes.
pub const PAYLOADS: [usize; 2] = [64, 1420];
/// Packets a call.
pub const BURST: usize = 32;

/// Times every figure of `transforms` on their best tiers.
///
/// # Errors
///
/// A packet that failed, or whose plaintext did not come back.
pub fn measure(transforms: &[Transform], timing: Timing) -> Result<Report> {
    ensure!(!transforms.is_empty(), "no row to measure");
    let subjects = transforms.iter().map(|transform| Subject::Real(*transform));
    let (mut cells, mut teams) = (Vec::new(), Vec::new());
    for subject in std::iter::once(Subject::NullTwin).chain(subjects) {
        for figure in figures() {
            let Some(work) = subject.work(figure).with_context(|| subject.name())? else { continue };
            teams.push(Team::new(format!("{} {figure:?}", subject.name()), vec![work]));
            cells.push((subject, figure));
        }
    }
    let summaries = run(&mut teams, timing)?;
    Ok(Report::new(Machine::detect(), timing, teams.iter().all(Team::pinned), &cells, &summaries))
}

/// What is timed of one transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Figure {
    SetUp,
    /// Bytes of payload.
    Seal(usize),
    Open(usize),
    KeyedSeal(usize),
}

fn figures() -> impl Iterator<Item = Figure> {
    let sealed = PAYLOADS.map(Figure::Seal).into_iter();
    let opened = PAYLOADS.map(Figure::Open).into_iter();
    [Figure::SetUp].into_iter().chain(sealed).chain(opened).chain([Figure::KeyedSeal(PAYLOADS[0])])
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    NullTwin,
    Real(Transform),
}

impl Subject {
    pub(crate) fn name(self) -> String {
        match self {
            Self::NullTwin => "null-twin".to_owned(),
            Self::Real(transform) => transform.to_string(),
        }
    }

    pub(crate) fn tier(self) -> &'static str {
        match self {
            Self::NullTwin => "null",
            Self::Real(transform) => best(transform).name(),
        }
    }

    /// The transform whose packets it takes.
    const fn shape(self) -> Transform {
        match self {
            Self::NullTwin => Transform::Aes128Gcm16,
            Self::Real(transform) => transform,
        }
    }

    /// False of DES, which is for receiving only.
    fn seals(self) -> bool {
        self.shape().cipher().cipher != Cipher::DesCbc
    }

    /// Nothing if nobody seals by it.
    fn work(self, figure: Figure) -> Result<Option<Box<dyn Work>>> {
        if matches!(figure, Figure::Seal(_) | Figure::KeyedSeal(_)) && !self.seals() {
            return Ok(None);
        }
        let keys = packets::keys(self.shape());
        let packets = |payload| packets::clear(self.shape(), payload, BURST);
        Ok(Some(match figure {
            Figure::SetUp => Box::new(SetUp { subject: self, keys }),
            Figure::Seal(payload) => {
                Box::new(Sealing { key: self.seal_key(&keys)?, packets: packets(payload) })
            }
            Figure::KeyedSeal(payload) => {
                Box::new(KeyedSealing { subject: self, keys, packets: packets(payload) })
            }
            Figure::Open(payload) => Box::new(self.opening(&keys, &packets(payload))?),
        }))
    }

    /// # Errors
    ///
    /// A packet that does not open, or not to what was sealed.
    fn opening(self, keys: &KeyMaterial, clear: &[Vec<u8>]) -> Result<Opening> {
        let mut sealed = clear.to_vec();
        if let Self::Real(transform) = self {
            packets::seal(transform, keys, &mut sealed)?;
        }
        let mut opening = Opening { key: self.open_key(keys)?, packets: sealed.clone(), sealed };
        opening.batch()?;
        let came_back = packets::same_payload(self.shape(), &opening.packets, clear);
        ensure!(came_back || !self.seals(), "the plaintext did not come back");
        Ok(opening)
    }

    fn seal_key(self, keys: &KeyMaterial) -> Result<SealKey, KeyError> {
        match self {
            Self::NullTwin => Ok(SealKey::null_twin(self.shape().iv_len(), self.shape().icv_len())),
            Self::Real(transform) => SealKey::new(transform, best(transform), keys),
        }
    }

    fn open_key(self, keys: &KeyMaterial) -> Result<OpenKey, KeyError> {
        match self {
            Self::NullTwin => Ok(OpenKey::null_twin(self.shape().iv_len(), self.shape().icv_len())),
            Self::Real(transform) => OpenKey::new(transform, best(transform), keys),
        }
    }
}

fn best(transform: Transform) -> Tier {
    Tiers::default().best(transform)
}

/// Makes and drops keys.
struct SetUp {
    subject: Subject,
    keys: KeyMaterial,
}

impl Work for SetUp {
    fn batch(&mut self) -> Result<usize> {
        for _ in 0..BURST {
            if self.subject.seals() {
                black_box(self.subject.seal_key(&self.keys)?);
            } else {
                black_box(self.subject.open_key(&self.keys)?);
            }
        }
        Ok(BURST)
    }
}

/// Seals the same packets again and again: what is encrypted twice is as good as what is encrypted once.
struct Sealing {
    key: SealKey,
    packets: Vec<Vec<u8>>,
}

impl Work for Sealing {
    fn batch(&mut self) -> Result<usize> {
        let jobs = self.packets.iter_mut().map(|esp| SealJob { key: &self.key, esp, seq_hi: None });
        packets::seal_jobs(jobs)
    }
}

/// The same under a key for each packet.
struct KeyedSealing {
    subject: Subject,
    keys: KeyMaterial,
    packets: Vec<Vec<u8>>,
}

impl Work for KeyedSealing {
    fn batch(&mut self) -> Result<usize> {
        let mut own: ArrayVec<SealKey, BURST> = ArrayVec::new();
        for _ in 0..self.packets.len() {
            own.push(self.subject.seal_key(&self.keys)?);
        }
        let jobs = own.iter().zip(&mut self.packets).map(|(key, esp)| SealJob { key, esp, seq_hi: None });
        packets::seal_jobs(jobs)
    }
}

/// Opens sealed packets, which uses them up.
struct Opening {
    key: OpenKey,
    sealed: Vec<Vec<u8>>,
    packets: Vec<Vec<u8>>,
}

impl Work for Opening {
    fn refill(&mut self) {
        self.packets.clone_from(&self.sealed);
    }

    fn batch(&mut self) -> Result<usize> {
        let jobs = self.packets.iter_mut().map(|esp| OpenJob { key: &self.key, esp, seq_hi: None });
        let mut jobs: ArrayVec<_, BURST> = jobs.collect();
        let mut results = [Ok(()); BURST];
        open_burst(&mut jobs, &mut results);
        ensure!(results.iter().all(Result::is_ok), "a packet was not opened");
        Ok(jobs.len())
    }
}

#[cfg(test)]
mod tests;
