//! An SA that opens.

use std::net::IpAddr;

use esp_crypto::{Iv, KeyError, OpenKey, Tier};
use esp_replay::{Guarded, Window};
use esp_sad::{Keyed, SaKey};
use esp_wire::{Seq64, esp, trailer};

use crate::config::{CheckOuter, InboundSpec, Lookup, Selector};
use crate::narrow::u8_of;

/// What the replay mutex guards besides the window.
#[derive(Debug, Default)]
pub(crate) struct InboundState {
    /// Numbers that left the window unseen.
    pub(crate) lost: u64,
}

/// An SA that opens. Read by every worker that receives for it; only [`Guarded`] is written, under its mutex.
#[derive(Debug)]
pub(crate) struct InboundSa {
    pub(crate) lookup: SaKey,
    pub(crate) esn: bool,
    pub(crate) tunnel: bool,
    pub(crate) udp: bool,
    /// Bytes of an ESP packet in front of its ciphertext: header and IV.
    front: u8,
    /// ... and those with the ICV.
    overhead: u8,
    /// A block cipher's block less one byte, a power of two less one; 0 for any other.
    block_mask: u8,
    pub(crate) tun_id: u64,
    /// Whether `outer` asks for anything.
    pub(crate) checks_outer: bool,
    /// Outer (source, destination) that an authentic packet must have come with; `None` takes any.
    pub(crate) outer: (Option<IpAddr>, Option<IpAddr>),
    /// What the packet inside may be; empty takes any.
    pub(crate) selectors: Box<[Selector]>,
    pub(crate) key: OpenKey,
    pub(crate) replay: Guarded<InboundState>,
}

impl InboundSa {
    /// # Errors
    ///
    /// [`KeyError`] if the transform refuses the key or the tier.
    pub(crate) fn new(spec: &InboundSpec, tier: Tier, top: Option<Seq64>) -> Result<Self, KeyError> {
        let key = OpenKey::new(spec.transform, tier, &spec.key)?;
        Ok(Self::with_key(spec, key, top))
    }

    /// `top` presets the window's highest number, for tests.
    pub(crate) fn with_key(spec: &InboundSpec, key: OpenKey, top: Option<Seq64>) -> Self {
        let transform = spec.transform;
        let window = match (spec.window, top) {
            (None, _) => Window::off(),
            (Some(size), None) => Window::new(size, spec.esn),
            (Some(size), Some(top)) => Window::with_top(size, spec.esn, top),
        };
        let in_blocks = transform.cipher().iv == Iv::Unpredictable;
        let src = spec.src.filter(|_| spec.check_outer == CheckOuter::SrcDst);
        let dst = spec.dst.filter(|_| spec.check_outer != CheckOuter::None);
        Self {
            lookup: lookup_key(spec),
            esn: spec.esn,
            tunnel: spec.tunnel,
            udp: spec.udp.is_some(),
            front: u8_of(esp::HEADER_LEN + transform.iv_len()),
            overhead: u8_of(esp::HEADER_LEN + transform.iv_len() + transform.icv_len()),
            block_mask: if in_blocks { u8_of(transform.align() - 1) } else { 0 },
            tun_id: spec.tun_id,
            checks_outer: src.is_some() || dst.is_some(),
            outer: (src, dst),
            selectors: spec.selectors.clone().into_boxed_slice(),
            key,
            replay: Guarded::new(window, InboundState::default()),
        }
    }

    /// Bytes of an ESP packet in front of its ciphertext: header and IV.
    #[inline]
    pub(crate) fn front(&self) -> usize {
        usize::from(self.front)
    }

    /// Bytes of an ESP packet that are not ciphered: header, IV and ICV.
    #[inline]
    pub(crate) fn overhead(&self) -> usize {
        usize::from(self.overhead)
    }

    /// Whether so many bytes of ciphertext are whole blocks.
    #[inline]
    pub(crate) fn is_whole(&self, ciphertext_len: usize) -> bool {
        ciphertext_len & usize::from(self.block_mask) == 0
    }

    /// Length of the shortest ESP packet: no payload, no padding, only pad length and next header.
    #[inline]
    pub(crate) fn shortest(&self) -> usize {
        self.overhead() + trailer::TRAILER_LEN
    }

    /// Whether an outer source and destination are acceptable.
    #[inline]
    pub(crate) fn outer_matches(&self, src: IpAddr, dst: IpAddr) -> bool {
        self.outer.0.is_none_or(|want| want == src) && self.outer.1.is_none_or(|want| want == dst)
    }
}

impl Keyed for InboundSa {
    fn key(&self) -> &SaKey {
        &self.lookup
    }
}

fn lookup_key(spec: &InboundSpec) -> SaKey {
    match (spec.lookup, spec.dst, spec.src) {
        (Lookup::SpiDstSrc, Some(dst), Some(src)) => SaKey::SpiDstSrc(spec.spi, dst, src),
        (Lookup::SpiDst, Some(dst), _) => SaKey::SpiDst(spec.spi, dst),
        _ => SaKey::Spi(spec.spi),
    }
}
