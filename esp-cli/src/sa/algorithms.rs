//! What other programs call the algorithms: Wireshark in its `esp_sa` file, Linux in `ip xfrm state`.
//!
//! A transform's name is the cipher's, followed by that of the integrity algorithm unless the cipher is a combined mode.
//! What the engine lacks stands here all the same, so that a file that names it is understood and refused by name.

use esp_core::Transform;
use esp_crypto::Level;

/// A cipher or combined mode with one length of key and ICV.
#[derive(Debug)]
pub(super) struct Cipher {
    /// First part of the transform's name, or all of it.
    pub(super) ours: &'static str,
    /// Key and salt, in bytes.
    pub(super) key_len: usize,
    /// ICV of a combined mode in bits; 0: the cipher needs an integrity algorithm beside it.
    pub(super) icv_bits: u32,
    /// `None`: Wireshark has no name for it.
    pub(super) wireshark: Option<&'static str>,
    pub(super) linux: Option<&'static str>,
}

/// An integrity algorithm with one length of ICV.
#[derive(Debug)]
pub(super) struct Integrity {
    /// Second part of the transform's name.
    pub(super) ours: &'static str,
    /// Key, in bytes.
    pub(super) key_len: usize,
    pub(super) icv_bits: u32,
    pub(super) wireshark: Option<&'static str>,
    pub(super) linux: Option<&'static str>,
}

/// A cipher, and the integrity algorithm unless the cipher is a combined mode.
pub(super) type Pair = (&'static Cipher, Option<&'static Integrity>);

/// The algorithms of a transform.
pub(super) fn of(transform: Transform) -> Option<Pair> {
    let name = transform.name();
    if let Some(cipher) = CIPHERS.iter().find(|cipher| cipher.icv_bits > 0 && cipher.ours == name) {
        return Some((cipher, None));
    }
    CIPHERS.iter().filter(|cipher| cipher.icv_bits == 0).find_map(|cipher| {
        let integrity = name.strip_prefix(cipher.ours)?.strip_prefix('-')?;
        INTEGRITIES.iter().find(|row| row.ours == integrity).map(|row| (cipher, Some(row)))
    })
}

/// The transform that two algorithms make, or the name that it would have.
pub(super) fn transform((cipher, integrity): Pair) -> Result<Transform, String> {
    let name = match integrity {
        Some(integrity) => format!("{}-{}", cipher.ours, integrity.ours),
        None => cipher.ours.to_owned(),
    };
    Transform::from_name(&name).ok_or(name)
}

