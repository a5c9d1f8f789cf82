//! Values printed in RFCs for ciphers, AEADs and MACs alone.

use aes::{Aes128, Aes128Enc, Aes192, Aes192Enc, Aes256, Aes256Enc};
use esp_testkit::vectors::{self, RfcVector};
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};

use super::any_aead::{AnyAead, aeads};
use super::{AesCtr, AesMac, Cbc, HmacMac, Kernel, Mac, through};

#[test]
fn aead_vectors_of_the_rfcs() {
    let Some(vectors) = vectors::rfc_kat() else { return vectors::skipped("aead_vectors_of_the_rfcs") };
    let (mut checked, mut skipped) = (0, 0);
    for vector in vectors.iter().filter(|v| v.level == "aead") {
        let tag_len = vector.icv.as_ref().map_or(16, Vec::len);
        for aead in aeads(vector.cipher.as_deref().unwrap(), &vector.key, tag_len) {
            let ran = check_aead(vector, aead.as_ref());
            checked += usize::from(ran);
            skipped += usize::from(!ran);
        }
    }
    println!("{checked} run, {skipped} with nonces of another length");
    // AES-GCM: 10 with a tag of 16 bytes on two tiers and 5 of 192 bits on one, 6 with shorter tags. CCM: 16. ChaCha20: 3.
    assert_eq!(checked, 50);
}

fn check_aead(vector: &RfcVector, aead: &dyn AnyAead) -> bool {
    let name = &vector.name;
    let nonce = [&vector.salt[..], &vector.iv].concat();
    let plaintext = vector.plaintext.clone().unwrap_or_default();
    let ciphertext = vector.ciphertext.clone().unwrap_or_default();
    let icv = vector.icv.clone().unwrap();

    let mut text = plaintext.clone();
    let Some(sealed_icv) = aead.seal(&nonce, &vector.aad, &mut text) else { return false };
    assert_eq!((&sealed_icv, &text), (&icv, &ciphertext), "{name}");
    assert_eq!(aead.open(&nonce, &vector.aad, &mut text, &icv), Some(()), "{name}");
    assert_eq!(text, plaintext, "{name}");

    let longer = [&vector.aad[..], &[0]].concat();
    let mut text = ciphertext.clone();
    assert_eq!(aead.open(&nonce, &longer, &mut text, &icv), None, "{name}");
    assert!(text == ciphertext || text.iter().all(|byte| *byte == 0), "{name}");
    true
}

#[test]
fn cipher_vectors_of_the_rfcs() {
    let Some(vectors) = vectors::rfc_kat() else { return vectors::skipped("cipher_vectors_of_the_rfcs") };
    let mut checked = 0;
    for vector in vectors.iter().filter(|v| v.level == "cipher") {
        let key = [&vector.key[..], &vector.salt].concat();
        match (vector.cipher.as_deref().unwrap(), vector.key.len()) {
            ("aes-cbc", 16) => check_cipher(vector, &Cbc::<Aes128>::new(&key).unwrap()),
            ("aes-cbc", 24) => check_cipher(vector, &Cbc::<Aes192>::new(&key).unwrap()),
            ("aes-cbc", 32) => check_cipher(vector, &Cbc::<Aes256>::new(&key).unwrap()),
            ("aes-ctr", 16) => check_cipher(vector, &AesCtr::<Aes128Enc>::new(&key).unwrap()),
            ("aes-ctr", 24) => check_cipher(vector, &AesCtr::<Aes192Enc>::new(&key).unwrap()),
            ("aes-ctr", 32) => check_cipher(vector, &AesCtr::<Aes256Enc>::new(&key).unwrap()),
            #[cfg(feature = "legacy")]
            ("3des-cbc", _) => check_cipher(vector, &Cbc::<des::TdesEde3>::new(&key).unwrap()),
            _ => continue,
        }
        checked += 1;
    }
    // RFC 3602 and others: 6 of CBC; RFC 3686: 9 of CTR; two of 3DES.
    assert_eq!(checked, if cfg!(feature = "legacy") { 17 } else { 15 });
}

fn check_cipher(vector: &RfcVector, kernel: &impl Kernel) {
    let (plain, cipher) = (vector.plaintext.as_ref().unwrap(), vector.ciphertext.as_ref().unwrap());
    assert_eq!(through(kernel, &vector.iv, plain, true).as_ref(), Ok(cipher), "{}", vector.name);
    assert_eq!(through(kernel, &vector.iv, cipher, false).as_ref(), Ok(plain), "{}", vector.name);
}

#[test]
fn mac_vectors_of_the_rfcs() {
    let Some(vectors) = vectors::rfc_kat() else { return vectors::skipped("mac_vectors_of_the_rfcs") };
    let mut checked = 0;
    for vector in vectors.iter().filter(|v| v.level == "mac") {
        let key = &vector.key;
        match vector.mac.as_deref().unwrap() {
            "hmac-sha1" => check_mac(vector, &HmacMac::<Sha1>::new(key).unwrap().0),
            "hmac-sha256" => check_mac(vector, &HmacMac::<Sha256>::new(key).unwrap().0),
            "hmac-sha384" => check_mac(vector, &HmacMac::<Sha384>::new(key).unwrap().0),
            "hmac-sha512" => check_mac(vector, &HmacMac::<Sha512>::new(key).unwrap().0),
            "aes-xcbc" => check_mac(vector, &AesMac::xcbc(key).unwrap().0),
            "aes-cmac" => check_mac(vector, &AesMac::cmac(key).unwrap().0),
            #[cfg(feature = "legacy")]
            "hmac-md5" => check_mac(vector, &HmacMac::<md5::Md5>::new(key).unwrap().0),
            _ => continue,
        }
        checked += 1;
    }
    // SHA-1 12, SHA-256 8, SHA-384 8, SHA-512 8, XCBC 10, CMAC 9; MD5 10.
    assert_eq!(checked, if cfg!(feature = "legacy") { 65 } else { 55 });
}

fn check_mac(vector: &RfcVector, mac: &impl Mac) {
    let (message, icv) = (vector.message.as_ref().unwrap(), vector.icv.as_ref().unwrap());
    assert_eq!(mac.tag(message, &[]).as_ref()[..icv.len()], icv[..], "{}", vector.name);
}
