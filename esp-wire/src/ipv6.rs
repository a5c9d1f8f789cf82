//! IPv6 (RFC 8200): a view of a packet, a new header, changes to a header in place, and the walk over the extension
//! headers to or around ESP.

mod ext;

pub use ext::{ExtError, MAX_EXT_HEADERS, MAX_EXT_LEN, UpperLayer, esp_place, find_upper};

use zerocopy::network_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::ip::IpError;
use crate::proto;

/// Bytes of the fixed header.
pub const HEADER_LEN: usize = 40;

/// Offset of the fixed header's next header byte.
pub const NEXT_HEADER_AT: usize = 6;

/// A packet whose payload length was checked against the slice.
#[derive(Clone, Copy, Debug)]
pub struct Ipv6<'a> {
    fixed: &'a Fixed,
    bytes: &'a [u8],
}

impl<'a> Ipv6<'a> {
    /// A view of the packet at the start of `bytes`; what lies after its payload length is left out.
    ///
    /// # Errors
    ///
    /// In this order: [`IpError::Truncated`] below 40 bytes, [`IpError::Version`], [`IpError::Jumbogram`],
    /// [`IpError::TotalLen`] if the payload does not fit the slice.
    #[inline]
    pub fn parse(bytes: &'a [u8]) -> Result<Self, IpError> {
        let (fixed, _) = Fixed::ref_from_prefix(bytes).map_err(|_| IpError::Truncated)?;
        if !fixed.is_version_6() {
            return Err(IpError::Version);
        }
        let payload_len = usize::from(fixed.payload_len.get());
        if payload_len == 0 && fixed.next_header == proto::HOP_BY_HOP {
            return Err(IpError::Jumbogram);
        }
        match bytes.get(..payload_len.wrapping_add(HEADER_LEN)) {
            Some(bytes) => Ok(Self { fixed, bytes }),
            None => Err(IpError::TotalLen),
        }
    }

    /// The packet: fixed header and payload.
    #[inline]
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// DSCP and ECN.
    #[inline]
    #[must_use]
    pub fn traffic_class(&self) -> u8 {
        let [_, class, _, _] = (self.fixed.version_class_flow.get() >> 4).to_be_bytes();
        class
    }

    /// Flow label, 20 bits.
    #[inline]
    #[must_use]
    pub fn flow_label(&self) -> u32 {
        self.fixed.version_class_flow.get() & FLOW_MASK
    }

    /// Bytes after the fixed header; extension headers are among them.
    #[inline]
    #[must_use]
    pub fn payload_len(&self) -> usize {
        usize::from(self.fixed.payload_len.get())
    }

    /// Bytes of fixed header and payload.
    #[inline]
    #[must_use]
    pub const fn total_len(&self) -> usize {
        self.bytes.len()
    }

    /// What the payload starts with, see [`proto`].
    #[inline]
    #[must_use]
    pub fn next_header(&self) -> u8 {
        self.fixed.next_header
    }

    /// Hop limit.
    #[inline]
    #[must_use]
    pub fn hop_limit(&self) -> u8 {
        self.fixed.hop_limit
    }

    /// Source address.
    #[inline]
    #[must_use]
    pub fn src(&self) -> [u8; 16] {
        self.fixed.src
    }

    /// Destination address. With a routing header, that of the next hop on the route.
    #[inline]
    #[must_use]
    pub fn dst(&self) -> [u8; 16] {
        self.fixed.dst
    }

    /// What follows the fixed header, up to the payload length.
    #[inline]
    #[must_use]
    pub fn payload(&self) -> &'a [u8] {
        self.bytes.get(HEADER_LEN..).unwrap_or_default()
    }
}

/// The fields of a new header, in host byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv6Fields {
    /// DSCP and ECN.
    pub traffic_class: u8,
    /// Flow label; bits above the lowest 20 are ignored.
    pub flow_label: u32,
    /// Bytes after this header.
    pub payload_len: u16,
    /// What the payload starts with, see [`proto`].
    pub next_header: u8,
    /// Hop limit.
    pub hop_limit: u8,
    /// Source address.
    pub src: [u8; 16],
    /// Destination address.
    pub dst: [u8; 16],
}

impl Ipv6Fields {
    /// The header as it goes on the wire.
    #[inline]
    #[must_use]
    pub fn write(self) -> [u8; HEADER_LEN] {
        let class = u32::from(self.traffic_class) << CLASS_SHIFT;
        zerocopy::transmute!(Fixed {
            version_class_flow: U32::new(VERSION_6 | class | (self.flow_label & FLOW_MASK)),
            payload_len: U16::new(self.payload_len),
            next_header: self.next_header,
            hop_limit: self.hop_limit,
            src: self.src,
            dst: self.dst,
        })
    }
}

/// Sets the traffic class; the flow label stays.
///
/// Returns false, and changes nothing, if `header` does not start with a whole IPv6 header.
#[inline]
#[must_use]
pub fn set_traffic_class(header: &mut [u8], traffic_class: u8) -> bool {
    set(header, |fixed| {
        let flow = fixed.version_class_flow.get() & FLOW_MASK;
        fixed.version_class_flow.set(VERSION_6 | (u32::from(traffic_class) << CLASS_SHIFT) | flow);
    })
}

/// Sets the payload length, in bytes, which does not count the fixed header.
///
/// Returns false, and changes nothing, if `header` does not start with a whole IPv6 header.
#[inline]
#[must_use]
pub fn set_payload_len(header: &mut [u8], payload_len: u16) -> bool {
    set(header, |fixed| fixed.payload_len.set(payload_len))
}

#[inline]
fn set(header: &mut [u8], change: impl FnOnce(&mut Fixed)) -> bool {
    match Fixed::mut_from_prefix(header) {
        Ok((fixed, _)) if fixed.is_version_6() => {
            change(fixed);
            true
        }
        _ => false,
    }
}

/// The fixed header, in the order of RFC 8200 section 3.
#[derive(Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct Fixed {
    version_class_flow: U32, // 4, 8 and 20 bits
    payload_len: U16,
    next_header: u8,
    hop_limit: u8,
    src: [u8; 16],
    dst: [u8; 16],
}

impl Fixed {
    #[inline]
    fn is_version_6(&self) -> bool {
        self.version_class_flow.get() & VERSION_MASK == VERSION_6
    }
}

const VERSION_6: u32 = 6 << 28;
const VERSION_MASK: u32 = 0xf << 28;
const CLASS_SHIFT: u32 = 20;
const FLOW_MASK: u32 = 0x000f_ffff;
const _: () = assert!(size_of::<Fixed>() == HEADER_LEN);