/// No integrity beside this cipher, if the build has that.
pub(super) fn unauthenticated(cipher: &'static Cipher) -> Option<&'static Integrity> {
    let none = INTEGRITIES.iter().find(|row| row.ours == "none")?;
    transform((cipher, Some(none))).is_ok().then_some(none)
}

/// What RFC 8221 says of a transform, where it is not MUST or SHOULD; with the reason.
pub(super) fn advice(transform: Transform) -> Vec<String> {
    let name = transform.name();
    let mut advice = Vec::new();
    if transform.icv_len() == 0 {
        advice.push(format!(
            "{name} has no integrity: anyone on the way can change and replay the packets unseen (RFC 8221 section 4)"
        ));
    }
    if name.starts_with("null-") {
        advice.push(format!(
            "{name} does not encrypt: everyone on the way reads the packets (RFC 8221 section 5)"
        ));
    }
    match transform.level() {
        Level::Must | Level::Should => {}
        Level::MustMinus => advice.push(format!("{name} is MUST-: on its way out (RFC 8221)")),
        Level::May if name.starts_with("aes-192-") => {
            advice.push(format!("{name}: 192-bit keys are MAY, few peers have them (RFC 8221 section 5)"));
        }
        Level::May => advice.push(format!("{name} is MAY: few peers have it (RFC 8221)")),
        level @ (Level::ShouldNot | Level::MustNot) => {
            advice
                .push(format!("{name} {level} be used: for a far end that knows nothing better (RFC 8221)"));
        }
    }
    advice
}

const fn aead(
    ours: &'static str,
    key_len: usize,
    icv_bits: u32,
    wireshark: Option<&'static str>,
    linux: &'static str,
) -> Cipher {
    Cipher { ours, key_len, icv_bits, wireshark, linux: Some(linux) }
}

const fn cipher(
    ours: &'static str,
    key_len: usize,
    wireshark: &'static str,
    linux: Option<&'static str>,
) -> Cipher {
    Cipher { ours, key_len, icv_bits: 0, wireshark: Some(wireshark), linux }
}

const fn integrity(
    ours: &'static str,
    key_len: usize,
    icv_bits: u32,
    wireshark: Option<&'static str>,
    linux: &'static str,
) -> Integrity {
    Integrity { ours, key_len, icv_bits, wireshark, linux: Some(linux) }
}

const GCM: &str = "rfc4106(gcm(aes))";
const CCM: &str = "rfc4309(ccm(aes))";
const GMAC: &str = "rfc4543(gcm(aes))";
const GCM_8: Option<&str> = Some("AES-GCM with 8 octet ICV [RFC4106]");
const GCM_12: Option<&str> = Some("AES-GCM with 12 octet ICV [RFC4106]");
const GCM_16: Option<&str> = Some("AES-GCM with 16 octet ICV [RFC4106]");
const GCM_16_IIV: Option<&str> = Some("AES-GCM with IIV and 16 octet ICV [RFC4106 & RFC8750]");
const AES_CBC: &str = "AES-CBC [RFC3602]";
const AES_CTR: &str = "AES-CTR [RFC3686]";

/// Lengths are those of the RFCs; salt and nonce count with the key, as both formats write them.
pub(super) const CIPHERS: &[Cipher] = &[
    aead("aes-128-gcm-16", 20, 128, GCM_16, GCM),
    aead("aes-128-gcm-12", 20, 96, GCM_12, GCM),
    aead("aes-128-gcm-8", 20, 64, GCM_8, GCM),
    aead("aes-192-gcm-16", 28, 128, GCM_16, GCM),
    aead("aes-192-gcm-12", 28, 96, GCM_12, GCM),
    aead("aes-192-gcm-8", 28, 64, GCM_8, GCM),
    aead("aes-256-gcm-16", 36, 128, GCM_16, GCM),
    aead("aes-256-gcm-12", 36, 96, GCM_12, GCM),
    aead("aes-256-gcm-8", 36, 64, GCM_8, GCM),
    aead(
        "chacha20-poly1305",
        36,
        128,
        Some("ChaCha20 with Poly1305 [RFC7634]"),
        "rfc7539esp(chacha20,poly1305)",
    ),
    aead("aes-128-ccm-16", 19, 128, None, CCM),
    aead("aes-128-ccm-12", 19, 96, None, CCM),
    aead("aes-128-ccm-8", 19, 64, None, CCM),
    aead("aes-192-ccm-16", 27, 128, None, CCM),
    aead("aes-192-ccm-12", 27, 96, None, CCM),
    aead("aes-192-ccm-8", 27, 64, None, CCM),
    aead("aes-256-ccm-16", 35, 128, None, CCM),
    aead("aes-256-ccm-12", 35, 96, None, CCM),
    aead("aes-256-ccm-8", 35, 64, None, CCM),
    aead("aes-128-gmac", 20, 128, None, GMAC),
    aead("aes-192-gmac", 28, 128, None, GMAC),
    aead("aes-256-gmac", 36, 128, None, GMAC),
    Cipher { ours: "aes-128-ccm-8-iiv", key_len: 19, icv_bits: 64, wireshark: None, linux: None },
    Cipher { ours: "aes-192-ccm-8-iiv", key_len: 27, icv_bits: 64, wireshark: None, linux: None },
    Cipher { ours: "aes-256-ccm-8-iiv", key_len: 35, icv_bits: 64, wireshark: None, linux: None },
    Cipher { ours: "aes-128-gcm-16-iiv", key_len: 20, icv_bits: 128, wireshark: GCM_16_IIV, linux: None },
    Cipher { ours: "aes-192-gcm-16-iiv", key_len: 28, icv_bits: 128, wireshark: GCM_16_IIV, linux: None },
    Cipher { ours: "aes-256-gcm-16-iiv", key_len: 36, icv_bits: 128, wireshark: GCM_16_IIV, linux: None },
    Cipher {
        ours: "chacha20-poly1305-iiv",
        key_len: 36,
        icv_bits: 128,
        wireshark: Some("ChaCha20 with Poly1305 and IIV [RFC7634 & RFC8750]"),
        linux: None,
    },
    cipher("aes-128-cbc", 16, AES_CBC, Some("cbc(aes)")),
    cipher("aes-192-cbc", 24, AES_CBC, Some("cbc(aes)")),
    cipher("aes-256-cbc", 32, AES_CBC, Some("cbc(aes)")),
    cipher("aes-128-ctr", 20, AES_CTR, Some("rfc3686(ctr(aes))")),
    cipher("aes-192-ctr", 28, AES_CTR, Some("rfc3686(ctr(aes))")),
    cipher("aes-256-ctr", 36, AES_CTR, Some("rfc3686(ctr(aes))")),
    cipher("null", 0, "NULL", Some("ecb(cipher_null)")),
    cipher("3des-cbc", 24, "TripleDES-CBC [RFC2451]", Some("cbc(des3_ede)")),
    cipher("des-cbc", 8, "DES-CBC [RFC2405]", Some("cbc(des)")),
    cipher("cast5-cbc", 16, "CAST5-CBC [RFC2144]", Some("cbc(cast5)")),
    cipher("blowfish-cbc", 16, "BLOWFISH-CBC [RFC2451]", Some("cbc(blowfish)")),
    cipher("twofish-cbc", 16, "TWOFISH-CBC", Some("cbc(twofish)")),
];

pub(super) const INTEGRITIES: &[Integrity] = &[
    integrity("hmac-sha1-96", 20, 96, Some("HMAC-SHA-1-96 [RFC2404]"), "hmac(sha1)"),
    integrity("hmac-sha256-128", 32, 128, Some("HMAC-SHA-256-128 [RFC4868]"), "hmac(sha256)"),
    integrity(
        "hmac-sha256-96",
        32,
        96,
        Some("HMAC-SHA-256-96 [draft-ietf-ipsec-ciph-sha-256-00]"),
        "hmac(sha256)",
    ),
    integrity("hmac-sha384-192", 48, 192, Some("HMAC-SHA-384-192 [RFC4868]"), "hmac(sha384)"),
    integrity("hmac-sha512-256", 64, 256, Some("HMAC-SHA-512-256 [RFC4868]"), "hmac(sha512)"),
    integrity("aes-xcbc-96", 16, 96, None, "xcbc(aes)"),
    integrity("aes-cmac-96", 16, 96, None, "cmac(aes)"),
    integrity("hmac-md5-96", 16, 96, Some("HMAC-MD5-96 [RFC2403]"), "hmac(md5)"),
    // No integrity at all (legacy).
    Integrity { ours: "none", key_len: 0, icv_bits: 0, wireshark: Some("NULL"), linux: None },
    integrity("hmac-ripemd160-96", 20, 96, Some("MAC-RIPEMD-160-96 [RFC2857]"), "hmac(rmd160)"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_transform_is_made_of_its_algorithms() {
        for made in Transform::ALL {
            let pair = of(*made).unwrap();
            assert_eq!(transform(pair), Ok(*made));
            let key_len = pair.0.key_len + pair.1.map_or(0, |integrity| integrity.key_len);
            assert_eq!(key_len, made.key_len(), "{made}");
            let icv_bits = pair.0.icv_bits + pair.1.map_or(0, |integrity| integrity.icv_bits);
            assert_eq!(icv_bits as usize, made.icv_len() * 8, "{made}");
        }
    }

    #[test]
    fn b38_icv_lengths_of_one_algorithm_are_kept_apart() {
        let sha256: Vec<_> = INTEGRITIES.iter().filter(|row| row.linux == Some("hmac(sha256)")).collect();
        assert_eq!(sha256.iter().map(|row| row.icv_bits).collect::<Vec<_>>(), [128, 96]);
        assert_ne!(sha256[0].wireshark, sha256[1].wireshark);
        let gcm_128: Vec<_> =
            CIPHERS.iter().filter(|row| row.linux == Some(GCM) && row.key_len == 20).collect();
        assert_eq!(gcm_128.iter().map(|row| row.icv_bits).collect::<Vec<_>>(), [128, 96, 64]);
    }
}
