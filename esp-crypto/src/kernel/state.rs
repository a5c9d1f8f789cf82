//! From keying material to keyed state.

use ring::aead::{AES_128_GCM, AES_256_GCM, CHACHA20_POLY1305};

use super::aead::AeadKernel;
use super::cipher::{AesCtr, Cbc};
use super::gmac::Gmac;
use super::mac::{AesMac, HmacMac};
use super::ring_aead::RingAead;
use super::rustcrypto_aead::RustCryptoAead;
use super::table::{CipherState, MacState};
use super::{KernelSet, State};
use crate::packet::salt;
use crate::{Cipher, Integrity, Tier, Transform};

impl State {
    /// `None` if the tier does not serve the transform, or `keys` has not its length.
    pub(crate) fn new(transform: Transform, tier: Tier, keys: &[u8]) -> Option<Self> {
        if !tier.serves(transform) {
            return None;
        }
        let (cipher, integrity) = (transform.cipher(), transform.integrity());
        let (cipher_keys, mac_key) = keys.split_at_checked(transform.cipher_key_len())?;
        if transform.is_combined() {
            let (key, salt_bytes) = cipher_keys.split_at_checked(cipher.key_len)?;
            return Self::combined(cipher.cipher, tier, key, salt(salt_bytes)?);
        }
        let cipher = CipherState::new(cipher.cipher, cipher_keys)?;
        Some(Self::Separate { cipher, mac: MacState::new(integrity.integrity, mac_key)? })
    }

    fn combined(cipher: Cipher, tier: Tier, key: &[u8], salt: u32) -> Option<Self> {
        match tier {
            Tier::Ring => Self::ring(cipher, key, salt),
            Tier::Portable => Self::gcm(cipher, key, salt).or_else(|| Self::ccm(cipher, key, salt)),
        }
    }

    fn ring(cipher: Cipher, key: &[u8], salt: u32) -> Option<Self> {
        let aes = if key.len() == 32 { &AES_256_GCM } else { &AES_128_GCM };
        Some(match cipher {
            Cipher::ChaCha20Poly1305 | Cipher::ChaCha20Poly1305Iiv => {
                Self::RingChaCha(AeadKernel { aead: RingAead::new(&CHACHA20_POLY1305, key)?, salt })
            }
            _ => Self::RingGcm(AeadKernel { aead: RingAead::new(aes, key)?, salt }),
        })
    }

    fn gcm(cipher: Cipher, key: &[u8], salt: u32) -> Option<Self> {
        Some(match cipher {
            Cipher::Aes128Gcm16 | Cipher::Aes128Gcm16Iiv => Self::Gcm128Icv16(aead(key, salt)?),
            Cipher::Aes128Gcm12 => Self::Gcm128Icv12(aead(key, salt)?),
            Cipher::Aes128Gcm8 => Self::Gcm128Icv8(aead(key, salt)?),
            Cipher::Aes192Gcm16 | Cipher::Aes192Gcm16Iiv => Self::Gcm192Icv16(aead(key, salt)?),
            Cipher::Aes192Gcm12 => Self::Gcm192Icv12(aead(key, salt)?),
            Cipher::Aes192Gcm8 => Self::Gcm192Icv8(aead(key, salt)?),
            Cipher::Aes256Gcm16 | Cipher::Aes256Gcm16Iiv => Self::Gcm256Icv16(aead(key, salt)?),
            Cipher::Aes256Gcm12 => Self::Gcm256Icv12(aead(key, salt)?),
            Cipher::Aes256Gcm8 => Self::Gcm256Icv8(aead(key, salt)?),
            Cipher::Aes128Gmac => Self::Gmac128(Gmac { aead: RustCryptoAead::new(key)?, salt }),
            Cipher::Aes192Gmac => Self::Gmac192(Gmac { aead: RustCryptoAead::new(key)?, salt }),
            Cipher::Aes256Gmac => Self::Gmac256(Gmac { aead: RustCryptoAead::new(key)?, salt }),
            _ => return None,
        })
    }

