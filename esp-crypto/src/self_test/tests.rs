use super::known_answer::{FILES, KnownAnswer, bytes, known_answers};
use super::{ask, self_test};
use crate::{KeyMaterial, OpenKey, SealKey, Tier, Tiers, Transform};

#[test]
fn every_line_is_read() {
    for file in FILES {
        for line in file.lines() {
            let kind = line.split(' ').next();
            let read = KnownAnswer::parse(line, file).is_some();
            assert!(
                matches!((kind, read), (Some("#" | "payload"), false) | (Some("answer"), true)),
                "{line}"
            );
        }
    }
}

#[test]
fn every_transform_is_tested_on_every_tier_with_and_without_esn() {
    let outcomes = self_test(&Tiers::default());
    for outcome in &outcomes {
        assert!(outcome.passed, "{outcome:?}");
    }
    for &transform in Transform::ALL {
        for tier in Tiers::default().all(transform) {
            let of_pair = outcomes.iter().filter(|o| o.transform == transform && o.tier == tier);
            assert!(of_pair.count() >= 2, "{transform} on {tier}");
        }
        for esn in [false, true] {
            let has = |answer: KnownAnswer| answer.transform == transform && answer.seq_hi.is_some() == esn;
            assert!(known_answers().any(has), "{transform}, ESN {esn}");
        }
    }
}

/// A self-test that cannot fail tells nothing: a wrong answer is seen, on every tier, whatever is wrong in it.
#[test]
fn a_wrong_answer_fails() {
    for answer in known_answers().filter(|answer| answer.transform.icv_len() > 0) {
        let wrong: [fn(KnownAnswer) -> KnownAnswer; 4] = [
            |a| KnownAnswer { sealed: flip(a.sealed, a.sealed.len() - 1), ..a },
            |a| KnownAnswer { sealed: flip(a.sealed, 3), ..a },
            |a| KnownAnswer { keys: flip(a.keys, 0), ..a },
            |a| KnownAnswer { seq_hi: a.seq_hi.map_or(Some(0), |hi| Some(hi + 1)), ..a },
        ];
        for tier in Tiers::default().all(answer.transform) {
            assert_eq!(answer.holds(tier), Some(true), "{} {}", answer.transform, answer.case);
            for (at, make) in wrong.iter().enumerate() {
                let holds = make(answer).holds(tier);
                assert_eq!(holds, Some(false), "{} {} {at}", answer.transform, answer.case);
            }
        }
    }
}

/// Both directions are judged, and a key that takes any ICV is found out.
#[test]
fn each_direction_can_fail_alone() {
    for answer in known_answers() {
        let (transform, tier) = (answer.transform, Tiers::default().best(answer.transform));
        let keys = KeyMaterial::new(bytes(answer.keys).unwrap());
        let open = OpenKey::new(transform, tier, &keys).unwrap();
        let sealed = bytes(answer.sealed).unwrap();
        let plain = answer.plain(&sealed).unwrap();
        assert!(answer.opens(&open, &plain, &sealed), "{transform} {}", answer.case);
        let seal = SealKey::new(transform, tier, &keys).ok();
        assert!(seal.as_ref().is_none_or(|seal| answer.seals(seal, &plain, &sealed)));

        if transform.icv_len() > 0 {
            let null = (SealKey::null_twin(0, 16), OpenKey::null_twin(0, 16));
            assert!(!answer.seals(&null.0, &plain, &sealed), "{transform} {}", answer.case);
            assert!(!answer.opens(&null.1, &sealed, &sealed), "{transform} {}", answer.case);
        }
        if !answer.payload.is_empty() {
            let mut other = plain.clone();
            other[crate::packet::HEADER_LEN + transform.iv_len()] ^= 1;
            assert!(seal.is_none_or(|seal| !answer.seals(&seal, &other, &sealed)), "{transform}");
            assert!(!answer.opens(&open, &other, &sealed), "{transform} {}", answer.case);
        }
    }
}

#[test]
fn an_answer_that_is_no_answer_does_not_pass() {
    let first = known_answers().next().unwrap();
    let tier = Tiers::default().best(first.transform);
    let odd = KnownAnswer { sealed: "000", ..first };
    assert_eq!(first.holds(tier), Some(true));
    assert_eq!(odd.holds(tier), None);
    assert_eq!(KnownAnswer { payload: "00", ..first }.holds(tier), None);
    assert_eq!(KnownAnswer { keys: "00", ..first }.holds(tier), None);
    assert_eq!(KnownAnswer { transform: Transform::Aes192Gcm16, ..first }.holds(Tier::Ring), None);
    let wrong = KnownAnswer { keys: flip(first.keys, 0), ..first };
    for answer in [wrong, odd] {
        let outcomes = ask(&answer, &Tiers::default());
        assert!(!outcomes.is_empty() && outcomes.iter().all(|outcome| !outcome.passed));
    }
    assert_eq!(bytes("00fFx1"), None);
    assert_eq!(bytes("00fF"), Some(vec![0, 255]));
}

/// The hexadecimal digit at `at` with its lowest bit turned.
fn flip(hexadecimal: &str, at: usize) -> &'static str {
    let mut digits = hexadecimal.to_owned().into_bytes();
    let digit = char::from(digits[at]).to_digit(16).expect("a hexadecimal digit") ^ 1;
    digits[at] = char::from_digit(digit, 16).expect("below 16") as u8;
    String::from_utf8(digits).expect("ASCII").leak()
}
