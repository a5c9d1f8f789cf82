//! AES-GCM and AES-CCM with every length of key and ICV, by RustCrypto's `aes-gcm` and `ccm`.

use core::marker::PhantomData;

use aes_gcm::aead::array::Array;
use aes_gcm::aead::consts::{U11, U12};
use aes_gcm::{AeadInOut, AesGcm, KeyInit};

use super::aead::Aead;
use crate::packet::{Nonce, Nonce11, Nonce12};

/// AES-GCM with that length of tag (RFC 4106).
pub(crate) type Gcm<Aes, TagLen> = RustCryptoAead<AesGcm<Aes, U12, TagLen>, Nonce12>;

/// AES-CCM with that length of tag, and four bytes for the length of the payload (RFC 4309 section 4).
pub(crate) type Ccm<Aes, TagLen> = RustCryptoAead<ccm::Ccm<Aes, TagLen, U11>, Nonce11>;

/// Boxed, so that the `ring` keys do not pay for its size.
pub(crate) struct RustCryptoAead<C, N>(Box<C>, PhantomData<N>);

impl<C: KeyInit, N> RustCryptoAead<C, N> {
    /// `None` if `key` has not the length of the cipher's key.
    pub(crate) fn new(key: &[u8]) -> Option<Self> {
        C::new_from_slice(key).ok().map(|aead| Self(Box::new(aead), PhantomData))
    }
}

impl<C, N, const ICV: usize> Aead<ICV> for RustCryptoAead<C, N>
where
    C: AeadInOut,
    N: Nonce,
    Array<u8, C::NonceSize>: From<N>,
    Array<u8, C::TagSize>: From<[u8; ICV]> + Into<[u8; ICV]>,
{
    type Nonce = N;

    #[inline]
    fn seal(&self, nonce: N, aad: &[u8], payload: &mut [u8], icv: &mut [u8; ICV]) -> Option<()> {
        *icv = self.0.encrypt_inout_detached(&nonce.into(), aad, payload.into()).ok()?.into();
        Some(())
    }

    // AES-GCM verifies before it decrypts, AES-CCM cannot: its tag is over the plaintext.
    #[inline]
    fn open(&self, nonce: N, aad: &[u8], payload: &mut [u8], icv: &[u8; ICV]) -> Option<()> {
        let tag = (*icv).into();
        let opened = self.0.decrypt_inout_detached(&nonce.into(), aad, (&mut *payload).into(), &tag);
        opened.inspect_err(|_| payload.fill(0)).ok()
    }
}
