//! AES-GCM with all three key sizes by RustCrypto's `aes-gcm`.

use aes_gcm::aead::consts::U12;
use aes_gcm::aes::{Aes128, Aes192, Aes256};
use aes_gcm::{AeadInOut, AesGcm, KeyInit};

use super::aead::Aead;
use crate::packet::{ICV_LEN, NONCE_LEN};

/// Boxed, so that the `ring` keys do not pay for its size; it wipes itself when dropped.
pub(crate) struct PortableGcm<Aes>(Box<AesGcm<Aes, U12>>);

pub(crate) type PortableGcm128 = PortableGcm<Aes128>;
pub(crate) type PortableGcm192 = PortableGcm<Aes192>;
pub(crate) type PortableGcm256 = PortableGcm<Aes256>;

impl<Aes> PortableGcm<Aes>
where
    AesGcm<Aes, U12>: KeyInit,
{
    /// `None` if `key` has not the length of the cipher's key.
    pub(crate) fn new(key: &[u8]) -> Option<Self> {
        AesGcm::new_from_slice(key).ok().map(Box::new).map(Self)
    }
}

impl<Aes> Aead for PortableGcm<Aes>
where
    AesGcm<Aes, U12>: AeadInOut<NonceSize = U12, TagSize = aes_gcm::aead::consts::U16>,
{
    #[inline]
    fn seal(
        &self,
        nonce: [u8; NONCE_LEN],
        aad: &[u8],
        payload: &mut [u8],
        icv: &mut [u8; ICV_LEN],
    ) -> Option<()> {
        *icv = self.0.encrypt_inout_detached(&nonce.into(), aad, payload.into()).ok()?.into();
        Some(())
    }

    // The library compares the whole tag, in constant time, before it decrypts anything.
    #[inline]
    fn open(
        &self,
        nonce: [u8; NONCE_LEN],
        aad: &[u8],
        payload: &mut [u8],
        icv: &[u8; ICV_LEN],
    ) -> Option<()> {
        self.0.decrypt_inout_detached(&nonce.into(), aad, payload.into(), &(*icv).into()).ok()
    }
}
