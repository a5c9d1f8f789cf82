//! Separate MACs, whole: what a packet carries is their first bytes.

use md5::Md5;
use sha1::Sha1;
use sha2::digest::Digest;
use sha2::{Sha256, Sha384, Sha512};

use super::block::{Block, xor};
use super::transform::Mac;

/// The MAC of `message`; nothing where there is none.
pub(super) fn mac(mac: Mac, key: &[u8], message: &[u8]) -> Vec<u8> {
    match mac {
        Mac::None => Vec::new(),
        Mac::HmacMd5 => hmac::<Md5>(64, key, message),
        Mac::HmacSha1 => hmac::<Sha1>(64, key, message),
        Mac::HmacSha256 | Mac::HmacSha256_96 => hmac::<Sha256>(64, key, message),
        Mac::HmacSha384 => hmac::<Sha384>(128, key, message),
        Mac::HmacSha512 => hmac::<Sha512>(128, key, message),
        Mac::Xcbc => xcbc(key, message),
        Mac::Cmac => cmac(key, message),
    }
}

/// RFC 2104 section 2: H(K XOR opad, H(K XOR ipad, text)); `block_len` is what the hash takes at a time, in bytes.
fn hmac<H: Digest>(block_len: usize, key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut key = if key.len() > block_len { H::digest(key).to_vec() } else { key.to_vec() };
    key.resize(block_len, 0);
    let inner = H::digest([xor(&key, &vec![0x36; block_len]).as_slice(), text].concat());
    H::digest([xor(&key, &vec![0x5c; block_len]).as_slice(), &inner].concat()).to_vec()
}

/// RFC 3566 section 4: CBC-MAC under K1, the last block with K2 if it is whole, and else padded and with K3.
fn xcbc(key: &[u8], message: &[u8]) -> Vec<u8> {
    let aes = Block::aes(key);
    let [k1, k2, k3] = [1, 2, 3].map(|n| aes.block16([n; 16]));
    cbc_mac(&Block::aes(&k1), message, k2, k3)
}

/// RFC 4493 section 2.4: the same, with subkeys that are doubled from the cipher of zero (section 2.3).
fn cmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    let aes = Block::aes(key);
    let k1 = double(aes.block16([0; 16]));
    cbc_mac(&aes, message, k1, double(k1))
}

fn cbc_mac(aes: &Block, message: &[u8], whole: [u8; 16], padded: [u8; 16]) -> Vec<u8> {
    let last_at = message.len().saturating_sub(1) / 16 * 16;
    let (head, last) = message.split_at(last_at);
    let last = if last.len() == 16 {
        xor(last, &whole)
    } else {
        let mut block = [last, &[0x80]].concat();
        block.resize(16, 0);
        xor(&block, &padded)
    };
    let chained = head.chunks(16).fold(vec![0; 16], |sum, block| aes.encrypt(&xor(&sum, block)));
    aes.encrypt(&xor(&chained, &last))
}

/// Times x in GF(2^128) as CMAC reads it.
fn double(block: [u8; 16]) -> [u8; 16] {
    let number = u128::from_be_bytes(block);
    let carry = if number >> 127 == 1 { 0x87 } else { 0 };
    (number << 1 ^ carry).to_be_bytes()
}
