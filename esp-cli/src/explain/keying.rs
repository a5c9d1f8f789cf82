//! Keying material taken apart, and put together as people do by mistake.

use std::ops::Range;

use esp_core::Transform;
use zeroize::Zeroizing;

/// Where the parts of the keying material lie, in bytes: RFC 7296 section 2.17 has the encryption key first, with its
/// salt behind it, and the integrity key last.
pub(crate) struct Parts {
    pub(crate) cipher: Range<usize>,
    pub(crate) salt: Range<usize>,
    pub(crate) integrity: Range<usize>,
}

/// The parts that a transform asks for; those it does not have are empty.
pub(crate) fn parts(transform: Transform) -> Parts {
    let integrity_at = transform.cipher_key_len();
    let salt_at = integrity_at - transform.salt_len();
    Parts { cipher: 0..salt_at, salt: salt_at..integrity_at, integrity: integrity_at..transform.key_len() }
}

/// The order in which the bytes of a key were taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum KeyOrder {
    /// As it stands in the file.
    #[default]
    AsIs,
    /// The bytes of each 4-byte word the other way round.
    WordsReversed,
    /// Last byte first.
    Reversed,
    /// The integrity key in front of the encryption key.
    Exchanged,
    /// As `WordsReversed`, of the encryption key alone.
    CipherWordsReversed,
    /// As `Reversed`, of the encryption key alone.
    CipherReversed,
    /// As `WordsReversed`, of the integrity key alone.
    IntegrityWordsReversed,
    /// As `Reversed`, of the integrity key alone.
    IntegrityReversed,
}

/// Which bytes were taken for the salt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum SaltForm {
    /// The last ones, as they stand there.
    #[default]
    AsIs,
    /// None: it is zero.
    Zero,
    /// The last ones, the other way round.
    Reversed,
    /// The first ones; the key follows.
    First,
}

/// The material in another order; `None` if the transform has not the parts for it, or it is the same bytes.
pub(crate) fn arranged(
    transform: Transform,
    material: &[u8],
    order: KeyOrder,
    salt: SaltForm,
) -> Option<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(material.to_vec());
    let parts = parts(transform);
    if salt != SaltForm::AsIs {
        salted(&mut bytes, &parts, salt)?;
    }
    if order != KeyOrder::AsIs {
        ordered(&mut bytes, &parts, order)?;
    }
    let changed = (order, salt) == (KeyOrder::AsIs, SaltForm::AsIs) || bytes.as_slice() != material;
    changed.then_some(bytes)
}

fn salted(bytes: &mut [u8], parts: &Parts, form: SaltForm) -> Option<()> {
    if parts.salt.is_empty() {
        return None;
    }
    match form {
        SaltForm::AsIs => {}
        SaltForm::Zero => bytes.get_mut(parts.salt.clone())?.fill(0),
        SaltForm::Reversed => bytes.get_mut(parts.salt.clone())?.reverse(),
        SaltForm::First => bytes.get_mut(..parts.salt.end)?.rotate_left(parts.salt.len()),
    }
    Some(())
}

fn ordered(bytes: &mut [u8], parts: &Parts, order: KeyOrder) -> Option<()> {
    let (cipher, integrity) = (parts.cipher.clone(), parts.integrity.clone());
    let two_keys = !cipher.is_empty() && !integrity.is_empty();
    let reversed = |bytes: &mut [u8], part: Range<usize>| bytes.get_mut(part).map(<[u8]>::reverse);
    let words_reversed = |bytes: &mut [u8], part: Range<usize>| {
        let words = bytes.get_mut(part)?.chunks_exact_mut(WORD);
        words.for_each(<[u8]>::reverse);
        Some(())
    };
    match order {
        KeyOrder::AsIs => {}
        KeyOrder::WordsReversed => {
            words_reversed(bytes, cipher)?;
            words_reversed(bytes, integrity)?;
        }
        KeyOrder::Reversed => {
            reversed(bytes, cipher)?;
            reversed(bytes, integrity)?;
        }
        KeyOrder::CipherWordsReversed if two_keys => words_reversed(bytes, cipher)?,
        KeyOrder::CipherReversed if two_keys => reversed(bytes, cipher)?,
        KeyOrder::IntegrityWordsReversed if two_keys => words_reversed(bytes, integrity)?,
        KeyOrder::IntegrityReversed if two_keys => reversed(bytes, integrity)?,
        // Whatever their lengths: the integrity key stands first, the encryption key and its salt behind it.
        KeyOrder::Exchanged if two_keys => {
            bytes.get_mut(..integrity.end)?.rotate_left(parts.integrity.len());
        }
        _ => return None,
    }
    Some(())
}

/// Bytes of a word of most machines that keys are copied on.
const WORD: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    const GCM: Transform = Transform::Aes128Gcm16;

    fn material() -> Vec<u8> {
        (0..20).collect()
    }

    fn made(order: KeyOrder, salt: SaltForm) -> Vec<u8> {
        arranged(GCM, &material(), order, salt).unwrap().to_vec()
    }

    #[test]
    fn parts_cover_the_material_of_every_transform() {
        for transform in Transform::ALL {
            let parts = parts(*transform);
            assert_eq!((parts.cipher.start, parts.cipher.end), (0, parts.salt.start), "{transform}");
            assert_eq!(parts.salt.len(), transform.salt_len(), "{transform}");
            assert_eq!((parts.integrity.start, parts.integrity.end), (parts.salt.end, transform.key_len()));
        }
    }

    #[test]
    fn every_order_is_what_its_name_says() {
        assert_eq!(made(KeyOrder::AsIs, SaltForm::AsIs), material());
        assert_eq!(made(KeyOrder::AsIs, SaltForm::Zero)[15..], [15, 0, 0, 0, 0]);
        assert_eq!(made(KeyOrder::AsIs, SaltForm::Reversed)[15..], [15, 19, 18, 17, 16]);
        assert_eq!(made(KeyOrder::AsIs, SaltForm::First), [&material()[4..], &[0, 1, 2, 3]].concat());
        assert_eq!(made(KeyOrder::WordsReversed, SaltForm::AsIs)[12..], [15, 14, 13, 12, 16, 17, 18, 19]);
        assert_eq!(made(KeyOrder::Reversed, SaltForm::AsIs)[14..], [1, 0, 16, 17, 18, 19]);
    }

    #[test]
    fn what_changes_nothing_is_no_candidate() {
        let same = [7; 20];
        assert!(arranged(GCM, &same, KeyOrder::Reversed, SaltForm::First).is_none());
        assert!(arranged(GCM, &material(), KeyOrder::Exchanged, SaltForm::AsIs).is_none());
        assert!(arranged(Transform::NullHmacSha256_128, &[1; 32], KeyOrder::AsIs, SaltForm::Zero).is_none());
    }

    #[test]
    fn two_keys_are_exchanged_whatever_their_lengths() {
        let parts = Parts { cipher: 0..2, salt: 2..3, integrity: 3..6 };
        let mut bytes = [11, 12, 13, 1, 2, 9];
        ordered(&mut bytes, &parts, KeyOrder::Exchanged).unwrap();
        assert_eq!(bytes, [1, 2, 9, 11, 12, 13]);
        let parts = Parts { cipher: 0..0, salt: 0..0, integrity: 0..6 };
        assert!(ordered(&mut bytes, &parts, KeyOrder::Exchanged).is_none());
    }
}
