//! Separate MACs: what they cover, and the one comparison of ICVs.

mod aes_mac;
mod hmac;

pub(crate) use aes_mac::AesMac;
pub(crate) use hmac::HmacMac;

use subtle::ConstantTimeEq;

use super::Kernel;
use crate::JobError;
use crate::packet::{Lens, split_icv};

/// A keyed MAC.
pub(crate) trait Mac {
    type Tag: AsRef<[u8]>;

    /// The whole tag over `covered` and then `behind`, which is the high half of the sequence number or nothing.
    fn tag(&self, covered: &[u8], behind: &[u8]) -> Self::Tag;
}

/// The pass of a MAC over a burst.
#[derive(Clone)]
pub(crate) struct MacKernel<M>(pub(super) M);

impl<M: Mac> MacKernel<M> {
    //= https://www.rfc-editor.org/rfc/rfc4303#section-2.2.1
    //# If a separate integrity algorithm is employed, the high order bits are included in the implicit ESP
    //# trailer, but are not transmitted, analogous to integrity algorithm padding bits.
    #[inline]
    fn tag(&self, covered: &[u8], seq_hi: Option<u32>) -> M::Tag {
        match seq_hi {
            None => self.0.tag(covered, &[]),
            Some(seq_hi) => self.0.tag(covered, &seq_hi.to_be_bytes()),
        }
    }
}

impl<M: Mac> Kernel for MacKernel<M> {
    fn seal(&self, esp: &mut [u8], lens: Lens, seq_hi: Option<u32>) -> Result<(), JobError> {
        let (covered, icv) = split_icv(esp, lens)?;
        let tag = self.tag(covered, seq_hi);
        icv.copy_from_slice(tag.as_ref().get(..icv.len()).ok_or(JobError::AuthFailed)?);
        Ok(())
    }

    fn open(&self, esp: &mut [u8], lens: Lens, seq_hi: Option<u32>) -> Result<(), JobError> {
        let (covered, icv) = split_icv(esp, lens)?;
        if is_icv(self.tag(covered, seq_hi).as_ref(), icv) { Ok(()) } else { Err(JobError::AuthFailed) }
    }
}

/// Whether `icv`, all of it, is the start of `tag`. The time it takes says nothing about where they differ.
#[inline]
pub(super) fn is_icv(tag: &[u8], icv: &[u8]) -> bool {
    tag.get(..icv.len()).is_some_and(|expected| expected.ct_eq(icv).into())
}
