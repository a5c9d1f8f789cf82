//! Kernels alone, with inputs that no ESP packet has: other lengths of associated data, messages and keys.

mod any_aead;
mod leaky;
mod rfc;
mod wycheproof_aead;
mod wycheproof_mac;

use aes::{Aes128, Aes192, Aes256};

use super::cipher::{AesCtr, Cbc};
use super::mac::{AesMac, HmacMac, Mac, is_icv};
use super::ring_aead::RingAead;
use super::{Kernel, KernelId, KernelSet};
use crate::JobError;
use crate::packet::Lens;

/// `text` through a cipher's kernel, as the payload of a packet without ICV.
fn through(kernel: &impl Kernel, iv: &[u8], text: &[u8], seal: bool) -> Result<Vec<u8>, JobError> {
    let mut esp = [&[0x5a; 8], iv, text].concat();
    let lens = Lens { iv: iv.len(), icv: 0 };
    let done = if seal { kernel.seal(&mut esp, lens, None) } else { kernel.open(&mut esp, lens, None) };
    done?;
    assert_eq!(esp[..8 + iv.len()], [&[0x5a; 8], iv].concat(), "header and IV are left alone");
    Ok(esp.split_off(8 + iv.len()))
}

#[test]
fn b39_other_key_lengths_are_refused() {
    for len in (0..=64).filter(|len| ![16, 24, 32].contains(len)) {
        let key = vec![1; len];
        assert!(RingAead::new(&ring::aead::AES_128_GCM, &key).is_none(), "{len}");
        assert!(any_aead::aeads("aes-gcm", &key, 16).is_empty(), "{len}");
        assert!(Cbc::<Aes128>::new(&key).is_none() && Cbc::<Aes192>::new(&key).is_none(), "{len}");
        assert!(AesMac::xcbc(&key).is_none() && AesMac::cmac(&key).is_none(), "{len}");
    }
    assert!(RingAead::new(&ring::aead::AES_256_GCM, &[1; 16]).is_none());
    assert!(Cbc::<Aes256>::new(&[1; 24]).is_none() && AesMac::cmac(&[1; 32]).is_none());
    assert!(
        AesCtr::<aes::Aes128Enc>::new(&[1; 16]).is_none() && AesCtr::<aes::Aes128Enc>::new(&[1; 3]).is_none()
    );
    assert!(AesCtr::<aes::Aes128Enc>::new(&[1; 20]).is_some());
}

/// The one comparison of ICVs: all of the ICV, and its length is that of the packet's, not of the MAC.
#[test]
fn b45_an_icv_is_compared_whole() {
    let tag: Vec<u8> = (1..=32).collect();
    for len in 1..=32 {
        assert!(is_icv(&tag, &tag[..len]), "{len}");
        for bit in 0..len * 8 {
            let mut icv = tag[..len].to_vec();
            icv[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_icv(&tag, &icv), "{len} bit {bit}");
        }
    }
    assert!(!is_icv(&tag[..12], &tag[..13]), "an ICV longer than the tag is none");
}

/// The chain of XCBC and CMAC against RustCrypto's `cmac`, wherever the four bytes behind the message fall.
#[test]
fn cmac_agrees_with_another_at_every_length() {
    use cmac::{Cmac, KeyInit, Mac as _};
    let message: Vec<u8> = (0..100).map(|at| at ^ 0x3c).collect();
    let ours = AesMac::cmac(&message[..16]).unwrap();
    for len in 0..=100 {
        for behind in [&[][..], &[0xde, 0xad, 0xbe, 0xef]] {
            let mut theirs = Cmac::<Aes128>::new_from_slice(&message[..16]).unwrap();
            theirs.update(&message[..len]);
            theirs.update(behind);
            assert_eq!(ours.0.tag(&message[..len], behind), theirs.finalize().into_bytes()[..], "{len}");
        }
    }
}

/// What is behind the message is the message's end, for every MAC.
#[test]
fn b06_what_is_behind_is_appended() {
    fn check(mac: &impl Mac) {
        for len in 0..=140 {
            let message: Vec<u8> = (0..200).map(|at| at ^ 0x77).take(len + 4).collect();
            let (covered, behind) = message.split_at(len);
            assert_eq!(mac.tag(covered, behind).as_ref(), mac.tag(&message, &[]).as_ref(), "{len}");
        }
    }
    check(&AesMac::xcbc(&[7; 16]).unwrap().0);
    check(&AesMac::cmac(&[7; 16]).unwrap().0);
    check(&HmacMac::<sha1::Sha1>::new(&[7; 20]).unwrap().0);
    check(&HmacMac::<sha2::Sha512>::new(&[7; 64]).unwrap().0);
}

#[test]
fn a_set_names_each_kernel_once_and_in_order() {
    let all = KernelId::ALL.iter().rev().fold(KernelSet::EMPTY, |set, kernel| set.with(*kernel));
    assert_eq!(all.iter().collect::<Vec<_>>(), KernelId::ALL);
    assert_eq!(KernelSet::union([all, KernelSet::EMPTY, all].into_iter()), all);
    assert_eq!(KernelSet::EMPTY.iter().next(), None);
    for kernel in KernelId::ALL {
        assert_eq!(KernelSet::EMPTY.with(*kernel).iter().collect::<Vec<_>>(), [*kernel]);
    }
    let first_mac = KernelId::ALL.iter().position(|kernel| *kernel == KernelId::HmacSha1).unwrap();
    let ciphers = KernelId::ALL.iter().rposition(|kernel| kernel.is_cipher()).unwrap();
    assert!(ciphers < first_mac, "sealing runs in this order: a MAC before its cipher would cover plaintext");
}
