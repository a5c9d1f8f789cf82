//! A burst of jobs, dispatched once for each kernel in it.

use crate::kernel::{Kernel, KernelId, KernelSet, Work};
use crate::key::State;
use crate::{OpenKey, SealKey};

/// One packet to seal, in place.
#[derive(Debug)]
pub struct SealJob<'k, 'p> {
    /// The key of the packet's SA.
    pub key: &'k SealKey,
    /// SPI to ICV, laid out as the crate documentation says. The ICV bytes need not be set.
    pub esp: &'p mut [u8],
    /// High half of the sequence number, in host byte order; `Some` exactly when the SA uses ESN.
    pub seq_hi: Option<u32>,
}

/// One packet to open, in place.
#[derive(Debug)]
pub struct OpenJob<'k, 'p> {
    /// The key of the packet's SA.
    pub key: &'k OpenKey,
    /// SPI to ICV, laid out as the crate documentation says. The ICV is left as it came.
    pub esp: &'p mut [u8],
    /// High half of the sequence number as inferred, in host byte order; `Some` exactly when the SA uses ESN.
    pub seq_hi: Option<u32>,
}

/// Why a job failed. The packet must not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum JobError {
    /// Shorter than header, IV and ICV; not touched.
    #[error("the packet is shorter than its header, IV and ICV")]
    TooShort,
    /// The ICV did not verify. Sealing never answers this for a payload that an IP packet can carry: the
    /// ciphers end at 2^36 - 32 bytes (AES-GCM) and 2^38 - 64 bytes (ChaCha20).
    #[error("the ICV did not verify")]
    AuthFailed,
}

/// Encrypts each packet and writes its ICV (RFC 4303 section 3.3.2).
///
/// `results[i]` is the outcome of `jobs[i]`; a job that fails has no effect on the others. There should be as
/// many results as jobs: results beyond the jobs are left alone, and jobs beyond the results are not done.
pub fn seal_burst(jobs: &mut [SealJob<'_, '_>], results: &mut [Result<(), JobError>]) {
    debug_assert!(results.len() >= jobs.len(), "a job without a result");
    for kernel in KernelSet::of(jobs.iter().map(|job| job.key.state())).iter() {
        let work = jobs.iter_mut().zip(results.iter_mut()).map(|(job, result)| Work {
            key: job.key.state(),
            esp: &mut *job.esp,
            seq_hi: job.seq_hi,
            result,
        });
        kernel.seal(work);
    }
}

/// Verifies the ICV of each packet and decrypts it (RFC 4303 section 3.4.4).
///
/// `results[i]` is the outcome of `jobs[i]`; a job that fails has no effect on the others. There should be as
/// many results as jobs: results beyond the jobs are left alone, and jobs beyond the results are not done.
pub fn open_burst(jobs: &mut [OpenJob<'_, '_>], results: &mut [Result<(), JobError>]) {
    debug_assert!(results.len() >= jobs.len(), "a job without a result");
    for kernel in KernelSet::of(jobs.iter().map(|job| job.key.state())).iter() {
        let work = jobs.iter_mut().zip(results.iter_mut()).map(|(job, result)| Work {
            key: job.key.state(),
            esp: &mut *job.esp,
            seq_hi: job.seq_hi,
            result,
        });
        kernel.open(work);
    }
}

macro_rules! of_kernel {
    ($work:ident, $variant:ident) => {
        $work.filter_map(|work| match work.key {
            State::$variant(key) => {
                Some(Work { key, esp: work.esp, seq_hi: work.seq_hi, result: work.result })
            }
            _ => None,
        })
    };
}

impl KernelId {
    fn seal<'w>(self, work: impl Iterator<Item = Work<'w, State>>) {
        match self {
            Self::RingGcm => Kernel::seal_burst(of_kernel!(work, RingGcm)),
            Self::RingChaCha => Kernel::seal_burst(of_kernel!(work, RingChaCha)),
            Self::PortableGcm128 => Kernel::seal_burst(of_kernel!(work, PortableGcm128)),
            Self::PortableGcm192 => Kernel::seal_burst(of_kernel!(work, PortableGcm192)),
            Self::PortableGcm256 => Kernel::seal_burst(of_kernel!(work, PortableGcm256)),
            Self::NullHmac => Kernel::seal_burst(of_kernel!(work, NullHmac)),
            Self::NullTwin => Kernel::seal_burst(of_kernel!(work, NullTwin)),
        }
    }

    fn open<'w>(self, work: impl Iterator<Item = Work<'w, State>>) {
        match self {
            Self::RingGcm => Kernel::open_burst(of_kernel!(work, RingGcm)),
            Self::RingChaCha => Kernel::open_burst(of_kernel!(work, RingChaCha)),
            Self::PortableGcm128 => Kernel::open_burst(of_kernel!(work, PortableGcm128)),
            Self::PortableGcm192 => Kernel::open_burst(of_kernel!(work, PortableGcm192)),
            Self::PortableGcm256 => Kernel::open_burst(of_kernel!(work, PortableGcm256)),
            Self::NullHmac => Kernel::open_burst(of_kernel!(work, NullHmac)),
            Self::NullTwin => Kernel::open_burst(of_kernel!(work, NullTwin)),
        }
    }
}

const _: () = assert!(size_of::<Result<(), JobError>>() == 1, "a result is one byte");
