//! The two halves of the table: ciphers and combined modes, and integrity algorithms. Every length in this crate comes
//! from here. Numbers are those of IANA's registry "Internet Key Exchange Version 2 (IKEv2) Parameters".

use core::fmt;

/// What the IV of a cipher must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Iv {
    /// There is none: NULL.
    Absent,
    /// Never the same twice under a key: a counter will do.
    Unique,
    /// Not sent: the sequence number is the IV (RFC 8750).
    Implicit,
    /// Not to be foretold by anyone without the key (RFC 3602 section 3).
    Unpredictable,
}

/// What the RFCs and IANA say about a cipher. All lengths are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CipherSpec {
    /// Which one.
    pub cipher: Cipher,
    /// Its part of a transform's name; of a combined mode, the whole.
    pub name: &'static str,
    /// Its RFC.
    pub rfc: u16,
    /// IKEv2 transform ID, type 1.
    pub iana_id: u16,
    /// How strongly RFC 8221 asks for it, with keys of this length.
    pub level: Level,
    /// Key, without salt; 0 for NULL.
    pub key_len: usize,
    /// Salt behind the key in the keying material; never sent.
    pub salt_len: usize,
    /// IV in the packet.
    pub iv_len: usize,
    /// What that IV must be.
    pub iv: Iv,
    /// Payload and trailer are a multiple of this; 4 where the cipher does not mind (RFC 4303 section 2.4).
    pub align: usize,
    /// ICV of a combined mode; 0 for the others.
    pub icv_len: usize,
    /// Behind the cargo feature `legacy`.
    pub legacy: bool,
}

/// What the RFCs and IANA say about an integrity algorithm. All lengths are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegritySpec {
    /// Which one.
    pub integrity: Integrity,
    /// Its part of a transform's name.
    pub name: &'static str,
    /// Its RFC; 0 for none, and for what no RFC defines.
    pub rfc: u16,
    /// IKEv2 transform ID, type 3; 0 for none, and for what IANA does not number.
    pub iana_id: u16,
    /// How strongly RFC 8221 asks for it.
    pub level: Level,
    /// Key; RFC 4868 section 2.1.1 and its like: this length and no other.
    pub key_len: usize,
    /// ICV: the first bytes of the MAC.
    pub icv_len: usize,
    /// Behind the cargo feature `legacy`.
    pub legacy: bool,
}

/// Requirement levels of RFC 8221 sections 5 and 6, strongest first. What these sections do not list is [`Level::May`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// MUST be implemented.
    Must,
    /// MUST-: a MUST that is expected to fall.
    MustMinus,
    /// SHOULD be implemented.
    Should,
    /// MAY be implemented.
    May,
    /// SHOULD NOT be implemented.
    ShouldNot,
    /// MUST NOT be implemented.
    MustNot,
}

impl Level {
    /// The words of the RFC.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::MustMinus => "MUST-",
            Self::Should => "SHOULD",
            Self::May => "MAY",
            Self::ShouldNot => "SHOULD NOT",
            Self::MustNot => "MUST NOT",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

macro_rules! ciphers {
    ($($CONST:ident = $Name:ident $name:literal: $family:ident, $key_len:literal, $icv_len:literal, $level:ident;)*) => {
        /// An encryption algorithm or combined mode, with the length of its key and, if combined, of its ICV.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the names say it; the rest is in CipherSpec")]
        pub enum Cipher {
            $($Name,)*
        }

        impl Cipher {
            /// Every cipher, legacy ones too.
            pub const ALL: &'static [&'static CipherSpec] = &[$(&$CONST,)*];
        }

        $(pub(super) const $CONST: CipherSpec = CipherSpec {
            cipher: Cipher::$Name,
            name: $name,
            key_len: $key_len,
            icv_len: $icv_len,
            level: Level::$level,
            iana_id: $family.iana_id + iana_offset(&$family, $icv_len),
            ..$family
        };)*
    };
}

