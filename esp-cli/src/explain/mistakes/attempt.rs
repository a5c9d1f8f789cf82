//! One way in which a packet could have been sealed, and whether its ICV says so.

use std::fmt;

use esp_core::Transform;
use esp_wire::{Seq64, esp, trailer};
use zeroize::Zeroizing;

use super::{Case, Hypothesis};
use crate::explain::icv::{Judge, Recomputed};
use crate::explain::keying::{KeyOrder, SaltForm, arranged};
use crate::explain::span::Span;

/// What the sender may have done. Lengths and places are in bytes, from the start of the frame.
#[derive(Clone)]
pub(super) struct Attempt {
    /// The SA whose key it is.
    pub(super) sa: usize,
    pub(super) transform: Transform,
    pub(super) order: KeyOrder,
    pub(super) salt: SaltForm,
    /// High half of the number; `None`: no ESN.
    pub(super) seq_hi: Option<u32>,
    pub(super) icv_len: usize,
    /// Where the packet ends.
    pub(super) end: usize,
    /// The mistakes that lead here.
    pub(super) steps: Vec<&'static Hypothesis>,
}

impl Attempt {
    /// What the SA at `at` makes of the packet.
    pub(super) fn of(case: &Case<'_>, at: usize) -> Self {
        let mut attempt = Self {
            sa: at,
            transform: Transform::Aes128Gcm16,
            order: KeyOrder::AsIs,
            salt: SaltForm::AsIs,
            seq_hi: None,
            icv_len: 0,
            end: case.esp.end(),
            steps: Vec::new(),
        };
        if let Some(known) = case.known(at) {
            let seq = known.window.infer(case.low).unwrap_or(known.window.top());
            attempt.seq_hi = known.config.esn.then(|| Seq64::high(seq));
            attempt.transform = known.config.transform;
            attempt.icv_len = known.config.transform.icv_len();
        }
        attempt
    }

    /// The same, after one more mistake.
    pub(super) fn after(mut self, step: &'static Hypothesis) -> Self {
        self.steps.push(step);
        self
    }

    /// Everything that one mistake makes of it.
    pub(super) fn with(&self, case: &Case<'_>, step: &'static Hypothesis) -> Vec<Self> {
        (step.candidates)(case, self).into_iter().map(|attempt| attempt.after(step)).collect()
    }

    /// Everything that each mistake makes of it, on an axis that is still free.
    pub(super) fn with_each<'a>(
        &'a self,
        case: &'a Case<'_>,
        table: &'static [Hypothesis],
    ) -> impl Iterator<Item = Self> + 'a {
        let free = |step: &&Hypothesis| self.steps.iter().all(|taken| taken.axis != step.axis);
        table.iter().filter(free).flat_map(move |step| self.with(case, step))
    }
}

/// What changed; there is no key in it, it only names one.
impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.steps.iter().map(|step| step.axis)).finish()
    }
}

/// Computes ICVs, within bounds.
#[derive(Default)]
pub(super) struct Prover {
    tried: u64,
    bytes: u64,
    /// The last key made; most attempts that follow have it too.
    key: Option<(KeyId, Judge)>,
}

/// What an attempt explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// Not even the ICV.
    None,
    /// The ICV of a separate MAC, but not the text.
    IcvAlone,
    /// ICV and text.
    Text,
}

/// What makes a key.
type KeyId = (usize, Transform, KeyOrder, SaltForm);

impl Prover {
    /// Whether the attempt fits as well as can be told.
    pub(super) fn fits(&mut self, case: &Case<'_>, attempt: &Attempt) -> bool {
        match self.proof(case, attempt) {
            Proof::Text => true,
            Proof::IcvAlone => !case.authentic,
            Proof::None => false,
        }
    }

    /// What of the packet is as the attempt would have it.
    pub(super) fn proof(&mut self, case: &Case<'_>, attempt: &Attempt) -> Proof {
        let Some((covered, icv)) = parts(case, attempt) else { return Proof::None };
        self.tried += 1;
        self.bytes += covered.len as u64;
        let found = icv.of(case.frame);
        match self.recompute(case, attempt, covered).filter(|recomputed| recomputed.fits(found)) {
            None => Proof::None,
            // The ICV of a combined mode is proof of its key, whatever the sender put inside.
            Some(_) if attempt.transform.is_combined() => Proof::Text,
            Some(recomputed) if recomputed.makes_sense(case.mode()) => Proof::Text,
            Some(_) => Proof::IcvAlone,
        }
    }

    /// The plaintext, if the attempt fits.
    pub(super) fn open(&mut self, case: &Case<'_>, attempt: &Attempt) -> Option<Zeroizing<Vec<u8>>> {
        let (covered, icv) = parts(case, attempt)?;
        self.recompute(case, attempt, covered)?.open(icv.of(case.frame)).ok()
    }

    fn recompute(&mut self, case: &Case<'_>, attempt: &Attempt, covered: Span) -> Option<Recomputed> {
        let id = (attempt.sa, attempt.transform, attempt.order, attempt.salt);
        if self.key.as_ref().is_none_or(|(made, _)| *made != id) {
            self.key = make(case, attempt).map(|key| (id, key));
        }
        let (_, key) = self.key.as_ref()?;
        key.recompute(covered.of(case.frame), attempt.seq_hi)
    }

    /// How many ICVs were computed.
    pub(super) fn tried(&self) -> u64 {
        self.tried
    }

    /// Whether the bounds are reached.
    pub(super) fn is_exhausted(&self) -> bool {
        self.tried >= MOST_TRIED || self.bytes >= MOST_BYTES
    }
}

/// From the SPI to the end of the ciphertext, and the ICV; `None` if they do not fit the frame.
fn parts(case: &Case<'_>, attempt: &Attempt) -> Option<(Span, Span)> {
    let front = esp::HEADER_LEN + attempt.transform.iv_len() + trailer::TRAILER_LEN;
    let icv_at = attempt.end.checked_sub(attempt.icv_len)?;
    let fits = attempt.end <= case.frame.len() && icv_at >= case.esp.at + front;
    fits.then(|| (Span::between(case.esp.at, icv_at), Span::between(icv_at, attempt.end)))
}

fn make(case: &Case<'_>, attempt: &Attempt) -> Option<Judge> {
    let config = case.config(attempt.sa)?;
    let material = for_cipher(config.transform, attempt.transform, config.key.expose())?;
    let bytes = arranged(attempt.transform, &material, attempt.order, attempt.salt)?;
    Judge::new(attempt.transform, &case.sas.tiers, &bytes)
}

/// The material of one transform for another: as it is if that takes as many bytes; for another cipher with the same
/// integrity algorithm the first bytes of the encryption key, and the integrity key.
fn for_cipher(from: Transform, to: Transform, material: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    if from.key_len() == to.key_len() {
        return Some(Zeroizing::new(material.to_vec()));
    }
    let (cipher, integrity) = material.split_at_checked(from.cipher_key_len())?;
    let same_mac = from.integrity() == to.integrity();
    let cipher = cipher.get(..to.cipher_key_len()).filter(|_| same_mac)?;
    Some(Zeroizing::new([cipher, integrity].concat()))
}

/// ICVs, and the bytes that they cover: some seconds of work at most.
const MOST_TRIED: u64 = 200_000;
const MOST_BYTES: u64 = 1 << 30;
