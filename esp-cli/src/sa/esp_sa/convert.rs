//! Lines to SAs of the engine, and back.

use std::fmt::Write as _;
use std::net::IpAddr;

use esp_core::config::{Direction, KeySource, Mode, ReplayWindow, SaConfig, Secret, UdpEncap, no_transform};
use esp_crypto::Iv;
use zeroize::Zeroizing;

use super::pattern::key_bytes;
use super::{EspSa, Field, GCM_WITHOUT_ICV};
use crate::sa::algorithms::{self, CIPHERS, Cipher, INTEGRITIES, Integrity};
use crate::sa::fault::Fault;
use crate::sa::file::Hint;

/// The SA of a line. The file says neither direction nor mode nor UDP, and not always ESN: `hint` does. Without a hint the
/// mode is tunnel where the line has two whole addresses.
///
/// # Errors
///
/// Wildcards in the SPI, an algorithm that the engine has not, a key of another length.
pub(crate) fn to_config(sa: &EspSa, direction: Direction, hint: &Hint) -> Result<SaConfig, Fault> {
    let spi = spi(sa)?;
    let (cipher, integrity) = algorithms_of(sa)?;
    let transform =
        algorithms::transform((cipher, integrity)).map_err(|name| sa.fault(4, &no_transform(&name)))?;
    let mut key = key_bytes(sa.text(5));
    expect_len(sa, 5, cipher.ours, cipher.key_len, key.len())?;
    let second = key_bytes(sa.text(7));
    match integrity {
        Some(integrity) => expect_len(sa, 7, integrity.ours, integrity.key_len, second.len())?,
        None if second.is_empty() => {}
        None => return Err(sa.fault(7, &format!("{} has no such key; legal: \"\"", cipher.ours))),
    }
    let mut whole = Zeroizing::new(Vec::with_capacity(key.len() + second.len()));
    whole.append(&mut key);
    whole.extend_from_slice(&second);
    let (src, dst): (Option<IpAddr>, Option<IpAddr>) = (sa.text(1).parse().ok(), sa.text(2).parse().ok());
    let both = src.is_some() && dst.is_some();
    let mode = hint.mode.unwrap_or(if both { Mode::Tunnel } else { Mode::Transport });
    let mut config = SaConfig::new(direction, spi, transform, Secret::from(whole.as_slice()), mode);
    (config.src, config.dst, config.esn) = (src, dst, hint.said.esn || sa.text(8).starts_with("64"));
    config.udp = hint.said.udp.then(UdpEncap::default);
    // Such a file holds the keys of SAs that live or lived, and the algorithms are spelled out in it.
    config.allow_legacy = transform.is_legacy();
    // What only opens repeats no nonce.
    if transform.cipher().iv == Iv::Implicit && direction == Direction::Inbound {
        config.keys = KeySource::Negotiated;
    }
    Ok(config)
}

/// The line of an SA, with comment lines in front that say what it does not hold.
///
/// # Errors
///
/// Wireshark has no name for an algorithm.
pub(crate) fn from_config(sa: &SaConfig) -> Result<(Vec<String>, Vec<EspSa>), String> {
    let transform = sa.transform;
    let pair = algorithms::of(transform).ok_or_else(|| format!("{transform} has no name in Wireshark"))?;
    let names = (pair.0.wireshark, pair.1.map_or(Some("NULL"), |integrity| integrity.wireshark));
    let (Some(cipher), Some(integrity)) = names else {
        return Err(format!("{transform} has no name in Wireshark"));
    };
    let (key, second) = sa.key.expose().split_at_checked(pair.0.key_len).unwrap_or((sa.key.expose(), &[]));
    let address =
        |address: Option<IpAddr>| address.map_or_else(|| "*".to_owned(), |address| address.to_string());
    let families: &[&str] = match sa.src.or(sa.dst) {
        Some(IpAddr::V4(_)) => &["IPv4"],
        Some(IpAddr::V6(_)) => &["IPv6"],
        None => &["IPv4", "IPv6"],
    };
    // In transport mode the addresses of the SA are only a hint.
    let (src, dst) = if sa.mode == Mode::Tunnel {
        (address(sa.src), address(sa.dst))
    } else {
        (address(None), address(None))
    };
    let line = |family: &&str| {
        let spi = format!("{:#010x}", sa.spi);
        let plain = [family, src.as_str(), &dst, &spi, cipher].map(|text| Zeroizing::new(text.to_owned()));
        let keys = [hex(key), Zeroizing::new(integrity.to_owned()), hex(second)];
        let fields = plain.into_iter().chain(keys).map(|text| Field { column: 1, text }).collect();
        EspSa { line: 0, fields }
    };
    Ok((lost(sa), families.iter().map(line).collect()))
}

