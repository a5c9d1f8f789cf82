//! What people get wrong, and which of it fits.
//!
//! A hypothesis is a key, a high half, an ICV length and an end of the packet. The SA's own are the base; each
//! [`Deviation`] changes one of them. All are tried alone, then two at once; the first that make the packet authentic are
//! the answer. A wrong one fits by chance once in 2^64 tries with the shortest ICV.

mod deviation;
mod policy;

use super::icv::Judge;
use super::known::Known;
use super::overview::{Overview, Sample};
use super::scan::{Evidence, Told};
use super::story::{Cause, Found};
use deviation::Deviation;

/// Looks for the mistake behind a packet that fails; `None` if nothing is wrong, or nothing to be found.
pub(super) fn find(told: &Told, known: &Known, overview: &Overview) -> Option<Cause> {
    let evidence = told.evidence.as_ref()?;
    if !known.has_file {
        return None;
    }
    if evidence.authentic {
        return policy::explain(evidence, known);
    }
    let looks = evidence.sa.is_none() || evidence.verdict.reason().is_some();
    looks.then(|| Search::new(evidence, known).run(overview))
}

/// One combination.
#[derive(Clone)]
struct Trial {
    key: usize,
    seq_hi: Option<u32>,
    icv_len: usize,
    /// Bytes to leave off the end; negative: to take from behind the packet.
    cut: isize,
    deviations: Vec<Deviation>,
}

struct Search<'a> {
    evidence: &'a Evidence,
    known: &'a Known,
    /// Every key that is tried, the SA's own first.
    keys: Vec<(Judge, Option<Deviation>, usize)>,
    tried: usize,
}

impl<'a> Search<'a> {
    fn new(evidence: &'a Evidence, known: &'a Known) -> Self {
        let mut keys = Vec::new();
        let own = evidence.sa.and_then(|at| known.sas.get(at).map(|sa| (at, sa)));
        if let Some((at, sa)) = own {
            let (transform, key) = (sa.config.transform, sa.config.key.expose());
            keys.extend(Judge::new(transform, key).map(|judge| (judge, None, transform.icv_len())));
            for (judge, deviation, icv_len) in deviation::keys_of(transform, key) {
                keys.push((judge, Some(deviation), icv_len));
            }
            debug_assert!(at < known.sas.len());
        }
        for (at, sa) in known.sas.iter().enumerate().take(MOST_SAS) {
            if Some(at) == evidence.sa {
                continue;
            }
            let transform = sa.config.transform;
            let deviation = Deviation { kind: deviation::of_other(known, evidence, at), sa: Some(at) };
            let judge = Judge::new(transform, sa.config.key.expose());
            keys.extend(judge.map(|judge| (judge, Some(deviation), transform.icv_len())));
        }
        Self { evidence, known, keys, tried: 0 }
    }

    fn run(mut self, overview: &Overview) -> Cause {
        let trials = self.trials();
        let mut found: Vec<Found> = Vec::new();
        let mut fewest = usize::MAX;
        for trial in &trials {
            if trial.deviations.len() > fewest || found.len() == MOST_FOUND {
                break;
            }
            self.tried += 1;
            if self.fits(trial, &self.evidence.sample) {
                fewest = trial.deviations.len();
                found.push(self.told(trial, overview));
            }
        }
        let text = found.is_empty().then(|| NOTHING_FITS.to_owned());
        Cause { found, tried: self.tried, text }
    }

    /// All of them: one deviation first, then two.
    fn trials(&self) -> Vec<Trial> {
        let own = self.evidence.sa.is_some();
        let (mut all, mut pairs) = (Vec::new(), Vec::new());
        for key in 0..self.keys.len() {
            let (judge, deviation, icv_len) = &self.keys[key];
            let base = Trial {
                key,
                seq_hi: self.seq_hi(deviation.as_ref()),
                icv_len: *icv_len,
                cut: 0,
                deviations: deviation.iter().cloned().collect(),
            };
            if !base.deviations.is_empty() {
                all.push(base.clone());
            }
            let is_own = own && key == 0;
            let others = deviation::of_packet(&base, self.evidence, judge.transform(), is_own);
            for (at, one) in others.iter().enumerate() {
                if is_own {
                    all.push(one.clone());
                } else {
                    pairs.push(one.clone());
                }
                if is_own && one.deviations.iter().all(Deviation::is_common) {
                    let second = others.iter().skip(at + 1).filter_map(|other| one.and(other, &base));
                    pairs.extend(second);
                }
            }
        }
        all.extend(pairs);
        all
    }

    /// The high half for the key of another SA: as that SA has it, and as far as is known.
    fn seq_hi(&self, deviation: Option<&Deviation>) -> Option<u32> {
        match deviation.and_then(|deviation| deviation.sa).and_then(|at| self.known.sas.get(at)) {
            Some(other) => other.config.esn.then(|| self.evidence.seq_hi.unwrap_or(0)),
            None => self.evidence.seq_hi,
        }
    }

    fn fits(&self, trial: &Trial, sample: &Sample) -> bool {
        let Some((judge, _, _)) = self.keys.get(trial.key) else { return false };
        match usize::try_from(trial.cut) {
            Ok(cut) => {
                let len = sample.esp.len().saturating_sub(cut);
                sample.esp.get(..len).is_some_and(|esp| judge.authentic(esp, trial.seq_hi, trial.icv_len))
            }
            Err(_) => {
                let more = sample.behind.get(..trial.cut.unsigned_abs()).unwrap_or_default();
                judge.authentic(&[&sample.esp, more].concat(), trial.seq_hi, trial.icv_len)
            }
        }
    }

    fn told(&self, trial: &Trial, overview: &Overview) -> Found {
        let samples = overview.spi(self.evidence.spi).map_or(&[][..], |row| &row.samples);
        let fits = samples.iter().filter(|sample| self.fits(trial, sample)).count();
        let joined = |part: fn(&Deviation, &Trial, &Search<'_>) -> String, by: &str| {
            let parts = trial.deviations.iter().map(|deviation| part(deviation, trial, self));
            parts.collect::<Vec<_>>().join(by)
        };
        Found {
            id: trial.deviations.iter().map(|deviation| deviation.kind.id()).collect::<Vec<_>>().join("+"),
            cause: joined(Deviation::cause, "; and "),
            todo: joined(Deviation::todo, "; and "),
            fits,
            of: samples.len(),
        }
    }

    fn own_icv_len(&self) -> Option<usize> {
        let sa = self.evidence.sa.and_then(|at| self.known.sas.get(at))?;
        Some(sa.config.transform.icv_len())
    }
}

/// SAs whose keys are tried.
const MOST_SAS: usize = 1024;
/// Answers that are given; more would be no answer.
const MOST_FOUND: usize = 4;
const NOTHING_FITS: &str = "no SA fits: not the key of any SA in the file, whatever its ICV length, ESN, salt order or padding. \
                            The packet was changed on the way, or it was sealed with keys that are not in the file: of \
                            another rekeying, or with another transform";
