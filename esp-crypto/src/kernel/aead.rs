//! The combined-mode walk that AES-GCM, AES-CCM and ChaCha20-Poly1305 share.

use super::Kernel;
use crate::JobError;
use crate::packet::{AeadPacket, Lens, Nonce};

/// A keyed AEAD with a tag of `ICV` bytes.
pub(crate) trait Aead<const ICV: usize> {
    type Nonce: Nonce;

    /// Encrypts `payload` and writes its tag to `icv`; `None` if the payload is too long for the cipher.
    fn seal(&self, nonce: Self::Nonce, aad: &[u8], payload: &mut [u8], icv: &mut [u8; ICV]) -> Option<()>;

    /// Decrypts `payload` if `icv` is its tag. Otherwise answers `None` and leaves ciphertext or zeros.
    fn open(&self, nonce: Self::Nonce, aad: &[u8], payload: &mut [u8], icv: &[u8; ICV]) -> Option<()>;
}

/// An AEAD and the SA's salt, as [`Nonce::join`] takes it.
pub(crate) struct AeadKernel<A, const ICV: usize> {
    pub(super) aead: A,
    pub(super) salt: u32,
}

impl<A: Aead<ICV>, const ICV: usize> Kernel for AeadKernel<A, ICV> {
    #[inline]
    fn seal(&self, esp: &mut [u8], lens: Lens, seq_hi: Option<u32>) -> Result<(), JobError> {
        let packet = AeadPacket::split(esp, lens, seq_hi)?;
        let (nonce, aad) = (packet.nonce(self.salt), packet.aad());
        self.aead.seal(nonce, aad.as_ref(), packet.payload, packet.icv).ok_or(JobError::AuthFailed)
    }

    #[inline]
    fn open(&self, esp: &mut [u8], lens: Lens, seq_hi: Option<u32>) -> Result<(), JobError> {
        let packet = AeadPacket::split(esp, lens, seq_hi)?;
        let (nonce, aad) = (packet.nonce(self.salt), packet.aad());
        self.aead.open(nonce, aad.as_ref(), packet.payload, packet.icv).ok_or(JobError::AuthFailed)
    }
}
