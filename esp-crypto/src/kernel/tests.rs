//! AEAD vectors whose associated data has lengths that no ESP packet has.

use esp_testkit::vectors::{self, RfcVector};

use super::aead::Aead;
use super::{PortableGcm128, PortableGcm192, PortableGcm256, RingAead};
use crate::Transform;

#[test]
fn aead_vectors_of_the_rfcs() {
    let Some(vectors) = vectors::rfc_kat() else { return vectors::skipped("aead_vectors_of_the_rfcs") };
    let mut checked = 0;
    for vector in vectors.iter().filter(|v| v.level == "aead" && v.icv_len.unwrap_or(16) == 16) {
        for aead in aeads(vector) {
            check(vector, aead.as_ref());
            checked += 1;
        }
    }
    // 5 of 128 and 5 of 256 bits on two tiers, 5 of 192 bits and 3 of ChaCha20 on one.
    assert_eq!(checked, 28);
}

fn aeads(vector: &RfcVector) -> Vec<Box<dyn Aead>> {
    let key = vector.key.as_slice();
    let ring =
        |transform| Box::new(RingAead::new(transform, key).expect("a key that ring takes")) as Box<dyn Aead>;
    match (vector.cipher.as_deref(), key.len()) {
        (Some("aes-gcm"), 16) => {
            vec![ring(Transform::Aes128Gcm16), Box::new(PortableGcm128::new(key).expect("16 bytes"))]
        }
        (Some("aes-gcm"), 24) => vec![Box::new(PortableGcm192::new(key).expect("24 bytes"))],
        (Some("aes-gcm"), 32) => {
            vec![ring(Transform::Aes256Gcm16), Box::new(PortableGcm256::new(key).expect("32 bytes"))]
        }
        (Some("chacha20-poly1305"), _) => vec![ring(Transform::ChaCha20Poly1305)],
        _ => Vec::new(),
    }
}

fn check(vector: &RfcVector, aead: &dyn Aead) {
    let name = &vector.name;
    let nonce: [u8; 12] =
        [&vector.salt[..], &vector.iv].concat().try_into().expect("salt and IV of 12 bytes");
    let plaintext = vector.plaintext.clone().unwrap_or_default();
    let ciphertext = vector.ciphertext.clone().unwrap_or_default();
    let icv: [u8; 16] = vector.icv.clone().and_then(|icv| icv.try_into().ok()).expect("16 bytes of ICV");

    let mut text = plaintext.clone();
    let mut sealed_icv = [0; 16];
    assert_eq!(aead.seal(nonce, &vector.aad, &mut text, &mut sealed_icv), Some(()), "{name}");
    assert_eq!(sealed_icv, icv, "{name}");
    assert_eq!(text, ciphertext, "{name}");
    assert_eq!(aead.open(nonce, &vector.aad, &mut text, &icv), Some(()), "{name}");
    assert_eq!(text, plaintext, "{name}");

    let longer = [&vector.aad[..], &[0]].concat();
    let mut text = ciphertext.clone();
    assert_eq!(aead.open(nonce, &longer, &mut text, &icv), None, "{name}");
    assert!(text == ciphertext || text.iter().all(|byte| *byte == 0), "{name}");
}

#[test]
fn other_key_lengths_are_refused() {
    for len in (0..=64).filter(|len| ![16, 24, 32].contains(len)) {
        let key = vec![1; len];
        assert!(RingAead::new(Transform::Aes128Gcm16, &key).is_none(), "{len}");
        assert!(PortableGcm128::new(&key).is_none(), "{len}");
        assert!(PortableGcm192::new(&key).is_none(), "{len}");
        assert!(PortableGcm256::new(&key).is_none(), "{len}");
    }
    assert!(RingAead::new(Transform::Aes192Gcm16, &[1; 24]).is_none());
    assert!(RingAead::new(Transform::Aes256Gcm16, &[1; 16]).is_none());
    assert!(PortableGcm192::new(&[1; 32]).is_none());
}