// Key and ICV in bytes. RFC 8221 section 5: AES levels are for 128 and 256 bits, with 192 bits it is MAY.
ciphers! {
    NULL = Null "null": NULL_FAMILY, 0, 0, Must;
    AES_128_GCM_8 = Aes128Gcm8 "aes-128-gcm-8": GCM, 16, 8, May;
    AES_128_GCM_12 = Aes128Gcm12 "aes-128-gcm-12": GCM, 16, 12, May;
    AES_128_GCM_16 = Aes128Gcm16 "aes-128-gcm-16": GCM, 16, 16, Must;
    AES_192_GCM_8 = Aes192Gcm8 "aes-192-gcm-8": GCM, 24, 8, May;
    AES_192_GCM_12 = Aes192Gcm12 "aes-192-gcm-12": GCM, 24, 12, May;
    AES_192_GCM_16 = Aes192Gcm16 "aes-192-gcm-16": GCM, 24, 16, May;
    AES_256_GCM_8 = Aes256Gcm8 "aes-256-gcm-8": GCM, 32, 8, May;
    AES_256_GCM_12 = Aes256Gcm12 "aes-256-gcm-12": GCM, 32, 12, May;
    AES_256_GCM_16 = Aes256Gcm16 "aes-256-gcm-16": GCM, 32, 16, Must;
    AES_128_GCM_16_IIV = Aes128Gcm16Iiv "aes-128-gcm-16-iiv": GCM_IIV, 16, 16, May;
    AES_192_GCM_16_IIV = Aes192Gcm16Iiv "aes-192-gcm-16-iiv": GCM_IIV, 24, 16, May;
    AES_256_GCM_16_IIV = Aes256Gcm16Iiv "aes-256-gcm-16-iiv": GCM_IIV, 32, 16, May;
    AES_128_CCM_8 = Aes128Ccm8 "aes-128-ccm-8": CCM, 16, 8, Should;
    AES_128_CCM_12 = Aes128Ccm12 "aes-128-ccm-12": CCM, 16, 12, May;
    AES_128_CCM_16 = Aes128Ccm16 "aes-128-ccm-16": CCM, 16, 16, May;
    AES_192_CCM_8 = Aes192Ccm8 "aes-192-ccm-8": CCM, 24, 8, May;
    AES_192_CCM_12 = Aes192Ccm12 "aes-192-ccm-12": CCM, 24, 12, May;
    AES_192_CCM_16 = Aes192Ccm16 "aes-192-ccm-16": CCM, 24, 16, May;
    AES_256_CCM_8 = Aes256Ccm8 "aes-256-ccm-8": CCM, 32, 8, Should;
    AES_256_CCM_12 = Aes256Ccm12 "aes-256-ccm-12": CCM, 32, 12, May;
    AES_256_CCM_16 = Aes256Ccm16 "aes-256-ccm-16": CCM, 32, 16, May;
    AES_128_CCM_8_IIV = Aes128Ccm8Iiv "aes-128-ccm-8-iiv": CCM_IIV, 16, 8, May;
    AES_192_CCM_8_IIV = Aes192Ccm8Iiv "aes-192-ccm-8-iiv": CCM_IIV, 24, 8, May;
    AES_256_CCM_8_IIV = Aes256Ccm8Iiv "aes-256-ccm-8-iiv": CCM_IIV, 32, 8, May;
    CHACHA20_POLY1305 = ChaCha20Poly1305 "chacha20-poly1305": CHACHA, 32, 16, Should;
    CHACHA20_POLY1305_IIV = ChaCha20Poly1305Iiv "chacha20-poly1305-iiv": CHACHA_IIV, 32, 16, May;
    AES_128_GMAC = Aes128Gmac "aes-128-gmac": GMAC, 16, 16, May;
    AES_192_GMAC = Aes192Gmac "aes-192-gmac": GMAC, 24, 16, May;
    AES_256_GMAC = Aes256Gmac "aes-256-gmac": GMAC, 32, 16, May;
    AES_128_CBC = Aes128Cbc "aes-128-cbc": CBC, 16, 0, Must;
    AES_192_CBC = Aes192Cbc "aes-192-cbc": CBC, 24, 0, May;
    AES_256_CBC = Aes256Cbc "aes-256-cbc": CBC, 32, 0, Must;
    AES_128_CTR = Aes128Ctr "aes-128-ctr": CTR, 16, 0, May;
    AES_192_CTR = Aes192Ctr "aes-192-ctr": CTR, 24, 0, May;
    AES_256_CTR = Aes256Ctr "aes-256-ctr": CTR, 32, 0, May;
    TRIPLE_DES_CBC = TripleDesCbc "3des-cbc": TRIPLE_DES, 24, 0, ShouldNot;
    DES_CBC = DesCbc "des-cbc": DES, 8, 0, MustNot;
}

const NULL_FAMILY: CipherSpec = CipherSpec {
    cipher: Cipher::Null,
    name: "null",
    rfc: 2410,
    iana_id: 11,
    level: Level::Must,
    key_len: 0,
    salt_len: 0,
    iv_len: 0,
    iv: Iv::Absent,
    align: 4,
    icv_len: 0,
    legacy: false,
};

