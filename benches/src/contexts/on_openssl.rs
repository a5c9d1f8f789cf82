//! The forms that OpenSSL 3 computes, as the original's driver called it.

use std::ffi::CStr;
use std::sync::Arc;

use anyhow::{Context as _, Result};

use super::Algorithm;
use super::Form;
use super::forms::{COUNTER, Sealer, Session};
use crate::openssl::{Mac, MacContext, TripleDes};

pub(super) fn session(algorithm: Algorithm, form: Form) -> Result<Session> {
    match algorithm {
        Algorithm::HmacSha1 => mac(algorithm, form, c"HMAC", (c"digest", c"SHA1")),
        Algorithm::AesCmac => mac(algorithm, form, c"CMAC", (c"cipher", c"AES-128-CBC")),
        Algorithm::TripleDesCtr => triple_des(&algorithm.key(), form),
    }
}

fn mac(
    algorithm: Algorithm,
    form: Form,
    name: &CStr,
    parameter: (&'static CStr, &'static CStr),
) -> Result<Session> {
    let icv_len = algorithm.transform().context("an ESP transform")?.icv_len();
    let (mac, key) = (Arc::new(Mac::fetch(name)?), algorithm.key());
    let shared = Arc::new(MacContext::keyed(&mac, &key, parameter)?);
    Ok(Box::new(move || {
        let (mac, key, shared) = (Arc::clone(&mac), key.clone(), Arc::clone(&shared));
        Ok(match form {
            Form::OpensslKeyed => {
                each(icv_len, move |covered, icv| MacContext::keyed(&mac, &key, parameter)?.tag(covered, icv))
            }
            Form::OpensslCloned => each(icv_len, move |covered, icv| shared.duplicate()?.tag(covered, icv)),
            _ => {
                let mut own = shared.duplicate()?;
                each(icv_len, move |covered, icv| {
                    own.restart()?;
                    own.tag(covered, icv)
                })
            }
        })
    }))
}

fn each(icv_len: usize, mut tag: impl FnMut(&[u8], &mut [u8]) -> Result<()> + Send + 'static) -> Sealer {
    Box::new(move |packets| {
        packets.iter_mut().try_for_each(|packet| {
            let covered_len = packet.len() - icv_len;
            let (covered, icv) = packet.split_at_mut(covered_len);
            tag(covered, icv)
        })
    })
}

fn triple_des(key: &[u8], form: Form) -> Result<Session> {
    let key: [u8; 24] = key.try_into().context("a key of 3DES")?;
    let shared = Arc::new(TripleDes::keyed(&key)?);
    Ok(Box::new(move || {
        let (shared, mut own) = (Arc::clone(&shared), shared.duplicate()?);
        let mut one = move |packet: &mut [u8]| match form {
            Form::OpensslKeyed => {
                own.key(&key)?;
                own.counter_mode(COUNTER, packet)
            }
            Form::OpensslCloned => shared.duplicate()?.counter_mode(COUNTER, packet),
            _ => own.counter_mode(COUNTER, packet),
        };
        Ok(Box::new(move |packets: &mut [Vec<u8>]| packets.iter_mut().try_for_each(|packet| one(packet))))
    }))
}
