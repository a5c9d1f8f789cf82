//! The table of kernels, and the dispatch of a burst to one of them.

use aes::{Aes128, Aes192, Aes256};
use aes_gcm::aead::consts::{U8, U12, U16};
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};

use super::aead::AeadKernel;
use super::cipher::{AesCbc, AesCtr};
#[cfg(feature = "legacy")]
use super::cipher::{DesCbc, TripleDesCbc};
use super::gmac::Gmac;
use super::mac::{AesMac, HmacMac};
use super::ring_aead::RingAead;
use super::rustcrypto_aead::{Ccm, Gcm};
use super::{Kernel, NullTwin, Work};

macro_rules! kernels {
    (
        combined { $($Combined:ident($CombinedKey:ty),)* }
        ciphers { $($(#[$cipher_on:meta])* $Cipher:ident($CipherKey:ty),)* }
        macs { $($(#[$mac_on:meta])* $Mac:ident($MacKey:ty),)* }
    ) => {
        /// Keyed state of an SA.
        pub(crate) enum State {
            $($Combined($CombinedKey),)*
            Separate { cipher: CipherState, mac: MacState },
        }

        /// Keyed state of a cipher beside a separate MAC.
        pub(crate) enum CipherState {
            Null,
            $($(#[$cipher_on])* $Cipher($CipherKey),)*
        }

        /// Keyed state of a separate MAC.
        pub(crate) enum MacState {
            #[cfg(feature = "legacy")]
            None,
            $($(#[$mac_on])* $Mac($MacKey),)*
        }

        /// Names a kernel in a [`KernelSet`](super::KernelSet).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum KernelId {
            $($Combined,)*
            $($(#[$cipher_on])* $Cipher,)*
            $($(#[$mac_on])* $Mac,)*
        }

        impl KernelId {
            pub(crate) const ALL: &[Self] = &[
                $(Self::$Combined,)*
                $($(#[$cipher_on])* Self::$Cipher,)*
                $($(#[$mac_on])* Self::$Mac,)*
            ];

            /// A cipher beside a separate MAC: before the MAC in sealing, after it in opening.
            pub(crate) const fn is_cipher(self) -> bool {
                match self {
                    $($(#[$cipher_on])* Self::$Cipher => true,)*
                    _ => false,
                }
            }

            /// One pass: seals what of `work` this kernel serves and nothing has failed yet.
            pub(crate) fn seal<'w>(self, work: impl Iterator<Item = Work<'w, State>>) {
                match self {
                    $(Self::$Combined => Kernel::seal_burst(of_kernel!(work, key, State::$Combined(key))),)*
                    $($(#[$cipher_on])* Self::$Cipher => Kernel::seal_burst(of_kernel!(
                        work, key, State::Separate { cipher: CipherState::$Cipher(key), .. }
                    )),)*
                    $($(#[$mac_on])* Self::$Mac => Kernel::seal_burst(of_kernel!(
                        work, key, State::Separate { mac: MacState::$Mac(key), .. }
                    )),)*
                }
            }

            /// One pass: opens what of `work` this kernel serves and nothing has failed yet.
            pub(crate) fn open<'w>(self, work: impl Iterator<Item = Work<'w, State>>) {
                match self {
                    $(Self::$Combined => Kernel::open_burst(of_kernel!(work, key, State::$Combined(key))),)*
                    $($(#[$cipher_on])* Self::$Cipher => Kernel::open_burst(of_kernel!(
                        work, key, State::Separate { cipher: CipherState::$Cipher(key), .. }
                    )),)*
                    $($(#[$mac_on])* Self::$Mac => Kernel::open_burst(of_kernel!(
                        work, key, State::Separate { mac: MacState::$Mac(key), .. }
                    )),)*
                }
            }
        }

        impl State {
            /// The kernels that its packets go through: one, or the cipher's and the MAC's.
            pub(super) fn kernels(&self) -> [Option<KernelId>; 2] {
                match self {
                    $(Self::$Combined(_) => [Some(KernelId::$Combined), None],)*
                    Self::Separate { cipher, mac } => [cipher.kernel(), mac.kernel()],
                }
            }
        }

        impl CipherState {
            fn kernel(&self) -> Option<KernelId> {
                match self {
                    Self::Null => None,
                    $($(#[$cipher_on])* Self::$Cipher(_) => Some(KernelId::$Cipher),)*
                }
            }
        }

        impl MacState {
            fn kernel(&self) -> Option<KernelId> {
                match self {
                    #[cfg(feature = "legacy")]
                    Self::None => None,
                    $($(#[$mac_on])* Self::$Mac(_) => Some(KernelId::$Mac),)*
                }
            }
        }
    };
}

macro_rules! of_kernel {
    ($work:ident, $key:ident, $pattern:pat) => {
        $work.filter(|work| work.result.is_ok()).filter_map(|work| match work.key {
            $pattern => {
                let Work { lens, esp, seq_hi, result, .. } = work;
                Some(Work { key: $key, lens, esp, seq_hi, result })
            }
            _ => None,
        })
    };
}

kernels! {
    combined {
        RingGcm(AeadKernel<RingAead, 16>),
        RingChaCha(AeadKernel<RingAead, 16>),
        Gcm128Icv16(AeadKernel<Gcm<Aes128, U16>, 16>),
        Gcm128Icv12(AeadKernel<Gcm<Aes128, U12>, 12>),
        Gcm128Icv8(AeadKernel<Gcm<Aes128, U8>, 8>),
        Gcm192Icv16(AeadKernel<Gcm<Aes192, U16>, 16>),
        Gcm192Icv12(AeadKernel<Gcm<Aes192, U12>, 12>),
        Gcm192Icv8(AeadKernel<Gcm<Aes192, U8>, 8>),
        Gcm256Icv16(AeadKernel<Gcm<Aes256, U16>, 16>),
        Gcm256Icv12(AeadKernel<Gcm<Aes256, U12>, 12>),
        Gcm256Icv8(AeadKernel<Gcm<Aes256, U8>, 8>),
        Ccm128Icv16(AeadKernel<Ccm<Aes128, U16>, 16>),
        Ccm128Icv12(AeadKernel<Ccm<Aes128, U12>, 12>),
        Ccm128Icv8(AeadKernel<Ccm<Aes128, U8>, 8>),
        Ccm192Icv16(AeadKernel<Ccm<Aes192, U16>, 16>),
        Ccm192Icv12(AeadKernel<Ccm<Aes192, U12>, 12>),
        Ccm192Icv8(AeadKernel<Ccm<Aes192, U8>, 8>),
        Ccm256Icv16(AeadKernel<Ccm<Aes256, U16>, 16>),
        Ccm256Icv12(AeadKernel<Ccm<Aes256, U12>, 12>),
        Ccm256Icv8(AeadKernel<Ccm<Aes256, U8>, 8>),
        Gmac128(Gmac<Gcm<Aes128, U16>>),
        Gmac192(Gmac<Gcm<Aes192, U16>>),
        Gmac256(Gmac<Gcm<Aes256, U16>>),
        NullTwin(NullTwin),
    }
    ciphers {
        AesCbc128(AesCbc<Aes128>),
        AesCbc192(AesCbc<Aes192>),
        AesCbc256(AesCbc<Aes256>),
        AesCtr128(AesCtr<aes::Aes128Enc>),
        AesCtr192(AesCtr<aes::Aes192Enc>),
        AesCtr256(AesCtr<aes::Aes256Enc>),
        #[cfg(feature = "legacy")]
        TripleDesCbc(TripleDesCbc),
        #[cfg(feature = "legacy")]
        DesCbc(DesCbc),
    }
    macs {
        HmacSha1(HmacMac<Sha1>),
        HmacSha256(HmacMac<Sha256>),
        HmacSha384(HmacMac<Sha384>),
        HmacSha512(HmacMac<Sha512>),
        AesMac(AesMac),
        #[cfg(feature = "legacy")]
        HmacMd5(HmacMac<md5::Md5>),
    }
}

/// A slot for a key holds `ring`'s AES-GCM state, the largest that is not boxed.
const _: () = assert!(size_of::<State>() <= 576, "a state is too large for its slot");
const _: () = assert!(KernelId::ALL.len() < 64, "a kernel set has 64 bits");
