//! A cipher that no transform here uses, for comparison with figures of others.

use aes_gcm::KeyInit;
use ctr::cipher::{InnerIvInit, StreamCipherCore};
use ctr::{CtrCore, flavors};
use des::TdesEde3;

/// 3DES in counter mode, keyed once. It has no integrity and is no ESP transform: for benchmarks only.
#[derive(Clone)]
pub struct TripleDesCtr(TdesEde3);

impl TripleDesCtr {
    /// Three DES keys of 8 bytes, used as encrypt, decrypt, encrypt; parity bits are ignored.
    pub fn new(key: &[u8; 24]) -> Self {
        Self(TdesEde3::new(key.into()))
    }

    /// Encrypts or decrypts `data`, of any length below 2^64 blocks, in place. `iv` is the first counter block, and the
    /// counter all of its 64 bits, big-endian.
    pub fn apply(&self, iv: [u8; 8], data: &mut [u8]) {
        let keystream = CtrCore::<_, flavors::Ctr64BE>::inner_iv_init(&self.0, &iv.into());
        // A slice is shorter than 2^64 blocks, so the keystream cannot end before it.
        let _ = keystream.try_apply_keystream_partial(data.into());
    }
}

#[cfg(test)]
mod tests {
    use super::TripleDesCtr;

    /// Made with Python's `cryptography` (3DES of three counter blocks); the counter wraps after the first.
    #[test]
    fn known_answer() {
        let expected = [
            0x06, 0xd9, 0xb1, 0xea, 0x2f, 0x90, 0xae, 0xe3, 0xcf, 0xbf, 0x46, 0xc7, 0xc1, 0xbd, 0xdd, 0x0b,
            0x62, 0xd7, 0x8d, 0x05,
        ];
        let key: Vec<u8> = (1..25).collect();
        let cipher = TripleDesCtr::new(key.first_chunk().unwrap());
        let plain: Vec<u8> = (0..20).collect();
        let mut text = plain.clone();
        cipher.apply([0xff; 8], &mut text);
        assert_eq!(text, expected);
        cipher.apply([0xff; 8], &mut text);
        assert_eq!(text, plain);
    }
}