    fn ccm(cipher: Cipher, key: &[u8], salt: u32) -> Option<Self> {
        Some(match cipher {
            Cipher::Aes128Ccm16 => Self::Ccm128Icv16(aead(key, salt)?),
            Cipher::Aes128Ccm12 => Self::Ccm128Icv12(aead(key, salt)?),
            Cipher::Aes128Ccm8 | Cipher::Aes128Ccm8Iiv => Self::Ccm128Icv8(aead(key, salt)?),
            Cipher::Aes192Ccm16 => Self::Ccm192Icv16(aead(key, salt)?),
            Cipher::Aes192Ccm12 => Self::Ccm192Icv12(aead(key, salt)?),
            Cipher::Aes192Ccm8 | Cipher::Aes192Ccm8Iiv => Self::Ccm192Icv8(aead(key, salt)?),
            Cipher::Aes256Ccm16 => Self::Ccm256Icv16(aead(key, salt)?),
            Cipher::Aes256Ccm12 => Self::Ccm256Icv12(aead(key, salt)?),
            Cipher::Aes256Ccm8 | Cipher::Aes256Ccm8Iiv => Self::Ccm256Icv8(aead(key, salt)?),
            _ => return None,
        })
    }

    /// The same state once more, of HMAC-SHA1 and the AES MACs without a cipher. For benchmarks.
    pub(crate) fn duplicate(&self) -> Option<Self> {
        let mac = match self {
            Self::Separate { cipher: CipherState::Null, mac: MacState::HmacSha1(mac) } => {
                MacState::HmacSha1(mac.clone())
            }
            Self::Separate { cipher: CipherState::Null, mac: MacState::AesMac(mac) } => {
                MacState::AesMac(mac.clone())
            }
            _ => return None,
        };
        Some(Self::Separate { cipher: CipherState::Null, mac })
    }

    pub(crate) fn kernel_set(&self) -> KernelSet {
        self.kernels().into_iter().flatten().fold(KernelSet::EMPTY, KernelSet::with)
    }
}

fn aead<C: aes_gcm::KeyInit, N, const ICV: usize>(
    key: &[u8],
    salt: u32,
) -> Option<AeadKernel<RustCryptoAead<C, N>, ICV>> {
    RustCryptoAead::new(key).map(|aead| AeadKernel { aead, salt })
}

impl CipherState {
    /// `keys`: the key, and for CTR the nonce behind it. `None` for a combined mode.
    fn new(cipher: Cipher, keys: &[u8]) -> Option<Self> {
        Some(match cipher {
            Cipher::Null => Self::Null,
            Cipher::Aes128Cbc => Self::AesCbc128(Cbc::new(keys)?),
            Cipher::Aes192Cbc => Self::AesCbc192(Cbc::new(keys)?),
            Cipher::Aes256Cbc => Self::AesCbc256(Cbc::new(keys)?),
            Cipher::Aes128Ctr => Self::AesCtr128(AesCtr::new(keys)?),
            Cipher::Aes192Ctr => Self::AesCtr192(AesCtr::new(keys)?),
            Cipher::Aes256Ctr => Self::AesCtr256(AesCtr::new(keys)?),
            #[cfg(feature = "legacy")]
            Cipher::TripleDesCbc => Self::TripleDesCbc(Cbc::new(keys)?),
            #[cfg(feature = "legacy")]
            Cipher::DesCbc => Self::DesCbc(Cbc::new(keys)?),
            _ => return None,
        })
    }
}

impl MacState {
    fn new(integrity: Integrity, key: &[u8]) -> Option<Self> {
        Some(match integrity {
            Integrity::HmacSha1_96 => Self::HmacSha1(HmacMac::new(key)?),
            Integrity::HmacSha256_128 => Self::HmacSha256(HmacMac::new(key)?),
            Integrity::HmacSha384_192 => Self::HmacSha384(HmacMac::new(key)?),
            Integrity::HmacSha512_256 => Self::HmacSha512(HmacMac::new(key)?),
            Integrity::AesXcbc96 => Self::AesMac(AesMac::xcbc(key)?),
            Integrity::AesCmac96 => Self::AesMac(AesMac::cmac(key)?),
            #[cfg(feature = "legacy")]
            Integrity::None => Self::None,
            #[cfg(feature = "legacy")]
            Integrity::HmacMd5_96 => Self::HmacMd5(HmacMac::new(key)?),
            #[cfg(feature = "legacy")]
            Integrity::HmacSha256_96 => Self::HmacSha256(HmacMac::new(key)?),
            #[cfg(not(feature = "legacy"))]
            _ => return None,
        })
    }
}
