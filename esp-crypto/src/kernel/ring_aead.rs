//! AES-128-GCM, AES-256-GCM and ChaCha20-Poly1305 by `ring`.

use ring::aead::{AES_128_GCM, AES_256_GCM, CHACHA20_POLY1305};
use ring::aead::{Algorithm, LessSafeKey, Nonce, Tag, UnboundKey};

use super::aead::Aead;
use crate::Transform;
use crate::packet::{ICV_LEN, NONCE_LEN};

/// A `ring` key; the nonce rules that `ring` would enforce are the SA's.
pub(crate) struct RingAead(LessSafeKey);

impl RingAead {
    /// `None` if `ring` does not offer `transform` or `key` has not its length.
    pub(crate) fn new(transform: Transform, key: &[u8]) -> Option<Self> {
        UnboundKey::new(algorithm(transform)?, key).ok().map(LessSafeKey::new).map(Self)
    }
}

impl Aead for RingAead {
    #[inline]
    fn seal(
        &self,
        nonce: [u8; NONCE_LEN],
        aad: &[u8],
        payload: &mut [u8],
        icv: &mut [u8; ICV_LEN],
    ) -> Option<()> {
        let nonce = Nonce::assume_unique_for_key(nonce);
        let tag = self.0.seal_in_place_separate_tag(nonce, ring::aead::Aad::from(aad), payload).ok()?;
        *icv = *tag.as_ref().first_chunk()?;
        Some(())
    }

    // On a mismatch ring zeroes the payload, as it has decrypted it by then.
    #[inline]
    fn open(
        &self,
        nonce: [u8; NONCE_LEN],
        aad: &[u8],
        payload: &mut [u8],
        icv: &[u8; ICV_LEN],
    ) -> Option<()> {
        let nonce = Nonce::assume_unique_for_key(nonce);
        let aad = ring::aead::Aad::from(aad);
        self.0.open_in_place_separate_tag(nonce, aad, Tag::from(*icv), payload, 0..).ok().map(drop)
    }
}

fn algorithm(transform: Transform) -> Option<&'static Algorithm> {
    match transform {
        Transform::Aes128Gcm16 => Some(&AES_128_GCM),
        Transform::Aes256Gcm16 => Some(&AES_256_GCM),
        Transform::ChaCha20Poly1305 => Some(&CHACHA20_POLY1305),
        Transform::Aes192Gcm16 | Transform::NullHmacSha256_128 => None,
    }
}
