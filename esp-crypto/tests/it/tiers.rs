//! Which tier serves what.

use esp_crypto::{CpuFeature, Tier, Tiers, Transform, self_test};

#[test]
fn denied_features_move_aes_to_portable() {
    let all = |tiers: Tiers, transform: &Transform| tiers.all(*transform).collect::<Vec<_>>();
    let free = Tiers::default();
    let both = |name: &str| {
        ["aes-128-gcm-16", "aes-256-gcm-16", "aes-128-gcm-16-iiv", "aes-256-gcm-16-iiv"].contains(&name)
    };
    for transform in Transform::ALL {
        let expected: &[Tier] = match transform.name() {
            name if both(name) => &[Tier::Ring, Tier::Portable],
            name if name.starts_with("chacha20") => &[Tier::Ring],
            _ => &[Tier::Portable],
        };
        assert_eq!(all(free, transform), expected, "{transform}");
        for feature in [CpuFeature::Aesni, CpuFeature::Pclmulqdq] {
            let denied = Tiers::detect(&[CpuFeature::Avx512, feature]);
            assert_eq!(
                all(denied, transform),
                expected[expected.len() - 1..],
                "{transform} without {feature:?}"
            );
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
