//! The combined-mode walk that AES-GCM and ChaCha20-Poly1305 share.

use crate::JobError;
use crate::kernel::Kernel;
use crate::packet::{AeadPacket, ICV_LEN, NONCE_LEN, SALT_LEN};

/// A keyed AEAD with a 12-byte nonce and a 16-byte tag.
pub(crate) trait Aead {
    /// Encrypts `payload` and writes its tag to `icv`; `None` if the payload is too long for the cipher.
    fn seal(
        &self,
        nonce: [u8; NONCE_LEN],
        aad: &[u8],
        payload: &mut [u8],
        icv: &mut [u8; ICV_LEN],
    ) -> Option<()>;

    /// Decrypts `payload` if `icv` is its tag. Otherwise answers `None` and leaves ciphertext or zeros.
    fn open(&self, nonce: [u8; NONCE_LEN], aad: &[u8], payload: &mut [u8], icv: &[u8; ICV_LEN])
    -> Option<()>;
}

/// An AEAD and the SA's salt.
pub(crate) struct AeadKernel<A> {
    pub(crate) aead: A,
    pub(crate) salt: [u8; SALT_LEN],
}

impl<A: Aead> Kernel for AeadKernel<A> {
    #[inline]
    fn seal(&self, esp: &mut [u8], seq_hi: Option<u32>) -> Result<(), JobError> {
        let packet = AeadPacket::split(esp)?;
        let (nonce, aad) = (packet.nonce(self.salt), packet.aad(seq_hi));
        self.aead.seal(nonce, aad.as_ref(), packet.payload, packet.icv).ok_or(JobError::AuthFailed)
    }

    #[inline]
    fn open(&self, esp: &mut [u8], seq_hi: Option<u32>) -> Result<(), JobError> {
        let packet = AeadPacket::split(esp)?;
        let (nonce, aad) = (packet.nonce(self.salt), packet.aad(seq_hi));
        self.aead.open(nonce, aad.as_ref(), packet.payload, packet.icv).ok_or(JobError::AuthFailed)
    }
}