/// What a line cannot say.
fn lost(sa: &SaConfig) -> Vec<String> {
    let mut lost = vec![match sa.mode {
        Mode::Tunnel => "tunnel mode".to_owned(),
        Mode::Transport => "transport mode".to_owned(),
    }];
    if sa.esn {
        lost.push("ESN (Wireshark calls every ICV bad)".to_owned());
    }
    if let Some(udp) = sa.udp {
        lost.push(format!("UDP ports {} to {}", udp.src_port, udp.dst_port));
    }
    if sa.replay_window != ReplayWindow::default() {
        lost.push("the replay window".to_owned());
    }
    if !sa.selectors.is_empty() {
        lost.push("selectors".to_owned());
    }
    lost
}

fn spi(sa: &EspSa) -> Result<u32, Fault> {
    let text = sa.text(3);
    if text.contains('*') {
        return Err(sa.fault(3, "a pattern; an SA of the engine has one SPI; legal: 256..=4294967295"));
    }
    crate::sa::spi(text).map_err(|why| sa.fault(3, &why))
}

fn algorithms_of(sa: &EspSa) -> Result<(&'static Cipher, Option<&'static Integrity>), Fault> {
    if sa.text(4) == GCM_WITHOUT_ICV {
        let message = "names no ICV length; legal: AES-GCM with 8, 12 or 16 octet ICV [RFC4106]";
        return Err(sa.fault(4, message));
    }
    let mut named = CIPHERS.iter().filter(|row| row.wireshark == Some(sa.text(4)));
    let key_len = key_bytes(sa.text(5)).len();
    // One name for all lengths of key; with a wrong length, the error names that of the first.
    let first = named.clone().next().ok_or_else(|| sa.fault(4, "a name that Wireshark does not have"))?;
    let cipher = named.find(|row| row.key_len == key_len).unwrap_or(first);
    let integrity = match sa.text(6) {
        "NULL" => None,
        name => Some(INTEGRITIES.iter().find(|row| row.wireshark == Some(name)).ok_or_else(|| {
            sa.fault(6, "an ICV that is not checked; legal: the name of an integrity algorithm")
        })?),
    };
    match (cipher.icv_bits, integrity) {
        // No integrity at all, in builds that have it.
        (0, None) if algorithms::unauthenticated(cipher).is_some() => {
            Ok((cipher, algorithms::unauthenticated(cipher)))
        }
        (0, None) => {
            Err(sa.fault(6, &format!("{} without integrity; legal: an integrity algorithm", cipher.ours)))
        }
        (1.., Some(_)) => Err(sa.fault(6, &format!("{} has its own integrity; legal: NULL", cipher.ours))),
        _ => Ok((cipher, integrity)),
    }
}

fn expect_len(sa: &EspSa, at: usize, name: &str, expected: usize, got: usize) -> Result<(), Fault> {
    let message = || format!("{got} bytes; legal: {expected} bytes for {name}, any salt last");
    if got == expected { Ok(()) } else { Err(sa.fault(at, &message())) }
}

/// `0x` and digits, or nothing for no key.
fn hex(key: &[u8]) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(2 + key.len() * 2));
    if !key.is_empty() {
        text.push_str("0x");
    }
    for byte in key {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
