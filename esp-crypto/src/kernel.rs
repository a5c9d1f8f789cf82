//! What a kernel is: one pass over the packets of a burst that need it.

mod aead;
mod cipher;
mod gmac;
mod mac;
mod null_twin;
mod ring_aead;
mod rustcrypto_aead;
mod set;
mod state;
mod table;

pub(crate) use null_twin::NullTwin;
pub(crate) use set::KernelSet;
pub(crate) use table::{KernelId, State};

use crate::JobError;
use crate::packet::Lens;

/// One packet for the kernel of key type `K`.
pub(crate) struct Work<'w, K> {
    pub(crate) key: &'w K,
    pub(crate) lens: Lens,
    pub(crate) esp: &'w mut [u8],
    pub(crate) seq_hi: Option<u32>,
    /// `Ok` until a kernel says otherwise.
    pub(crate) result: &'w mut Result<(), JobError>,
}

/// A combined mode, a cipher, or a MAC on one tier; `Self` is its keyed state.
///
/// Under a separate MAC a packet goes through two kernels: sealing by the cipher's and then the MAC's, opening by the
/// MAC's and then, if that found nothing wrong, the cipher's. A kernel that works on several packets at a time
/// overrides the burst functions.
pub(crate) trait Kernel: Sized {
    /// Encrypts the packet in place, writes its ICV, or both.
    fn seal(&self, esp: &mut [u8], lens: Lens, seq_hi: Option<u32>) -> Result<(), JobError>;

    /// Verifies the packet's ICV, decrypts it in place, or both.
    fn open(&self, esp: &mut [u8], lens: Lens, seq_hi: Option<u32>) -> Result<(), JobError>;

    /// Seals every packet of `burst`, each under its own key.
    fn seal_burst<'w>(burst: impl Iterator<Item = Work<'w, Self>>)
    where
        Self: 'w,
    {
        burst.for_each(|work| *work.result = work.key.seal(work.esp, work.lens, work.seq_hi));
    }

    /// Opens every packet of `burst`, each under its own key.
    fn open_burst<'w>(burst: impl Iterator<Item = Work<'w, Self>>)
    where
        Self: 'w,
    {
        burst.for_each(|work| *work.result = work.key.open(work.esp, work.lens, work.seq_hi));
    }
}

#[cfg(test)]
mod tests;
