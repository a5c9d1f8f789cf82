//! Random IVs, for the ciphers that ask for unpredictable ones.

use std::fmt;

use rand::rngs::{StdRng, SysRng};
use rand::{Rng, SeedableRng};

use crate::SaError;

/// A worker's own generator: a stream cipher seeded by the operating system once, so that the hot path neither shares a
/// state nor makes a system call.
pub(crate) struct IvSource(StdRng);

impl IvSource {
    /// # Errors
    ///
    /// [`SaError::NoRandom`]: the operating system gives no seed, and a weak one would make IVs that can be foretold.
    pub(crate) fn seeded() -> Result<Self, SaError> {
        StdRng::try_from_rng(&mut SysRng).map(Self).map_err(|_| SaError::NoRandom)
    }

    #[inline]
    pub(crate) fn fill(&mut self, iv: &mut [u8]) {
        self.0.fill_bytes(iv);
    }
}

/// Its state foretells IVs.
impl fmt::Debug for IvSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IvSource")
    }
}
