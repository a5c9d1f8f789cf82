//! One whole ESP packet with its keys, and what it is asked.

use crate::packet::HEADER_LEN;
use crate::{JobError, KeyError, KeyMaterial, OpenJob, OpenKey, SealJob, SealKey, Tier, Transform};
use crate::{open_burst, seal_burst};

/// Bytes are in hexadecimal.
#[derive(Clone, Copy)]
pub(super) struct KnownAnswer {
    pub(super) transform: Transform,
    pub(super) case: &'static str,
    pub(super) seq_hi: Option<u32>,
    pub(super) keys: &'static str,
    /// What is sealed: payload, padding, pad length, next header.
    pub(super) payload: &'static str,
    /// SPI to ICV.
    pub(super) sealed: &'static str,
}

/// Every answer for a transform that is compiled in.
pub(super) fn known_answers() -> impl Iterator<Item = KnownAnswer> {
    FILES.iter().flat_map(|file| file.lines().filter_map(|line| KnownAnswer::parse(line, file)))
}

impl KnownAnswer {
    /// A line `answer TRANSFORM CASE HIGH KEYS PAYLOAD SEALED` of `file`, where `HIGH` is `-` without ESN and `PAYLOAD`
    /// the name of a line `payload NAME BYTES`, with `-` for no bytes.
    pub(super) fn parse(line: &'static str, file: &'static str) -> Option<Self> {
        let mut words = line.strip_prefix("answer ")?.split(' ');
        let mut next = || words.next();
        let (transform, case, high, keys) = (Transform::from_name(next()?)?, next()?, next()?, next()?);
        let (payload, sealed) = (payload(next()?, file)?, next()?);
        let seq_hi = if high == "-" { None } else { Some(u32::from_str_radix(high, 16).ok()?) };
        Some(Self { transform, case, seq_hi, keys, payload, sealed })
    }

    /// `None` if there is no such key, or if the answer is not well formed.
    pub(super) fn holds(&self, tier: Tier) -> Option<bool> {
        let keys = KeyMaterial::new(bytes(self.keys)?);
        let open = OpenKey::new(self.transform, tier, &keys).ok()?;
        let sealed = bytes(self.sealed)?;
        let plain = self.plain(&sealed)?;
        let seals = match SealKey::new(self.transform, tier, &keys) {
            Ok(seal) => self.seals(&seal, &plain, &sealed),
            Err(why) => matches!(why, KeyError::ReceiveOnly { .. }),
        };
        Some(seals && self.opens(&open, &plain, &sealed))
    }

    /// The packet before it is sealed: the ICV is zero.
    pub(super) fn plain(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let mut plain = sealed.get(..HEADER_LEN + self.transform.iv_len())?.to_vec();
        plain.extend(bytes(self.payload)?);
        plain.resize(plain.len() + self.transform.icv_len(), 0);
        (plain.len() == sealed.len()).then_some(plain)
    }

    pub(super) fn seals(&self, key: &SealKey, plain: &[u8], sealed: &[u8]) -> bool {
        let mut packets = vec![plain.to_vec(); COPIES];
        let mut results = [Err(JobError::AuthFailed); COPIES];
        let jobs = packets.iter_mut().map(|esp| SealJob { key, esp, seq_hi: self.seq_hi });
        seal_burst(&mut jobs.collect::<Vec<_>>(), &mut results);
        results.iter().all(Result::is_ok) && packets.iter().all(|packet| packet == sealed)
    }

    /// Odd packets of the burst have a wrong ICV, where there is one.
    pub(super) fn opens(&self, key: &OpenKey, plain: &[u8], sealed: &[u8]) -> bool {
        let icv_len = self.transform.icv_len();
        let mut packets = vec![sealed.to_vec(); COPIES];
        for byte in packets.iter_mut().skip(1).step_by(2).filter_map(|packet| packet.last_mut()) {
            *byte ^= u8::from(icv_len > 0);
        }
        let mut results = [Ok(()); COPIES];
        let jobs = packets.iter_mut().map(|esp| OpenJob { key, esp, seq_hi: self.seq_hi });
        open_burst(&mut jobs.collect::<Vec<_>>(), &mut results);
        let payload = HEADER_LEN..plain.len() - icv_len;
        packets.iter().zip(results).enumerate().all(|(at, (packet, result))| {
            let opened = result.is_ok() && packet.get(payload.clone()) == plain.get(payload.clone());
            if at % 2 == 0 || icv_len == 0 { opened } else { result == Err(JobError::AuthFailed) }
        })
    }
}

fn payload(name: &str, file: &'static str) -> Option<&'static str> {
    let of_name = |line: &&'static str| line.split(' ').take(2).eq(["payload", name]);
    let bytes = file.lines().find(of_name)?.rsplit(' ').next()?;
    Some(if bytes == "-" { "" } else { bytes })
}

pub(super) fn bytes(hexadecimal: &str) -> Option<Vec<u8>> {
    let pairs = hexadecimal.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(core::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// Packets in a test burst: one more than a switch hands over at once, so that kernels which work on several
/// packets together meet full groups and a remainder.
const COPIES: usize = 33;

pub(super) const FILES: &[&str] = &[
    include_str!("known_answers.txt"),
    #[cfg(feature = "legacy")]
    include_str!("known_answers_legacy.txt"),
];
