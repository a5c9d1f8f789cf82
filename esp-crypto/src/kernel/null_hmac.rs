//! NULL encryption with HMAC-SHA-256-128 by `ring`.

use ring::hmac;
use subtle::ConstantTimeEq;

use crate::JobError;
use crate::kernel::Kernel;
use crate::packet::{ICV_LEN, split_mac};

/// Inner and outer midstates of one HMAC key.
pub(crate) struct NullHmac(hmac::Key);

impl NullHmac {
    pub(crate) fn new(key: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, key))
    }

    //= https://www.rfc-editor.org/rfc/rfc4303#section-2.2.1
    //# If a separate integrity algorithm is employed, the high order bits are included in the implicit ESP
    //# trailer, but are not transmitted, analogous to integrity algorithm padding bits.
    fn icv(&self, covered: &[u8], seq_hi: Option<u32>) -> Option<[u8; ICV_LEN]> {
        let mut mac = hmac::Context::with_key(&self.0);
        mac.update(covered);
        if let Some(seq_hi) = seq_hi {
            mac.update(&seq_hi.to_be_bytes());
        }
        mac.sign().as_ref().first_chunk().copied()
    }
}

impl Kernel for NullHmac {
    fn seal(&self, esp: &mut [u8], seq_hi: Option<u32>) -> Result<(), JobError> {
        let (covered, icv) = split_mac(esp)?;
        *icv = self.icv(covered, seq_hi).ok_or(JobError::AuthFailed)?;
        Ok(())
    }

    fn open(&self, esp: &mut [u8], seq_hi: Option<u32>) -> Result<(), JobError> {
        let (covered, icv) = split_mac(esp)?;
        let expected = self.icv(covered, seq_hi).ok_or(JobError::AuthFailed)?;
        if bool::from(expected.as_slice().ct_eq(icv.as_slice())) { Ok(()) } else { Err(JobError::AuthFailed) }
    }
}
