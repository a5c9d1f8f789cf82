//! ESP transforms: keys in once, bursts of jobs through.
//!
//! A [`SealKey`] or [`OpenKey`] is made when an SA is installed: [`Transform`] and [`Tier`] are chosen there,
//! key schedules and MAC midstates are computed there, and never again. After that [`seal_burst`] and
//! [`open_burst`] work in place on whole ESP packets, up to a burst of them a call, without allocating,
//! panicking or making a system call. Keys are shared read-only by all threads (`Send + Sync`).
//!
//! # The packet a job shows
//!
//! From the first byte of the SPI to the last byte of the ICV, contiguous, padding and trailer already
//! written. Sequence numbers and the IV are the caller's; sealing writes the payload and the ICV only.
//!
//! ```text
//! esp = SPI(4) | sequence number, low(4) | IV(iv_len) | payload | ICV(icv_len)
//!                                                       ^ ends with the ESP trailer
//! ```
//!
//! # Transforms
//!
//! [`Transform::ALL`] is the table; its lengths, by what a name begins or ends with, in bytes. Of several rows the first
//! that fits holds.
//!
//! | cipher              | salt | IV | align | RFC  |
//! |---------------------|------|----|-------|------|
//! | `aes-*-gcm-16-iiv`  | 4    | 0  | 4     | 8750 |
//! | `aes-*-gcm-*`       | 4    | 8  | 4     | 4106 |
//! | `aes-*-ccm-8-iiv`   | 3    | 0  | 4     | 8750 |
//! | `aes-*-ccm-*`       | 3    | 8  | 4     | 4309 |
//! | `chacha20-*-iiv`    | 4    | 0  | 4     | 8750 |
//! | `chacha20-poly1305` | 4    | 8  | 4     | 7634 |
//! | `aes-*-gmac`        | 4    | 8  | 4     | 4543 |
//! | `aes-*-cbc-*`       | 0    | 16 | 16    | 3602 |
//! | `aes-*-ctr-*`       | 4    | 8  | 4     | 3686 |
//! | `null-*`            | 0    | 0  | 4     | 2410 |
//! | `3des-cbc-*`        | 0    | 8  | 8     | 2451 |
//! | `des-cbc-*`         | 0    | 8  | 8     | 2405 |
//!
//! | MAC                 | key | ICV | RFC  |
//! |---------------------|-----|-----|------|
//! | `*-hmac-sha1-96`    | 20  | 12  | 2404 |
//! | `*-hmac-sha256-128` | 32  | 16  | 4868 |
//! | `*-hmac-sha384-192` | 48  | 24  | 4868 |
//! | `*-hmac-sha512-256` | 64  | 32  | 4868 |
//! | `*-aes-xcbc-96`     | 16  | 12  | 3566 |
//! | `*-aes-cmac-96`     | 16  | 12  | 4494 |
//! | `*-hmac-md5-96`     | 16  | 12  | 2403 |
//! | `*-hmac-sha256-96`  | 32  | 12  | 0    |
//! | `*-none`            | 0   | 0   | 0    |
//!
//! The rows of DES, 3DES, MD5, SHA-256 cut to 96 bits, and no integrity at all, need the cargo feature `legacy`.
//! Keying material is the cipher's key, its salt, then the MAC's key, and exactly as long as they are.
//!
//! A combined mode (no MAC in the name):
//!
//! | what     | without ESN                     | with ESN (`seq_hi` is `Some`)                     |
//! |----------|---------------------------------|---------------------------------------------------|
//! | nonce    | salt \| IV(8)                   | the same                                          |
//! | `iiv` IV | zero(4) \| seq low(4), not sent | seq high(4) \| seq low(4), not sent               |
//! | AAD      | SPI(4) \| seq low(4)            | SPI(4) \| seq high(4) \| seq low(4)               |
//! | of GMAC  | AAD \| IV \| payload            | the same; nothing is encrypted                    |
//!
//! A cipher with a separate MAC encrypts the payload and then writes the ICV over SPI to the end of the payload and,
//! with ESN, the four bytes of the high half behind it, which are not sent. CTR starts its counter at salt | IV | 1. CBC
//! takes whole blocks and knows no padding but ESP's. All numbers are in network byte order.
//!
//! # Bursts
//!
//! A combined mode is one kernel, a cipher and a separate MAC are one each, so that there are as many kernels as
//! algorithms and not as pairs; a burst is passed over once for each kernel in it. Sealing runs the ciphers before the
//! MACs, and opening the MACs before the ciphers: a cipher sees only what verified.
//!
//! # Tiers
//!
//! | tier       | serves                                                                              |
//! |------------|-------------------------------------------------------------------------------------|
//! | `ring`     | AES-GCM with 128 and 256 bits and an ICV of 16 bytes, ChaCha20-Poly1305; also `iiv` |
//! | `portable` | all but ChaCha20-Poly1305                                                           |
//!
//! `ring` is the library of that name, and `portable` are RustCrypto's. Both look at the CPU themselves at run time: see
//! [`Tiers`] for what denying a CPU feature does.
//!
//! # Failure
//!
//! A packet that does not authenticate is [`JobError::AuthFailed`], whatever the transform, and no plaintext
//! of it is left in the buffer: under a combined mode the payload is then either the ciphertext that came in or all
//! zero, under a separate MAC nothing was touched. ICVs are compared in constant time, all of their length, which is the
//! SA's. An authentic packet that its cipher cannot take is [`JobError::BadLength`].
//!
//! # Keys in memory
//!
//! [`KeyMaterial`] is wiped when dropped, and so is the keyed state of the `portable` tier: key schedules, hash keys and
//! midstates, and their copies on the stack of one packet. What is not:
//!
//! - a `ring` key: the library has no way to wipe it. It leaves the schedule behind in the memory it lived in, and copies
//!   on the stack of the thread that made or moved it. Whoever owns the memory overwrites it; [`SealKey`] and [`OpenKey`]
//!   hold it inline for that.
//! - salts: they are no secrets that RFC 4106 or RFC 3686 rely on, and lie inline as well.
//! - what a library left on the stack or in registers while it expanded a key.
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod burst;
mod kernel;
mod key;
mod key_material;
#[cfg(feature = "legacy")]
#[doc(hidden)]
pub mod legacy;
mod packet;
mod self_test;
mod tiers;
mod transform;

pub use burst::{JobError, OpenJob, SealJob, open_burst, seal_burst};
pub use key::{KeyError, OpenKey, SealKey};
pub use key_material::KeyMaterial;
pub use self_test::{SelfTestOutcome, self_test};
pub use tiers::{CpuFeature, Tier, Tiers};
pub use transform::{Cipher, CipherSpec, Integrity, IntegritySpec, Iv, LEGACY_NAMES, Level, Transform};
