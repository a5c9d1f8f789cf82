//! Two implementations, one answer.

use std::collections::BTreeSet;

use esp_crypto::{Cipher, Tier, Transform};
#[cfg(feature = "legacy")]
use esp_crypto::{KeyMaterial, OpenKey};
use esp_testkit::slow::{SlowMode, SlowSa, SlowTransform, seal_raw};

use crate::esp::{Sa, every_authentic_sa, every_sa, noise, open_one};

/// Payload lengths: every one up to well beyond an Ethernet frame, and so every place in a cipher's block loop.
const LENGTHS: std::ops::RangeInclusive<usize> = 0..=2304;

#[test]
fn ring_and_portable_agree_at_every_length() {
    let mut agreed = 0;
    for &transform in Transform::ALL {
        if ![Tier::Ring, Tier::Portable].iter().all(|tier| tier.serves(transform)) {
            continue;
        }
        let ring = Sa::numbered(transform, Tier::Ring, 77);
        let portable = Sa::numbered(transform, Tier::Portable, 77);
        for payload_len in LENGTHS {
            let seq_hi = (payload_len % 2 == 0).then_some(0x8000_0001);
            let plain = ring.packet(payload_len as u64, payload_len);
            let sealed = ring.sealed(&plain, seq_hi);
            assert_eq!(sealed, portable.sealed(&plain, seq_hi), "{transform} {payload_len}");
            for sa in [&ring, &portable] {
                let mut opened = sealed.clone();
                assert_eq!(open_one(&sa.open, &mut opened, seq_hi), Ok(()), "{transform} {payload_len}");
                let end = opened.len() - 16;
                assert_eq!(opened[..end], plain[..end], "{transform} {payload_len}");
            }
        }
        agreed += 1;
    }
    assert_eq!(agreed, 4, "AES-GCM and its implicit-IV form, each with 128 and 256 bits");
}

/// Against an ESP written from the RFCs alone, which shares no code with this crate.
#[test]
fn every_transform_agrees_with_the_slow_esp() {
    let mut agreed = BTreeSet::new();
    for sa in every_sa() {
        let keys = noise(78, sa.transform.key_len());
        let sa = Sa::new(sa.transform, sa.tier, &keys);
        let align = if sa.transform.align() > 4 { sa.transform.align() } else { 1 };
        for payload_len in LENGTHS.step_by(37).chain([9000, 65_000]) {
            let payload_len = payload_len.next_multiple_of(align);
            let seq_hi = (payload_len % 2 == 0).then_some(0x0102_0304);
            let plain = sa.packet(payload_len as u64, payload_len);
            let expected = slow(&sa, &keys, seq_hi, &plain);
            assert_eq!(sa.sealed(&plain, seq_hi), expected, "{} {} {payload_len}", sa.transform, sa.tier);
        }
        agreed.insert(sa.transform);
    }
    let sealing = Transform::ALL.iter().filter(|transform| transform.cipher().cipher != Cipher::DesCbc);
    assert_eq!(agreed.len(), sealing.count());
}

/// DES: what the slow ESP seals opens here, and only that.
#[cfg(feature = "legacy")]
#[test]
fn what_only_receives_opens() {
    let des = Transform::ALL.iter().filter(|transform| transform.cipher().cipher == Cipher::DesCbc);
    for &transform in des {
        let keys = noise(79, transform.key_len());
        let key = OpenKey::new(transform, Tier::Portable, &KeyMaterial::from_slice(&keys)).unwrap();
        let slow = slow_sa(transform, &keys, 0x1001, false);
        for blocks in 0..20_u8 {
            let plain = noise(blocks.into(), 8 * usize::from(blocks));
            let mut esp = seal_raw(&slow, 7, [blocks; 16], &plain);
            assert_eq!(open_one(&key, &mut esp, None), Ok(()), "{transform}");
            assert_eq!(esp[16..16 + plain.len()], plain, "{transform}");
        }
    }
}

/// A cipher and a MAC do together what they do alone: the MAC covers the ciphertext, and knows nothing of the cipher.
#[test]
fn b46_a_separate_mac_covers_the_ciphertext() {
    for sa in every_authentic_sa().filter(|sa| !sa.transform.is_combined()) {
        let keys = noise(46, sa.transform.key_len());
        let sa = Sa::new(sa.transform, sa.tier, &keys);
        let null = Transform::of(Cipher::Null, sa.transform.integrity().integrity).unwrap();
        let null = Sa::new(null, sa.tier, &keys[sa.transform.cipher_key_len()..]);
        for (payload_len, seq_hi) in [(0, None), (16, Some(3)), (96, None), (1408, Some(0))] {
            let plain = sa.packet(payload_len as u64, payload_len);
            let sealed = sa.sealed(&plain, seq_hi);
            assert_eq!(null.sealed(&sealed, seq_hi), sealed, "{} {payload_len}", sa.transform);
            let mut opened = sealed.clone();
            assert_eq!(open_one(&null.open, &mut opened, seq_hi), Ok(()), "{} {payload_len}", sa.transform);
            assert_eq!(opened, sealed);
        }
    }
}

fn slow(sa: &Sa, keys: &[u8], seq_hi: Option<u32>, plain: &[u8]) -> Vec<u8> {
    let word = |at: usize| u32::from_be_bytes(plain[at..at + 4].try_into().unwrap());
    let slow = slow_sa(sa.transform, keys, word(0), seq_hi.is_some());
    let seq = u64::from(seq_hi.unwrap_or(0)) << 32 | u64::from(word(4));
    let payload = sa.payload(plain.len());
    let mut iv = [0; 16];
    iv[..payload.start - 8].copy_from_slice(&plain[8..payload.start]);
    seal_raw(&slow, seq, iv, &plain[payload])
}

fn slow_sa(transform: Transform, keys: &[u8], spi: u32, esn: bool) -> SlowSa {
    let (transform, key) = (SlowTransform::named(transform.name()).unwrap(), keys.to_vec());
    SlowSa { spi, transform, key, esn, mode: SlowMode::Transport, udp: None }
}
