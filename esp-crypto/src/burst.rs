//! A burst of jobs, dispatched once for each kernel in it.

use crate::kernel::KernelSet;
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
    /// Authentic, but the payload is no whole number of the cipher's blocks; not touched.
    #[error("the payload is no whole number of the cipher's blocks")]
    BadLength,
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
    results.iter_mut().zip(jobs.iter()).for_each(|(result, _)| *result = Ok(()));
    // The table lists ciphers before MACs.
    for kernel in KernelSet::union(jobs.iter().map(|job| job.key.kernels())).iter() {
        let work = jobs.iter_mut().zip(results.iter_mut());
        kernel.seal(work.map(|(job, result)| job.key.work(&mut *job.esp, job.seq_hi, result)));
    }
}

/// Verifies the ICV of each packet and decrypts it (RFC 4303 section 3.4.4).
///
/// `results[i]` is the outcome of `jobs[i]`; a job that fails has no effect on the others. There should be as
/// many results as jobs: results beyond the jobs are left alone, and jobs beyond the results are not done.
pub fn open_burst(jobs: &mut [OpenJob<'_, '_>], results: &mut [Result<(), JobError>]) {
    debug_assert!(results.len() >= jobs.len(), "a job without a result");
    results.iter_mut().zip(jobs.iter()).for_each(|(result, _)| *result = Ok(()));
    let kernels = KernelSet::union(jobs.iter().map(|job| job.key.kernels()));
    let verify_first = kernels.iter().filter(|kernel| !kernel.is_cipher());
    for kernel in verify_first.chain(kernels.iter().filter(|kernel| kernel.is_cipher())) {
        let work = jobs.iter_mut().zip(results.iter_mut());
        kernel.open(work.map(|(job, result)| job.key.work(&mut *job.esp, job.seq_hi, result)));
    }
}

const _: () = assert!(size_of::<Result<(), JobError>>() == 1, "a result is one byte");
