//! What is legal in an SA file and still should be known.

use std::collections::BTreeMap;

use esp_core::config::{Direction, ReplayWindow, SaConfig};

use super::algorithms;
use super::fault::Note;
use super::file::{Entry, Format};

/// Every doubt about the SAs of a file.
pub(super) fn of(sas: &[Entry], format: Format) -> Vec<Note> {
    let mut notes = Vec::new();
    for entry in sas {
        let mut note = |message: String| notes.push(Note { line: Some(entry.line), message });
        let sa = &entry.config;
        algorithms::advice(sa.transform).into_iter().for_each(&mut note);
        // The formats of others do not say, or mean something else by it.
        if format == Format::Toml
            && sa.direction == Direction::Inbound
            && sa.replay_window == ReplayWindow::Off
        {
            note("replay_window = \"off\": whoever recorded a packet can send it again (RFC 4303 section 3.4.3)".to_owned());
        }
        key_doubts(sa).into_iter().for_each(note);
    }
    notes.extend(shared_keys(sas));
    notes
}

/// A key that no random generator made.
fn key_doubts(sa: &SaConfig) -> Vec<String> {
    let (cipher, integrity) = cipher_and_integrity(sa);
    let secret_len = cipher.len().saturating_sub(sa.transform.salt_len());
    let (secret, salt) = cipher.split_at_checked(secret_len).unwrap_or((cipher, &[]));
    let mut doubts = Vec::new();
    for (name, key) in [("key", secret), ("integrity key", integrity)] {
        if let Some(pattern) = pattern(key) {
            doubts.push(format!("{name}: {pattern}, so it is not random; `esp sa generate` makes keys"));
        }
    }
    if !salt.is_empty() && salt.iter().all(|byte| *byte == 0) {
        doubts.push("key: the salt, last of the cipher's bytes, is zero; was the keying material cut short? (RFC 4106 section 8.1)".to_owned());
    }
    doubts
}

/// The two keys, which other formats join.
fn cipher_and_integrity(sa: &SaConfig) -> (&[u8], &[u8]) {
    let key = sa.key.expose();
    key.split_at_checked(sa.transform.cipher_key_len()).unwrap_or((key, &[]))
}

fn pattern(secret: &[u8]) -> Option<&'static str> {
    let (first, rest) = secret.split_first()?;
    let steps = |step: u8| secret.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step);
    let half = secret.len() / 2;
    match () {
        () if rest.is_empty() => None,
        () if rest.iter().all(|byte| byte == first) => Some("all its bytes are the same"),
        () if steps(1) || steps(0xff) || steps(0x11) => Some("its bytes count"),
        () if secret.len() >= 16 && secret[..half] == secret[half..] => Some("its halves are the same"),
        () if secret.iter().all(|byte| (b' '..=b'~').contains(byte)) => Some("it is text"),
        () => None,
    }
}

/// SAs that have a key in common. An SA and its far end may stand in one file: they have SPI and key in common, and go
/// different ways.
fn shared_keys(sas: &[Entry]) -> Vec<Note> {
    let mut seen: BTreeMap<&[u8], Vec<&Entry>> = BTreeMap::new();
    for entry in sas {
        // Where there is a cipher it is its nonces that must not repeat.
        let key = match cipher_and_integrity(&entry.config) {
            ([], integrity) => integrity,
            (cipher, _) => cipher,
        };
        seen.entry(key).or_default().push(entry);
    }
    let mut notes = Vec::new();
    for entries in seen.values().filter(|entries| entries.len() > 1) {
        for (at, entry) in entries.iter().enumerate().skip(1) {
            let sa = &entry.config;
            let other = entries[..at].iter().find(|other| {
                let other = &other.config;
                other.spi != sa.spi || other.direction == sa.direction
            });
            if let Some(other) = other {
                notes.push(Note { line: Some(entry.line), message: shared(sa, other) });
            }
        }
    }
    notes
}

fn shared(sa: &SaConfig, other: &Entry) -> String {
    let both_send = sa.direction == Direction::Outbound && other.config.direction == Direction::Outbound;
    let harm = if both_send {
        "both number their packets from 1, so nonces repeat and the encryption breaks"
    } else {
        "a key belongs to one SA and one direction; with a counter mode nonces repeat at the two ends"
    };
    format!("key: the SA of line {} has the same: {harm}", other.line)
}
