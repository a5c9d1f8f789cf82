//! How much a sealed packet grows: room, overhead and MTU, before and apart from any packet.

use esp_wire::{esp, ipv4, ipv6, trailer, udp};

use crate::config::OutboundSpec;

/// Largest IP packet that the engine makes, in bytes: the IPv4 total length field's limit, kept for IPv6 too.
pub(crate) const MAX_IP_LEN: usize = 65_535;

/// Bytes that a packet's buffer must have around the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes in front of the data.
    pub headroom: usize,
    /// Bytes behind the IP packet.
    pub tailroom: usize,
}

/// The lengths that one outbound SA adds, in bytes.
///
/// ```text
///   tunnel:     | outer IP | UDP | ESP 8 | IV | inner IP packet, TFC | padding, 2 | ICV |
///   transport:  | IP header, extensions | UDP | ESP 8 | IV | upper layer | padding, 2 | ICV |
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// All that goes in front of the plaintext, beyond the packet's own header in transport mode.
    front: u8,
    pub(crate) outer_len: u8,
    pub(crate) udp_len: u8,
    pub(crate) iv_len: u8,
    pub(crate) icv_len: u8,
    pub(crate) align: u8,
    pub(crate) tunnel: bool,
    pub(crate) mtu: u16,
    pub(crate) tfc_pad_to: u16,
}

impl Shape {
    pub(crate) fn of(spec: &OutboundSpec) -> Self {
        let transform = spec.transform;
        let outer_len = match &spec.tunnel {
            None => 0,
            Some(outer) if outer.src.is_ipv4() => ipv4::MIN_HEADER_LEN,
            Some(_) => ipv6::HEADER_LEN,
        };
        Self {
            front: 0,
            outer_len: byte(outer_len),
            udp_len: byte(if spec.udp.is_some() { udp::HEADER_LEN } else { 0 }),
            iv_len: byte(transform.iv_len()),
            icv_len: byte(transform.icv_len()),
            align: byte(transform.align()),
            tunnel: spec.tunnel.is_some(),
            mtu: spec.mtu.unwrap_or(u16::MAX),
            tfc_pad_to: spec.tfc_pad_to.unwrap_or(0),
        }
        .summed()
    }

    /// The shape with its lengths in front summed up.
    fn summed(mut self) -> Self {
        let parts = [self.outer_len, self.udp_len, byte(esp::HEADER_LEN), self.iv_len];
        self.front = parts.into_iter().fold(0, u8::saturating_add);
        self
    }

    /// Bytes of the ESP header and the IV.
    #[inline]
    pub(crate) fn esp_front(&self) -> usize {
        esp::HEADER_LEN + usize::from(self.iv_len)
    }

    /// Bytes that go in front of the plaintext, beyond the packet's own header in transport mode.
    #[inline]
    pub(crate) fn front(&self) -> usize {
        usize::from(self.front)
    }

    /// Bytes that the cipher covers for `content_len` bytes of plaintext: with padding, pad length and next header, a
    /// multiple of the alignment (RFC 4303 section 2.4).
    #[inline]
    pub(crate) fn padded_len(&self, content_len: usize) -> usize {
        let mask = usize::from(self.align) - 1;
        (content_len + trailer::TRAILER_LEN + mask) & !mask
    }

    /// Bytes of plaintext content, TFC padding included, for an inner packet of `inner_len` bytes of which the
    /// first `header_len` stay in front of ESP.
    #[inline]
    pub(crate) fn content_len(&self, inner_len: usize, header_len: usize) -> usize {
        let content = inner_len.saturating_sub(header_len);
        if self.tfc_pad_to == 0 || !self.tunnel {
            return content;
        }
        content.max(usize::from(self.tfc_pad_to).min(self.inner_mtu(usize::from(self.mtu), 0)))
    }

    /// Bytes that the cipher covers in an ESP packet of `esp_len` bytes.
    #[inline]
    pub(crate) fn ciphered(&self, esp_len: usize) -> usize {
        esp_len - esp::HEADER_LEN - usize::from(self.iv_len) - usize::from(self.icv_len)
    }

    /// Length of the sealed IP packet for `content_len` bytes of plaintext content.
    #[inline]
    pub(crate) fn sealed_len(&self, content_len: usize, header_len: usize) -> usize {
        header_len + self.front() + self.padded_len(content_len) + usize::from(self.icv_len)
    }

