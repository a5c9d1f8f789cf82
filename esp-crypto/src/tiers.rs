//! Which implementation serves which transform on this machine.

use core::fmt;

use crate::{Cipher, Transform};

/// The implementation behind a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tier {
    /// The `ring` library.
    Ring,
    /// The RustCrypto libraries.
    Portable,
}

impl Tier {
    /// The name used in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Portable => "portable",
        }
    }

    /// True if this tier has an implementation of `transform`.
    pub const fn serves(self, transform: Transform) -> bool {
        match self {
            Self::Ring => ring_has(transform.cipher().cipher),
            Self::Portable => !is_chacha(transform.cipher().cipher),
        }
    }
}

const fn ring_has(cipher: Cipher) -> bool {
    let aes = matches!(
        cipher,
        Cipher::Aes128Gcm16 | Cipher::Aes256Gcm16 | Cipher::Aes128Gcm16Iiv | Cipher::Aes256Gcm16Iiv
    );
    aes || is_chacha(cipher)
}

const fn is_chacha(cipher: Cipher) -> bool {
    matches!(cipher, Cipher::ChaCha20Poly1305 | Cipher::ChaCha20Poly1305Iiv)
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A CPU feature that can be denied by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CpuFeature {
    /// AES round instructions.
    Aesni,
    /// Carry-less multiplication of 64-bit halves.
    Pclmulqdq,
    /// 256-bit integer vectors.
    Avx2,
    /// AES round instructions on wide vectors.
    Vaes,
    /// Carry-less multiplication on wide vectors.
    Vpclmulqdq,
    /// 512-bit vectors.
    Avx512,
}

impl CpuFeature {
    /// Every feature that has a name.
    pub const ALL: &'static [Self] =
        &[Self::Aesni, Self::Pclmulqdq, Self::Avx2, Self::Vaes, Self::Vpclmulqdq, Self::Avx512];

    /// The name, in lower case: `aesni`, `pclmulqdq`, `avx2`, `vaes`, `vpclmulqdq`, `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aesni => "aesni",
            Self::Pclmulqdq => "pclmulqdq",
            Self::Avx2 => "avx2",
            Self::Vaes => "vaes",
            Self::Vpclmulqdq => "vpclmulqdq",
            Self::Avx512 => "avx512",
        }
    }

    /// The feature of that name, in any case of letters.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|feature| feature.name().eq_ignore_ascii_case(name))
    }
}

/// The tiers that may be used: what there is, less what was denied.
///
/// Denying `aesni` or `pclmulqdq` moves AES-GCM from `ring` to `portable`. It does not stop the
/// `portable` tier itself from using these instructions: its libraries ask the CPU at run time and cannot be told not
/// to. The other features change nothing, as no tier here is chosen by them. All else has one tier and is not moved by
/// any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiers {
    ring_aes: bool,
}

impl Tiers {
    /// The tiers left when `denied` features may not be relied on.
    pub fn detect(denied: &[CpuFeature]) -> Self {
        let needs = [CpuFeature::Aesni, CpuFeature::Pclmulqdq];
        Self { ring_aes: !denied.iter().any(|feature| needs.contains(feature)) }
    }

    /// The fastest tier for `transform`.
    pub const fn best(&self, transform: Transform) -> Tier {
        if self.allows(Tier::Ring, transform) { Tier::Ring } else { Tier::Portable }
    }

    /// Every tier that may serve `transform`, fastest first; never empty.
    pub fn all(&self, transform: Transform) -> impl Iterator<Item = Tier> + use<> {
        let tiers = *self;
        [Tier::Ring, Tier::Portable].into_iter().filter(move |tier| tiers.allows(*tier, transform))
    }

    const fn allows(&self, tier: Tier, transform: Transform) -> bool {
        let aes_on_ring = matches!(tier, Tier::Ring) && !is_chacha(transform.cipher().cipher);
        let denied = aes_on_ring && !self.ring_aes;
        tier.serves(transform) && !denied
    }
}

impl Default for Tiers {
    /// Nothing denied.
    fn default() -> Self {
        Self::detect(&[])
    }
}
