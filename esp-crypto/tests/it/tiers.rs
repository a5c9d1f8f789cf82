//! The table of transforms, names, and which tier serves what.

use esp_crypto::{CpuFeature, Level, Tier, Tiers, Transform, self_test};

#[test]
fn names_lead_back_to_transforms() {
    let names = Transform::ALL.iter().map(|transform| transform.name());
    let expected =
        ["aes-128-gcm-16", "aes-192-gcm-16", "aes-256-gcm-16", "chacha20-poly1305", "null-hmac-sha256-128"];
    assert_eq!(names.collect::<Vec<_>>(), expected);
    for &transform in Transform::ALL {
        assert_eq!(Transform::from_name(transform.name()), Some(transform));
        assert_eq!(transform.to_string(), transform.name());
    }
    for unknown in ["", "aes-128-gcm", "AES-128-GCM-16", "aes-128-gcm-16 "] {
        assert_eq!(Transform::from_name(unknown), None, "{unknown:?}");
    }
}

/// Padding to four bytes for every transform here; 8 or no bytes of IV, 16 of ICV.
#[test]
fn b11_lengths_of_every_transform() {
    for &transform in Transform::ALL {
        let null = transform == Transform::NullHmacSha256_128;
        assert_eq!((transform.align(), transform.icv_len()), (4, 16), "{transform}");
        assert_eq!(
            (transform.iv_len(), transform.salt_len()),
            if null { (0, 0) } else { (8, 4) },
            "{transform}"
        );
        let spec = transform.spec();
        assert_eq!(spec.iana_integrity_id, null.then_some(12), "{transform}");
        assert_eq!(
            transform.key_len(),
            spec.cipher_key_len + spec.auth_key_len + spec.salt_len,
            "{transform}"
        );
    }
    let ids = Transform::ALL.iter().map(|transform| transform.spec().iana_transform_id);
    assert_eq!(ids.collect::<Vec<_>>(), [20, 20, 20, 28, 11]);
    let levels = Transform::ALL.iter().map(|transform| transform.spec().rfc8221_level);
    let expected = [Level::Must, Level::May, Level::Must, Level::Should, Level::Must];
    assert_eq!(levels.collect::<Vec<_>>(), expected);
}

#[test]
fn denied_features_move_aes_gcm_to_portable() {
    let all = |tiers: Tiers, transform| tiers.all(transform).collect::<Vec<_>>();
    let free = Tiers::default();
    assert_eq!(all(free, Transform::Aes128Gcm16), [Tier::Ring, Tier::Portable]);
    assert_eq!(all(free, Transform::Aes192Gcm16), [Tier::Portable]);
    assert_eq!(all(free, Transform::Aes256Gcm16), [Tier::Ring, Tier::Portable]);
    for feature in [CpuFeature::Aesni, CpuFeature::Pclmulqdq] {
        let denied = Tiers::detect(&[CpuFeature::Avx512, feature]);
        for &transform in &Transform::ALL[..3] {
            assert_eq!(all(denied, transform), [Tier::Portable], "{transform} without {feature:?}");
        }
        for &transform in &Transform::ALL[3..] {
            assert_eq!(all(denied, transform), [Tier::Ring], "{transform} without {feature:?}");
        }
    }
    let irrelevant = [CpuFeature::Avx2, CpuFeature::Vaes, CpuFeature::Vpclmulqdq, CpuFeature::Avx512];
    assert_eq!(Tiers::detect(&irrelevant), free);
}

#[test]
fn best_tier_is_the_first_of_all() {
    for tiers in [Tiers::default(), Tiers::detect(&[CpuFeature::Aesni])] {
        for &transform in Transform::ALL {
            assert_eq!(Some(tiers.best(transform)), tiers.all(transform).next());
            assert!(tiers.best(transform).serves(transform), "{transform}");
        }
    }
}

#[test]
fn features_have_names() {
    for &feature in CpuFeature::ALL {
        assert_eq!(CpuFeature::from_name(feature.name()), Some(feature));
        assert_eq!(CpuFeature::from_name(&feature.name().to_uppercase()), Some(feature));
    }
    assert_eq!(CpuFeature::from_name("sse9"), None);
    assert_eq!((Tier::Ring.name(), Tier::Portable.name()), ("ring", "portable"));
}

#[test]
fn a_denied_tier_is_not_self_tested() {
    let denied = Tiers::detect(&[CpuFeature::Aesni]);
    let outcomes = self_test(&denied);
    assert!(outcomes.iter().any(|outcome| outcome.transform == Transform::Aes128Gcm16));
    for outcome in outcomes {
        assert_eq!(outcome.tier, denied.best(outcome.transform), "{outcome:?}");
        assert!(outcome.passed, "{outcome:?}");
    }
}
