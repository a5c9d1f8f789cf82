//! The ICV that a packet should have.
//!
//! Every cipher here is a key stream: sealing the ciphertext with its own IV turns it into the plaintext, and sealing
//! that gives the ciphertext back, with its true ICV behind. So the kernels that seal are the ones that judge, and a
//! shorter ICV is the start of a longer one.

use esp_core::{Tiers, Transform};
use esp_crypto::{KeyMaterial, SealJob, SealKey, seal_burst};
use zeroize::Zeroizing;

/// A transform with its key.
pub(super) struct Judge {
    key: SealKey,
    transform: Transform,
}

/// What a judge finds.
pub(super) struct Judged {
    /// What should stand at the end of the packet; as long as the transform's own ICV.
    pub(super) expected: Vec<u8>,
    /// Payload and trailer in clear. Whoever asks makes sure that the packet is authentic first.
    pub(super) plaintext: Zeroizing<Vec<u8>>,
}

impl Judge {
    /// `None` if the keying material has another length.
    pub(super) fn new(transform: Transform, key: &[u8]) -> Option<Self> {
        let tier = Tiers::default().best(transform);
        let key = SealKey::new(transform, tier, &KeyMaterial::from_slice(key)).ok()?;
        Some(Self { key, transform })
    }

    pub(super) fn transform(&self) -> Transform {
        self.transform
    }

    /// Judges `esp`, whose last `icv_len` bytes are the ICV; `None` if it is too short.
    pub(super) fn judge(&self, esp: &[u8], seq_hi: Option<u32>, icv_len: usize) -> Option<Judged> {
        let covered = esp.len().checked_sub(icv_len)?;
        let own_len = self.transform.icv_len();
        let mut buffer = Zeroizing::new(Vec::with_capacity(covered + own_len));
        buffer.extend_from_slice(esp.get(..covered)?);
        buffer.resize(covered + own_len, 0);
        let front = 8 + self.transform.iv_len();
        self.seal(&mut buffer, seq_hi)?;
        let plaintext = Zeroizing::new(buffer.get(front..covered)?.to_vec());
        self.seal(&mut buffer, seq_hi)?;
        let expected = buffer.get(covered..)?.to_vec();
        Some(Judged { expected, plaintext })
    }

    /// Whether `esp` is authentic.
    pub(super) fn authentic(&self, esp: &[u8], seq_hi: Option<u32>, icv_len: usize) -> bool {
        let found = esp.len().checked_sub(icv_len).and_then(|at| esp.get(at..)).unwrap_or_default();
        self.judge(esp, seq_hi, icv_len).is_some_and(|judged| judged.matches(found))
    }

    fn seal(&self, esp: &mut [u8], seq_hi: Option<u32>) -> Option<()> {
        let mut results = [Ok(())];
        seal_burst(&mut [SealJob { key: &self.key, esp, seq_hi }], &mut results);
        results[0].ok()
    }
}

impl Judged {
    /// Whether `found` is the ICV or a start of it; or starts with it, where a peer does not cut.
    pub(super) fn matches(&self, found: &[u8]) -> bool {
        let common = found.len().min(self.expected.len());
        common >= LEAST_ICV && found.get(..common) == self.expected.get(..common)
    }
}

/// Bytes; the shortest ICV of any transform (RFC 4106 section 6).
pub(super) const LEAST_ICV: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_is_authentic_and_nothing_else() {
        for transform in Transform::ALL {
            let key: Vec<u8> = (0..).take(transform.key_len()).collect();
            let judge = Judge::new(*transform, &key).unwrap();
            let mut esp: Vec<u8> = (0..).take(60 + transform.icv_len()).collect();
            judge.seal(&mut esp, Some(7)).unwrap();
            assert!(judge.authentic(&esp, Some(7), transform.icv_len()), "{transform}");
            assert!(!judge.authentic(&esp, Some(8), transform.icv_len()));
            assert!(!judge.authentic(&esp, None, transform.icv_len()));
            let len = esp.len();
            esp.truncate(len - 4);
            assert!(judge.authentic(&esp, Some(7), transform.icv_len() - 4), "an ICV that is cut");
            esp[3] ^= 1;
            assert!(!judge.authentic(&esp, Some(7), transform.icv_len() - 4));
            assert!(!judge.authentic(&esp[..7], Some(7), 8));
        }
        assert!(Judge::new(Transform::Aes128Gcm16, &[0; 19]).is_none());
    }
}
