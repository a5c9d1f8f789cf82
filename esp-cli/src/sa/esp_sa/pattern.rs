//! The fields that may hold `*`, and keys.

use std::net::{Ipv4Addr, Ipv6Addr};

use esp_core::config::Secret;
use zeroize::Zeroizing;

/// Whether `text` is an address of the family, or one with `*` in the place of parts.
pub(super) fn address(text: &str, v6: bool) -> Result<(), String> {
    let legal = match v6 {
        true => "legal: an IPv6 address, * for any, or * for parts: fd99::*",
        false => "legal: an IPv4 address, * for any, or * for parts: 10.*.*.*",
    };
    let whole = if v6 { text.parse::<Ipv6Addr>().is_ok() } else { text.parse::<Ipv4Addr>().is_ok() };
    let with_stars = match v6 {
        true => text.replace('*', "0").parse::<Ipv6Addr>().is_ok() && text.contains('*'),
        false => text.split('.').count() == 4 && text.replace('*', "0").parse::<Ipv4Addr>().is_ok(),
    };
    if whole || text == "*" || with_stars { Ok(()) } else { Err(legal.to_owned()) }
}

/// Whether `text` is an SPI or has `*` for some of its digits.
pub(super) fn spi(text: &str) -> Result<(), String> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix) = digits.map_or((text, 10), |digits| (digits, 16));
    let good = |c: char| c.is_digit(radix) || c == '*';
    if let Some(at) = digits.chars().position(|c| !good(c)) {
        let at = at + text.len() - digits.len() + 1;
        return Err(format!("character {at} is no digit; {SPI_LEGAL}"));
    }
    let number = digits.replace('*', "0");
    match u32::from_str_radix(&number, radix) {
        Ok(_) => Ok(()),
        Err(_) if text == "*" => Ok(()),
        Err(_) => Err(format!("out of range; {SPI_LEGAL}")),
    }
}

/// Whether `text` is a high half: nothing, or hexadecimal with or without `0x`.
pub(super) fn number(text: &str) -> Result<(), String> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    let good = digits.len() <= 8 && digits.chars().all(|c| c.is_ascii_hexdigit());
    if good { Ok(()) } else { Err("legal: 0..=ffffffff, hexadecimal".to_owned()) }
}

/// Whether `text` is a key: nothing, hexadecimal behind `0x`, or text.
pub(super) fn key(text: &str) -> Result<(), String> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => Secret::from_hex(digits).map(drop).map_err(|error| format!("behind 0x: {error}")),
        None => Ok(()),
    }
}

/// The bytes of a key that [`key`] takes.
pub(super) fn key_bytes(text: &str) -> Zeroizing<Vec<u8>> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).map(Secret::from_hex);
    match hex {
        Some(Ok(key)) => Zeroizing::new(key.expose().to_vec()),
        _ => Zeroizing::new(text.as_bytes().to_vec()),
    }
}

const SPI_LEGAL: &str = "legal: 0..=4294967295, 0x hexadecimal or decimal, * for digits";
