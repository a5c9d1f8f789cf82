//! Mistakes of transforms with an encryption key and an integrity key, and of the rarer combined modes.

use super::mistakes::{found, one};
use super::*;

const CBC: Transform = Transform::Aes128CbcHmacSha256_128;
const CTR: Transform = Transform::Aes128CtrHmacSha1_96;

fn west(transform: Transform) -> SaConfig {
    sa("west", 0x1001, transform, 1)
}

/// The far end of `sa` with another transform, on the same keying material cut to its length.
fn with_transform(sa: &SaConfig, name: &str) -> SlowSa {
    let transform = SlowTransform::named(name).unwrap();
    let mut key = sa.key.expose().to_vec();
    key.resize(transform.key_len(), 0x3c);
    SlowSa { transform, key, ..sender(sa) }
}

/// The far end of `sa` with these keys.
fn with_keys(sa: &SaConfig, cipher: &[u8], integrity: &[u8]) -> SlowSa {
    SlowSa { key: [cipher, integrity].concat(), ..sender(sa) }
}

fn keys(sa: &SaConfig) -> (&[u8], &[u8]) {
    sa.key.expose().split_at(sa.transform.cipher_key_len())
}

fn reversed(key: &[u8]) -> Vec<u8> {
    key.iter().rev().copied().collect()
}

#[test]
fn every_transform_is_explained_to_its_end() {
    let two_way = |transform: &&Transform| {
        transform.icv_len() > 0 && !transform.is_legacy() && !transform.name().starts_with("null-none")
    };
    for transform in Transform::ALL.iter().filter(two_way) {
        for esn in [false, true] {
            let mut sa = west(*transform);
            sa.esn = esn;
            let report = one(from_ref(&sa), &sender(&sa)).report();
            assert!(report.ok && report.conclusion.fine, "{transform}: {}", flat(&report));
            assert_eq!(report.packet.story.fate.name(), "delivered", "{transform}");
            let mut forged = sealed(&sender(&sa), 1);
            let icv_at = forged.len() - transform.icv_len();
            forged[icv_at] ^= 1;
            let report = Lab::new(&[sa], [forged]).report();
            assert_eq!(report.packet.story.fate.name(), "auth_failed", "{transform}");
            assert!(report.conclusion.cause.starts_with("no SA fits"), "{transform}: {}", flat(&report));
        }
    }
}

#[test]
fn encryption_and_integrity_keys_swapped() {
    for transform in [CBC, CTR, Transform::Aes256CbcHmacSha512_256, Transform::Aes128CbcAesXcbc96] {
        let sa = west(transform);
        // What the file has is integrity key, encryption key, as the peer's order shows.
        let (front, back) = sa.key.expose().split_at(transform.integrity().key_len);
        let peer = with_keys(&sa, back, front);
        found(
            &one(from_ref(&sa), &peer),
            "cipher_and_integrity_keys_swapped",
            &["are exchanged", "RFC 7296"],
        );
    }
}

#[test]
fn one_of_the_two_keys_reversed() {
    for transform in [CBC, CTR] {
        let sa = west(transform);
        let (cipher, integrity) = keys(&sa);
        let peer = with_keys(&sa, cipher, &reversed(integrity));
        found(&one(from_ref(&sa), &peer), "integrity_key_reversed", &["bytes of the integrity key"]);
        let salt_at = cipher.len() - transform.salt_len();
        let half = [&reversed(&cipher[..salt_at])[..], &cipher[salt_at..]].concat();
        let peer = with_keys(&sa, &half, integrity);
        let report =
            found(&one(from_ref(&sa), &peer), "encryption_key_reversed", &["integrity key is right"]);
        assert!(report.packet.story.icv.as_ref().unwrap().right);
    }
}

#[test]
fn b38_macs_cut_otherwise() {
    let cases = [
        (CBC, 12, "sha256_cut_to_96_bits"),
        (Transform::Aes256CbcHmacSha512_256, 12, "icv_length"),
        (Transform::Aes256CtrHmacSha384_192, 16, "icv_length"),
        (Transform::Aes128Gcm8, 8, "icv_length"),
    ];
    for (transform, icv_len, id) in cases {
        let sa = west(transform);
        let packet = sealed(&sender(&sa), 1);
        let len = packet.len() - transform.icv_len() + icv_len;
        if len < packet.len() {
            found(
                &Lab::new(from_ref(&sa), [resized(&packet, len, 0)]),
                id,
                &[&format!("ICV has {icv_len} bytes")],
            );
        }
    }
    // Longer than the SA's: the whole ICV of the mode.
    let sa = west(Transform::Aes128Gcm8);
    let peer = with_transform(&sa, "aes-128-gcm-16");
    found(&one(from_ref(&sa), &peer), "icv_length", &["ICV has 16 bytes", "transform = \"aes-128-gcm-16\""]);
}

