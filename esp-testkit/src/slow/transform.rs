//! Names and lengths of the transforms, from their RFCs alone.

/// Cipher and integrity of a [`SlowSa`](super::SlowSa). All lengths are in bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SlowTransform {
    pub(super) cipher: Cipher,
    pub(super) mac: Mac,
    cipher_key_len: usize,
    /// RFC 8750: the IV is the sequence number and is not sent.
    pub(super) implicit_iv: bool,
    combined_icv_len: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cipher {
    Gcm,
    Ccm,
    Gmac,
    ChaCha20Poly1305,
    Cbc,
    Ctr,
    TripleDesCbc,
    DesCbc,
    Null,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mac {
    /// The cipher authenticates, or nothing does.
    None,
    HmacSha1,
    HmacSha256,
    /// Cut to 96 bits, as old kernels did.
    HmacSha256_96,
    HmacSha384,
    HmacSha512,
    HmacMd5,
    Xcbc,
    Cmac,
}

impl SlowTransform {
    /// AES-GCM with an ICV of 16 bytes and a key of 16 (RFC 4106).
    pub const AES_128_GCM_16: Self = combined(Cipher::Gcm, 16, 16);
    /// AES-GCM with an ICV of 16 bytes and a key of 24.
    pub const AES_192_GCM_16: Self = combined(Cipher::Gcm, 24, 16);
    /// AES-GCM with an ICV of 16 bytes and a key of 32.
    pub const AES_256_GCM_16: Self = combined(Cipher::Gcm, 32, 16);
    /// ChaCha20-Poly1305 (RFC 7634).
    pub const CHACHA20_POLY1305: Self = combined(Cipher::ChaCha20Poly1305, 32, 16);
    /// NULL (RFC 2410) with HMAC-SHA-256-128 (RFC 4868).
    pub const NULL_HMAC_SHA256_128: Self = Self { mac: Mac::HmacSha256, ..combined(Cipher::Null, 0, 0) };

    /// The transform of a name such as `aes-128-gcm-16`, `aes-256-ccm-8-iiv`, `aes-192-ctr-aes-xcbc-96`, `null-none`.
    pub fn named(name: &str) -> Option<Self> {
        let (implicit_iv, explicit) = match name.strip_suffix("-iiv") {
            Some(explicit) => (true, explicit),
            None => (false, name),
        };
        let aes = explicit.strip_prefix("aes-").and_then(|rest| rest.split_once('-'));
        let transform = match aes {
            Some((bits, rest)) => Self::aes(aes_key_len(bits)?, rest)?,
            None if explicit == "chacha20-poly1305" => Self::CHACHA20_POLY1305,
            None => {
                let (cipher, key_len, mac) = split_at_mac(explicit)?;
                Self { mac, ..combined(cipher, key_len, 0) }
            }
        };
        let may_be_implicit =
            matches!(transform.cipher, Cipher::Gcm | Cipher::Ccm | Cipher::ChaCha20Poly1305);
        (may_be_implicit || !implicit_iv).then_some(Self { implicit_iv, ..transform })
    }

    fn aes(key_len: usize, rest: &str) -> Option<Self> {
        let icv_len = |text: &str| text.parse().ok().filter(|len| [8, 12, 16].contains(len));
        Some(match rest.split_once('-') {
            None if rest == "gmac" => combined(Cipher::Gmac, key_len, 16),
            Some(("gcm", icv)) => combined(Cipher::Gcm, key_len, icv_len(icv)?),
            Some(("ccm", icv)) => combined(Cipher::Ccm, key_len, icv_len(icv)?),
            Some(("cbc", mac)) => Self { mac: mac_named(mac)?, ..combined(Cipher::Cbc, key_len, 0) },
            Some(("ctr", mac)) => Self { mac: mac_named(mac)?, ..combined(Cipher::Ctr, key_len, 0) },
            _ => return None,
        })
    }

    /// The cipher's key, without salt.
    pub const fn cipher_key_len(self) -> usize {
        self.cipher_key_len
    }

    /// Salt behind the cipher's key: four bytes (RFC 4106 section 8.1, RFC 7634 section 2, RFC 4543 section 5.1; RFC 3686
    /// section 5.1 says nonce), three of CCM (RFC 4309 section 7.1).
    pub const fn salt_len(self) -> usize {
        match self.cipher {
            Cipher::Gcm | Cipher::Gmac | Cipher::ChaCha20Poly1305 | Cipher::Ctr => 4,
            Cipher::Ccm => 3,
            Cipher::Cbc | Cipher::TripleDesCbc | Cipher::DesCbc | Cipher::Null => 0,
        }
    }

    /// Key of the separate MAC: as long as its hash (RFC 2403, RFC 2404, RFC 4868 section 2.1.1), 16 of AES (RFC 3566,
    /// RFC 4494).
    pub const fn mac_key_len(self) -> usize {
        match self.mac {
            Mac::None => 0,
            Mac::HmacMd5 | Mac::Xcbc | Mac::Cmac => 16,
            Mac::HmacSha1 => 20,
            Mac::HmacSha256 | Mac::HmacSha256_96 => 32,
            Mac::HmacSha384 => 48,
            Mac::HmacSha512 => 64,
        }
    }

    /// All of the keying material: cipher key, salt, MAC key.
    pub const fn key_len(self) -> usize {
        self.cipher_key_len + self.salt_len() + self.mac_key_len()
    }

    /// IV in the packet.
    pub const fn iv_len(self) -> usize {
        match self.cipher {
            _ if self.implicit_iv => 0,
            Cipher::Null => 0,
            Cipher::Cbc => 16,
            _ => 8,
        }
    }

    /// ICV at the end of the packet.
    pub const fn icv_len(self) -> usize {
        match self.mac {
            Mac::None => self.combined_icv_len,
            Mac::HmacMd5 | Mac::HmacSha1 | Mac::HmacSha256_96 | Mac::Xcbc | Mac::Cmac => 12,
            Mac::HmacSha256 => 16,
            Mac::HmacSha384 => 24,
            Mac::HmacSha512 => 32,
        }
    }

    /// What payload and trailer are a multiple of: a block, and never less than four (RFC 4303 section 2.4).
    pub const fn align(self) -> usize {
        match self.cipher {
            Cipher::Cbc => 16,
            Cipher::TripleDesCbc | Cipher::DesCbc => 8,
            _ => 4,
        }
    }
}

impl std::fmt::Debug for SlowTransform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { cipher, mac, cipher_key_len, implicit_iv, combined_icv_len } = self;
        write!(
            f,
            "{cipher:?}(key {cipher_key_len}, ICV {combined_icv_len}, implicit IV {implicit_iv}) {mac:?}"
        )
    }
}

