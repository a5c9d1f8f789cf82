//! HMAC with SHA-1, SHA-2 (RFC 2404, RFC 4868), and the legacy MD5 (RFC 2403).

use hmac::digest::Output;
use hmac::{EagerHash, Hmac, KeyInit, Mac as _};

use super::{Mac, MacKernel};

/// Inner and outer midstates of one key. Not boxed: the largest is smaller than a key of `ring`.
pub(crate) type HmacMac<D> = MacKernel<Hmac<D>>;

impl<D: EagerHash> HmacMac<D> {
    /// `None` never: HMAC takes keys of any length.
    pub(crate) fn new(key: &[u8]) -> Option<Self> {
        Hmac::new_from_slice(key).ok().map(Self)
    }
}

impl<D: EagerHash> Mac for Hmac<D> {
    type Tag = Output<Self>;

    #[inline]
    fn tag(&self, covered: &[u8], behind: &[u8]) -> Self::Tag {
        let mut mac = self.clone();
        mac.update(covered);
        mac.update(behind);
        mac.finalize().into_bytes()
    }
}

const _: () = assert!(size_of::<Hmac<sha2::Sha512>>() <= 512, "midstates are copied for each packet");
