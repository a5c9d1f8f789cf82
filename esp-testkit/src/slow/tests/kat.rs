//! Known answers: packets, and the modes and MACs that they are made of.

use super::*;
use crate::slow::aead::{self, Way};
use crate::slow::block::Block;
use crate::vectors::{self, LinuxVector, PacketVector, RfcVector};

#[test]
fn rfc_packets_come_out_byte_for_byte() {
    let Some(all) = vectors::rfc_kat() else { return vectors::skipped("rfc_packets_come_out_byte_for_byte") };
    let mut checked = 0;
    for v in &all {
        let Some(name) = v.transform() else { continue };
        let sa = with_keys(&name, v.spi.expect("an SPI"), v.keying_material(), v.esn);
        let esp = v.esp_packet.as_ref().expect("a packet");
        assert_eq!(
            hex::encode(seal_raw(&sa, v.seq64(), iv(&v.iv), &plaintext(v))),
            hex::encode(esp),
            "{}",
            v.name
        );
        let packet = wrap_esp(&Ipv4::default().header(0, 0), None, esp);
        let opened =
            open(&sa, v.esn_hi.unwrap_or(0), &packet).unwrap_or_else(|why| panic!("{}: {why:?}", v.name));
        assert!(plaintext(v).starts_with(&opened.payload_raw), "{}", v.name);
        assert_eq!(Some(opened.seq_low), v.seq, "{}", v.name);
        checked += 1;
    }
    assert_eq!(checked, all.iter().filter(|v| v.level == "esp").count());
    assert!(checked >= 22, "only {checked} packets");
}

/// With its trailer, which the collection leaves out here and there.
fn plaintext(v: &RfcVector) -> Vec<u8> {
    if let Some(whole) = &v.plaintext_with_trailer {
        return whole.clone();
    }
    let payload = v.payload.as_ref().or(v.plaintext.as_ref()).expect("a payload");
    let pad_len = v.pad_len.unwrap_or_else(|| shortest(payload.len()));
    let next_header = v.next_header.expect("a next header");
    let numbers = (1..=pad_len).chain([pad_len, next_header]);
    payload.iter().copied().chain(numbers).collect()
}

fn shortest(payload_len: usize) -> u8 {
    u8::try_from((payload_len + 2).next_multiple_of(4) - payload_len - 2).expect("less than 4")
}

#[test]
fn rfc_macs_come_out() {
    let Some(all) = vectors::rfc_kat() else { return vectors::skipped("rfc_macs_come_out") };
    let mut checked = 0;
    for v in all.iter().filter(|v| v.level == "mac") {
        let mac = match v.mac.as_deref() {
            Some("hmac-md5") => transform::Mac::HmacMd5,
            Some("hmac-sha1") => transform::Mac::HmacSha1,
            Some("hmac-sha256") => transform::Mac::HmacSha256,
            Some("hmac-sha384") => transform::Mac::HmacSha384,
            Some("hmac-sha512") => transform::Mac::HmacSha512,
            Some("aes-xcbc") => transform::Mac::Xcbc,
            Some("aes-cmac") => transform::Mac::Cmac,
            other => panic!("{}: {other:?}", v.name),
        };
        let mut tag = super::super::mac::mac(mac, &v.key, v.message.as_ref().expect("a message"));
        tag.truncate(v.truncate_to.expect("a length"));
        assert_eq!(Some(tag), v.icv, "{}", v.name);
        checked += 1;
    }
    assert!(checked >= 62, "only {checked} cases");
}

#[test]
fn rfc_ciphers_come_out() {
    let Some(all) = vectors::rfc_kat() else { return vectors::skipped("rfc_ciphers_come_out") };
    let mut checked = 0;
    for v in all.iter().filter(|v| v.level == "cipher") {
        let (plain, sealed) = (v.plaintext.as_ref().expect("text"), v.ciphertext.as_ref().expect("text"));
        if v.cipher.as_deref() == Some("aes-ctr") {
            let first = [v.salt.as_slice(), &v.iv, &[0, 0, 0, 1]].concat().try_into().expect("a block");
            assert_eq!(&Block::aes(&v.key).counter(first, plain), sealed, "{}", v.name);
        } else {
            let block = if v.key.len() == 24 && v.iv.len() == 8 {
                Block::triple_des(&v.key)
            } else {
                Block::aes(&v.key)
            };
            assert_eq!(&block.cbc_encrypt(&v.iv, plain), sealed, "{}", v.name);
            assert_eq!(block.cbc_decrypt(&v.iv, sealed).as_ref(), Some(plain), "{}", v.name);
        }
        checked += 1;
    }
    assert!(checked >= 17, "only {checked} cases");
}