//= https://www.rfc-editor.org/rfc/rfc4106#section-8.1
//# The size of the KEYMAT for the AES-GCM-ESP MUST be four octets longer than is needed for the associated AES
//# key.
const GCM: CipherSpec =
    CipherSpec { rfc: 4106, iana_id: 18, salt_len: 4, iv_len: 8, iv: Iv::Unique, ..NULL_FAMILY };
const GCM_IIV: CipherSpec = CipherSpec { rfc: 8750, iana_id: 30, iv_len: 0, iv: Iv::Implicit, ..GCM };
/// RFC 4309 section 7.1: three bytes of salt.
const CCM: CipherSpec = CipherSpec { rfc: 4309, iana_id: 14, salt_len: 3, ..GCM };
const CCM_IIV: CipherSpec = CipherSpec { rfc: 8750, iana_id: 29, iv_len: 0, iv: Iv::Implicit, ..CCM };
const CHACHA: CipherSpec = CipherSpec { rfc: 7634, iana_id: 28, ..GCM };
const CHACHA_IIV: CipherSpec = CipherSpec { rfc: 8750, iana_id: 31, iv_len: 0, iv: Iv::Implicit, ..CHACHA };
const GMAC: CipherSpec = CipherSpec { rfc: 4543, iana_id: 21, ..GCM };
const CBC: CipherSpec =
    CipherSpec { rfc: 3602, iana_id: 12, iv_len: 16, iv: Iv::Unpredictable, align: 16, ..NULL_FAMILY };
/// RFC 3686 section 5.1: four bytes of nonce behind the key.
const CTR: CipherSpec =
    CipherSpec { rfc: 3686, iana_id: 13, salt_len: 4, iv_len: 8, iv: Iv::Unique, ..NULL_FAMILY };
const TRIPLE_DES: CipherSpec = CipherSpec {
    rfc: 2451,
    iana_id: 3,
    iv_len: 8,
    iv: Iv::Unpredictable,
    align: 8,
    legacy: true,
    ..NULL_FAMILY
};
const DES: CipherSpec = CipherSpec { rfc: 2405, iana_id: 2, ..TRIPLE_DES };

/// GCM and CCM have three numbers each, by length of the ICV: 8, 12, 16.
const fn iana_offset(family: &CipherSpec, icv_len: usize) -> u16 {
    match (family.iana_id, icv_len) {
        (14 | 18, 12) => 1,
        (14 | 18, 16) => 2,
        _ => 0,
    }
}

macro_rules! integrities {
    ($($CONST:ident = $Name:ident $name:literal: $rfc:literal, $iana_id:literal, $key_len:literal, $icv_len:literal, $level:ident, $legacy:literal;)*) => {
        /// A separate integrity algorithm, with the length of its ICV in bits. [`Integrity::None`]: the cipher is a
        /// combined mode; with any other cipher it is no integrity at all (legacy).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the names say it; the rest is in IntegritySpec")]
        pub enum Integrity {
            $($Name,)*
        }

        impl Integrity {
            /// Every integrity algorithm, legacy ones too.
            pub const ALL: &'static [&'static IntegritySpec] = &[$(&$CONST,)*];
        }

        $(pub(super) const $CONST: IntegritySpec = IntegritySpec {
            integrity: Integrity::$Name,
            name: $name,
            rfc: $rfc,
            iana_id: $iana_id,
            key_len: $key_len,
            icv_len: $icv_len,
            level: Level::$level,
            legacy: $legacy,
        };)*
    };
}

// RFC, IANA number, key and ICV in bytes, level, legacy. The last is what Linux did before RFC 4868 was done.
integrities! {
    NONE = None "none": 0, 0, 0, 0, Must, false;
    HMAC_SHA1_96 = HmacSha1_96 "hmac-sha1-96": 2404, 2, 20, 12, MustMinus, false;
    HMAC_SHA256_128 = HmacSha256_128 "hmac-sha256-128": 4868, 12, 32, 16, Must, false;
    HMAC_SHA384_192 = HmacSha384_192 "hmac-sha384-192": 4868, 13, 48, 24, May, false;
    HMAC_SHA512_256 = HmacSha512_256 "hmac-sha512-256": 4868, 14, 64, 32, Should, false;
    AES_XCBC_96 = AesXcbc96 "aes-xcbc-96": 3566, 5, 16, 12, Should, false;
    AES_CMAC_96 = AesCmac96 "aes-cmac-96": 4494, 8, 16, 12, May, false;
    HMAC_MD5_96 = HmacMd5_96 "hmac-md5-96": 2403, 1, 16, 12, MustNot, true;
    HMAC_SHA256_96 = HmacSha256_96 "hmac-sha256-96": 0, 0, 32, 12, MustNot, true;
}
