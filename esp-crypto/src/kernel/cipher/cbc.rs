//! CBC over raw blocks: AES (RFC 3602), and the legacy DES (RFC 2405) and 3DES (RFC 2451).
//!
//! The padding is ESP's. No padding of the library's own is asked for or compiled in.

use aes_gcm::KeyInit;
use cbc::cipher::array::Array;
use cbc::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, InnerIvInit};
use cbc::{Decryptor, Encryptor};

use crate::JobError;
use crate::kernel::Kernel;
use crate::packet::{Lens, split_payload};

/// Boxed for its size: key schedules of both directions.
pub(crate) struct Cbc<C>(Box<C>);

pub(crate) type AesCbc<Aes> = Cbc<Aes>;
#[cfg(feature = "legacy")]
pub(crate) type DesCbc = Cbc<des::Des>;
#[cfg(feature = "legacy")]
pub(crate) type TripleDesCbc = Cbc<des::TdesEde3>;

impl<C: KeyInit> Cbc<C> {
    /// `None` if `key` has not the length of the cipher's key.
    pub(crate) fn new(key: &[u8]) -> Option<Self> {
        C::new_from_slice(key).ok().map(Box::new).map(Self)
    }
}

impl<C: BlockCipherEncrypt + BlockCipherDecrypt> Kernel for Cbc<C> {
    fn seal(&self, esp: &mut [u8], lens: Lens, _seq_hi: Option<u32>) -> Result<(), JobError> {
        let (iv, payload) = split_payload(esp, lens)?;
        let iv = iv.try_into().map_err(|_| JobError::TooShort)?;
        let (blocks, []) = Array::slice_as_chunks_mut(payload) else { return Err(JobError::BadLength) };
        Encryptor::inner_iv_init(&*self.0, iv).encrypt_blocks(blocks);
        Ok(())
    }

    fn open(&self, esp: &mut [u8], lens: Lens, _seq_hi: Option<u32>) -> Result<(), JobError> {
        let (iv, payload) = split_payload(esp, lens)?;
        let iv = iv.try_into().map_err(|_| JobError::TooShort)?;
        let (blocks, []) = Array::slice_as_chunks_mut(payload) else { return Err(JobError::BadLength) };
        Decryptor::inner_iv_init(&*self.0, iv).decrypt_blocks(blocks);
        Ok(())
    }
}
