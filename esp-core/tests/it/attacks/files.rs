//! SA files with a key in the wrong place.

use esp_core::config::SaFile;

const KEY: &str = "00112233445566778899aabbccddeeff01020304";

/// One character beside the digits was enough for the whole key to be shown.
#[test]
fn a_misplaced_key_with_a_typo_is_not_shown() {
    let words = [
        KEY.to_owned(),
        format!("0x{KEY}"),
        format!("0X{KEY}"),
        format!("x{KEY}"),
        format!("{KEY}g"),
        format!("{}O{}", &KEY[..19], &KEY[20..]),
        format!("psk_{KEY}"),
    ];
    let places = ["transform = '?'", "mode = '?'", "? = 1", "name = '?'", "ttl = '?'", "selectors = ['?']"];
    for word in &words {
        for place in places {
            let text = format!("[[sa]]\n{}\n", place.replace('?', word));
            let error = SaFile::parse(&text).expect_err("no SA");
            for shown in [error.to_string(), format!("{error:?}")] {
                let leaked = KEY.as_bytes().windows(16).filter_map(|part| str::from_utf8(part).ok());
                assert_eq!({ leaked }.find(|part| shown.contains(part)), None, "{place}: {shown}");
            }
        }
    }
}

#[test]
fn numbers_and_addresses_are_still_shown() {
    for shown in ["18446744073709551615", "2001:db8:1111:2222:3333:4444:5555:6666"] {
        let text = format!("[[sa]]\nmode = '{shown}'\n");
        let error = SaFile::parse(&text).expect_err("no SA").to_string();
        assert!(error.contains(shown), "{error}");
    }
}
