//! What is computed, on which packets, and what the original gained.

use std::fmt;

use esp_crypto::Transform;
use serde::Serialize;

use super::Form;
use crate::lane::BATCH;

/// An algorithm of the original experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Generation of an HMAC-SHA1.
    HmacSha1,
    /// Generation of an AES-CMAC.
    AesCmac,
    /// 3DES in counter mode, which is no ESP transform; with cargo feature `legacy`.
    #[serde(rename = "3des-ctr")]
    #[value(name = "3des-ctr")]
    TripleDesCtr,
}

impl Algorithm {
    /// All of them, built or not.
    pub const ALL: [Self; 3] = [Self::HmacSha1, Self::AesCmac, Self::TripleDesCtr];

    /// The name in output and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::HmacSha1 => "hmac-sha1",
            Self::AesCmac => "aes-cmac",
            Self::TripleDesCtr => "3des-ctr",
        }
    }

    /// Whether this program has it.
    #[must_use]
    pub const fn is_built(self) -> bool {
        cfg!(feature = "legacy") || !matches!(self, Self::TripleDesCtr)
    }

    /// The ESP transform that is nothing else.
    #[must_use]
    pub const fn transform(self) -> Option<Transform> {
        match self {
            Self::HmacSha1 => Some(Transform::NullHmacSha1_96),
            Self::AesCmac => Some(Transform::NullAesCmac96),
            Self::TripleDesCtr => None,
        }
    }

    /// The forms that this program has of it, in the order of the table.
    #[must_use]
    pub fn forms(self) -> Vec<Form> {
        let of_esp =
            |form: &Form| self.transform().is_some() || !matches!(form, Form::NullTwin | Form::Burst);
        Form::ALL.into_iter().filter(|form| form.is_built() && of_esp(form)).collect()
    }

    /// By how much the original gained packets a second, where it says so: 1.235 is +123.5 %. Of the MACs over a
    /// context duplicated for each packet, of 3DES over a key schedule for each packet. On a machine with a core for
    /// each thread.
    #[must_use]
    pub fn original(self, bytes: usize, threads: usize) -> Option<f64> {
        let same = |(algorithm, at_bytes, on_threads, _): &&(Self, usize, usize, f64)| {
            (*algorithm, *at_bytes, *on_threads) == (self, bytes, threads)
        };
        ORIGINAL.iter().find(same).map(|(.., gain)| *gain)
    }

    /// The key, of as many bytes as the algorithm takes. No DES subkey is another's.
    pub(super) fn key(self) -> Vec<u8> {
        let len = match self {
            Self::HmacSha1 => 20,
            Self::AesCmac => 16,
            Self::TripleDesCtr => 24,
        };
        (1..=len).map(|byte| byte * 5).collect()
    }

    /// Packets between two looks at the clock: fewer of a cipher that takes 20 times as long as the MACs.
    pub(super) fn batch(self, bytes: usize) -> usize {
        match self {
            Self::HmacSha1 | Self::AesCmac => BATCH,
            Self::TripleDesCtr => (16_384 / bytes).clamp(4, BATCH),
        }
    }

    /// So many packets of which the algorithm covers `bytes`, each with other contents; a MAC's ICV behind them.
    pub(super) fn packets(self, bytes: usize, count: usize) -> Vec<Vec<u8>> {
        let icv_len = self.transform().map_or(0, Transform::icv_len);
        let packet = |index: usize| {
            let contents = (0..bytes).map(|at| (at * 7 + index * 31).to_le_bytes()[0]);
            contents.chain(std::iter::repeat_n(0, icv_len)).collect()
        };
        (0..count).map(packet).collect()
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Algorithm, bytes, threads, gain. Source: the messages of the patch series "OpenSSL PMD Optimisations" for DPDK, June
/// 2024.
const ORIGINAL: [(Algorithm, usize, usize, f64); 5] = [
    (Algorithm::HmacSha1, 64, 1, 1.235),
    (Algorithm::HmacSha1, 4096, 1, 0.176),
    (Algorithm::HmacSha1, 64, 8, 11.225),
    (Algorithm::HmacSha1, 4096, 8, 0.805),
    (Algorithm::TripleDesCtr, 64, 1, 0.353),
];