const fn combined(cipher: Cipher, cipher_key_len: usize, combined_icv_len: usize) -> SlowTransform {
    SlowTransform { cipher, mac: Mac::None, cipher_key_len, implicit_iv: false, combined_icv_len }
}

fn aes_key_len(bits: &str) -> Option<usize> {
    match bits {
        "128" => Some(16),
        "192" => Some(24),
        "256" => Some(32),
        _ => None,
    }
}

/// A cipher that is not AES, its key's length, and the MAC.
fn split_at_mac(name: &str) -> Option<(Cipher, usize, Mac)> {
    let of = |prefix: &str, cipher, key_len| {
        name.strip_prefix(prefix).and_then(mac_named).map(|mac| (cipher, key_len, mac))
    };
    of("null-", Cipher::Null, 0)
        .or_else(|| of("3des-cbc-", Cipher::TripleDesCbc, 24))
        .or_else(|| of("des-cbc-", Cipher::DesCbc, 8))
}

fn mac_named(name: &str) -> Option<Mac> {
    Some(match name {
        "hmac-sha1-96" => Mac::HmacSha1,
        "hmac-sha256-128" => Mac::HmacSha256,
        "hmac-sha256-96" => Mac::HmacSha256_96,
        "hmac-sha384-192" => Mac::HmacSha384,
        "hmac-sha512-256" => Mac::HmacSha512,
        "hmac-md5-96" => Mac::HmacMd5,
        "aes-xcbc-96" => Mac::Xcbc,
        "aes-cmac-96" => Mac::Cmac,
        "none" => Mac::None,
        _ => return None,
    })
}
