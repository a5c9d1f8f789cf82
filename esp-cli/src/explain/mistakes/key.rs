//! The right key, put in wrongly: salt, byte order, transform.

use esp_core::Transform;

use super::attempt::Attempt;
use super::{Case, Mistake, extent};
use crate::explain::keying::{KeyOrder, SaltForm};

/// Other transforms that take as many bytes.
pub(super) fn transforms(_: &Case<'_>, from: &Attempt) -> Vec<Attempt> {
    let key_len = from.transform.key_len();
    // The same algorithm with another length of ICV is told by the ICV, unless that is computed in another way.
    let same = |other: Transform| extent::is_cut_of_one(from.transform, other);
    let others = Transform::ALL
        .iter()
        .filter(|other| **other != from.transform && other.key_len() == key_len && !same(**other));
    others.map(|other| Attempt { transform: *other, icv_len: other.icv_len(), ..from.clone() }).collect()
}

/// Other ciphers with the same integrity algorithm, whose key is the same or shorter.
pub(super) fn ciphers(_: &Case<'_>, from: &Attempt) -> Vec<Attempt> {
    let own = from.transform;
    let others = Transform::ALL.iter().filter(|other| {
        **other != own
            && !other.is_combined()
            && other.integrity() == own.integrity()
            && other.cipher_key_len() <= own.cipher_key_len()
    });
    others.map(|other| Attempt { transform: *other, ..from.clone() }).collect()
}

pub(super) fn say_transform(case: &Case<'_>, fits: &Attempt) -> Mistake {
    let place = case.place(fits.sa);
    let ours = case.config(fits.sa).map_or("", |config| config.transform.name());
    let theirs = fits.transform;
    if case.authentic {
        return Mistake::new(
            "other_cipher",
            format!("the ICV is right and the cipher is not: the packet is {theirs}, and {place} has {ours}"),
            format!("set transform = \"{theirs}\" in {place}, or {ours} at the peer"),
        );
    }
    Mistake::new(
        "other_transform",
        format!("the key is right and the transform is not: the packet is {theirs}, and {place} has {ours}"),
        format!("set transform = \"{theirs}\" in {place}, or {ours} at the peer"),
    )
}

/// The salt left out, reversed, or put first.
pub(super) fn salts(_: &Case<'_>, from: &Attempt) -> Vec<Attempt> {
    let forms = [SaltForm::Zero, SaltForm::Reversed, SaltForm::First];
    forms.map(|salt| Attempt { salt, ..from.clone() }).into()
}

pub(super) fn say_salt(case: &Case<'_>, fits: &Attempt) -> Mistake {
    let place = case.place(fits.sa);
    let len = fits.transform.salt_len();
    match fits.salt {
        SaltForm::Zero => Mistake::new(
            "salt_missing",
            format!("the sender has a salt of zero: it was given the key without the last {len} bytes"),
            format!(
                "give the peer all {} bytes of key and salt, salt last (RFC 4106 section 8.1)",
                fits.transform.cipher_key_len()
            ),
        ),
        SaltForm::Reversed => Mistake::new(
            "salt_reversed",
            format!("the {len} bytes of salt are in reverse order"),
            format!(
                "reverse the last {len} bytes of the key in {place}, or at the peer: the salt is in network byte order"
            ),
        ),
        SaltForm::First | SaltForm::AsIs => Mistake::new(
            "salt_first",
            format!(
                "the key in {place} has the salt in front: the sender takes its first {len} bytes as salt"
            ),
            format!(
                "move the first {len} bytes of the key in {place} to its end (RFC 4106 section 8.1: salt last)"
            ),
        ),
    }
}

/// The bytes of the key in another order.
pub(super) fn orders(_: &Case<'_>, from: &Attempt) -> Vec<Attempt> {
    let orders = [
        KeyOrder::WordsReversed,
        KeyOrder::Reversed,
        KeyOrder::Exchanged,
        KeyOrder::IntegrityWordsReversed,
        KeyOrder::IntegrityReversed,
    ];
    orders.map(|order| Attempt { order, ..from.clone() }).into()
}

/// The bytes of the encryption key alone in another order.
pub(super) fn cipher_orders(_: &Case<'_>, from: &Attempt) -> Vec<Attempt> {
    let orders = [KeyOrder::CipherWordsReversed, KeyOrder::CipherReversed];
    orders.map(|order| Attempt { order, ..from.clone() }).into()
}

pub(super) fn say_order(case: &Case<'_>, fits: &Attempt) -> Mistake {
    let place = case.place(fits.sa);
    let (id, cause, remedy) = match fits.order {
        KeyOrder::WordsReversed => (
            "key_words_reversed",
            "the key is the same, but the bytes of each 4-byte word are in reverse order",
            "reverse each 4-byte word of the key in",
        ),
        KeyOrder::Exchanged => (
            "cipher_and_integrity_keys_swapped",
            "encryption key and integrity key are exchanged",
            "put the encryption key first and the integrity key last (RFC 7296 section 2.17) in",
        ),
        KeyOrder::CipherWordsReversed | KeyOrder::CipherReversed => (
            "encryption_key_reversed",
            "the integrity key is right, and the bytes of the encryption key are in another order",
            "reverse the bytes of the encryption key, or of each 4-byte word of it, in",
        ),
        KeyOrder::IntegrityWordsReversed | KeyOrder::IntegrityReversed => (
            "integrity_key_reversed",
            "the bytes of the integrity key are in another order",
            "reverse the bytes of the integrity key, or of each 4-byte word of it, in",
        ),
        KeyOrder::Reversed | KeyOrder::AsIs => (
            "key_reversed",
            "the key is the same, but its bytes are in reverse order",
            "reverse the bytes of the key (not the salt) in",
        ),
    };
    Mistake::new(id, cause, format!("{remedy} {place}, or at the peer"))
}
