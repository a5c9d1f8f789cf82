//! Every transform: its name, and the algorithms it is made of.

use super::algorithms::*;

macro_rules! transforms {
    ({ $($Variant:ident = $name:literal: $CIPHER:ident, $INTEGRITY:ident;)* } legacy { $($Legacy:ident = $legacy_name:literal: $LEGACY_CIPHER:ident, $LEGACY_INTEGRITY:ident;)* }) => {
        /// An ESP transform: a combined-mode cipher, or a cipher with its separate MAC.
        ///
        /// [`Transform::cipher`] and [`Transform::integrity`] say everything about it; the variants are named after
        /// [`Transform::name`]. Those with cipher or MAC of another age are there with the cargo feature `legacy` only.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "the names say it; the rest is in the table")]
        pub enum Transform {
            $($Variant,)*
            $(#[cfg(feature = "legacy")] $Legacy,)*
        }

        impl Transform {
            /// Every transform, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$Variant,)* $(#[cfg(feature = "legacy")] Self::$Legacy,)*];

            /// The name used in configuration and output, such as `aes-128-gcm-16`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Variant => $name,)*
                    $(#[cfg(feature = "legacy")] Self::$Legacy => $legacy_name,)*
                }
            }

            /// What encrypts, or does both.
            pub const fn cipher(self) -> &'static CipherSpec {
                match self {
                    $(Self::$Variant => &$CIPHER,)*
                    $(#[cfg(feature = "legacy")] Self::$Legacy => &$LEGACY_CIPHER,)*
                }
            }

            /// What authenticates; [`Integrity::None`] of a combined mode.
            pub const fn integrity(self) -> &'static IntegritySpec {
                match self {
                    $(Self::$Variant => &$INTEGRITY,)*
                    $(#[cfg(feature = "legacy")] Self::$Legacy => &$LEGACY_INTEGRITY,)*
                }
            }
        }

        /// Names of the transforms that need the cargo feature `legacy`, whether it is on or not.
        pub const LEGACY_NAMES: &[&str] = &[$($legacy_name,)*];
    };
}

