//! A library that decrypts before it verifies, and leaves what it decrypted.

use aes_gcm::aead::array::Array;
use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::aead::{AeadCore, AeadInOut, Error, TagPosition};
use aes_gcm::{Key, KeyInit, KeySizeUser};

use crate::kernel::aead::Aead;
use crate::kernel::rustcrypto_aead::RustCryptoAead;
use crate::packet::Nonce12;

#[test]
fn b25_a_library_that_leaves_plaintext_is_cleaned_up_after() {
    let aead = RustCryptoAead::<Leaky, Nonce12>::new(&[0; 16]).unwrap();
    let mut payload = *b"ciphertext, really";
    assert_eq!(aead.open([0; 12], &[], &mut payload, &[0; 16]), None);
    assert_eq!(payload, [0; 18]);
}

struct Leaky;

impl KeySizeUser for Leaky {
    type KeySize = U16;
}

impl KeyInit for Leaky {
    fn new(_: &Key<Self>) -> Self {
        Self
    }
}

impl AeadCore for Leaky {
    type NonceSize = U12;
    type TagSize = U16;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl AeadInOut for Leaky {
    fn encrypt_inout_detached(
        &self,
        _: &Array<u8, U12>,
        _: &[u8],
        _: InOutBuf<'_, '_, u8>,
    ) -> Result<Array<u8, U16>, Error> {
        Err(Error)
    }

    fn decrypt_inout_detached(
        &self,
        _: &Array<u8, U12>,
        _: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
        _: &Array<u8, U16>,
    ) -> Result<(), Error> {
        buffer.get_out().fill(b'p');
        Err(Error)
    }
}
