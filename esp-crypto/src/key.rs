//! Keyed state, made once when an SA is installed.

use core::fmt;

use crate::kernel::{KernelSet, NullTwin, State, Work};
use crate::packet::Lens;
use crate::{Cipher, JobError, KeyMaterial, Tier, Transform};

/// The key of an outbound SA.
pub struct SealKey(Keyed);

/// The key of an inbound SA.
pub struct OpenKey(Keyed);

impl SealKey {
    /// Computes the keyed state of `transform` on `tier` from `keys`, which are read and not kept.
    ///
    /// # Errors
    ///
    /// [`KeyError::Length`] unless `keys` is exactly [`Transform::key_len`] bytes long, [`KeyError::Tier`] if the tier
    /// has no such transform, [`KeyError::ReceiveOnly`] for DES.
    pub fn new(transform: Transform, tier: Tier, keys: &KeyMaterial) -> Result<Self, KeyError> {
        let receive_only = transform.cipher().cipher == Cipher::DesCbc;
        let keyed = Keyed::new(transform, tier, keys)?;
        if receive_only { Err(KeyError::ReceiveOnly { transform }) } else { Ok(Self(keyed)) }
    }

    /// A copy on the heap, of keys that are HMAC-SHA1 or an AES MAC and nothing else: what a driver pays that
    /// duplicates its context for each packet.
    ///
    /// For benchmarks.
    #[doc(hidden)]
    pub fn duplicate(&self) -> Option<Box<Self>> {
        let Keyed { transform, tier, lens, kernels, ref state } = self.0;
        Some(Box::new(Self(Keyed { transform, tier, lens, kernels, state: state.duplicate()? })))
    }
}

impl OpenKey {
    /// Computes the keyed state of `transform` on `tier` from `keys`, which are read and not kept.
    ///
    /// # Errors
    ///
    /// [`KeyError::Length`] unless `keys` is exactly [`Transform::key_len`] bytes long, [`KeyError::Tier`] if the tier
    /// has no such transform.
    pub fn new(transform: Transform, tier: Tier, keys: &KeyMaterial) -> Result<Self, KeyError> {
        Keyed::new(transform, tier, keys).map(Self)
    }
}

macro_rules! key_methods {
    ($key:ident) => {
        impl $key {
            /// The transform; of a null twin, the one it stands in for.
            pub fn transform(&self) -> Transform {
                self.0.transform
            }

            /// The tier; of a null twin, the one it stands in for.
            pub fn tier(&self) -> Tier {
                self.0.tier
            }

            /// A key that does no cryptography: sealing writes a zero ICV, opening accepts anything. Lengths in
            /// bytes. It stands
            /// in for AES-128-GCM-16 (8 and 16) when the time of everything else is to be measured.
            ///
            /// Never for traffic.
            #[doc(hidden)]
            pub fn null_twin(iv_len: usize, icv_len: usize) -> Self {
                Self(Keyed::null_twin(iv_len, icv_len))
            }

            pub(crate) fn kernels(&self) -> KernelSet {
                self.0.kernels
            }

            /// What the kernels need to know of a job.
            pub(crate) fn work<'w>(
                &'w self,
                esp: &'w mut [u8],
                seq_hi: Option<u32>,
                result: &'w mut Result<(), JobError>,
            ) -> Work<'w, State> {
                Work { key: &self.0.state, lens: self.0.lens, esp, seq_hi, result }
            }
        }

        impl fmt::Debug for $key {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({}, {})", stringify!($key), self.transform(), self.tier())
            }
        }
    };
}

key_methods!(SealKey);
key_methods!(OpenKey);

/// Why a key could not be made. Never carries key bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The keying material has not the length of the transform.
    #[error("{transform} takes {expected} bytes of keying material, not {got}")]
    Length {
        /// The transform asked for.
        transform: Transform,
        /// Bytes it takes, salt included.
        expected: usize,
        /// Bytes given.
        got: usize,
    },
    /// The tier does not implement the transform.
    #[error("the {tier} tier has no {transform}")]
    Tier {
        /// The transform asked for.
        transform: Transform,
        /// The tier asked for.
        tier: Tier,
    },
    /// Parts of the key are the same, which makes it a weaker cipher's ([`Transform::is_degenerate`]).
    #[error("{transform}: two of the three DES keys in a row are the same, which makes it DES (RFC 2451)")]
    Degenerate {
        /// The transform asked for.
        transform: Transform,
    },
    /// Nothing is sent under the transform any more.
    #[error("{transform} is for receiving only")]
    ReceiveOnly {
        /// The transform asked for.
        transform: Transform,
    },
}

struct Keyed {
    transform: Transform,
    tier: Tier,
    lens: Lens,
    kernels: KernelSet,
    state: State,
}

impl Keyed {
    fn new(transform: Transform, tier: Tier, keys: &KeyMaterial) -> Result<Self, KeyError> {
        let (expected, got) = (transform.key_len(), keys.len());
        if got != expected {
            return Err(KeyError::Length { transform, expected, got });
        }
        if transform.is_degenerate(keys.as_bytes()) {
            return Err(KeyError::Degenerate { transform });
        }
        let state = State::new(transform, tier, keys.as_bytes());
        let state = state.ok_or(KeyError::Tier { transform, tier })?;
        Ok(Self { transform, tier, lens: Lens::of(transform), kernels: state.kernel_set(), state })
    }

    fn null_twin(iv_len: usize, icv_len: usize) -> Self {
        let (lens, state) = (Lens { iv: iv_len, icv: icv_len }, State::NullTwin(NullTwin));
        let kernels = state.kernel_set();
        Self { transform: Transform::Aes128Gcm16, tier: Tier::Ring, lens, kernels, state }
    }
}
