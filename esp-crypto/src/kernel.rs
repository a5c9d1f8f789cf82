//! What a kernel is, and which ones a burst needs.

mod aead;
mod null_hmac;
mod null_twin;
mod portable_gcm;
mod ring_aead;

pub(crate) use aead::AeadKernel;
pub(crate) use null_hmac::NullHmac;
pub(crate) use null_twin::NullTwin;
pub(crate) use portable_gcm::{PortableGcm128, PortableGcm192, PortableGcm256};
pub(crate) use ring_aead::RingAead;

use crate::JobError;
use crate::key::State;

/// One packet for the kernel of key type `K`.
pub(crate) struct Work<'w, K> {
    pub(crate) key: &'w K,
    pub(crate) esp: &'w mut [u8],
    pub(crate) seq_hi: Option<u32>,
    pub(crate) result: &'w mut Result<(), JobError>,
}

/// One transform on one tier; `Self` is its keyed state.
///
/// A kernel that works on several packets at a time overrides the burst functions.
pub(crate) trait Kernel: Sized {
    /// Seals one packet in place.
    fn seal(&self, esp: &mut [u8], seq_hi: Option<u32>) -> Result<(), JobError>;

    /// Opens one packet in place.
    fn open(&self, esp: &mut [u8], seq_hi: Option<u32>) -> Result<(), JobError>;

    /// Seals every packet of `burst`, each under its own key.
    fn seal_burst<'w>(burst: impl Iterator<Item = Work<'w, Self>>)
    where
        Self: 'w,
    {
        burst.for_each(|work| *work.result = work.key.seal(work.esp, work.seq_hi));
    }

    /// Opens every packet of `burst`, each under its own key.
    fn open_burst<'w>(burst: impl Iterator<Item = Work<'w, Self>>)
    where
        Self: 'w,
    {
        burst.for_each(|work| *work.result = work.key.open(work.esp, work.seq_hi));
    }
}

/// Names a kernel in a [`KernelSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum KernelId {
    RingGcm,
    RingChaCha,
    PortableGcm128,
    PortableGcm192,
    PortableGcm256,
    NullHmac,
    NullTwin,
}

impl KernelId {
    const ALL: [Self; 7] = [
        Self::RingGcm,
        Self::RingChaCha,
        Self::PortableGcm128,
        Self::PortableGcm192,
        Self::PortableGcm256,
        Self::NullHmac,
        Self::NullTwin,
    ];

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The kernels present in a burst, one bit each.
#[derive(Clone, Copy)]
pub(crate) struct KernelSet(u8);

impl KernelSet {
    pub(crate) fn of<'k>(states: impl Iterator<Item = &'k State>) -> Self {
        Self(states.fold(0, |set, state| set | state.kernel().bit()))
    }

    /// Each kernel once.
    pub(crate) fn iter(self) -> impl Iterator<Item = KernelId> {
        KernelId::ALL.into_iter().filter(move |kernel| self.0 & kernel.bit() != 0)
    }
}

#[cfg(test)]
mod tests;
