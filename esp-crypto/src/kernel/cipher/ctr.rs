//! AES in counter mode (RFC 3686).

use aes_gcm::KeyInit;
use ctr::cipher::array::Array;
use ctr::cipher::consts::U16;
use ctr::cipher::{BlockCipherEncrypt, InnerIvInit, StreamCipherCore};
use ctr::{CtrCore, flavors};

use crate::JobError;
use crate::kernel::Kernel;
use crate::packet::{AEAD_IV_LEN, Lens, split_payload};

/// Boxed for its size.
pub(crate) struct AesCtr<Aes> {
    aes: Box<Aes>,
    nonce: [u8; NONCE_LEN],
}

impl<Aes: KeyInit> AesCtr<Aes> {
    /// The key, then the nonce; `None` if they have not the lengths of the cipher's.
    pub(crate) fn new(keys: &[u8]) -> Option<Self> {
        let (key, nonce) = keys.split_last_chunk()?;
        Aes::new_from_slice(key).ok().map(|aes| Self { aes: Box::new(aes), nonce: *nonce })
    }
}

impl<Aes: BlockCipherEncrypt<BlockSize = U16>> AesCtr<Aes> {
    /// Encrypts and decrypts.
    fn apply(&self, esp: &mut [u8], lens: Lens) -> Result<(), JobError> {
        let (iv, payload) = split_payload(esp, lens)?;
        let iv = iv.try_into().map_err(|_| JobError::TooShort)?;
        let first = counter_block(self.nonce, iv);
        let keystream = CtrCore::<_, flavors::Ctr32BE>::inner_iv_init(&*self.aes, &first);
        keystream.try_apply_keystream_partial(payload.into()).map_err(|_| JobError::BadLength)
    }
}

impl<Aes: BlockCipherEncrypt<BlockSize = U16>> Kernel for AesCtr<Aes> {
    fn seal(&self, esp: &mut [u8], lens: Lens, _seq_hi: Option<u32>) -> Result<(), JobError> {
        self.apply(esp, lens)
    }

    fn open(&self, esp: &mut [u8], lens: Lens, _seq_hi: Option<u32>) -> Result<(), JobError> {
        self.apply(esp, lens)
    }
}

/// RFC 3686 section 4: nonce, IV, and a big-endian counter that starts at one.
fn counter_block([n0, n1, n2, n3]: [u8; NONCE_LEN], iv: [u8; AEAD_IV_LEN]) -> Array<u8, U16> {
    let [i0, i1, i2, i3, i4, i5, i6, i7] = iv;
    Array([n0, n1, n2, n3, i0, i1, i2, i3, i4, i5, i6, i7, 0, 0, 0, 1])
}

const NONCE_LEN: usize = 4;
