//! Ciphers beside a separate MAC: each keyed once, and used by reference for each packet.

mod cbc;
mod ctr;

pub(crate) use cbc::{AesCbc, Cbc};
#[cfg(feature = "legacy")]
pub(crate) use cbc::{DesCbc, TripleDesCbc};
pub(crate) use ctr::AesCtr;
