//! Lengths, places and secrecy of keys.

use esp_crypto::{Integrity, KeyError, KeyMaterial, OpenKey, SealKey, Tier, Tiers, Transform};

use crate::esp::{Sa, every_authentic_sa, every_sa, noise, open_one};

/// Only the exact length is taken: no key is cut or padded.
#[test]
fn b40_exact_key_lengths() {
    for &transform in Transform::ALL {
        let (tier, expected) = (Tiers::default().best(transform), transform.key_len());
        for got in (0..=130).filter(|got| *got != expected) {
            let keys = KeyMaterial::new(noise(40, got));
            let error = KeyError::Length { transform, expected, got };
            assert_eq!(SealKey::new(transform, tier, &keys).err(), Some(error));
            assert_eq!(OpenKey::new(transform, tier, &keys).err(), Some(error));
        }
        assert!(OpenKey::new(transform, tier, &KeyMaterial::new(noise(40, expected))).is_ok(), "{transform}");
    }
    let mac_keys = Integrity::ALL.iter().map(|spec| spec.key_len);
    assert_eq!(mac_keys.collect::<Vec<_>>(), [0, 20, 32, 48, 64, 16, 16, 16, 32]);
}

/// Every byte of the keying material counts, wherever it stands; of the IV and the salt too.
#[test]
fn b40_every_byte_of_the_keys_counts() {
    for sa in every_authentic_sa() {
        let keys = noise(41, sa.transform.key_len());
        let sa = Sa::new(sa.transform, sa.tier, &keys);
        let plain = sa.packet(40, 64);
        let sealed = sa.sealed(&plain, None);
        for at in 0..keys.len() {
            // Not the lowest bit, which is parity in a DES key.
            let mut other = keys.clone();
            other[at] ^= 2;
            let other = Sa::new(sa.transform, sa.tier, &other);
            assert_ne!(other.sealed(&plain, None), sealed, "{} byte {at}", sa.transform);
            if at >= sa.transform.cipher_key_len() || sa.transform.is_combined() {
                let result = open_one(&other.open, &mut sealed.clone(), None);
                assert!(result.is_err(), "{} byte {at}", sa.transform);
            }
        }
    }
}

/// Another salt, or the salt at the other end, is another key; no byte of it is in the packet.
#[test]
fn b40_salt_is_last_and_never_sent() {
    for sa in every_sa().filter(|sa| sa.transform.salt_len() > 0) {
        let keys = noise(41, sa.transform.key_len());
        let (cipher_keys, mac_key) = keys.split_at(sa.transform.cipher_key_len());
        let (key, salt) = cipher_keys.split_at(sa.transform.cipher().key_len);
        let sa = Sa::new(sa.transform, sa.tier, &keys);
        let plain = sa.packet(40, 64);
        let sealed = sa.sealed(&plain, None);
        let reversed: Vec<u8> = salt.iter().rev().copied().collect();
        let zero = vec![0; salt.len()];
        for other in [[key, &reversed], [key, &zero], [salt, key]] {
            let other = Sa::new(sa.transform, sa.tier, &[&other.concat(), mac_key].concat());
            let differs = other.sealed(&plain, None) != sealed;
            assert!(differs, "{}", sa.transform);
        }
        assert!(!sealed.windows(salt.len()).any(|window| window == salt), "{}", sa.transform);
    }
}

#[test]
fn b82_debug_shows_no_key_bytes() {
    let keys = KeyMaterial::from_slice(&[0xab; 36]);
    assert_eq!(format!("{keys:?}"), "KeyMaterial(36 bytes)");
    let open = OpenKey::new(Transform::ChaCha20Poly1305, Tier::Ring, &keys).unwrap();
    let seal = SealKey::new(Transform::Aes256Gcm16, Tier::Portable, &keys).unwrap();
    assert_eq!(format!("{open:?}"), "OpenKey(chacha20-poly1305, ring)");
    assert_eq!(format!("{seal:#?}"), "SealKey(aes-256-gcm-16, portable)");
    let error = SealKey::new(Transform::Aes128Gcm16, Tier::Ring, &keys).unwrap_err();
    assert_eq!(error.to_string(), "aes-128-gcm-16 takes 20 bytes of keying material, not 36");
    for sa in every_sa() {
        assert_eq!(format!("{:?}", sa.seal), format!("SealKey({}, {})", sa.transform, sa.tier));
    }
}