/// The length of a CCM ICV enters its computation.
#[test]
fn b38_ccm_of_another_length() {
    let sa = west(Transform::Aes128Ccm16);
    for name in ["aes-128-ccm-8", "aes-128-ccm-12"] {
        found(
            &one(from_ref(&sa), &with_transform(&sa, name)),
            "other_transform",
            &[name, "has aes-128-ccm-16"],
        );
    }
}

#[test]
fn implicit_and_explicit_ivs() {
    for (ours, theirs) in [
        (Transform::Aes128Gcm16, "aes-128-gcm-16-iiv"),
        (Transform::Aes128Gcm16Iiv, "aes-128-gcm-16"),
        (Transform::ChaCha20Poly1305, "chacha20-poly1305-iiv"),
        (Transform::Aes256Ccm8Iiv, "aes-256-ccm-8"),
    ] {
        let sa = west(ours);
        found(&one(from_ref(&sa), &with_transform(&sa, theirs)), "other_transform", &[theirs, ours.name()]);
    }
}

#[test]
fn gmac_where_gcm_is_meant() {
    let sa = west(Transform::Aes256Gcm16);
    found(&one(from_ref(&sa), &with_transform(&sa, "aes-256-gmac")), "other_transform", &["aes-256-gmac"]);
}

/// The ICV is right whatever the cipher, so only the text tells.
#[test]
fn another_cipher_under_the_same_mac() {
    let sa = west(CTR);
    let (cipher, integrity) = keys(&sa);
    let null = SlowSa {
        transform: SlowTransform::named("null-hmac-sha1-96").unwrap(),
        ..with_keys(&sa, &[], integrity)
    };
    found(
        &one(from_ref(&sa), &null),
        "other_cipher",
        &["packet is null-hmac-sha1-96", "has aes-128-ctr-hmac-sha1-96"],
    );
    let cbc = SlowSa {
        transform: SlowTransform::named("aes-128-cbc-hmac-sha1-96").unwrap(),
        ..with_keys(&sa, &cipher[..16], integrity)
    };
    found(&one(from_ref(&sa), &cbc), "other_cipher", &["packet is aes-128-cbc-hmac-sha1-96"]);
}

#[test]
fn the_nonce_of_ctr_left_out_or_turned() {
    let sa = west(CTR);
    let (cipher, integrity) = keys(&sa);
    let zero = with_keys(&sa, &[&cipher[..16], &[0; 4]].concat(), integrity);
    found(&one(from_ref(&sa), &zero), "salt_missing", &["salt of zero"]);
    let turned = with_keys(&sa, &[&cipher[..16], &reversed(&cipher[16..])[..]].concat(), integrity);
    found(&one(from_ref(&sa), &turned), "salt_reversed", &["reverse order"]);
}

#[test]
fn another_encryption_key_is_said_to_be_one() {
    for transform in [CBC, CTR] {
        let sa = west(transform);
        let (cipher, integrity) = keys(&sa);
        let peer = with_keys(&sa, &vec![0x5d; cipher.len()], integrity);
        let report = one(from_ref(&sa), &peer).report();
        assert_eq!(report.conclusion.id.as_deref(), Some("encryption_key"), "{}", flat(&report));
        assert!(report.conclusion.cause.contains("the integrity key is right"), "{}", flat(&report));
    }
}

#[test]
fn esn_on_one_end_only_with_a_separate_mac() {
    for transform in [CBC, CTR, Transform::NullAesCmac96] {
        let mut sa = west(transform);
        let with = SlowSa { esn: true, ..sender(&sa) };
        found(&one(from_ref(&sa), &with), "esn_on", &["sender has extended"]);
        sa.esn = true;
        let without = SlowSa { esn: false, ..sender(&sa) };
        found(&one(from_ref(&sa), &without), "esn_off", &["sender has 32-bit"]);
    }
}

#[test]
fn salts_of_three_bytes() {
    let sa = west(Transform::Aes128Ccm16);
    let (key, salt) = sa.key.expose().split_at(16);
    let peer = |key: &[u8], salt: &[u8]| SlowSa { key: [key, salt].concat(), ..sender(&sa) };
    found(&one(from_ref(&sa), &peer(key, &[0; 3])), "salt_missing", &["last 3 bytes", "all 19 bytes"]);
    found(&one(from_ref(&sa), &peer(key, &reversed(salt))), "salt_reversed", &["3 bytes of salt"]);
}
