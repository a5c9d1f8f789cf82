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
            assert!(cases >= 2, "{transform} on {tier} has {cases} known answers");
        }
    }
}

#[test]
fn packets_of_the_rfcs() {
    let Some(vectors) = vectors::rfc_kat() else { return vectors::skipped("packets_of_the_rfcs") };
    let mut checked = 0;
    for vector in vectors.iter().filter(|v| v.level == "esp") {
        let Some(transform) = transform_of(vector) else { continue };
        let sealed = vector.esp_packet.clone().unwrap();
        let payload = HEADER_LEN + transform.iv_len()..sealed.len() - transform.icv_len();
        let plaintext =
            vector.plaintext_with_trailer.clone().unwrap_or_else(|| plaintext(vector, &sealed[payload]));
        assert_eq!(vector.esn, vector.esn_hi.is_some(), "{}", vector.name);
        for tier in Tiers::default().all(transform) {
            let sa = Sa::new(transform, tier, &[&vector.key[..], &vector.salt].concat());
            check(&vector.name, &sa, vector.esn_hi, &plaintext, &sealed);
            checked += 1;
        }
    }
    // 15 packets of AES-GCM with 128- or 256-bit keys on two tiers, one with 192 bits, one of GMAC and one of ChaCha20 on
    // one, and 4 of CBC without integrity.
    assert_eq!(checked, if cfg!(feature = "legacy") { 37 } else { 33 });
}

/// What the collection has of it: the payload, to which the trailer is written here.
fn plaintext(vector: &RfcVector, ciphertext: &[u8]) -> Vec<u8> {
    let mut plain = vector.plaintext.clone().or_else(|| vector.payload.clone()).unwrap();
    if plain.len() < ciphertext.len() {
        let pad_len = vector.pad_len.unwrap();
        plain.extend(1..=pad_len);
        plain.extend([pad_len, vector.next_header.unwrap()]);
    }
    plain
}

/// A MAC vector whose message holds at least a header is an ESP packet under NULL.
#[test]
fn mac_vectors_with_esp_key_length() {
    let Some(vectors) = vectors::rfc_kat() else { return vectors::skipped("mac_vectors") };
    let mut checked = 0;
    for vector in vectors.iter().filter(|v| v.level == "mac") {
        let Some(transform) = null_with(vector) else { continue };
        let (message, icv) = (vector.message.as_ref().unwrap(), vector.icv.as_ref().unwrap());
        if message.len() < HEADER_LEN
            || icv.len() < transform.icv_len()
            || vector.key.len() != transform.key_len()
        {
            continue;
        }
        let sealed = [&message[..], &icv[..transform.icv_len()]].concat();
        let sa = Sa::new(transform, Tier::Portable, &vector.key);
        check(&vector.name, &sa, None, &message[HEADER_LEN..], &sealed);
        checked += 1;
    }
    assert_eq!(checked, if cfg!(feature = "legacy") { 36 } else { 30 });
}

fn null_with(vector: &RfcVector) -> Option<Transform> {
    let mac = match vector.mac.as_deref()? {
        "hmac-sha1" => "hmac-sha1-96",
        "hmac-sha256" => "hmac-sha256-128",
        "hmac-sha384" => "hmac-sha384-192",
        "hmac-sha512" => "hmac-sha512-256",
        "aes-xcbc" => "aes-xcbc-96",
        "aes-cmac" => "aes-cmac-96",
        "hmac-md5" => "hmac-md5-96",
        _ => return None,
    };
    Transform::from_name(&format!("null-{mac}"))
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

    if sa.transform.icv_len() > 0 {
        let wrong_hi = seq_hi.map_or(Some(0), |hi| Some(hi.swap_bytes() ^ 1));
        let result = open_one(&sa.open, &mut sealed.to_vec(), wrong_hi);
        assert_eq!(result, Err(JobError::AuthFailed), "{name} on {}", sa.tier);
    }
}

fn transform_of(vector: &RfcVector) -> Option<Transform> {
    let bits = vector.key.len() * 8;
    match vector.cipher.as_deref()? {
        "aes-gcm" => Transform::from_name(&format!("aes-{bits}-gcm-16")),
        "null-gmac" => Transform::from_name(&format!("aes-{bits}-gmac")),
        "chacha20-poly1305" => Some(Transform::ChaCha20Poly1305),
        "aes-cbc" => Transform::from_name(&format!("aes-{bits}-cbc-none")),
        _ => None,
    }
}
