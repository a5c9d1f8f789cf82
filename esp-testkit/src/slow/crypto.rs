//! IV, ciphertext and ICV of one packet.

use super::aead::{self, Way};
use super::block::Block;
use super::mac::mac;
use super::transform::{Cipher, Mac};
use super::{SlowError, SlowSa};

/// IV, ciphertext and ICV, as they follow the sequence number. Of `iv`, the bytes that go into the packet are taken.
pub(super) fn protect(sa: &SlowSa, high: [u8; 4], low: [u8; 4], iv: &[u8; 16], plaintext: &[u8]) -> Vec<u8> {
    let sent = &iv[..sa.transform.iv_len()];
    if sa.transform.mac != Mac::None || sa.transform.icv_len() == 0 {
        let ciphertext = encrypt(sa, sent, plaintext);
        let icv = separate_icv(sa, high, low, &[sent, &ciphertext].concat());
        return [sent, &ciphertext, &icv].concat();
    }
    let keys = Keys::of(sa);
    let iv = if sa.transform.implicit_iv { &implicit(sa, high, low) } else { sent };
    let nonce = [keys.salt, iv].concat();
    if sa.transform.cipher == Cipher::ChaCha20Poly1305 {
        let sealed = aead::chacha_seal(keys.cipher, &nonce, &aad(sa, high, low), plaintext);
        return [sent, &sealed].concat();
    }
    let (ciphertext, icv) = combined(sa, &nonce, high, low, iv, plaintext, Way::Seal);
    [sent, &ciphertext, &icv].concat()
}

/// The plaintext with its trailer; `rest` is what follows the sequence number.
pub(super) fn unprotect(sa: &SlowSa, high: [u8; 4], low: [u8; 4], rest: &[u8]) -> Result<Vec<u8>, SlowError> {
    let (iv_len, icv_len) = (sa.transform.iv_len(), sa.transform.icv_len());
    if rest.len() < iv_len + icv_len {
        return Err(SlowError::TooShort);
    }
    let (sent, behind) = rest.split_at(iv_len);
    let (ciphertext, icv) = behind.split_at(behind.len() - icv_len);
    if sa.transform.mac != Mac::None || icv_len == 0 {
        if separate_icv(sa, high, low, &[sent, ciphertext].concat()) != icv {
            return Err(SlowError::BadIcv);
        }
        return decrypt(sa, sent, ciphertext).ok_or(SlowError::NoWholeBlocks);
    }
    let keys = Keys::of(sa);
    let iv = if sa.transform.implicit_iv { &implicit(sa, high, low) } else { sent };
    let nonce = [keys.salt, iv].concat();
    if sa.transform.cipher == Cipher::ChaCha20Poly1305 {
        return aead::chacha_open(keys.cipher, &nonce, &aad(sa, high, low), behind).ok_or(SlowError::BadIcv);
    }
    let (plaintext, expected) = combined(sa, &nonce, high, low, iv, ciphertext, Way::Open);
    if expected == icv { Ok(plaintext) } else { Err(SlowError::BadIcv) }
}

/// RFC 7296 section 2.17: the cipher's key and salt come first, the integrity key behind.
struct Keys<'k> {
    cipher: &'k [u8],
    salt: &'k [u8],
    mac: &'k [u8],
}

impl<'k> Keys<'k> {
    fn of(sa: &'k SlowSa) -> Self {
        assert_eq!(sa.key.len(), sa.transform.key_len(), "keying material of {:?}", sa.transform);
        let (cipher, rest) = sa.key.split_at(sa.transform.cipher_key_len());
        let (salt, mac) = rest.split_at(sa.transform.salt_len());
        Self { cipher, salt, mac }
    }
}

/// RFC 4303 section 2.8: the ICV covers SPI, number, IV, ciphertext with trailer, and behind them the high half of an
/// ESN. It is cut to its first bytes.
fn separate_icv(sa: &SlowSa, high: [u8; 4], low: [u8; 4], body: &[u8]) -> Vec<u8> {
    let mut covered = [sa.spi.to_be_bytes().as_slice(), &low, body].concat();
    if sa.esn {
        covered.extend(high);
    }
    let mut icv = mac(sa.transform.mac, Keys::of(sa).mac, &covered);
    icv.truncate(sa.transform.icv_len());
    icv
}

fn encrypt(sa: &SlowSa, iv: &[u8], plaintext: &[u8]) -> Vec<u8> {
    match block_mode(sa) {
        Some(block) => block.cbc_encrypt(iv, plaintext),
        None => stream(sa, iv, plaintext),
    }
}

fn decrypt(sa: &SlowSa, iv: &[u8], ciphertext: &[u8]) -> Option<Vec<u8>> {
    match block_mode(sa) {
        Some(block) => block.cbc_decrypt(iv, ciphertext),
        None => Some(stream(sa, iv, ciphertext)),
    }
}

fn block_mode(sa: &SlowSa) -> Option<Block> {
    let key = Keys::of(sa).cipher;
    match sa.transform.cipher {
        Cipher::Cbc => Some(Block::aes(key)),
        Cipher::TripleDesCbc => Some(Block::triple_des(key)),
        Cipher::DesCbc => Some(Block::des(key)),
        _ => None,
    }
}

/// RFC 3686 section 4: nonce, IV, and a counter that begins with one. NULL leaves the text as it is.
fn stream(sa: &SlowSa, iv: &[u8], text: &[u8]) -> Vec<u8> {
    if sa.transform.cipher == Cipher::Null {
        return text.to_vec();
    }
    let keys = Keys::of(sa);
    let first = [keys.salt, iv, &[0, 0, 0, 1]].concat().try_into().expect("one block");
    Block::aes(keys.cipher).counter(first, text)
}

/// The text of AES in a combined mode, and the ICV.
fn combined(
    sa: &SlowSa,
    nonce: &[u8],
    high: [u8; 4],
    low: [u8; 4],
    iv: &[u8],
    text: &[u8],
    way: Way,
) -> (Vec<u8>, Vec<u8>) {
    let (key, aad, icv_len) = (Keys::of(sa).cipher, aad(sa, high, low), sa.transform.icv_len());
    match sa.transform.cipher {
        Cipher::Ccm => aead::ccm(key, nonce, &aad, text, icv_len, way),
        Cipher::Gmac => {
            // RFC 4543 section 3.3: IV and payload are additional data, and nothing is encrypted.
            let (_, icv) = aead::gcm(key, nonce, &[&aad, iv, text].concat(), &[], way);
            (text.to_vec(), icv)
        }
        _ => {
            let (out, mut icv) = aead::gcm(key, nonce, &aad, text, way);
            // NIST SP 800-38D section 7.1: the tag's leftmost bytes.
            icv.truncate(icv_len);
            (out, icv)
        }
    }
}

/// RFC 4106 section 5, RFC 4309 section 5 and RFC 7634 section 2.1: SPI and number; the number has 64 bits with ESN.
fn aad(sa: &SlowSa, high: [u8; 4], low: [u8; 4]) -> Vec<u8> {
    let high = if sa.esn { high.as_slice() } else { &[] };
    [&sa.spi.to_be_bytes(), high, &low].concat()
}

/// RFC 8750 section 4: the number in 64 bits, whose first half is zero without ESN.
fn implicit(sa: &SlowSa, high: [u8; 4], low: [u8; 4]) -> [u8; 8] {
    let high = if sa.esn { high } else { [0; 4] };
    [high, low].concat().try_into().expect("eight bytes")
}