transforms! {
{
    Aes128Gcm16 = "aes-128-gcm-16": AES_128_GCM_16, NONE;
    Aes128Gcm12 = "aes-128-gcm-12": AES_128_GCM_12, NONE;
    Aes128Gcm8 = "aes-128-gcm-8": AES_128_GCM_8, NONE;
    Aes192Gcm16 = "aes-192-gcm-16": AES_192_GCM_16, NONE;
    Aes192Gcm12 = "aes-192-gcm-12": AES_192_GCM_12, NONE;
    Aes192Gcm8 = "aes-192-gcm-8": AES_192_GCM_8, NONE;
    Aes256Gcm16 = "aes-256-gcm-16": AES_256_GCM_16, NONE;
    Aes256Gcm12 = "aes-256-gcm-12": AES_256_GCM_12, NONE;
    Aes256Gcm8 = "aes-256-gcm-8": AES_256_GCM_8, NONE;
    ChaCha20Poly1305 = "chacha20-poly1305": CHACHA20_POLY1305, NONE;
    Aes128Ccm16 = "aes-128-ccm-16": AES_128_CCM_16, NONE;
    Aes128Ccm12 = "aes-128-ccm-12": AES_128_CCM_12, NONE;
    Aes128Ccm8 = "aes-128-ccm-8": AES_128_CCM_8, NONE;
    Aes192Ccm16 = "aes-192-ccm-16": AES_192_CCM_16, NONE;
    Aes192Ccm12 = "aes-192-ccm-12": AES_192_CCM_12, NONE;
    Aes192Ccm8 = "aes-192-ccm-8": AES_192_CCM_8, NONE;
    Aes256Ccm16 = "aes-256-ccm-16": AES_256_CCM_16, NONE;
    Aes256Ccm12 = "aes-256-ccm-12": AES_256_CCM_12, NONE;
    Aes256Ccm8 = "aes-256-ccm-8": AES_256_CCM_8, NONE;
    Aes128Gmac = "aes-128-gmac": AES_128_GMAC, NONE;
    Aes192Gmac = "aes-192-gmac": AES_192_GMAC, NONE;
    Aes256Gmac = "aes-256-gmac": AES_256_GMAC, NONE;
    Aes128Gcm16Iiv = "aes-128-gcm-16-iiv": AES_128_GCM_16_IIV, NONE;
    Aes192Gcm16Iiv = "aes-192-gcm-16-iiv": AES_192_GCM_16_IIV, NONE;
    Aes256Gcm16Iiv = "aes-256-gcm-16-iiv": AES_256_GCM_16_IIV, NONE;
    Aes128Ccm8Iiv = "aes-128-ccm-8-iiv": AES_128_CCM_8_IIV, NONE;
    Aes192Ccm8Iiv = "aes-192-ccm-8-iiv": AES_192_CCM_8_IIV, NONE;
    Aes256Ccm8Iiv = "aes-256-ccm-8-iiv": AES_256_CCM_8_IIV, NONE;
    ChaCha20Poly1305Iiv = "chacha20-poly1305-iiv": CHACHA20_POLY1305_IIV, NONE;
    Aes128CbcHmacSha1_96 = "aes-128-cbc-hmac-sha1-96": AES_128_CBC, HMAC_SHA1_96;
    Aes128CbcHmacSha256_128 = "aes-128-cbc-hmac-sha256-128": AES_128_CBC, HMAC_SHA256_128;
    Aes128CbcHmacSha384_192 = "aes-128-cbc-hmac-sha384-192": AES_128_CBC, HMAC_SHA384_192;
    Aes128CbcHmacSha512_256 = "aes-128-cbc-hmac-sha512-256": AES_128_CBC, HMAC_SHA512_256;
    Aes128CbcAesXcbc96 = "aes-128-cbc-aes-xcbc-96": AES_128_CBC, AES_XCBC_96;
    Aes128CbcAesCmac96 = "aes-128-cbc-aes-cmac-96": AES_128_CBC, AES_CMAC_96;
    Aes192CbcHmacSha1_96 = "aes-192-cbc-hmac-sha1-96": AES_192_CBC, HMAC_SHA1_96;
    Aes192CbcHmacSha256_128 = "aes-192-cbc-hmac-sha256-128": AES_192_CBC, HMAC_SHA256_128;
    Aes192CbcHmacSha384_192 = "aes-192-cbc-hmac-sha384-192": AES_192_CBC, HMAC_SHA384_192;
    Aes192CbcHmacSha512_256 = "aes-192-cbc-hmac-sha512-256": AES_192_CBC, HMAC_SHA512_256;
    Aes192CbcAesXcbc96 = "aes-192-cbc-aes-xcbc-96": AES_192_CBC, AES_XCBC_96;
    Aes192CbcAesCmac96 = "aes-192-cbc-aes-cmac-96": AES_192_CBC, AES_CMAC_96;
    Aes256CbcHmacSha1_96 = "aes-256-cbc-hmac-sha1-96": AES_256_CBC, HMAC_SHA1_96;
    Aes256CbcHmacSha256_128 = "aes-256-cbc-hmac-sha256-128": AES_256_CBC, HMAC_SHA256_128;
    Aes256CbcHmacSha384_192 = "aes-256-cbc-hmac-sha384-192": AES_256_CBC, HMAC_SHA384_192;
    Aes256CbcHmacSha512_256 = "aes-256-cbc-hmac-sha512-256": AES_256_CBC, HMAC_SHA512_256;
    Aes256CbcAesXcbc96 = "aes-256-cbc-aes-xcbc-96": AES_256_CBC, AES_XCBC_96;
    Aes256CbcAesCmac96 = "aes-256-cbc-aes-cmac-96": AES_256_CBC, AES_CMAC_96;
    Aes128CtrHmacSha1_96 = "aes-128-ctr-hmac-sha1-96": AES_128_CTR, HMAC_SHA1_96;
    Aes128CtrHmacSha256_128 = "aes-128-ctr-hmac-sha256-128": AES_128_CTR, HMAC_SHA256_128;
    Aes128CtrHmacSha384_192 = "aes-128-ctr-hmac-sha384-192": AES_128_CTR, HMAC_SHA384_192;
    Aes128CtrHmacSha512_256 = "aes-128-ctr-hmac-sha512-256": AES_128_CTR, HMAC_SHA512_256;
    Aes128CtrAesXcbc96 = "aes-128-ctr-aes-xcbc-96": AES_128_CTR, AES_XCBC_96;
    Aes128CtrAesCmac96 = "aes-128-ctr-aes-cmac-96": AES_128_CTR, AES_CMAC_96;
    Aes192CtrHmacSha1_96 = "aes-192-ctr-hmac-sha1-96": AES_192_CTR, HMAC_SHA1_96;
    Aes192CtrHmacSha256_128 = "aes-192-ctr-hmac-sha256-128": AES_192_CTR, HMAC_SHA256_128;
    Aes192CtrHmacSha384_192 = "aes-192-ctr-hmac-sha384-192": AES_192_CTR, HMAC_SHA384_192;
    Aes192CtrHmacSha512_256 = "aes-192-ctr-hmac-sha512-256": AES_192_CTR, HMAC_SHA512_256;
    Aes192CtrAesXcbc96 = "aes-192-ctr-aes-xcbc-96": AES_192_CTR, AES_XCBC_96;
    Aes192CtrAesCmac96 = "aes-192-ctr-aes-cmac-96": AES_192_CTR, AES_CMAC_96;
    Aes256CtrHmacSha1_96 = "aes-256-ctr-hmac-sha1-96": AES_256_CTR, HMAC_SHA1_96;
    Aes256CtrHmacSha256_128 = "aes-256-ctr-hmac-sha256-128": AES_256_CTR, HMAC_SHA256_128;
    Aes256CtrHmacSha384_192 = "aes-256-ctr-hmac-sha384-192": AES_256_CTR, HMAC_SHA384_192;
    Aes256CtrHmacSha512_256 = "aes-256-ctr-hmac-sha512-256": AES_256_CTR, HMAC_SHA512_256;
    Aes256CtrAesXcbc96 = "aes-256-ctr-aes-xcbc-96": AES_256_CTR, AES_XCBC_96;
    Aes256CtrAesCmac96 = "aes-256-ctr-aes-cmac-96": AES_256_CTR, AES_CMAC_96;
    NullHmacSha1_96 = "null-hmac-sha1-96": NULL, HMAC_SHA1_96;
    NullHmacSha256_128 = "null-hmac-sha256-128": NULL, HMAC_SHA256_128;
    NullHmacSha384_192 = "null-hmac-sha384-192": NULL, HMAC_SHA384_192;
    NullHmacSha512_256 = "null-hmac-sha512-256": NULL, HMAC_SHA512_256;
    NullAesXcbc96 = "null-aes-xcbc-96": NULL, AES_XCBC_96;
    NullAesCmac96 = "null-aes-cmac-96": NULL, AES_CMAC_96;
}
legacy {
    Aes128CbcHmacMd5_96 = "aes-128-cbc-hmac-md5-96": AES_128_CBC, HMAC_MD5_96;
    Aes128CbcHmacSha256_96 = "aes-128-cbc-hmac-sha256-96": AES_128_CBC, HMAC_SHA256_96;
    Aes128CbcNone = "aes-128-cbc-none": AES_128_CBC, NONE;
    Aes192CbcHmacMd5_96 = "aes-192-cbc-hmac-md5-96": AES_192_CBC, HMAC_MD5_96;
    Aes192CbcHmacSha256_96 = "aes-192-cbc-hmac-sha256-96": AES_192_CBC, HMAC_SHA256_96;
    Aes192CbcNone = "aes-192-cbc-none": AES_192_CBC, NONE;
    Aes256CbcHmacMd5_96 = "aes-256-cbc-hmac-md5-96": AES_256_CBC, HMAC_MD5_96;
    Aes256CbcHmacSha256_96 = "aes-256-cbc-hmac-sha256-96": AES_256_CBC, HMAC_SHA256_96;
    Aes256CbcNone = "aes-256-cbc-none": AES_256_CBC, NONE;
    Aes128CtrHmacMd5_96 = "aes-128-ctr-hmac-md5-96": AES_128_CTR, HMAC_MD5_96;
    Aes128CtrHmacSha256_96 = "aes-128-ctr-hmac-sha256-96": AES_128_CTR, HMAC_SHA256_96;
    Aes128CtrNone = "aes-128-ctr-none": AES_128_CTR, NONE;
    Aes192CtrHmacMd5_96 = "aes-192-ctr-hmac-md5-96": AES_192_CTR, HMAC_MD5_96;
    Aes192CtrHmacSha256_96 = "aes-192-ctr-hmac-sha256-96": AES_192_CTR, HMAC_SHA256_96;
    Aes192CtrNone = "aes-192-ctr-none": AES_192_CTR, NONE;
    Aes256CtrHmacMd5_96 = "aes-256-ctr-hmac-md5-96": AES_256_CTR, HMAC_MD5_96;
    Aes256CtrHmacSha256_96 = "aes-256-ctr-hmac-sha256-96": AES_256_CTR, HMAC_SHA256_96;
    Aes256CtrNone = "aes-256-ctr-none": AES_256_CTR, NONE;
    NullHmacMd5_96 = "null-hmac-md5-96": NULL, HMAC_MD5_96;
    NullHmacSha256_96 = "null-hmac-sha256-96": NULL, HMAC_SHA256_96;
    TripleDesCbcHmacSha1_96 = "3des-cbc-hmac-sha1-96": TRIPLE_DES_CBC, HMAC_SHA1_96;
    TripleDesCbcHmacSha256_128 = "3des-cbc-hmac-sha256-128": TRIPLE_DES_CBC, HMAC_SHA256_128;
    TripleDesCbcHmacSha384_192 = "3des-cbc-hmac-sha384-192": TRIPLE_DES_CBC, HMAC_SHA384_192;
    TripleDesCbcHmacSha512_256 = "3des-cbc-hmac-sha512-256": TRIPLE_DES_CBC, HMAC_SHA512_256;
    TripleDesCbcAesXcbc96 = "3des-cbc-aes-xcbc-96": TRIPLE_DES_CBC, AES_XCBC_96;
    TripleDesCbcAesCmac96 = "3des-cbc-aes-cmac-96": TRIPLE_DES_CBC, AES_CMAC_96;
    TripleDesCbcHmacMd5_96 = "3des-cbc-hmac-md5-96": TRIPLE_DES_CBC, HMAC_MD5_96;
    TripleDesCbcHmacSha256_96 = "3des-cbc-hmac-sha256-96": TRIPLE_DES_CBC, HMAC_SHA256_96;
    TripleDesCbcNone = "3des-cbc-none": TRIPLE_DES_CBC, NONE;
    DesCbcHmacSha1_96 = "des-cbc-hmac-sha1-96": DES_CBC, HMAC_SHA1_96;
    DesCbcHmacSha256_128 = "des-cbc-hmac-sha256-128": DES_CBC, HMAC_SHA256_128;
    DesCbcHmacSha384_192 = "des-cbc-hmac-sha384-192": DES_CBC, HMAC_SHA384_192;
    DesCbcHmacSha512_256 = "des-cbc-hmac-sha512-256": DES_CBC, HMAC_SHA512_256;
    DesCbcAesXcbc96 = "des-cbc-aes-xcbc-96": DES_CBC, AES_XCBC_96;
    DesCbcAesCmac96 = "des-cbc-aes-cmac-96": DES_CBC, AES_CMAC_96;
    DesCbcHmacMd5_96 = "des-cbc-hmac-md5-96": DES_CBC, HMAC_MD5_96;
    DesCbcHmacSha256_96 = "des-cbc-hmac-sha256-96": DES_CBC, HMAC_SHA256_96;
    DesCbcNone = "des-cbc-none": DES_CBC, NONE;
}
}
