//! AES-GCM and ChaCha20-Poly1305 by `ring`: 128- and 256-bit keys, 16 bytes of ICV.

use ring::aead::{Aad, Algorithm, LessSafeKey, Nonce, Tag, UnboundKey};

use super::aead::Aead;
use crate::packet::Nonce12;

/// A `ring` key; the nonce rules that `ring` would enforce are the SA's.
pub(crate) struct RingAead(LessSafeKey);

impl RingAead {
    /// `None` if `key` has not the length of the algorithm's.
    pub(crate) fn new(algorithm: &'static Algorithm, key: &[u8]) -> Option<Self> {
        UnboundKey::new(algorithm, key).ok().map(LessSafeKey::new).map(Self)
    }
}

impl Aead<16> for RingAead {
    type Nonce = Nonce12;

    #[inline]
    fn seal(&self, nonce: Nonce12, aad: &[u8], payload: &mut [u8], icv: &mut [u8; 16]) -> Option<()> {
        let nonce = Nonce::assume_unique_for_key(nonce);
        let tag = self.0.seal_in_place_separate_tag(nonce, Aad::from(aad), payload).ok()?;
        *icv = *tag.as_ref().first_chunk()?;
        Some(())
    }

    // On a mismatch ring zeroes the payload, as it has decrypted it by then.
    #[inline]
    fn open(&self, nonce: Nonce12, aad: &[u8], payload: &mut [u8], icv: &[u8; 16]) -> Option<()> {
        let (nonce, aad) = (Nonce::assume_unique_for_key(nonce), Aad::from(aad));
        self.0.open_in_place_separate_tag(nonce, aad, Tag::from(*icv), payload, 0..).ok().map(drop)
    }
}
