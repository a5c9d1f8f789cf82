//! Lengths, places and secrecy of keys.

use esp_crypto::{KeyError, KeyMaterial, OpenKey, SealKey, Tier, Tiers, Transform};

use crate::esp::{Sa, every_sa, noise, open_one};

/// Only the exact length is taken, and the salt is its last four bytes.
#[test]
fn b40_exact_key_lengths() {
    let lengths = Transform::ALL.iter().map(|transform| transform.key_len());
    assert_eq!(lengths.collect::<Vec<_>>(), [20, 28, 36, 36, 32]);
    for &transform in Transform::ALL {
        let (tier, expected) = (Tiers::default().best(transform), transform.key_len());
        for got in (0..=72).filter(|got| *got != expected) {
            let keys = KeyMaterial::new(noise(40, got));
            let error = KeyError::Length { transform, expected, got };
            assert_eq!(SealKey::new(transform, tier, &keys).err(), Some(error));
            assert_eq!(OpenKey::new(transform, tier, &keys).err(), Some(error));
        }
    }
}

/// Another salt, or the salt at the other end, is another key; no byte of it is in the packet.
#[test]
fn b40_salt_is_last_and_never_sent() {
    for sa in every_sa().filter(|sa| sa.transform.salt_len() == 4) {
        let keys = noise(41, sa.transform.key_len());
        let (key, salt) = keys.split_at(keys.len() - 4);
        let salt: Vec<u8> = salt.to_vec();
        let sa = Sa::new(sa.transform, sa.tier, &keys);
        let sealed = sa.sealed(&sa.packet(40, 64), None);
        let reversed: Vec<u8> = salt.iter().rev().copied().collect();
        let first = [&salt[..], key].concat();
        for other in [[key, &reversed].concat(), [key, &[0; 4]].concat(), first] {
            let other = Sa::new(sa.transform, sa.tier, &other);
            assert!(open_one(&other.open, &mut sealed.clone(), None).is_err(), "{}", sa.transform);
        }
        assert!(!sealed.windows(4).any(|window| window == salt), "{}", sa.transform);
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
}

#[test]
fn a_tier_without_the_transform_is_an_error() {
    for (transform, tier) in [
        (Transform::Aes192Gcm16, Tier::Ring),
        (Transform::ChaCha20Poly1305, Tier::Portable),
        (Transform::NullHmacSha256_128, Tier::Portable),
    ] {
        let keys = KeyMaterial::new(noise(1, transform.key_len()));
        assert_eq!(SealKey::new(transform, tier, &keys).err(), Some(KeyError::Tier { transform, tier }));
        assert_eq!(OpenKey::new(transform, tier, &keys).err(), Some(KeyError::Tier { transform, tier }));
    }
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
    assert!(size_of::<SealKey>() <= 640, "a key takes {} bytes", size_of::<SealKey>());
}

#[test]
fn keys_are_shared_by_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<SealKey>();
    shared::<OpenKey>();
}
