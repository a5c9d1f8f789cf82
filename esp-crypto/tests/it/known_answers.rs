//! Answers that others computed.

use esp_crypto::{JobError, Tier, Tiers, Transform, self_test};
use esp_testkit::vectors::{self, RfcVector};

use crate::esp::{HEADER_LEN, Sa, open_one};

#[test]
fn every_compiled_in_answer_holds_on_every_tier() {
    let outcomes = self_test(&Tiers::default());
    for outcome in &outcomes {
        assert!(outcome.passed, "{outcome:?}");
    }
    for &transform in Transform::ALL {
        for tier in Tiers::default().all(transform) {
            let cases = outcomes.iter().filter(|o| o.transform == transform && o.tier == tier).count();
            assert!(cases >= 3, "{transform} on {tier} has {cases} known answers");
        }
    }
}

#[test]
fn gcm_and_chacha_packets_of_the_rfcs() {
    let Some(vectors) = vectors::rfc_kat() else {
        return vectors::skipped("gcm_and_chacha_packets_of_the_rfcs");
    };
    let mut checked = 0;
    for vector in vectors.iter().filter(|v| v.level == "esp") {
        let Some(transform) = transform_of(vector) else { continue };
        let sealed = vector.esp_packet.clone().unwrap();
        let plaintext = vector.plaintext_with_trailer.as_ref().or(vector.plaintext.as_ref()).unwrap();
        assert_eq!(vector.esn, vector.esn_hi.is_some(), "{}", vector.name);
        for tier in Tiers::default().all(transform) {
            let sa = Sa::new(transform, tier, &[&vector.key[..], &vector.salt].concat());
            check(&vector.name, &sa, vector.esn_hi, plaintext, &sealed);
            checked += 1;
        }
    }
    // 15 packets with 128- or 256-bit keys on two tiers, one with 192 bits and one of ChaCha20 on one.
    assert_eq!(checked, 32);
}

/// A MAC vector whose message holds at least a header is an ESP packet under NULL.
#[test]
fn hmac_sha256_vectors_with_esp_key_length() {
    let Some(vectors) = vectors::rfc_kat() else { return vectors::skipped("hmac_sha256_vectors") };
    let mut checked = 0;
    let esp_keys = |v: &&RfcVector| v.mac.as_deref() == Some("hmac-sha256") && v.key.len() == 32;
    for vector in vectors.iter().filter(esp_keys) {
        let message = vector.message.as_ref().unwrap();
        let sealed = [&message[..], &vector.icv.as_ref().unwrap()[..16]].concat();
        let sa = Sa::new(Transform::NullHmacSha256_128, Tier::Ring, &vector.key);
        check(&vector.name, &sa, None, &message[HEADER_LEN..], &sealed);
        checked += 1;
    }
    assert_eq!(checked, 3);
}

fn check(name: &str, sa: &Sa, seq_hi: Option<u32>, plaintext: &[u8], sealed: &[u8]) {
    let payload = sa.payload(sealed.len());
    let mut plain = sealed.to_vec();
    plain[payload.clone()].copy_from_slice(plaintext);
    plain[payload.end..].fill(0xee);
    assert_eq!(sa.sealed(&plain, seq_hi), sealed, "{name} on {}", sa.tier);

    let mut opened = sealed.to_vec();
    assert_eq!(open_one(&sa.open, &mut opened, seq_hi), Ok(()), "{name} on {}", sa.tier);
    assert_eq!(opened[payload.clone()], plain[payload], "{name} on {}", sa.tier);

    let wrong_hi = seq_hi.map_or(Some(0), |hi| Some(hi.swap_bytes() ^ 1));
    let mut other = sealed.to_vec();
    assert_eq!(open_one(&sa.open, &mut other, wrong_hi), Err(JobError::AuthFailed), "{name} on {}", sa.tier);
}

fn transform_of(vector: &RfcVector) -> Option<Transform> {
    match (vector.cipher.as_deref()?, vector.key.len()) {
        ("aes-gcm", 16) => Some(Transform::Aes128Gcm16),
        ("aes-gcm", 24) => Some(Transform::Aes192Gcm16),
        ("aes-gcm", 32) => Some(Transform::Aes256Gcm16),
        ("chacha20-poly1305", 32) => Some(Transform::ChaCha20Poly1305),
        _ => None,
    }
}
