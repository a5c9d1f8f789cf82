//! The transforms: what a cipher and an integrity algorithm make together, and everything about them.

mod algorithms;
mod table;

use core::fmt;

pub use algorithms::{Cipher, CipherSpec, Integrity, IntegritySpec, Iv, Level};
pub use table::{LEGACY_NAMES, Transform};

impl Transform {
    /// The transform of that name; names are lower case and exact.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|transform| transform.name() == name)
    }

    /// The transform of these two algorithms; `None` if they do not go together.
    pub fn of(cipher: Cipher, integrity: Integrity) -> Option<Self> {
        let made_of = |transform: &Self| {
            transform.cipher().cipher == cipher && transform.integrity().integrity == integrity
        };
        Self::ALL.iter().copied().find(made_of)
    }

    /// Keying material in bytes, as IKE hands it over: key of the cipher, its salt, key of the separate MAC.
    ///
    /// RFC 7296 section 2.17: the encryption key comes first, the integrity key behind it.
    pub const fn key_len(self) -> usize {
        self.cipher_key_len() + self.integrity().key_len
    }

    /// Whether keying material of the right length makes the cipher a weaker one: 3DES with two of its keys the same in a
    /// row is DES. Parity bits do not count.
    /// RFC 2451 section 2.3 has such keys rejected.
    pub fn is_degenerate(self, keys: &[u8]) -> bool {
        let same =
            |one: &[u8], other: &[u8]| one.iter().zip(other).all(|(one, other)| (one ^ other) & 0xfe == 0);
        let key = keys.get(..24).filter(|_| self.cipher().cipher == Cipher::TripleDesCbc);
        key.is_some_and(|key| key.chunks(8).zip(key.chunks(8).skip(1)).any(|(one, other)| same(one, other)))
    }

    /// Bytes of the keying material that are the cipher's: its key, then the salt.
    pub const fn cipher_key_len(self) -> usize {
        self.cipher().key_len + self.cipher().salt_len
    }

    /// Bytes of salt behind the cipher's key; never sent. What RFC 3686 calls the nonce is one.
    pub const fn salt_len(self) -> usize {
        self.cipher().salt_len
    }

    /// Bytes of IV in the packet, after the sequence number.
    pub const fn iv_len(self) -> usize {
        self.cipher().iv_len
    }

    /// Bytes of ICV at the end of the packet.
    pub const fn icv_len(self) -> usize {
        self.cipher().icv_len + self.integrity().icv_len
    }

    /// Payload with its trailer is padded to a multiple of this many bytes (RFC 4303 section 2.4).
    pub const fn align(self) -> usize {
        self.cipher().align
    }

    /// How strongly RFC 8221 asks for it: as for the weaker of its two algorithms.
    pub const fn level(self) -> Level {
        let (cipher, integrity) = (self.cipher().level, self.integrity().level);
        if cipher as u8 > integrity as u8 { cipher } else { integrity }
    }

    /// Whether only peers that cannot do better need it: behind the cargo feature `legacy`, and refused unless the SA
    /// says so as well.
    pub const fn is_legacy(self) -> bool {
        let none = self.integrity().icv_len == 0 && !self.is_combined();
        self.cipher().legacy || self.integrity().legacy || none
    }

    /// Whether one algorithm encrypts and authenticates (RFC 4303 section 3.2.3).
    pub const fn is_combined(self) -> bool {
        self.cipher().icv_len > 0
    }
}

impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;
