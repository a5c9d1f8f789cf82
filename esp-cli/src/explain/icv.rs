//! The ICV that a packet should have.
//!
//! The engine opens, which says whether an ICV is right and not what it should be. Here packets are sealed: the combined
//! modes are XORed with a key stream, so sealing ciphertext gives plaintext (whose ICV means nothing), and sealing that
//! gives the ciphertext back and the ICV that the sender should have sent. A separate MAC covers the ciphertext, so
//! sealing the packet as it is under NULL and the same MAC gives the ICV, and with that it opens. Either way is another
//! than the engine's, so the two check each other.

use std::ops::Range;

use esp_core::config::Mode;
use esp_core::{KeyMaterial, Tiers, Transform};
use esp_crypto::{Cipher, OpenJob, OpenKey, SealJob, SealKey, open_burst, seal_burst};
use esp_wire::{Ip, esp, proto, trailer};
use zeroize::Zeroizing;

/// What a packet is judged with.
pub(crate) struct Judge {
    transform: Transform,
    keys: Keys,
}

enum Keys {
    Combined(Box<SealKey>),
    Separate {
        mac: Box<SealKey>,
        open: Box<OpenKey>,
    },
    /// No ICV at all (legacy).
    Unauthenticated(Box<OpenKey>),
}

/// What a packet is under a key. Its memory is wiped.
pub(crate) struct Recomputed {
    /// `None`: the ciphertext is no whole blocks.
    plaintext: Option<Zeroizing<Vec<u8>>>,
    icv: Zeroizing<Vec<u8>>,
}

impl Judge {
    /// `None` if the keying material has not the length of the transform.
    pub(crate) fn new(transform: Transform, tiers: &Tiers, material: &[u8]) -> Option<Self> {
        let keys = KeyMaterial::from_slice(material);
        let tier = tiers.best(transform);
        let keys = if transform.is_combined() {
            Keys::Combined(Box::new(SealKey::new(transform, tier, &keys).ok()?))
        } else {
            let open = Box::new(OpenKey::new(transform, tier, &keys).ok()?);
            match Transform::of(Cipher::Null, transform.integrity().integrity) {
                None => Keys::Unauthenticated(open),
                Some(null) => {
                    let mac_key = KeyMaterial::from_slice(material.get(transform.cipher_key_len()..)?);
                    Keys::Separate {
                        mac: Box::new(SealKey::new(null, tiers.best(null), &mac_key).ok()?),
                        open,
                    }
                }
            }
        };
        Some(Self { transform, keys })
    }

    /// Computes the ICV of `covered`, an ESP packet from its SPI to the end of the ciphertext. `seq_hi` is the high half of
    /// the sequence number with ESN. `None` for what is shorter than header and IV.
    pub(crate) fn recompute(&self, covered: &[u8], seq_hi: Option<u32>) -> Option<Recomputed> {
        let front = esp::HEADER_LEN + self.transform.iv_len();
        if covered.len() < front {
            return None;
        }
        let mut esp = Zeroizing::new(Vec::with_capacity(covered.len() + self.transform.icv_len()));
        esp.extend_from_slice(covered);
        esp.resize(covered.len() + self.transform.icv_len(), 0);
        let ciphertext = front..covered.len();
        match &self.keys {
            Keys::Combined(key) => {
                seal(key, &mut esp, seq_hi)?;
                let plaintext = Zeroizing::new(esp.get(ciphertext)?.to_vec());
                seal(key, &mut esp, seq_hi)?;
                let (again, icv) = esp.split_at_checked(covered.len())?;
                let icv = Zeroizing::new(icv.to_vec());
                (again == covered).then_some(Recomputed { plaintext: Some(plaintext), icv })
            }
            Keys::Separate { mac, open: key } => {
                seal(mac, &mut esp, seq_hi)?;
                let icv = Zeroizing::new(esp.get(covered.len()..)?.to_vec());
                Some(Recomputed { plaintext: open(key, &mut esp, seq_hi, ciphertext), icv })
            }
            Keys::Unauthenticated(key) => {
                let plaintext = open(key, &mut esp, seq_hi, ciphertext);
                Some(Recomputed { plaintext, icv: Zeroizing::default() })
            }
        }
    }
}

impl Recomputed {
    /// Whether `found`, all of the ICV or its first bytes, is right. Of a MAC that was not cut, only the bytes that the
    /// ICV has can be compared.
    pub(crate) fn fits(&self, found: &[u8]) -> bool {
        let some = !found.is_empty() && !self.icv.is_empty();
        some && (self.icv.starts_with(found) || found.starts_with(&self.icv))
    }

