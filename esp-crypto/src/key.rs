//! Keyed state, made once when an SA is installed.

use core::fmt;

use crate::kernel::{AeadKernel, KernelId, NullHmac, NullTwin, RingAead};
use crate::kernel::{PortableGcm128, PortableGcm192, PortableGcm256};
use crate::{KeyMaterial, Tier, Transform};

/// The key of an outbound SA.
pub struct SealKey(Keyed);

/// The key of an inbound SA.
pub struct OpenKey(Keyed);

macro_rules! key_methods {
    ($key:ident) => {
        impl $key {
            /// Computes the keyed state of `transform` on `tier` from `keys`, which are read and not kept.
            ///
            /// # Errors
            ///
            /// [`KeyError::Length`] unless `keys` is exactly [`Transform::key_len`] bytes long,
            /// [`KeyError::Tier`] if the tier has no such transform.
            pub fn new(transform: Transform, tier: Tier, keys: &KeyMaterial) -> Result<Self, KeyError> {
                Keyed::new(transform, tier, keys).map(Self)
            }

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

            pub(crate) fn state(&self) -> &State {
                &self.0.state
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
}

struct Keyed {
    transform: Transform,
    tier: Tier,
    state: State,
}

/// One variant a kernel.
pub(crate) enum State {
    RingGcm(AeadKernel<RingAead>),
    RingChaCha(AeadKernel<RingAead>),
    PortableGcm128(AeadKernel<PortableGcm128>),
    PortableGcm192(AeadKernel<PortableGcm192>),
    PortableGcm256(AeadKernel<PortableGcm256>),
    NullHmac(NullHmac),
    NullTwin(NullTwin),
}

impl Keyed {
    fn new(transform: Transform, tier: Tier, keys: &KeyMaterial) -> Result<Self, KeyError> {
        let (expected, got) = (transform.key_len(), keys.len());
        if got != expected {
            return Err(KeyError::Length { transform, expected, got });
        }
        let state = State::new(transform, tier, keys.as_bytes());
        let state = state.ok_or(KeyError::Tier { transform, tier })?;
        Ok(Self { transform, tier, state })
    }

    const fn null_twin(iv_len: usize, icv_len: usize) -> Self {
        let state = State::NullTwin(NullTwin { iv_len, icv_len });
        Self { transform: Transform::Aes128Gcm16, tier: Tier::Ring, state }
    }
}

impl State {
    fn new(transform: Transform, tier: Tier, keys: &[u8]) -> Option<Self> {
        if transform == Transform::NullHmacSha256_128 {
            return (tier == Tier::Ring).then(|| Self::NullHmac(NullHmac::new(keys)));
        }
        let (key, salt) = keys.split_last_chunk()?;
        let salt = *salt;
        let ring = || RingAead::new(transform, key).map(|aead| AeadKernel { aead, salt });
        match (tier, transform) {
            (Tier::Ring, Transform::ChaCha20Poly1305) => ring().map(Self::RingChaCha),
            (Tier::Ring, _) => ring().map(Self::RingGcm),
            (Tier::Portable, Transform::Aes128Gcm16) => {
                PortableGcm128::new(key).map(|aead| Self::PortableGcm128(AeadKernel { aead, salt }))
            }
            (Tier::Portable, Transform::Aes192Gcm16) => {
                PortableGcm192::new(key).map(|aead| Self::PortableGcm192(AeadKernel { aead, salt }))
            }
            (Tier::Portable, Transform::Aes256Gcm16) => {
                PortableGcm256::new(key).map(|aead| Self::PortableGcm256(AeadKernel { aead, salt }))
            }
            (Tier::Portable, Transform::ChaCha20Poly1305 | Transform::NullHmacSha256_128) => None,
        }
    }

    pub(crate) fn kernel(&self) -> KernelId {
        match self {
            Self::RingGcm(_) => KernelId::RingGcm,
            Self::RingChaCha(_) => KernelId::RingChaCha,
            Self::PortableGcm128(_) => KernelId::PortableGcm128,
            Self::PortableGcm192(_) => KernelId::PortableGcm192,
            Self::PortableGcm256(_) => KernelId::PortableGcm256,
            Self::NullHmac(_) => KernelId::NullHmac,
            Self::NullTwin(_) => KernelId::NullTwin,
        }
    }
}
