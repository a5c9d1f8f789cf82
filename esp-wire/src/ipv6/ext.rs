//! The walk over extension headers (RFC 8200 section 4), bounded in headers and in bytes.

use super::{HEADER_LEN, Ipv6, NEXT_HEADER_AT};
use crate::proto;

/// The most extension headers that a walk passes. RFC 8200 section 4.1 names five that can stand before the upper layer
/// besides AH and ESP, each once and destination options twice, so three more than that is not a packet anyone sends.
pub const MAX_EXT_HEADERS: usize = 8;

/// The most bytes of extension headers that a walk passes. Thus what it reads lies in the first 300 bytes of the packet,
/// within five cache lines; a routing header of fifteen addresses still fits.
pub const MAX_EXT_LEN: usize = 256;

/// Where the extension headers end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpperLayer {
    /// Of its first byte, in bytes from the start of the IPv6 header; at most the packet's length.
    pub offset: usize,
    /// What stands there, see [`proto`].
    pub next_header: u8,
    /// Offset of the byte that names it, in bytes from the start of the IPv6 header: the one to patch.
    pub field: usize,
    /// A fragment header was passed.
    pub fragment: bool,
    /// ... which holds a whole packet: offset zero and no more fragments (RFC 8200 section 4.5, RFC 6946).
    pub atomic: bool,
    /// What stands there begins here: no fragment header with an offset was passed.
    pub first: bool,
}

/// Where the upper layer of a packet that arrived begins: behind hop-by-hop options, routing, destination options and
/// fragment headers.
///
/// Stops at ESP, AH, UDP and whatever else it does not know; ESP is never taken for a header with a length byte. Stops
/// after a fragment header with an offset, for what follows is not the start of anything. Hop-by-hop options anywhere
/// but directly behind the fixed header are an unknown header too (RFC 8200 section 4.1).
///
/// # Errors
///
/// [`ExtError`], if the chain leaves the packet or the bounds.
#[inline]
pub fn find_upper(packet: &Ipv6<'_>) -> Result<UpperLayer, ExtError> {
    let mut walk = Walk::new(packet);
    while walk.step()?.is_some() {}
    Ok(walk.at)
}

/// Where ESP goes in a packet to be sent in transport mode: behind hop-by-hop options, routing and fragment headers and
/// the destination options in front of a routing header (RFC 4303 section 3.1.1). Other destination options are for the
/// last destination alone and stay inside; `next_header` is then theirs.
///
/// The place with `fragment` set is right only if `atomic` is too: transport mode protects whole packets (RFC 4303
/// section 3.3.4).
///
/// # Errors
///
/// [`ExtError`], if the chain leaves the packet or the bounds, even behind the place.
#[inline]
pub fn esp_place(packet: &Ipv6<'_>) -> Result<UpperLayer, ExtError> {
    //= https://www.rfc-editor.org/rfc/rfc4303#section-3.1.1
    //# In the IPv6 context, ESP is viewed as an end-to-end payload, and thus
    //# should appear after hop-by-hop, routing, and fragmentation extension
    //# headers.
    let mut walk = Walk::new(packet);
    let mut place = walk.at;
    while let Some(passed) = walk.step()? {
        if passed != proto::DEST_OPTS {
            place = walk.at;
        }
    }
    Ok(place)
}

/// Why the chain of extension headers cannot be followed to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtError {
    /// An extension header does not fit the packet.
    #[error("an IPv6 extension header reaches past the end of the packet")]
    Truncated,
    /// More than [`MAX_EXT_HEADERS`] headers or [`MAX_EXT_LEN`] bytes of them.
    #[error("more IPv6 extension headers than are followed")]
    TooMany,
}

/// A position in the chain. Each step passes at least 8 bytes and one header, so both bounds end it.
struct Walk<'a> {
    packet: &'a [u8],
    at: UpperLayer,
    passed: usize,
}

impl<'a> Walk<'a> {
    #[inline]
    fn new(packet: &Ipv6<'a>) -> Self {
        let at = UpperLayer {
            offset: HEADER_LEN,
            next_header: packet.next_header(),
            field: NEXT_HEADER_AT,
            fragment: false,
            atomic: false,
            first: true,
        };
        Self { packet: packet.bytes(), at, passed: 0 }
    }

    /// Passes one header and says which, or `None` where the chain ends.
    #[inline]
    fn step(&mut self) -> Result<Option<u8>, ExtError> {
        let kind = self.at.next_header;
        match kind {
            _ if !self.at.first => return Ok(None),
            proto::HOP_BY_HOP if self.passed > 0 => return Ok(None),
            proto::HOP_BY_HOP | proto::ROUTING | proto::DEST_OPTS => self.pass_options()?,
            proto::FRAGMENT => self.pass_fragment()?,
            _ => return Ok(None),
        }
        Ok(Some(kind))
    }

    /// A header that says its own length, in units of 8 bytes after the first 8 (RFC 8200 sections 4.3, 4.4, 4.6).
    fn pass_options(&mut self) -> Result<(), ExtError> {
        let &[next_header, units] = self.here()?;
        self.pass(next_header, usize::from(units).wrapping_add(1).wrapping_mul(8))
    }

    /// The fragment header has 8 bytes (RFC 8200 section 4.5).
    fn pass_fragment(&mut self) -> Result<(), ExtError> {
        let &[next_header, _, high, low, _, _, _, _] = self.here()?;
        let place = u16::from_be_bytes([high, low]);
        self.pass(next_header, 8)?;
        self.at.atomic =
            place & (FRAGMENT_OFFSET | MORE_FRAGMENTS) == 0 && (self.at.atomic || !self.at.fragment);
        self.at.fragment = true;
        self.at.first = place & FRAGMENT_OFFSET == 0;
        Ok(())
    }

    /// The first bytes of the header at the position.
    #[inline]
    fn here<const N: usize>(&self) -> Result<&'a [u8; N], ExtError> {
        self.packet.get(self.at.offset..).and_then(<[u8]>::first_chunk).ok_or(ExtError::Truncated)
    }

    /// Moves behind a header of `len` bytes, which names `next_header` in its first byte.
    #[inline]
    fn pass(&mut self, next_header: u8, len: usize) -> Result<(), ExtError> {
        let end = self.at.offset.wrapping_add(len); // at most 296 + 2048
        if end > self.packet.len() {
            return Err(ExtError::Truncated);
        }
        self.passed = self.passed.wrapping_add(1);
        if self.passed > MAX_EXT_HEADERS || end > HEADER_LEN.wrapping_add(MAX_EXT_LEN) {
            return Err(ExtError::TooMany);
        }
        self.at = UpperLayer { offset: end, next_header, field: self.at.offset, ..self.at };
        Ok(())
    }
}

const FRAGMENT_OFFSET: u16 = 0xfff8; // in units of 8 bytes, so in place an offset in bytes
const MORE_FRAGMENTS: u16 = 0x0001;
