//! Where the key of a packet comes from.

use std::fmt;
use std::slice;
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use arrayvec::ArrayVec;
use esp_crypto::{KeyMaterial, SealJob, SealKey, Tiers, Transform, seal_burst};
use serde::Serialize;

use super::Algorithm;

/// One of the forms that [the module](super) lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// A call that computes nothing.
    NullTwin,
    /// A new key for each packet.
    Keyed,
    /// A copy of the key for each packet.
    Cloned,
    /// One key, a packet a call.
    Single,
    /// One key, a burst a call.
    Burst,
    /// OpenSSL, a new key for each packet.
    OpensslKeyed,
    /// OpenSSL, a copy of the context for each packet.
    OpensslCloned,
    /// OpenSSL, one context a thread.
    OpensslOnce,
}

impl Form {
    /// All of them, built or not.
    pub const ALL: [Self; 8] = [
        Self::NullTwin,
        Self::Keyed,
        Self::Cloned,
        Self::Single,
        Self::Burst,
        Self::OpensslKeyed,
        Self::OpensslCloned,
        Self::OpensslOnce,
    ];

    /// The name in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NullTwin => "null-twin",
            Self::Keyed => "keyed",
            Self::Cloned => "cloned",
            Self::Single => "single",
            Self::Burst => "burst",
            Self::OpensslKeyed => "openssl-keyed",
            Self::OpensslCloned => "openssl-cloned",
            Self::OpensslOnce => "openssl-once",
        }
    }

    /// Whether this program has it.
    #[must_use]
    pub const fn is_built(self) -> bool {
        cfg!(feature = "openssl")
            || !matches!(self, Self::OpensslKeyed | Self::OpensslCloned | Self::OpensslOnce)
    }

    /// For a key made once: the forms of the same library that clone it and that make it for each packet.
    #[must_use]
    pub const fn instead_of(self) -> Option<(Self, Self)> {
        match self {
            Self::Single | Self::Burst => Some((Self::Cloned, Self::Keyed)),
            Self::OpensslOnce => Some((Self::OpensslCloned, Self::OpensslKeyed)),
            _ => None,
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Works on one burst in place.
pub(super) type Sealer = Box<dyn FnMut(&mut [Vec<u8>]) -> Result<()> + Send>;

/// What all threads share: gives each its sealer.
pub(super) type Session = Box<dyn Fn() -> Result<Sealer>>;

/// Most packets of a burst.
pub(super) const MOST: usize = 32;

/// The session of one form, keyed.
///
/// # Errors
///
/// A form that was not built.
pub(super) fn session(algorithm: Algorithm, form: Form) -> Result<Session> {
    #[cfg(feature = "openssl")]
    if matches!(form, Form::OpensslKeyed | Form::OpensslCloned | Form::OpensslOnce) {
        return super::on_openssl::session(algorithm, form);
    }
    ensure!(form.is_built() && algorithm.is_built(), "{algorithm} {form}: not built");
    match algorithm.transform() {
        Some(transform) => engine(transform, algorithm.key(), form),
        None => triple_des(&algorithm.key(), form),
    }
}

fn engine(transform: Transform, keys: Vec<u8>, form: Form) -> Result<Session> {
    let (tier, keys) = (Tiers::default().best(transform), Arc::new(KeyMaterial::new(keys)));
    let key = match form {
        Form::NullTwin => SealKey::null_twin(transform.iv_len(), transform.icv_len()),
        _ => SealKey::new(transform, tier, &keys)?,
    };
    let key = Arc::new(key);
    Ok(Box::new(move || {
        let (key, keys) = (Arc::clone(&key), Arc::clone(&keys));
        Ok(match form {
            Form::Keyed => each(move |packet| seal(&SealKey::new(transform, tier, &keys)?, packet)),
            Form::Cloned => each(move |packet| seal(&*key.duplicate().context("no copy")?, packet)),
            Form::Single => each(move |packet| seal(&key, packet)),
            _ => Box::new(move |packets| seal(&key, packets)),
        })
    }))
}

fn seal(key: &SealKey, packets: &mut [Vec<u8>]) -> Result<()> {
    let mut jobs: ArrayVec<_, MOST> =
        packets.iter_mut().map(|esp| SealJob { key, esp, seq_hi: None }).collect();
    let mut results = [Ok(()); MOST];
    seal_burst(&mut jobs, &mut results);
    ensure!(results.iter().all(Result::is_ok), "a packet was not sealed");
    Ok(())
}

#[cfg(feature = "legacy")]
fn triple_des(key: &[u8], form: Form) -> Result<Session> {
    use esp_crypto::legacy::TripleDesCtr;

    let key: [u8; 24] = key.try_into().context("a key of 3DES")?;
    let cipher = Arc::new(TripleDesCtr::new(&key));
    Ok(Box::new(move || {
        let cipher = Arc::clone(&cipher);
        Ok(match form {
            Form::Keyed => each_alone(move |packet| TripleDesCtr::new(&key).apply(COUNTER, packet)),
            Form::Cloned => {
                let copy = move || Box::new(TripleDesCtr::clone(&cipher));
                each_alone(move |packet| copy().apply(COUNTER, packet))
            }
            _ => each_alone(move |packet| cipher.apply(COUNTER, packet)),
        })
    }))
}

#[cfg(not(feature = "legacy"))]
fn triple_des(_key: &[u8], form: Form) -> Result<Session> {
    anyhow::bail!("{form}: not built")
}

fn each(mut one: impl FnMut(&mut [Vec<u8>]) -> Result<()> + Send + 'static) -> Sealer {
    Box::new(move |packets| packets.iter_mut().try_for_each(|packet| one(slice::from_mut(packet))))
}

#[cfg(feature = "legacy")]
fn each_alone(mut one: impl FnMut(&mut [u8]) + Send + 'static) -> Sealer {
    Box::new(move |packets| {
        packets.iter_mut().for_each(|packet| one(packet));
        Ok(())
    })
}

/// The first counter block of 3DES: near its end, so that forms must agree on what a counter does there.
#[cfg(any(feature = "legacy", feature = "openssl"))]
pub(super) const COUNTER: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe];