#[test]
fn a_tier_without_the_transform_is_an_error() {
    for &transform in Transform::ALL {
        for tier in [Tier::Ring, Tier::Portable] {
            let keys = KeyMaterial::new(noise(1, transform.key_len()));
            let expected = (!tier.serves(transform)).then_some(KeyError::Tier { transform, tier });
            assert_eq!(OpenKey::new(transform, tier, &keys).err(), expected);
        }
    }
    let serves = |tier: Tier| Transform::ALL.iter().filter(|transform| tier.serves(**transform)).count();
    assert_eq!((serves(Tier::Ring), serves(Tier::Portable)), (6, Transform::ALL.len() - 2));
}

/// RFC 2451 section 2.3: with two of its keys the same in a row, 3DES is DES. The first and the last may be the same.
#[test]
#[cfg(feature = "legacy")]
fn three_des_keys_that_make_it_des_are_refused() {
    let mut refused = 0;
    for &transform in Transform::ALL.iter().filter(|transform| transform.name().starts_with("3des-")) {
        let with_copy = |from: usize, to: usize, change: u8| {
            let mut keys = noise(1, transform.key_len());
            keys.copy_within(from..from + 8, to);
            keys[to + 7] ^= change;
            KeyMaterial::new(keys)
        };
        let error = Some(KeyError::Degenerate { transform });
        for (from, to, change) in [(0, 8, 0), (0, 8, 1), (8, 16, 0), (8, 16, 1)] {
            let keys = with_copy(from, to, change);
            assert_eq!(SealKey::new(transform, Tier::Portable, &keys).err(), error);
            assert_eq!(OpenKey::new(transform, Tier::Portable, &keys).err(), error);
            refused += 1;
        }
        for (from, to, change) in [(0, 8, 2), (0, 16, 0)] {
            assert!(
                SealKey::new(transform, Tier::Portable, &with_copy(from, to, change)).is_ok(),
                "{transform}"
            );
        }
    }
    assert_eq!(refused, 4 * 9);
}

/// DES is for reading old traffic.
#[test]
#[cfg(feature = "legacy")]
fn nothing_is_sealed_with_des() {
    let mut refused = 0;
    for &transform in Transform::ALL.iter().filter(|transform| transform.name().starts_with("des-")) {
        let keys = KeyMaterial::new(noise(1, transform.key_len()));
        let error = SealKey::new(transform, Tier::Portable, &keys).err();
        assert_eq!(error, Some(KeyError::ReceiveOnly { transform }));
        assert!(OpenKey::new(transform, Tier::Portable, &keys).is_ok());
        refused += 1;
    }
    assert_eq!(refused, 9);
}

#[test]
fn keys_know_what_they_are() {
    for sa in every_sa() {
        assert_eq!((sa.seal.transform(), sa.seal.tier()), (sa.transform, sa.tier));
        assert_eq!((sa.open.transform(), sa.open.tier()), (sa.transform, sa.tier));
    }
    assert_eq!(SealKey::null_twin(8, 16).transform(), Transform::Aes128Gcm16);
    assert_eq!(KeyMaterial::from_slice(&[]).len(), 0);
    assert!(KeyMaterial::from_slice(&[]).is_empty() && !KeyMaterial::from_slice(&[0]).is_empty());
}

/// A slot for a key holds `ring`'s AES-GCM state, the largest that is not boxed.
#[test]
fn size_of_a_key() {
    assert_eq!(size_of::<SealKey>(), size_of::<OpenKey>());
    println!("a key takes {} bytes", size_of::<SealKey>());
    assert!(size_of::<SealKey>() <= 640, "a key takes {} bytes", size_of::<SealKey>());
}

#[test]
fn keys_are_shared_by_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<SealKey>();
    shared::<OpenKey>();
}
