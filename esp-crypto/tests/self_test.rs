//! The compiled-in known answers hold on every tier.

use esp_crypto::{CpuFeature, Tier, Tiers, Transform, self_test};

#[test]
fn every_known_answer_holds_on_every_tier() {
    let outcomes = self_test(&Tiers::default());
    for outcome in &outcomes {
        assert!(outcome.passed, "{outcome:?}");
    }
    for &transform in Transform::ALL {
        for tier in Tiers::default().all(transform) {
            let cases = outcomes.iter().filter(|o| o.transform == transform && o.tier == tier).count();
            assert!(cases >= 3, "{transform} on {tier} has {cases} known answers");
        }
    }
}

#[test]
fn a_denied_tier_is_not_tested() {
    let outcomes = self_test(&Tiers::detect(&[CpuFeature::Aesni]));
    assert!(outcomes.iter().any(|o| o.transform == Transform::Aes128Gcm16));
    for outcome in outcomes.iter().filter(|o| o.transform != Transform::ChaCha20Poly1305) {
        let expected =
            if outcome.transform == Transform::NullHmacSha256_128 { Tier::Ring } else { Tier::Portable };
        assert_eq!(outcome.tier, expected, "{outcome:?}");
        assert!(outcome.passed, "{outcome:?}");
    }
}