    /// Whether the plaintext looks like one: padding of 1, 2, 3, .., and behind it what a packet of that mode has.
    pub(crate) fn makes_sense(&self, mode: Mode) -> bool {
        let Some(plaintext) = &self.plaintext else { return false };
        let Ok(read) = trailer::read(plaintext) else { return false };
        let payload = plaintext.get(..read.payload_len).unwrap_or_default();
        match (mode, read.next_header) {
            (_, proto::NO_NEXT) => true,
            (Mode::Tunnel, proto::IPV4 | proto::IPV6) => Ip::parse(payload).is_ok(),
            (Mode::Tunnel, _) => false,
            (Mode::Transport, next) => USUAL_INSIDE.contains(&next),
        }
    }

    /// The plaintext with its trailer, if `found` is right; empty if it is no whole blocks. Else the ICV that it should be.
    ///
    /// # Errors
    ///
    /// `found` is not the ICV. The plaintext is then gone.
    pub(crate) fn open(self, found: &[u8]) -> Result<Zeroizing<Vec<u8>>, Vec<u8>> {
        let unauthenticated = self.icv.is_empty() && found.is_empty();
        if unauthenticated || self.fits(found) {
            Ok(self.plaintext.unwrap_or_default())
        } else {
            Err(self.icv.to_vec())
        }
    }
}

fn seal(key: &SealKey, esp: &mut [u8], seq_hi: Option<u32>) -> Option<()> {
    let mut results = [Ok(())];
    seal_burst(&mut [SealJob { key, esp, seq_hi }], &mut results);
    results.iter().all(Result::is_ok).then_some(())
}

/// The plaintext that stands at `ciphertext` once the packet, whose ICV is right, is opened.
fn open(
    key: &OpenKey,
    esp: &mut [u8],
    seq_hi: Option<u32>,
    ciphertext: Range<usize>,
) -> Option<Zeroizing<Vec<u8>>> {
    let mut results = [Ok(())];
    open_burst(&mut [OpenJob { key, esp, seq_hi }], &mut results);
    let opened = results.iter().all(Result::is_ok);
    esp.get(ciphertext).filter(|_| opened).map(|plaintext| Zeroizing::new(plaintext.to_vec()))
}

/// What transport mode usually carries: ICMP, TCP, UDP, GRE, ICMPv6, OSPF, SCTP.
const USUAL_INSIDE: [u8; 7] = [1, 6, 17, 47, 58, 89, 132];

#[cfg(test)]
mod tests {
    use super::*;
    use esp_testkit::builder::pattern;
    use esp_testkit::slow::{SlowMode, SlowSa, SlowTransform, seal_raw};

    fn judge(transform: Transform) -> Judge {
        Judge::new(transform, &Tiers::default(), &pattern(transform.key_len())).unwrap()
    }

    /// The packet is the slow ESP's.
    #[test]
    fn the_icv_is_recomputed_and_the_plaintext_comes_out() {
        for &transform in Transform::ALL.iter().filter(|transform| transform.icv_len() > 0) {
            let sa = SlowSa {
                spi: 0x1001,
                transform: SlowTransform::named(transform.name()).unwrap(),
                key: pattern(transform.key_len()),
                esn: true,
                mode: SlowMode::Transport,
                udp: None,
            };
            let plaintext = pattern(48);
            let sealed = seal_raw(&sa, 7 << 32 | 9, [5; 16], &plaintext);
            let (covered, icv) = sealed.split_at(sealed.len() - transform.icv_len());
            let key = judge(transform);
            let got = key.recompute(covered, Some(7)).unwrap_or_else(|| panic!("{transform}"));
            assert!(got.fits(icv) && got.fits(&icv[..8]), "{transform}");
            assert_eq!(*got.open(icv).unwrap(), plaintext, "{transform}");
            let other = key.recompute(covered, Some(8)).unwrap();
            assert!(!other.fits(icv) && !other.fits(&[]), "{transform}");
            assert_ne!(other.open(icv).unwrap_err(), icv, "{transform}");
        }
    }

    #[test]
    fn what_is_no_whole_blocks_has_an_icv_all_the_same() {
        let key = judge(Transform::Aes128CbcHmacSha256_128);
        let recomputed = key.recompute(&[7; 8 + 16 + 15], None).unwrap();
        let icv = recomputed.icv.to_vec();
        assert!(recomputed.fits(&icv));
        assert!(recomputed.open(&icv).unwrap().is_empty());
    }

    #[test]
    fn a_packet_without_its_iv_is_none() {
        for (transform, front) in [(Transform::Aes128Gcm16, 16), (Transform::Aes128CbcHmacSha1_96, 24)] {
            let key = judge(transform);
            for len in 0..front {
                assert!(key.recompute(&vec![0; len], None).is_none(), "{len}");
            }
            assert!(key.recompute(&vec![0; front], None).is_some());
        }
    }

    #[test]
    fn other_keys_than_the_transforms_are_none() {
        for transform in [Transform::Aes128Gcm16, Transform::Aes256CbcAesCmac96] {
            let len = transform.key_len();
            for wrong in [0, 1, len - 1, len + 1] {
                assert!(Judge::new(transform, &Tiers::default(), &vec![1; wrong]).is_none());
            }
        }
    }
}