    /// Room that any packet of this SA needs, whatever its length.
    #[must_use]
    pub fn room_needed(&self) -> Room {
        let trailer = usize::from(self.align) - 1 + trailer::TRAILER_LEN;
        Room {
            headroom: self.front(),
            tailroom: usize::from(self.tfc_pad_to) + trailer + usize::from(self.icv_len),
        }
    }

    /// Bytes by which sealing lengthens an IP packet of `inner_len` bytes.
    ///
    /// `header_len` is the length of the IP header with the extension headers that stay in front of ESP; it
    /// matters in transport mode only.
    #[must_use]
    pub fn overhead(&self, inner_len: usize, header_len: usize) -> usize {
        let header_len = self.kept(header_len);
        let inner_len = inner_len.min(MAX_ASKED);
        let content = self.content_len(inner_len, header_len);
        self.sealed_len(content, header_len).saturating_sub(inner_len)
    }

    /// Length in bytes of the longest IP packet whose sealed form is at most `mtu` bytes; 0 if there is none.
    ///
    /// `header_len` as in [`Shape::overhead`].
    #[must_use]
    pub fn inner_mtu(&self, mtu: usize, header_len: usize) -> usize {
        let header_len = self.kept(header_len);
        let fixed = header_len + self.front() + usize::from(self.icv_len);
        let align = usize::from(self.align).max(1);
        let ciphered = mtu.min(MAX_IP_LEN).saturating_sub(fixed) / align * align;
        match ciphered.checked_sub(trailer::TRAILER_LEN) {
            Some(content) => header_len + content,
            None => 0,
        }
    }

    /// Bytes of the packet's own header that stay in front of ESP.
    #[inline]
    fn kept(&self, header_len: usize) -> usize {
        if self.tunnel { 0 } else { header_len.min(MAX_ASKED) }
    }
}

/// Lengths that callers ask about are cut to this, so that sums cannot overflow; no packet is as long.
const MAX_ASKED: usize = 1 << 30;

/// Header and ICV lengths are all below 256.
fn byte(len: usize) -> u8 {
    u8::try_from(len).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gcm_tunnel_v4() -> Shape {
        Shape {
            front: 0,
            outer_len: 20,
            udp_len: 0,
            iv_len: 8,
            icv_len: 16,
            align: 4,
            tunnel: true,
            mtu: 1500,
            tfc_pad_to: 0,
        }
        .summed()
    }

    #[test]
    fn b63_inner_mtu_is_exact() {
        let shapes = [
            gcm_tunnel_v4(),
            Shape { udp_len: 8, ..gcm_tunnel_v4() }.summed(),
            Shape { outer_len: 40, align: 16, iv_len: 16, ..gcm_tunnel_v4() }.summed(),
            Shape { outer_len: 0, tunnel: false, iv_len: 0, ..gcm_tunnel_v4() }.summed(),
        ];
        for shape in shapes {
            for mtu in (100..1600).chain([65_534, 65_535]) {
                let header_len = if shape.tunnel { 0 } else { 20 };
                let fits = shape.inner_mtu(mtu, header_len);
                assert!(fits + shape.overhead(fits, header_len) <= mtu, "{shape:?} {mtu}");
                let more = fits + 1;
                assert!(more + shape.overhead(more, header_len) > mtu, "{shape:?} {mtu}");
            }
        }
        assert_eq!(gcm_tunnel_v4().inner_mtu(1500, 0), 1446);
        assert_eq!(gcm_tunnel_v4().inner_mtu(40, 0), 0);
    }

    #[test]
    fn b11_aead_pads_to_four_bytes_only() {
        let shape = gcm_tunnel_v4();
        assert_eq!(1446 + shape.overhead(1446, 0), 1500);
    }

    #[test]
    fn room_covers_every_length() {
        let shape = Shape { tfc_pad_to: 300, ..gcm_tunnel_v4() };
        let room = shape.room_needed();
        for inner in 20..1400 {
            let grown = shape.overhead(inner, 0);
            assert!(grown <= room.headroom + room.tailroom, "{inner}: {grown}");
        }
        assert_eq!(room.headroom, 20 + 8 + 8);
    }
}
