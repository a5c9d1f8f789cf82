//! An SA that seals.

use esp_crypto::{Iv, KeyError, SealKey, Tier};
use esp_wire::Spi;

use super::{Outer, OuterHeader, Sequence};
use crate::config::{OutboundSpec, UdpEncap};
use crate::shape::Shape;

/// Where an outbound SA's counters start: for tests, which need a known IV or a sequence number near its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    /// The last number given; the first packet carries the next one.
    pub(crate) sequence: u64,
    /// The IV of a packet is its sequence number XOR this.
    pub(crate) iv_salt: u64,
}

/// An SA that seals. Read by every worker that uses it; only [`Sequence`] is written, on its own line.
#[derive(Debug)]
pub(crate) struct OutboundSa {
    pub(crate) shape: Shape,
    pub(crate) spi: Spi,
    pub(crate) esn: bool,
    pub(crate) udp: Option<UdpEncap>,
    /// Tunnel mode: the header in front.
    pub(crate) tunnel: Option<Outer>,
    /// The IV is the number, disguised.
    pub(crate) counter_iv: bool,
    /// The IV is random.
    pub(crate) random_iv: bool,
    /// Random per key: IVs do not tell how many packets the SA has sent, and a new SA starts elsewhere.
    pub(crate) iv_salt: u64,
    pub(crate) tun_id: u64,
    pub(crate) key: SealKey,
    pub(crate) sequence: Sequence,
}

impl OutboundSa {
    /// # Errors
    ///
    /// [`KeyError`] if the transform refuses the key or the tier.
    pub(crate) fn new(spec: &OutboundSpec, tier: Tier, start: Start) -> Result<Self, KeyError> {
        let key = SealKey::new(spec.transform, tier, &spec.key)?;
        Ok(Self::with_key(spec, key, start))
    }

    /// Whether packets need a UDP checksum, which covers the ciphertext: over IPv6, unless the SA goes without. In
    /// transport mode the packet may be of either version, so the answer is yes.
    #[inline]
    pub(crate) fn sums_udp(&self) -> bool {
        let v4 = self.tunnel.as_ref().is_some_and(|outer| matches!(outer.header, OuterHeader::V4(_)));
        self.udp.is_some_and(|encap| !encap.zero_checksum) && !v4
    }

    pub(crate) fn with_key(spec: &OutboundSpec, key: SealKey, start: Start) -> Self {
        let iv = spec.transform.cipher().iv;
        Self {
            shape: Shape::of(spec),
            spi: spec.spi,
            esn: spec.esn,
            udp: spec.udp,
            tunnel: spec.tunnel.as_ref().and_then(|tunnel| Outer::new(tunnel, spec.udp.is_some())),
            counter_iv: iv == Iv::Unique,
            random_iv: iv == Iv::Unpredictable,
            iv_salt: start.iv_salt,
            tun_id: spec.tun_id,
            key,
            sequence: Sequence::new(spec.esn, start.sequence),
        }
    }
}
