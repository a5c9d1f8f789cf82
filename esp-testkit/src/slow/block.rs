//! Block ciphers, a block at a time, and the two modes that only chain them.

use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use des::Des;

/// A keyed block cipher.
pub(super) enum Block {
    Aes128(Aes128),
    Aes192(Aes192),
    Aes256(Aes256),
    Des(Des),
    TripleDes([Des; 3]),
}

impl Block {
    pub(super) fn aes(key: &[u8]) -> Self {
        match key.len() {
            16 => Self::Aes128(keyed(key)),
            24 => Self::Aes192(keyed(key)),
            32 => Self::Aes256(keyed(key)),
            len => panic!("AES has no key of {len} bytes"),
        }
    }

    pub(super) fn des(key: &[u8]) -> Self {
        Self::Des(keyed(key))
    }

    pub(super) fn triple_des(key: &[u8]) -> Self {
        let (one, rest) = key.split_at(8);
        let (two, three) = rest.split_at(8);
        Self::TripleDes([keyed(one), keyed(two), keyed(three)])
    }

    /// In bytes.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Aes128(_) | Self::Aes192(_) | Self::Aes256(_) => 16,
            Self::Des(_) | Self::TripleDes(_) => 8,
        }
    }

    pub(super) fn encrypt(&self, block: &[u8]) -> Vec<u8> {
        match self {
            Self::Aes128(key) => encrypt(key, block),
            Self::Aes192(key) => encrypt(key, block),
            Self::Aes256(key) => encrypt(key, block),
            Self::Des(key) => encrypt(key, block),
            // RFC 2451 section 2.4 (EDE): encrypt, decrypt, encrypt.
            Self::TripleDes([one, two, three]) => encrypt(three, &decrypt(two, &encrypt(one, block))),
        }
    }

    pub(super) fn decrypt(&self, block: &[u8]) -> Vec<u8> {
        match self {
            Self::Aes128(key) => decrypt(key, block),
            Self::Aes192(key) => decrypt(key, block),
            Self::Aes256(key) => decrypt(key, block),
            Self::Des(key) => decrypt(key, block),
            Self::TripleDes([one, two, three]) => decrypt(one, &encrypt(two, &decrypt(three, block))),
        }
    }

    /// One AES block.
    pub(super) fn block16(&self, block: [u8; 16]) -> [u8; 16] {
        self.encrypt(&block).try_into().expect("AES has blocks of 16 bytes")
    }

    /// RFC 3602 section 2.1: each block is encrypted after the ciphertext before it, or the IV, is added. What is left
    /// over whole blocks stays in clear: no cipher defines it, and a receiver must refuse it.
    pub(super) fn cbc_encrypt(&self, iv: &[u8], plaintext: &[u8]) -> Vec<u8> {
        let mut last = iv.to_vec();
        let mut ciphertext = Vec::new();
        let mut blocks = plaintext.chunks_exact(self.len());
        for block in blocks.by_ref() {
            last = self.encrypt(&xor(block, &last));
            ciphertext.extend(&last);
        }
        ciphertext.extend(blocks.remainder());
        ciphertext
    }

    /// `None` unless these are whole blocks.
    pub(super) fn cbc_decrypt(&self, iv: &[u8], ciphertext: &[u8]) -> Option<Vec<u8>> {
        let mut last = iv;
        let mut plaintext = Vec::new();
        let blocks = ciphertext.chunks_exact(self.len());
        if !blocks.remainder().is_empty() {
            return None;
        }
        for block in blocks {
            plaintext.extend(xor(&self.decrypt(block), last));
            last = block;
        }
        Some(plaintext)
    }

    /// Adds the encrypted counters to `text`: the last four bytes of `first` count up, in network byte order.
    pub(super) fn counter(&self, first: [u8; 16], text: &[u8]) -> Vec<u8> {
        let [head @ .., a, b, c, d] = first;
        let mut number = u32::from_be_bytes([a, b, c, d]);
        let mut out = Vec::new();
        for chunk in text.chunks(16) {
            let block = [head.as_slice(), &number.to_be_bytes()].concat();
            out.extend(xor(chunk, &self.encrypt(&block)));
            number = number.wrapping_add(1);
        }
        out
    }
}

/// As long as the shorter one.
pub(super) fn xor(a: &[u8], b: &[u8]) -> Vec<u8> {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

fn keyed<C: KeyInit>(key: &[u8]) -> C {
    C::new_from_slice(key).expect("a key of the cipher's length")
}

fn encrypt<C: BlockCipherEncrypt>(key: &C, block: &[u8]) -> Vec<u8> {
    let mut block = block.try_into().expect("one block");
    key.encrypt_block(&mut block);
    block.to_vec()
}

fn decrypt<C: BlockCipherDecrypt>(key: &C, block: &[u8]) -> Vec<u8> {
    let mut block = block.try_into().expect("one block");
    key.decrypt_block(&mut block);
    block.to_vec()
}
