//! The combined modes of all kernels behind one interface.

use aes::{Aes128, Aes192, Aes256};
use aes_gcm::aead::consts::{U8, U12, U16};
use ring::aead::{AES_128_GCM, AES_256_GCM, CHACHA20_POLY1305};

use crate::kernel::aead::Aead;
use crate::kernel::ring_aead::RingAead;
use crate::kernel::rustcrypto_aead::{Ccm, Gcm, RustCryptoAead};

pub(super) trait AnyAead {
    /// The tag; `text` is encrypted. `None` if the nonce has not the length of the kernel's.
    fn seal(&self, nonce: &[u8], aad: &[u8], text: &mut [u8]) -> Option<Vec<u8>>;

    fn open(&self, nonce: &[u8], aad: &[u8], text: &mut [u8], tag: &[u8]) -> Option<()>;
}

struct Sized<A, const ICV: usize>(A);

impl<A: Aead<ICV>, const ICV: usize> AnyAead for Sized<A, ICV>
where
    A::Nonce: for<'a> TryFrom<&'a [u8]>,
{
    fn seal(&self, nonce: &[u8], aad: &[u8], text: &mut [u8]) -> Option<Vec<u8>> {
        let mut tag = [0; ICV];
        self.0.seal(nonce.try_into().ok()?, aad, text, &mut tag)?;
        Some(tag.to_vec())
    }

    fn open(&self, nonce: &[u8], aad: &[u8], text: &mut [u8], tag: &[u8]) -> Option<()> {
        self.0.open(nonce.try_into().ok()?, aad, text, tag.try_into().ok()?)
    }
}

/// Every kernel for that cipher, key and tag, on every tier.
pub(super) fn aeads(cipher: &str, key: &[u8], tag_len: usize) -> Vec<Box<dyn AnyAead>> {
    macro_rules! sized {
        ($($Aead:ident<$Aes:ident>),*) => {
            match tag_len {
                $(16 if key.len() == $Aes::KEY => boxed::<_, 16>(RustCryptoAead::new(key).map(|a: $Aead<$Aes, U16>| a)),
                12 if key.len() == $Aes::KEY => boxed::<_, 12>(RustCryptoAead::new(key).map(|a: $Aead<$Aes, U12>| a)),
                8 if key.len() == $Aes::KEY => boxed::<_, 8>(RustCryptoAead::new(key).map(|a: $Aead<$Aes, U8>| a)),)*
                _ => None,
            }
        };
    }
    let ring = match (cipher, key.len(), tag_len) {
        ("aes-gcm", 16, 16) => boxed::<_, 16>(RingAead::new(&AES_128_GCM, key)),
        ("aes-gcm", 32, 16) => boxed::<_, 16>(RingAead::new(&AES_256_GCM, key)),
        ("chacha20-poly1305", 32, 16) => boxed::<_, 16>(RingAead::new(&CHACHA20_POLY1305, key)),
        _ => None,
    };
    let portable = match cipher {
        "aes-gcm" => sized!(Gcm<Aes128>, Gcm<Aes192>, Gcm<Aes256>),
        "aes-ccm" => sized!(Ccm<Aes128>, Ccm<Aes192>, Ccm<Aes256>),
        _ => None,
    };
    ring.into_iter().chain(portable).collect()
}

trait KeyLen {
    const KEY: usize;
}

impl KeyLen for Aes128 {
    const KEY: usize = 16;
}

impl KeyLen for Aes192 {
    const KEY: usize = 24;
}

impl KeyLen for Aes256 {
    const KEY: usize = 32;
}

fn boxed<A, const ICV: usize>(aead: Option<A>) -> Option<Box<dyn AnyAead>>
where
    A: Aead<ICV> + 'static,
    A::Nonce: for<'a> TryFrom<&'a [u8]>,
{
    aead.map(|aead| Box::new(Sized::<A, ICV>(aead)) as Box<dyn AnyAead>)
}
