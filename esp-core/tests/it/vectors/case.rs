//! One packet of others', sealed and opened by us.

use std::net::IpAddr;

use esp_core::config::{Direction, Mode, ReplayWindow, SaConfig, UdpEncap};
use esp_core::{DropReason, OutboundStart, SaError, Tier, Tiers, Transform};
use esp_crypto::{Iv, KeyMaterial, OpenJob, OpenKey, SealJob, SealKey};
use esp_testkit::slow;

use crate::rig::{self, Rig};

/// A packet before and after ESP, with its SA.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) transform: Transform,
    /// Keying material: cipher key, salt, MAC key.
    pub(super) key: Vec<u8>,
    pub(super) spi: u32,
    pub(super) seq: u64,
    pub(super) esn: bool,
    /// The IV on the wire; nothing where the transform has none.
    pub(super) iv: Vec<u8>,
    /// Outer addresses, or transport mode.
    pub(super) tunnel: Option<(IpAddr, IpAddr)>,
    pub(super) udp: Option<UdpEncap>,
    /// The sealed IP packet, and where ESP starts in it.
    pub(super) sealed: Vec<u8>,
    pub(super) esp_off: usize,
    /// From SPI to ICV.
    pub(super) esp: Vec<u8>,
    /// The IP packet in clear.
    pub(super) inner: Vec<u8>,
}

/// What our policy has against a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// SPIs up to 255 are never an SA's (RFC 4303 section 2.1).
    Spi,
    /// The first number is 1.
    NumberZero,
    /// The last 2^32 numbers with ESN are never sent; they are received.
    NumbersUsedUp,
    /// Nothing is sent under DES.
    ReceiveOnly,
}

impl Case {
    pub(super) fn why_refused(&self) -> Option<Refusal> {
        match self.seq {
            _ if self.spi < 256 => Some(Refusal::Spi),
            _ if self.transform.name().starts_with("des-") => Some(Refusal::ReceiveOnly),
            0 => Some(Refusal::NumberZero),
            seq if self.esn && seq > u64::MAX - 0xffff_ffff => Some(Refusal::NumbersUsedUp),
            _ => None,
        }
    }

    fn config(&self) -> SaConfig {
        let mode = if self.tunnel.is_some() { Mode::Tunnel } else { Mode::Transport };
        let mut config = SaConfig::new(Direction::Outbound, self.spi, self.transform, self.key.clone(), mode);
        (config.esn, config.udp) = (self.esn, self.udp);
        config.allow_legacy = self.transform.is_legacy();
        if let Some((src, dst)) = self.tunnel {
            (config.src, config.dst) = (Some(src), Some(dst));
        }
        config
    }

    fn inbound(&self) -> SaConfig {
        let mut config = self.config();
        config.direction = Direction::Inbound;
        if self.transform.icv_len() == 0 {
            config.replay_window = ReplayWindow::Off;
        }
        config
    }

    /// Our seal makes the packet's ESP byte for byte, and our open its inner packet.
    pub(super) fn through_the_engine(&self) {
        let mut rig = Rig::new();
        let start = self.start();
        let out = rig.engine.install_outbound_at(&self.config(), start).expect("an SA");
        let sealed = rig.seal_one(out, &self.inner);
        assert!(sealed.delivered(), "{}: {:?}", self.name, sealed.verdict);
        if self.transform.cipher().iv == Iv::Unpredictable {
            let opened = slow::open(&rig::slow(&self.config()), (self.seq >> 32) as u32, &sealed.bytes);
            assert_eq!(opened.expect("authentic").inner, self.inner, "{}", self.name);
            return self.opens(&mut rig);
        }
        assert_eq!(hex::encode(&sealed.bytes[self.esp_off..]), hex::encode(&self.esp), "{}", self.name);
        if self.tunnel.is_none() && self.udp.is_none() {
            assert_eq!(hex::encode(&sealed.bytes), hex::encode(&self.sealed), "{}: headers", self.name);
        }
        self.opens(&mut rig);
    }

