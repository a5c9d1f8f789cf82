//! The transforms and the one table that says everything about them.

use core::fmt;

/// An ESP transform: a combined-mode cipher, or a cipher with its separate MAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transform {
    /// AES-GCM with a 128-bit key and a 16-byte ICV (RFC 4106).
    Aes128Gcm16,
    /// AES-GCM with a 192-bit key and a 16-byte ICV (RFC 4106).
    Aes192Gcm16,
    /// AES-GCM with a 256-bit key and a 16-byte ICV (RFC 4106).
    Aes256Gcm16,
    /// ChaCha20-Poly1305 (RFC 7634).
    ChaCha20Poly1305,
    /// No encryption (RFC 2410), HMAC-SHA-256 truncated to 128 bits (RFC 4868).
    NullHmacSha256_128,
}

impl Transform {
    /// Every transform, in the order of the table.
    pub const ALL: &'static [Self] = &[
        Self::Aes128Gcm16,
        Self::Aes192Gcm16,
        Self::Aes256Gcm16,
        Self::ChaCha20Poly1305,
        Self::NullHmacSha256_128,
    ];

    /// The row of the table for this transform.
    pub const fn spec(self) -> &'static Spec {
        match self {
            Self::Aes128Gcm16 => &AES_128_GCM_16,
            Self::Aes192Gcm16 => &AES_192_GCM_16,
            Self::Aes256Gcm16 => &AES_256_GCM_16,
            Self::ChaCha20Poly1305 => &CHACHA20_POLY1305,
            Self::NullHmacSha256_128 => &NULL_HMAC_SHA256_128,
        }
    }

    /// The name used in configuration and output, such as `aes-128-gcm-16`.
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// The transform of that name; names are lower case and exact.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|transform| transform.name() == name)
    }

    /// Keying material in bytes, salt included, as IKE hands it over (RFC 4106 section 8.1, RFC 7634 section
    /// 2, RFC 4868 section 2.1.1).
    pub const fn key_len(self) -> usize {
        let spec = self.spec();
        spec.cipher_key_len + spec.auth_key_len + spec.salt_len
    }

    /// Bytes of salt at the end of the keying material; never sent.
    pub const fn salt_len(self) -> usize {
        self.spec().salt_len
    }

    /// Bytes of IV in the packet, after the sequence number.
    pub const fn iv_len(self) -> usize {
        self.spec().iv_len
    }

    /// Bytes of ICV at the end of the packet.
    pub const fn icv_len(self) -> usize {
        self.spec().icv_len
    }

    /// Payload with its trailer is padded to a multiple of this many bytes (RFC 4303 section 2.4).
    pub const fn align(self) -> usize {
        self.spec().align
    }
}

impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the RFCs and IANA say about one transform. All lengths are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// See [`Transform::name`].
    pub name: &'static str,
    /// The RFCs that define it.
    pub rfc: &'static [u16],
    /// IKEv2 transform ID, type 1 (encryption), from the IANA registry.
    pub iana_transform_id: u16,
    /// IKEv2 transform ID, type 3 (integrity); `None` for a combined mode.
    pub iana_integrity_id: Option<u16>,
    /// How strongly RFC 8221 asks for it in ESP.
    pub rfc8221_level: Level,
    /// Key of the cipher; 0 for NULL.
    pub cipher_key_len: usize,
    /// Key of the separate MAC; 0 for a combined mode.
    pub auth_key_len: usize,
    /// See [`Transform::salt_len`].
    pub salt_len: usize,
    /// See [`Transform::iv_len`].
    pub iv_len: usize,
    /// See [`Transform::icv_len`].
    pub icv_len: usize,
    /// See [`Transform::align`].
    pub align: usize,
}

/// Requirement levels of RFC 8221 sections 5 and 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// MUST be implemented.
    Must,
    /// SHOULD be implemented.
    Should,
    /// MAY be implemented.
    May,
}

//= https://www.rfc-editor.org/rfc/rfc4106#section-8.1
//# The size of the KEYMAT for the AES-GCM-ESP MUST be four octets longer than is needed for the associated AES
//# key.
const AES_128_GCM_16: Spec = Spec {
    name: "aes-128-gcm-16",
    rfc: &[4106],
    iana_transform_id: 20,
    iana_integrity_id: None,
    rfc8221_level: Level::Must,
    cipher_key_len: 16,
    auth_key_len: 0,
    salt_len: 4,
    iv_len: 8,
    icv_len: 16,
    align: 4,
};

const AES_192_GCM_16: Spec =
    Spec { name: "aes-192-gcm-16", rfc8221_level: Level::May, cipher_key_len: 24, ..AES_128_GCM_16 };

const AES_256_GCM_16: Spec = Spec { name: "aes-256-gcm-16", cipher_key_len: 32, ..AES_128_GCM_16 };

const CHACHA20_POLY1305: Spec = Spec {
    name: "chacha20-poly1305",
    rfc: &[7634],
    iana_transform_id: 28,
    rfc8221_level: Level::Should,
    cipher_key_len: 32,
    ..AES_128_GCM_16
};

const NULL_HMAC_SHA256_128: Spec = Spec {
    name: "null-hmac-sha256-128",
    rfc: &[2410, 4868],
    iana_transform_id: 11,
    iana_integrity_id: Some(12),
    rfc8221_level: Level::Must,
    cipher_key_len: 0,
    auth_key_len: 32,
    salt_len: 0,
    iv_len: 0,
    icv_len: 16,
    align: 4,
};
