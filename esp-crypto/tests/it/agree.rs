//! Two implementations, one answer.

use esp_crypto::{Cipher, Tier, Transform};
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
fn five_transforms_agree_with_the_slow_esp() {
    let mut agreed = 0;
    for sa in every_sa() {
        let keys = noise(78, sa.transform.key_len());
        let sa = Sa::new(sa.transform, sa.tier, &keys);
        for payload_len in LENGTHS.step_by(7).chain([9000, 65_000]) {
            let seq_hi = (payload_len % 2 == 0).then_some(0x0102_0304);
            let plain = sa.packet(payload_len as u64, payload_len);
            let Some(expected) = slow(&sa, &keys, seq_hi, &plain) else { continue };
            assert_eq!(sa.sealed(&plain, seq_hi), expected, "{} {} {payload_len}", sa.transform, sa.tier);
            agreed += usize::from(payload_len == 0);
        }
    }
    assert_eq!(agreed, 7, "two of them on two tiers");
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

fn slow(sa: &Sa, keys: &[u8], seq_hi: Option<u32>, plain: &[u8]) -> Option<Vec<u8>> {
    let (transform, salt_len) = match sa.transform {
        Transform::Aes128Gcm16 | Transform::Aes192Gcm16 | Transform::Aes256Gcm16 => {
            (SlowTransform::AesGcm16, 4)
        }
        Transform::ChaCha20Poly1305 => (SlowTransform::ChaCha20Poly1305, 4),
        Transform::NullHmacSha256_128 => (SlowTransform::NullHmacSha256_128, 0),
        _ => return None,
    };
    let (key, salt) = keys.split_at(keys.len() - salt_len);
    let word = |at: usize| u32::from_be_bytes(plain[at..at + 4].try_into().unwrap());
    let slow = SlowSa {
        spi: word(0),
        transform,
        key: key.to_vec(),
        salt: salt.try_into().unwrap_or_default(),
        esn: seq_hi.is_some(),
        mode: SlowMode::Transport,
        udp: None,
    };
    let seq = u64::from(seq_hi.unwrap_or(0)) << 32 | u64::from(word(4));
    let payload = sa.payload(plain.len());
    let iv = plain[8..payload.start].try_into().unwrap_or_default();
    Some(seal_raw(&slow, seq, iv, &plain[payload]))
}