    fn opens(&self, rig: &mut Rig) {
        rig.inbound_at(&self.inbound(), self.seq - 1);
        let opened = rig.open_one(&self.sealed);
        assert_eq!(
            hex::encode(&opened.bytes),
            hex::encode(&self.inner),
            "{}: {:?}",
            self.name,
            opened.verdict
        );
        if self.transform.icv_len() > 0 {
            rig.open_one(&self.sealed).assert_dropped(DropReason::ReplayDuplicate);
        }
    }

    fn start(&self) -> OutboundStart {
        OutboundStart {
            sequence: self.seq.wrapping_sub(1),
            iv_salt: self.iv.first_chunk().map_or(0, |iv| u64::from_be_bytes(*iv) ^ self.seq),
            null_twin: false,
        }
    }

    pub(super) fn assert_refused(&self, why: Refusal) {
        let mut rig = Rig::new();
        match why {
            Refusal::Spi => {
                for refused in [
                    rig.engine.install_outbound(&self.config()).err(),
                    rig.engine.install_inbound(&self.inbound()).err(),
                ] {
                    assert!(matches!(refused, Some(SaError::Field { field: "spi", .. })), "{}", self.name);
                }
                rig.open_one(&self.sealed).assert_dropped(DropReason::NoSa);
            }
            Refusal::ReceiveOnly => {
                let refused = rig.engine.install_outbound(&self.config()).err();
                assert!(matches!(refused, Some(SaError::Field { field: "direction", .. })), "{}", self.name);
                self.opens(&mut rig);
            }
            Refusal::NumberZero => {
                rig.inbound(&self.inbound());
                rig.open_one(&self.sealed).assert_dropped(DropReason::SeqZero);
            }
            Refusal::NumbersUsedUp => {
                let out = rig.engine.install_outbound_at(&self.config(), self.start()).expect("an SA");
                rig.seal_one(out, &self.inner).assert_dropped(DropReason::SeqOverflow);
                // A peer may go on to the very last number.
                self.opens(&mut rig);
            }
        }
    }

    /// The same bytes as jobs of the crypto layer, on every tier of the transform.
    pub(super) fn as_job(&self) {
        let keys = KeyMaterial::from_slice(&self.key);
        let tiers: Vec<Tier> = Tiers::detect(&[]).all(self.transform).collect();
        assert!(!tiers.is_empty());
        let seq_hi = self.esn.then_some((self.seq >> 32) as u32);
        let clear = 8 + self.transform.iv_len()..self.esp.len() - self.transform.icv_len();
        for tier in tiers {
            let key = OpenKey::new(self.transform, tier, &keys).expect("a key");
            let mut esp = self.esp.clone();
            let mut results = [Ok(())];
            esp_crypto::open_burst(&mut [OpenJob { key: &key, esp: &mut esp, seq_hi }], &mut results);
            assert_eq!(results, [Ok(())], "{} {}", self.name, tier.name());
            let payload_len = self.assert_plaintext(&esp[clear.clone()]);
            assert!(payload_len <= self.inner.len());
            if self.transform.name().starts_with("des-") {
                continue;
            }
            let key = SealKey::new(self.transform, tier, &keys).expect("a key");
            esp[clear.end..].fill(0);
            esp_crypto::seal_burst(&mut [SealJob { key: &key, esp: &mut esp, seq_hi }], &mut results);
            assert_eq!(hex::encode(&esp), hex::encode(&self.esp), "{} {}", self.name, tier.name());
        }
    }

    /// The plaintext is the end of the inner packet, then 1, 2, 3, .. and how many; returns the payload's length.
    fn assert_plaintext(&self, plaintext: &[u8]) -> usize {
        let pad_len = usize::from(plaintext[plaintext.len() - 2]);
        let payload_len = plaintext.len() - 2 - pad_len;
        let (payload, padding) = plaintext.split_at(payload_len);
        assert!(self.inner.ends_with(payload), "{}", self.name);
        assert!(padding[..pad_len].iter().copied().eq(1..=pad_len as u8), "{}", self.name);
        payload_len
    }
}
