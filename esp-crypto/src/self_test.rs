//! Known answers that can be checked on the machine that will carry the traffic.

mod vectors;

use self::vectors::KNOWN_ANSWERS;
use crate::packet::HEADER_LEN;
use crate::{JobError, KeyMaterial, OpenJob, OpenKey, SealJob, SealKey, Tier, Tiers, Transform};
use crate::{open_burst, seal_burst};

/// The outcome of one known answer on one tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfTestOutcome {
    /// The transform tested.
    pub transform: Transform,
    /// The tier tested.
    pub tier: Tier,
    /// The packet it was tested with, such as `rfc7634-appendix-a`.
    pub case: &'static str,
    /// True if every packet of a burst was sealed to the known bytes and opened to the known payload, and if
    /// each of its packets was refused after a bit of its ICV had been turned.
    pub passed: bool,
}

/// Runs every known answer on every tier that `tiers` allows for its transform.
pub fn self_test(tiers: &Tiers) -> Vec<SelfTestOutcome> {
    ask(KNOWN_ANSWERS, tiers)
}

fn ask(answers: &[KnownAnswer], tiers: &Tiers) -> Vec<SelfTestOutcome> {
    answers
        .iter()
        .flat_map(|answer| tiers.all(answer.transform).map(move |tier| (answer, tier)))
        .map(|(answer, tier)| SelfTestOutcome {
            transform: answer.transform,
            tier,
            case: answer.case,
            passed: answer.holds(tier) == Some(true),
        })
        .collect()
}

/// One whole ESP packet with its keys; bytes in hexadecimal.
struct KnownAnswer {
    transform: Transform,
    case: &'static str,
    seq_hi: Option<u32>,
    keys: &'static str,
    /// What is sealed: payload, padding, pad length, next header.
    payload: &'static str,
    /// SPI to ICV.
    sealed: &'static str,
}

impl KnownAnswer {
    /// `None` if there is no such key, or if the answer is not well formed.
    fn holds(&self, tier: Tier) -> Option<bool> {
        let keys = KeyMaterial::new(bytes(self.keys)?);
        let seal = SealKey::new(self.transform, tier, &keys).ok()?;
        let open = OpenKey::new(self.transform, tier, &keys).ok()?;
        let sealed = bytes(self.sealed)?;
        let plain = self.plain(&sealed)?;
        Some(self.seals(&seal, &plain, &sealed) && self.opens(&open, &plain, &sealed))
    }

    /// The packet before it is sealed: the ICV is zero.
    fn plain(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let mut plain = sealed.get(..HEADER_LEN + self.transform.iv_len())?.to_vec();
        plain.extend(bytes(self.payload)?);
        plain.resize(plain.len() + self.transform.icv_len(), 0);
        (plain.len() == sealed.len()).then_some(plain)
    }

    fn seals(&self, key: &SealKey, plain: &[u8], sealed: &[u8]) -> bool {
        let mut packets = vec![plain.to_vec(); COPIES];
        let mut results = [Err(JobError::AuthFailed); COPIES];
        let jobs = packets.iter_mut().map(|esp| SealJob { key, esp, seq_hi: self.seq_hi });
        seal_burst(&mut jobs.collect::<Vec<_>>(), &mut results);
        results.iter().all(Result::is_ok) && packets.iter().all(|packet| packet == sealed)
    }

    /// Odd packets of the burst have a wrong ICV.
    fn opens(&self, key: &OpenKey, plain: &[u8], sealed: &[u8]) -> bool {
        let mut packets = vec![sealed.to_vec(); COPIES];
        for byte in packets.iter_mut().skip(1).step_by(2).filter_map(|packet| packet.last_mut()) {
            *byte ^= 1;
        }
        let mut results = [Ok(()); COPIES];
        let jobs = packets.iter_mut().map(|esp| OpenJob { key, esp, seq_hi: self.seq_hi });
        open_burst(&mut jobs.collect::<Vec<_>>(), &mut results);
        let payload = HEADER_LEN..plain.len() - self.transform.icv_len();
        packets.iter().zip(results).enumerate().all(|(at, (packet, result))| {
            let opened = result.is_ok() && packet.get(payload.clone()) == plain.get(payload.clone());
            if at % 2 == 0 { opened } else { result == Err(JobError::AuthFailed) }
        })
    }
}

fn bytes(hexadecimal: &str) -> Option<Vec<u8>> {
    let pairs = hexadecimal.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(core::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// Packets in a test burst: one more than a switch hands over at once, so that kernels which work on several
/// packets together meet full groups and a remainder.
const COPIES: usize = 33;

#[cfg(test)]
mod tests;
