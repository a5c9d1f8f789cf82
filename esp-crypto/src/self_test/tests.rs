use super::{KNOWN_ANSWERS, KnownAnswer, ask, bytes};
use crate::{KeyMaterial, OpenKey, SealKey, Tier, Tiers, Transform};

/// A self-test that cannot fail tells nothing: a wrong answer is seen, on every tier, whatever is wrong in it.
#[test]
fn a_wrong_answer_fails() {
    for answer in KNOWN_ANSWERS {
        let wrong: [fn(&KnownAnswer) -> KnownAnswer; 4] = [
            |a| KnownAnswer { sealed: flip(a.sealed, a.sealed.len() - 1), ..*a },
            |a| KnownAnswer { sealed: flip(a.sealed, 3), ..*a },
            |a| KnownAnswer { keys: flip(a.keys, 0), ..*a },
            |a| KnownAnswer { seq_hi: a.seq_hi.map_or(Some(0), |hi| Some(hi + 1)), ..*a },
        ];
        for tier in Tiers::default().all(answer.transform) {
            assert_eq!(answer.holds(tier), Some(true), "{} {}", answer.transform, answer.case);
            for (at, make) in wrong.iter().enumerate() {
                assert_eq!(
                    make(answer).holds(tier),
                    Some(false),
                    "{} {} {at}",
                    answer.transform,
                    answer.case
                );
            }
        }
    }
}

/// Both directions are judged, and a key that takes any ICV is found out.
#[test]
fn each_direction_can_fail_alone() {
    for answer in KNOWN_ANSWERS {
        let (transform, tier) = (answer.transform, Tiers::default().best(answer.transform));
        let keys = KeyMaterial::new(bytes(answer.keys).unwrap());
        let seal = SealKey::new(transform, tier, &keys).unwrap();
        let open = OpenKey::new(transform, tier, &keys).unwrap();
        let sealed = bytes(answer.sealed).unwrap();
        let plain = answer.plain(&sealed).unwrap();
        assert!(answer.seals(&seal, &plain, &sealed) && answer.opens(&open, &plain, &sealed));

        let null = (SealKey::null_twin(0, 16), OpenKey::null_twin(0, 16));
        assert!(!answer.seals(&null.0, &plain, &sealed), "{transform} {}", answer.case);
        assert!(!answer.opens(&null.1, &sealed, &sealed), "{transform} {}", answer.case);
        if !answer.payload.is_empty() {
            let mut other = plain.clone();
            other[crate::packet::HEADER_LEN + transform.iv_len()] ^= 1;
            assert!(!answer.seals(&seal, &other, &sealed), "{transform} {}", answer.case);
            assert!(!answer.opens(&open, &other, &sealed), "{transform} {}", answer.case);
        }
    }
}

#[test]
fn an_answer_that_is_no_answer_does_not_pass() {
    let odd = KnownAnswer { sealed: "000", ..KNOWN_ANSWERS[0] };
    assert_eq!(odd.holds(Tier::Ring), None);
    assert_eq!(KnownAnswer { payload: "00", ..KNOWN_ANSWERS[0] }.holds(Tier::Ring), None);
    assert_eq!(KnownAnswer { keys: "00", ..KNOWN_ANSWERS[0] }.holds(Tier::Ring), None);
    assert_eq!(KnownAnswer { transform: Transform::Aes192Gcm16, ..KNOWN_ANSWERS[0] }.holds(Tier::Ring), None);
    let (wrong, odd) = (KnownAnswer { keys: flip(KNOWN_ANSWERS[0].keys, 0), ..KNOWN_ANSWERS[0] }, odd);
    assert!(ask(&[wrong, odd], &Tiers::default()).iter().all(|outcome| !outcome.passed));
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
