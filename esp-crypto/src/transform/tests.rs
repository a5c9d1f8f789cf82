//! The table against itself and against what the RFCs print.

use super::*;

#[test]
fn names_are_unique_and_found() {
    for transform in Transform::ALL {
        assert_eq!(Transform::from_name(transform.name()), Some(*transform));
        let (cipher, integrity) = (transform.cipher().cipher, transform.integrity().integrity);
        assert_eq!(Transform::of(cipher, integrity), Some(*transform), "{transform}");
        assert_eq!(transform.to_string(), transform.name());
        let (cipher, integrity) = (transform.cipher().name, transform.integrity().name);
        let joined =
            if transform.is_combined() { cipher.to_owned() } else { format!("{cipher}-{integrity}") };
        assert_eq!(transform.name(), joined);
    }
    for bad in ["", "AES-128-GCM-16", "aes-128-gcm", "null", "null-none", "aes-128-gcm-16 "] {
        assert_eq!(Transform::from_name(bad), None, "{bad}");
    }
}

#[test]
fn every_transform_authenticates_exactly_once() {
    for transform in Transform::ALL {
        let (cipher, integrity) = (transform.cipher(), transform.integrity());
        let macs = usize::from(cipher.icv_len > 0) + usize::from(integrity.icv_len > 0);
        let expected = usize::from(!transform.name().ends_with("-none"));
        assert_eq!(macs, expected, "{transform}");
        assert_eq!(transform.is_combined(), integrity.integrity == Integrity::None && expected == 1);
        assert!(transform.align() >= 4 && transform.align().is_power_of_two());
    }
}

#[test]
fn b38_icv_lengths_are_those_of_the_names() {
    for transform in Transform::ALL.iter().filter(|transform| !transform.is_combined()) {
        let name = transform.name();
        let bits = name.rsplit('-').next().unwrap().parse().unwrap_or(0);
        assert_eq!(transform.icv_len() * 8, bits, "{name}");
    }
    let icv_lens =
        [("aes-128-gcm-12", 12), ("aes-256-gcm-8", 8), ("aes-192-ccm-16", 16), ("aes-128-ccm-8-iiv", 8)];
    for (name, icv_len) in icv_lens.into_iter().chain([("aes-256-gmac", 16), ("chacha20-poly1305-iiv", 16)]) {
        assert_eq!(Transform::from_name(name).map(Transform::icv_len), Some(icv_len), "{name}");
    }
}

#[test]
fn b84_iv_lengths_are_those_on_the_wire() {
    for transform in Transform::ALL {
        let name = transform.name();
        let expected = match name {
            _ if name.contains("-iiv") || name.starts_with("null") => 0,
            _ if name.starts_with("aes") && name.contains("-cbc") => 16,
            _ => 8,
        };
        assert_eq!(transform.iv_len(), expected, "{name}");
        assert_eq!(transform.cipher().iv == Iv::Unpredictable, name.contains("-cbc"), "{name}");
    }
}

#[test]
fn b40_keying_material_is_key_salt_and_integrity_key() {
    let lens = [
        ("aes-128-gcm-16", 20, 20),
        ("aes-256-gcm-8", 36, 36),
        ("aes-128-ccm-16", 19, 19),
        ("aes-192-gmac", 28, 28),
        ("chacha20-poly1305-iiv", 36, 36),
        ("aes-128-ctr-hmac-sha1-96", 20, 40),
        ("aes-256-cbc-hmac-sha512-256", 32, 96),
        ("null-aes-xcbc-96", 0, 16),
    ];
    for (name, cipher, all) in lens {
        let transform = Transform::from_name(name).unwrap();
        assert_eq!((transform.cipher_key_len(), transform.key_len()), (cipher, all), "{name}");
    }
}

#[test]
fn iana_numbers_follow_the_icv_length() {
    let id = |name| Transform::from_name(name).map(|transform| transform.cipher().iana_id);
    assert_eq!(["aes-128-gcm-8", "aes-128-gcm-12", "aes-128-gcm-16"].map(id), [Some(18), Some(19), Some(20)]);
    assert_eq!(["aes-128-ccm-8", "aes-128-ccm-12", "aes-128-ccm-16"].map(id), [Some(14), Some(15), Some(16)]);
    assert_eq!(id("aes-256-ccm-8-iiv"), Some(29));
    assert_eq!(id("aes-256-gcm-16-iiv"), Some(30));
}

#[test]
fn a_transform_is_as_strong_as_its_weaker_half() {
    let level = |name| Transform::from_name(name).map(Transform::level);
    assert_eq!(level("aes-128-cbc-hmac-sha256-128"), Some(Level::Must));
    assert_eq!(level("aes-128-cbc-hmac-sha1-96"), Some(Level::MustMinus));
    assert_eq!(level("aes-192-gcm-16"), Some(Level::May));
    assert_eq!(level("null-hmac-sha512-256"), Some(Level::Should));
}

#[test]
fn legacy_is_behind_its_feature() {
    assert_eq!(Transform::from_name("3des-cbc-hmac-sha1-96").is_some(), cfg!(feature = "legacy"));
    for name in LEGACY_NAMES {
        assert_eq!(Transform::from_name(name).is_some(), cfg!(feature = "legacy"), "{name}");
    }
    for transform in Transform::ALL {
        let legacy = LEGACY_NAMES.contains(&transform.name());
        assert_eq!(transform.is_legacy(), legacy, "{transform}");
    }
}

/// The tables in the documentation of the crate hold for every transform, and each of their rows for some.
#[test]
fn b11_lengths_of_every_transform() {
    let (_, documentation) = include_str!("../lib.rs").split_once("| cipher ").unwrap();
    let (ciphers, rest) = documentation.split_once("| MAC ").unwrap();
    let (macs, _) = rest.split_once("//!\n").unwrap();
    for &transform in Transform::ALL {
        let (cipher, integrity) = (transform.cipher(), transform.integrity());
        let expected = [cipher.salt_len, cipher.iv_len, cipher.align, usize::from(cipher.rfc)];
        assert_eq!(row(ciphers, transform), Some(expected.to_vec()), "{transform}");
        if !transform.is_combined() {
            let expected = [integrity.key_len, integrity.icv_len, usize::from(integrity.rfc)];
            assert_eq!(row(macs, transform), Some(expected.to_vec()), "{transform}");
        }
    }
    let patterns = ciphers.lines().chain(macs.lines()).filter_map(pattern_of);
    let of_all = |pattern: &&str| !LEGACY_NAMES.iter().any(|name| fits(pattern, name));
    for pattern in patterns.filter(of_all) {
        assert!(Transform::ALL.iter().any(|transform| fits(pattern, transform.name())), "{pattern}");
    }
}

/// The numbers of the first row whose pattern fits.
fn row(table: &str, transform: Transform) -> Option<Vec<usize>> {
    let fitting = |line: &&str| pattern_of(line).is_some_and(|pattern| fits(pattern, transform.name()));
    let cells = table.lines().find(fitting)?.split('|').skip(2);
    Some(cells.filter_map(|cell| cell.trim().parse().ok()).collect())
}

fn pattern_of(line: &str) -> Option<&str> {
    line.strip_prefix("//! | `")?.split('`').next()
}

/// `*` stands for anything.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let at = if parts.peek().is_none() { rest.len().checked_sub(part.len()) } else { rest.find(part) };
        match at.and_then(|at| rest[at..].strip_prefix(part)) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    rest.is_empty()
}
