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
//! | name                   | key_len      | salt_len | iv_len | icv_len | align | RFC        |
//! |------------------------|--------------|----------|--------|---------|-------|------------|
//! | `aes-128-gcm-16`       | 20 = 16 + 4  | 4        | 8      | 16      | 4     | 4106       |
//! | `aes-192-gcm-16`       | 28 = 24 + 4  | 4        | 8      | 16      | 4     | 4106       |
//! | `aes-256-gcm-16`       | 36 = 32 + 4  | 4        | 8      | 16      | 4     | 4106       |
//! | `chacha20-poly1305`    | 36 = 32 + 4  | 4        | 8      | 16      | 4     | 7634       |
//! | `null-hmac-sha256-128` | 32           | 0        | 0      | 16      | 4     | 2410, 4868 |
//!
//! What follows from the lengths, for the combined-mode transforms (the first four):
//!
//! | what    | without ESN                     | with ESN (`seq_hi` is `Some`)                     |
//! |---------|---------------------------------|---------------------------------------------------|
//! | nonce   | salt(4) \| IV(8)                | the same                                          |
//! | AAD     | SPI(4) \| seq low(4): 8 bytes   | SPI(4) \| seq high(4) \| seq low(4): 12 bytes     |
//! | ciphered| payload                         | the same                                          |
//!
//! and for the separate MAC (`null-hmac-sha256-128`): the ICV covers SPI to the end of the payload and, with
//! ESN, then the four bytes of the high half, which are not sent. All numbers are in network byte order.
//!
//! # Tiers
//!
//! | tier       | AES-GCM 128, 256 | AES-GCM 192 | ChaCha20-Poly1305 | NULL + HMAC |
//! |------------|------------------|-------------|-------------------|-------------|
//! | `ring`     | yes              | no          | yes               | yes         |
//! | `portable` | yes              | yes         | no                | no          |
//!
//! `ring` is the library of that name; `portable` is RustCrypto's `aes-gcm`. Both look at the CPU themselves
//! at run time, and so does the `portable` tier: see [`Tiers`] for what denying a CPU feature does.
//!
//! # Failure
//!
//! A packet that does not authenticate is [`JobError::AuthFailed`], whatever the transform, and no plaintext
//! of it is left in the buffer: under a cipher the payload is then either the ciphertext that came in or all
//! zero. Under NULL there is no secret plaintext, and the bytes stay as they came.
//!
//! # Keys in memory
//!
//! [`KeyMaterial`] is wiped when dropped, and `aes-gcm` wipes its key schedules. `ring` has no way to wipe
//! its own: a key on that tier leaves the schedule behind in the memory it lived in, and copies of it on the
//! stack of the thread that made or moved it. Whoever owns the memory overwrites it.
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