#[test]
fn rfc_combined_modes_come_out() {
    let Some(all) = vectors::rfc_kat() else { return vectors::skipped("rfc_combined_modes_come_out") };
    let mut checked = 0;
    for v in all.iter().filter(|v| v.level == "aead") {
        let nonce = [v.salt.as_slice(), &v.iv].concat();
        let plain = v.plaintext.as_deref().unwrap_or_default();
        let icv = v.icv.clone().expect("an ICV");
        let (ciphertext, tag) = match v.cipher.as_deref() {
            Some("aes-gcm") => aead::gcm(&v.key, &nonce, &v.aad, plain, Way::Seal),
            Some("aes-ccm") => aead::ccm(&v.key, &nonce, &v.aad, plain, icv.len(), Way::Seal),
            _ => {
                let sealed = aead::chacha_seal(&v.key, &nonce, &v.aad, plain);
                let (ciphertext, tag) = sealed.split_at(plain.len());
                (ciphertext.to_vec(), tag.to_vec())
            }
        };
        assert_eq!(ciphertext, v.ciphertext.clone().unwrap_or_default(), "{}", v.name);
        assert_eq!(tag[..icv.len()], icv, "{}", v.name);
        checked += 1;
    }
    assert!(checked >= 40, "only {checked} cases");
}

#[test]
fn dpdk_packets_open_and_seal_the_same() {
    let Some(all) = vectors::dpdk_kat() else {
        return vectors::skipped("dpdk_packets_open_and_seal_the_same");
    };
    for v in &all {
        let sa = SlowSa { mode: mode_of(v), ..with_keys(&v.transform(), v.spi, v.keying_material(), v.esn) };
        let opened =
            open(&sa, v.esn_hi.unwrap_or(0), v.sealed()).unwrap_or_else(|why| panic!("{}: {why:?}", v.name));
        assert_eq!(opened.inner, v.clear(), "{}", v.name);
        assert_eq!(opened.seq_low, v.seq, "{}", v.name);
        let sealed = seal(&sa, v.seq64(), iv(&v.iv), v.clear(), 0, 0);
        assert_eq!(
            hex::encode(&sealed[v.outer_header_len..]),
            hex::encode(&v.sealed()[v.outer_header_len..]),
            "{}",
            v.name
        );
    }
    assert!(all.len() >= 15, "only {} packets", all.len());
}

fn mode_of(v: &PacketVector) -> SlowMode {
    match (v.mode.as_str(), v.sealed()[0] >> 4) {
        ("transport", _) => SlowMode::Transport,
        (_, 4) => tunnel("192.0.2.1", "192.0.2.2"),
        _ => tunnel("2001:db8::1", "2001:db8::2"),
    }
}

#[test]
fn linux_packets_open_and_seal_the_same() {
    let Some(all) = vectors::linux_kat() else {
        return vectors::skipped("linux_packets_open_and_seal_the_same");
    };
    for v in &all {
        let sa = with_keys(&v.transform(), v.spi, v.keying_material(), v.esn_hi.is_some());
        let packet = wrap_esp(&Ipv4::default().header(0, 0), None, &v.esp_packet);
        let opened =
            open(&sa, v.esn_hi.unwrap_or(0), &packet).unwrap_or_else(|why| panic!("{}: {why:?}", v.name));
        assert_eq!(opened.payload_raw, v.inner, "{}", v.name);
        assert_eq!(opened.seq_low, v.seq, "{}", v.name);
        assert_eq!(
            seal_raw(&sa, v.seq64(), iv_of(v), &with_trailer(&sa, &opened)),
            v.esp_packet,
            "{}",
            v.name
        );
    }
    assert!(all.len() >= 10, "only {} packets", all.len());
}

fn iv_of(v: &LinuxVector) -> [u8; 16] {
    iv(&v.esp_packet[8..8 + v.iv_len])
}

fn with_trailer(sa: &SlowSa, opened: &SlowOpened) -> Vec<u8> {
    let trailer = trailer(sa.transform.align(), opened.payload_raw.len(), 0, opened.next_header);
    [opened.payload_raw.as_slice(), &trailer].concat()
}

fn with_keys(name: &str, spi: u32, key: Vec<u8>, esn: bool) -> SlowSa {
    SlowSa { spi, key, esn, ..sa(named(name)) }
}

/// Zeros behind it: the transform takes as many bytes as it has.
fn iv(bytes: &[u8]) -> [u8; 16] {
    let mut iv = [0; 16];
    iv[..bytes.len()].copy_from_slice(bytes);
    iv
}
