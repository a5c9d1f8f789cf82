//! Combined modes: ciphertext and ICV out of key, nonce, additional data and plaintext.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Nonce};

use super::block::{Block, xor};

/// NIST SP 800-38D section 7.1 with a nonce of 12 bytes: ciphertext, and the whole tag of 16.
pub(super) fn gcm(key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8], way: Way) -> (Vec<u8>, Vec<u8>) {
    let aes = Block::aes(key);
    let first = |number: u8| block([nonce, &[0, 0, 0, number]]);
    let out = aes.counter(first(2), text);
    let ciphertext = if way == Way::Seal { &out } else { text };
    let sum = ghash(aes.block16([0; 16]), aad, ciphertext);
    let tag = xor(&sum, &aes.block16(first(1)));
    (out, tag)
}

/// SP 800-38D section 6.4: additional data, ciphertext and both lengths in bits, each padded to whole blocks.
fn ghash(h: [u8; 16], aad: &[u8], ciphertext: &[u8]) -> [u8; 16] {
    let bits = |bytes: &[u8]| (bytes.len() as u64 * 8).to_be_bytes();
    let lengths = [bits(aad), bits(ciphertext)].concat();
    let h = u128::from_be_bytes(h);
    let blocks = aad.chunks(16).chain(ciphertext.chunks(16)).chain([lengths.as_slice()]);
    blocks.fold(0, |sum, chunk| times(sum ^ u128::from_be_bytes(padded(chunk)), h)).to_be_bytes()
}

/// SP 800-38D section 6.3: the product in GF(2^128), bit by bit; the leftmost bit is the coefficient of 1.
fn times(x: u128, y: u128) -> u128 {
    const R: u128 = 0xe1 << 120;
    let (mut z, mut v) = (0, y);
    for bit in (0..128).rev() {
        if x >> bit & 1 == 1 {
            z ^= v;
        }
        v = v >> 1 ^ if v & 1 == 1 { R } else { 0 };
    }
    z
}

/// RFC 3610 with a nonce of 11 bytes, so that lengths and counters take four: ciphertext, and `icv_len` bytes of tag.
pub(super) fn ccm(
    key: &[u8],
    nonce: &[u8],
    aad: &[u8],
    text: &[u8],
    icv_len: usize,
    way: Way,
) -> (Vec<u8>, Vec<u8>) {
    let aes = Block::aes(key);
    let length_field = 15 - nonce.len();
    let flags = u8::try_from(length_field - 1).expect("a small number");
    let first = |number: u8| block([&[flags], nonce, &[0, 0, 0, number]]);
    let out = aes.counter(first(1), text);
    let plaintext = if way == Way::Seal { text } else { &out };

    // Section 2.2: B_0 tells whether there is additional data, the length of the tag, and that of the message.
    let has_aad = if aad.is_empty() { 0 } else { 0x40 };
    let about_tag = u8::try_from((icv_len - 2) / 2 * 8).expect("a small number");
    let length = u32::try_from(plaintext.len()).expect("a packet's length").to_be_bytes();
    let b0 = block([&[has_aad | about_tag | flags], nonce, &length]);
    let aad_len = u16::try_from(aad.len()).expect("a few bytes").to_be_bytes();
    let additional = if aad.is_empty() { Vec::new() } else { [&aad_len, aad].concat() };
    let blocks = [b0.as_slice()].into_iter().chain(additional.chunks(16)).chain(plaintext.chunks(16));
    let sum = blocks.fold([0; 16], |sum, chunk| aes.block16(block([&xor(&sum, &padded(chunk))])));
    let tag = xor(&sum, &aes.block16(first(0)));
    (out, tag[..icv_len].to_vec())
}

/// RFC 8439 section 2.8, by a library: the engine has it from another.
pub(super) fn chacha_seal(key: &[u8], nonce: &[u8], aad: &[u8], plaintext: &[u8]) -> Vec<u8> {
    chacha(key).encrypt(&chacha_nonce(nonce), Payload { msg: plaintext, aad }).expect("a packet is short")
}

/// `None` if the tag at the end of `sealed` is wrong.
pub(super) fn chacha_open(key: &[u8], nonce: &[u8], aad: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
    chacha(key).decrypt(&chacha_nonce(nonce), Payload { msg: sealed, aad }).ok()
}

fn chacha(key: &[u8]) -> ChaCha20Poly1305 {
    ChaCha20Poly1305::new_from_slice(key).expect("a key of 32 bytes")
}

fn chacha_nonce(nonce: &[u8]) -> Nonce {
    Nonce::try_from(nonce).expect("a nonce of 12 bytes")
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Seal,
    Open,
}

fn block<const N: usize>(parts: [&[u8]; N]) -> [u8; 16] {
    parts.concat().try_into().expect("one block")
}

/// Zeros behind it, up to a block.
fn padded(chunk: &[u8]) -> [u8; 16] {
    let mut block = [0; 16];
    block[..chunk.len()].copy_from_slice(chunk);
    block
}
