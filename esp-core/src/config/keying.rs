//! Transform and keys: whether they go together, and the keying material that they make.

use esp_crypto::{Cipher, Integrity, Iv, KeyMaterial, LEGACY_NAMES, Transform};

use super::legal::{because, of};
use super::{Direction, KeySource, ReplayWindow, SaConfig};
use crate::SaError;

impl SaConfig {
    /// Puts `integrity_key` at the end of `key`, where keying material has it.
    pub fn join_keys(&mut self) {
        if let Some(integrity_key) = self.integrity_key.take() {
            let mut joined = Vec::with_capacity(self.key.len().saturating_add(integrity_key.len()));
            joined.extend_from_slice(self.key.expose());
            joined.extend_from_slice(integrity_key.expose());
            self.key = joined.into();
        }
    }

    /// Keying material as IKE hands it over: the cipher's key, its salt, the integrity key (RFC 7296 section 2.17).
    pub(super) fn keying_material(&self) -> Result<KeyMaterial, SaError> {
        self.check_keys()?;
        let integrity_key = self.integrity_key.as_ref().map_or(&[][..], |key| key.expose());
        let mut bytes = Vec::with_capacity(self.transform.key_len());
        bytes.extend_from_slice(self.key.expose());
        bytes.extend_from_slice(integrity_key);
        Ok(KeyMaterial::new(bytes))
    }

    pub(super) fn check_keys(&self) -> Result<(), SaError> {
        self.check_key_lens()?;
        if self.transform.is_degenerate(self.key.expose()) {
            let legal = "three that differ, parity bits aside (RFC 2451 section 2.3)";
            return Err(because("key", &"two DES keys in a row that are the same", legal));
        }
        Ok(())
    }

    fn check_key_lens(&self) -> Result<(), SaError> {
        let transform = self.transform;
        let Some(integrity_key) = &self.integrity_key else {
            return key_len(transform.name(), transform.key_len(), self.key.len());
        };
        let expected = transform.integrity().key_len;
        if expected == 0 {
            let legal = format!("nothing: {transform} has no separate integrity key");
            return Err(because("integrity_key", &"a value", legal));
        }
        if integrity_key.len() != expected {
            let got = format!("{} bytes", integrity_key.len());
            return Err(because("integrity_key", &got, format!("exactly {expected} bytes for {transform}")));
        }
        let (expected, got) = (transform.cipher_key_len(), self.key.len());
        if got != expected {
            let legal = format!(
                "exactly {expected} bytes beside an integrity_key: cipher key and salt of {transform}"
            );
            return Err(because("key", &format_args!("{got} bytes"), legal));
        }
        Ok(())
    }

    /// What the transform asks of the rest of the SA.
    pub(super) fn check_transform(&self) -> Result<(), SaError> {
        let transform = self.transform;
        if transform.is_legacy() && !self.allow_legacy {
            let legal = format!("true, to use {transform} although RFC 8221 says {}", verdict(transform));
            return Err(because("allow_legacy", &false, legal));
        }
        // RFC 8750: the number is the nonce, and nothing else keeps two packets of one key apart.
        if transform.cipher().iv == Iv::Implicit && self.keys == KeySource::Static {
            let legal = format!(
                "negotiated with {transform}: its nonce is the sequence number, and a static key that is installed again \
                 would see the same numbers again"
            );
            return Err(because("keys", &"static", legal));
        }
        if transform.cipher().cipher == Cipher::DesCbc && self.direction == Direction::Outbound {
            return Err(because(
                "direction",
                &"outbound",
                format!("inbound: {transform} is for receiving only"),
            ));
        }
        self.check_unauthenticated()
    }

    /// Without integrity anyone can write any sequence number, so a window would only lock out the peer, and the high
    /// half of an extended number would be a guess.
    fn check_unauthenticated(&self) -> Result<(), SaError> {
        if self.transform.icv_len() > 0 {
            return Ok(());
        }
        if self.esn {
            return Err(because("esn", &true, format!("false: {} has no integrity", self.transform)));
        }
        if self.direction == Direction::Inbound && self.replay_window != ReplayWindow::Off {
            let legal =
                format!("\"off\": {} has no integrity, and without it no anti-replay", self.transform);
            return Err(because("replay_window", &"a window", legal));
        }
        Ok(())
    }
}

/// Why there is no transform of that name, and which names there are.
pub fn no_transform(name: &str) -> String {
    format!("{}; legal: {}", why_not(name), of("transform"))
}

/// Why there is no transform of that name; what is legal is said behind it.
pub(super) fn why_not(name: &str) -> String {
    let with_integrity = |cipher: &str| format!("{cipher}-hmac-sha256-128");
    match name {
        "null" | "null-none" => {
            "NULL encryption with no integrity protects nothing (RFC 4303 section 3.2)".to_owned()
        }
        _ if LEGACY_NAMES.contains(&name) => format!(
            "transform `{name}` is legacy (RFC 8221 advises against it): not in this build, which lacks the cargo feature \
             `legacy`"
        ),
        _ if Transform::from_name(&with_integrity(name)).is_some() => format!(
            "`{name}` is encryption without integrity, which is refused (RFC 8221 section 4); for instance `{}`",
            with_integrity(name)
        ),
        _ => format!("unknown transform `{name}`"),
    }
}

fn key_len(transform: &'static str, expected: usize, got: usize) -> Result<(), SaError> {
    if got == expected { Ok(()) } else { Err(SaError::KeyLength { transform, expected, got }) }
}

fn verdict(transform: Transform) -> String {
    match transform.integrity().integrity {
        Integrity::None => "that encryption needs integrity".to_owned(),
        _ => transform.level().to_string(),
    }
}
