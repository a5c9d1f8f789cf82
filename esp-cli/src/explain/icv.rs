//! The ICV that a packet should have.
//!
//! The engine opens, which says whether an ICV is right and not what it should be. Here packets are sealed: the ciphers
//! are XORed with a key stream, so sealing ciphertext gives plaintext (whose ICV means nothing), and sealing that gives
//! the ciphertext back and the ICV that the sender should have sent. That is another way through the library than the
//! engine's, so the two check each other.

use esp_crypto::{SealJob, SealKey, seal_burst};
use esp_wire::esp;
use zeroize::Zeroizing;

/// What a packet is under a key. Its memory is wiped.
pub(crate) struct Recomputed {
    plaintext: Zeroizing<Vec<u8>>,
    icv: Zeroizing<Vec<u8>>,
}

/// Computes the ICV of `covered`, an ESP packet from its SPI to the end of the ciphertext. `seq_hi` is the high half of
/// the sequence number with ESN. `None` for what is shorter than header and IV, and for a key that is not its own inverse.
pub(crate) fn recompute(key: &SealKey, covered: &[u8], seq_hi: Option<u32>) -> Option<Recomputed> {
    let transform = key.transform();
    let front = esp::HEADER_LEN + transform.iv_len();
    let mut esp = Zeroizing::new(Vec::with_capacity(covered.len() + transform.icv_len()));
    esp.extend_from_slice(covered);
    esp.resize(covered.len() + transform.icv_len(), 0);
    seal(key, &mut esp, seq_hi)?;
    let plaintext = Zeroizing::new(esp.get(front..covered.len())?.to_vec());
    seal(key, &mut esp, seq_hi)?;
    let (again, icv) = esp.split_at_checked(covered.len())?;
    (again == covered).then(|| Recomputed { plaintext, icv: Zeroizing::new(icv.to_vec()) })
}

impl Recomputed {
    /// Whether `found`, all of the ICV or its first bytes, is right. Of a MAC that was not cut, only the bytes that the
    /// ICV has can be compared.
    pub(crate) fn fits(&self, found: &[u8]) -> bool {
        let some = !found.is_empty() && !self.icv.is_empty();
        some && (self.icv.starts_with(found) || found.starts_with(&self.icv))
    }

    /// The plaintext with its trailer, if `found` is right; else the ICV that it should be.
    ///
    /// # Errors
    ///
    /// `found` is not the ICV. The plaintext is then gone.
    pub(crate) fn open(self, found: &[u8]) -> Result<Zeroizing<Vec<u8>>, Vec<u8>> {
        if self.fits(found) { Ok(self.plaintext) } else { Err(self.icv.to_vec()) }
    }
}

fn seal(key: &SealKey, esp: &mut [u8], seq_hi: Option<u32>) -> Option<()> {
    let mut results = [Ok(())];
    seal_burst(&mut [SealJob { key, esp, seq_hi }], &mut results);
    results.iter().all(Result::is_ok).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use esp_core::{KeyMaterial, Tiers, Transform};
    use esp_testkit::builder::pattern;

    #[test]
    fn sealing_twice_gives_the_ciphertext_back_and_its_icv() {
        for transform in Transform::ALL {
            let keys = KeyMaterial::new(pattern(transform.key_len()));
            let key = SealKey::new(*transform, Tiers::default().best(*transform), &keys).unwrap();
            let (front, plaintext) = (8 + transform.iv_len(), pattern(44));
            let mut sealed = [vec![9; front], plaintext.clone(), vec![0; transform.icv_len()]].concat();
            seal(&key, &mut sealed, Some(7)).unwrap();
            let (covered, icv) = sealed.split_at(front + 44);
            let got = recompute(&key, covered, Some(7)).unwrap_or_else(|| panic!("{}", transform.name()));
            assert!(got.fits(icv) && got.fits(&icv[..8]), "{transform}");
            assert_eq!(*got.open(icv).unwrap(), plaintext, "{transform}");
            let other = recompute(&key, covered, Some(8)).unwrap();
            assert!(!other.fits(icv) && !other.fits(&[]), "{transform}");
            assert_ne!(other.open(icv).unwrap_err(), icv, "{transform}");
        }
    }

    #[test]
    fn a_packet_without_its_iv_is_none() {
        let keys = KeyMaterial::new(vec![1; 20]);
        let transform = Transform::Aes128Gcm16;
        let key = SealKey::new(transform, Tiers::default().best(transform), &keys).unwrap();
        for len in 0..16 {
            assert!(recompute(&key, &vec![0; len], None).is_none(), "{len}");
        }
        assert!(recompute(&key, &[0; 16], None).is_some());
    }
}
