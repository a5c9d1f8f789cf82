//! IV, ciphertext and ICV of one packet.

use super::{SlowError, SlowSa, SlowTransform};
use aes_gcm::aead::consts::U12;
use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes128Gcm, Aes256Gcm, AesGcm, aes::Aes192};
use chacha20poly1305::ChaCha20Poly1305;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// IV, ciphertext and ICV, as they follow the sequence number.
pub(super) fn protect(sa: &SlowSa, high: [u8; 4], low: [u8; 4], iv: [u8; 8], plaintext: &[u8]) -> Vec<u8> {
    if sa.transform == SlowTransform::NullHmacSha256_128 {
        return [plaintext, &hmac(sa, high, low, plaintext)].concat();
    }
    let sealed = aead(sa, Way::Seal, iv, Payload { msg: plaintext, aad: &aad(sa, high, low) });
    [iv.as_slice(), &sealed.expect("a packet is short")].concat()
}

/// The plaintext with its trailer; `rest` is what follows the sequence number.
pub(super) fn unprotect(sa: &SlowSa, high: [u8; 4], low: [u8; 4], rest: &[u8]) -> Result<Vec<u8>, SlowError> {
    if sa.transform == SlowTransform::NullHmacSha256_128 {
        let (plaintext, icv) = rest.split_last_chunk::<ICV_LEN>().ok_or(SlowError::TooShort)?;
        let right = hmac(sa, high, low, plaintext) == *icv;
        return if right { Ok(plaintext.to_vec()) } else { Err(SlowError::BadIcv) };
    }
    let (iv, sealed) = rest.split_first_chunk::<8>().ok_or(SlowError::TooShort)?;
    if sealed.len() < ICV_LEN {
        return Err(SlowError::TooShort);
    }
    aead(sa, Way::Open, *iv, Payload { msg: sealed, aad: &aad(sa, high, low) }).map_err(|_| SlowError::BadIcv)
}

/// RFC 4303 section 2.8: the ICV covers SPI, number, plaintext with trailer, and behind them the high half of
/// an ESN.
fn hmac(sa: &SlowSa, high: [u8; 4], low: [u8; 4], plaintext: &[u8]) -> [u8; ICV_LEN] {
    let mut covered = [sa.spi.to_be_bytes().as_slice(), &low, plaintext].concat();
    if sa.esn {
        covered.extend(high);
    }
    let mut mac = Hmac::<Sha256>::new_from_slice(&sa.key).expect("HMAC takes a key of any length");
    mac.update(&covered);
    *mac.finalize().into_bytes().first_chunk().expect("SHA-256 gives 32 bytes")
}

/// RFC 4106 section 5 and RFC 7634 section 2.1: SPI and number; the number has 64 bits with ESN.
fn aad(sa: &SlowSa, high: [u8; 4], low: [u8; 4]) -> Vec<u8> {
    let high = if sa.esn { high.as_slice() } else { &[] };
    [&sa.spi.to_be_bytes(), high, &low].concat()
}

/// RFC 4106 section 4 and RFC 7634 section 2: salt, then IV.
fn nonce(sa: &SlowSa, iv: [u8; 8]) -> [u8; 12] {
    let ([a, b, c, d], [e, f, g, h, i, j, k, l]) = (sa.salt, iv);
    [a, b, c, d, e, f, g, h, i, j, k, l]
}

/// Ciphertext and ICV of a plaintext, or the other way round.
fn aead(sa: &SlowSa, way: Way, iv: [u8; 8], text: Payload<'_, '_>) -> Result<Vec<u8>, aes_gcm::Error> {
    let nonce = nonce(sa, iv);
    match (sa.transform, sa.key.len()) {
        (SlowTransform::AesGcm16, 16) => run::<Aes128Gcm>(&sa.key, way, nonce, text),
        (SlowTransform::AesGcm16, 24) => run::<AesGcm<Aes192, U12>>(&sa.key, way, nonce, text),
        (SlowTransform::AesGcm16, 32) => run::<Aes256Gcm>(&sa.key, way, nonce, text),
        (SlowTransform::ChaCha20Poly1305, 32) => run::<ChaCha20Poly1305>(&sa.key, way, nonce, text),
        (transform, len) => panic!("{transform:?} has no key of {len} bytes"),
    }
}

fn run<A: Aead<NonceSize = U12> + KeyInit>(
    key: &[u8],
    way: Way,
    nonce: [u8; 12],
    text: Payload<'_, '_>,
) -> Result<Vec<u8>, aes_gcm::Error> {
    let cipher = A::new_from_slice(key).expect("the key has the cipher's length");
    match way {
        Way::Seal => cipher.encrypt(&nonce.into(), text),
        Way::Open => cipher.decrypt(&nonce.into(), text),
    }
}

#[derive(Clone, Copy)]
enum Way {
    Seal,
    Open,
}

/// Length in bytes of the ICV of every transform here.
const ICV_LEN: usize = 16;
