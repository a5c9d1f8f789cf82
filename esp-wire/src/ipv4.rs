//! IPv4 (RFC 791): a view of a packet, a new header, and changes to a header in place.

use zerocopy::network_endian::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::checksum::{self, Sum};
use crate::ip::IpError;

/// Bytes of a header without options.
pub const MIN_HEADER_LEN: usize = 20;

/// A packet whose lengths were checked against the slice: 20 <= header length <= total length <= slice.
///
/// The header checksum is not checked by [`parse`](Self::parse), see [`checksum_ok`](Self::checksum_ok).
#[derive(Clone, Copy, Debug)]
pub struct Ipv4<'a> {
    fixed: &'a Fixed,
    bytes: &'a [u8],
}

impl<'a> Ipv4<'a> {
    /// A view of the packet at the start of `bytes`; what lies after its total length is left out.
    ///
    /// # Errors
    ///
    /// In this order: [`IpError::Truncated`] below 20 bytes, [`IpError::Version`], [`IpError::HeaderLen`],
    /// [`IpError::Truncated`] if the options do not fit the slice, [`IpError::TotalLen`].
    #[inline]
    pub fn parse(bytes: &'a [u8]) -> Result<Self, IpError> {
        let (fixed, _) = Fixed::ref_from_prefix(bytes).map_err(|_| IpError::Truncated)?;
        let header_len = fixed.header_len()?;
        if header_len > bytes.len() {
            return Err(IpError::Truncated);
        }
        let total_len = usize::from(fixed.total_len.get());
        match bytes.get(..total_len) {
            Some(bytes) if total_len >= header_len => Ok(Self { fixed, bytes }),
            _ => Err(IpError::TotalLen),
        }
    }

    /// The packet: header, options and payload.
    #[inline]
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Bytes of the header with its options, 20..=60.
    #[inline]
    #[must_use]
    pub fn header_len(&self) -> usize {
        self.fixed.ihl_bytes()
    }

    /// Bytes of header and payload.
    #[inline]
    #[must_use]
    pub const fn total_len(&self) -> usize {
        self.bytes.len()
    }

    /// The TOS byte: DSCP and ECN.
    #[inline]
    #[must_use]
    pub fn tos(&self) -> u8 {
        self.fixed.tos
    }

    /// Identification, for reassembly.
    #[inline]
    #[must_use]
    pub fn id(&self) -> u16 {
        self.fixed.id.get()
    }

    /// The DF flag.
    #[inline]
    #[must_use]
    pub fn dont_fragment(&self) -> bool {
        self.fixed.fragment.get() & DONT_FRAGMENT != 0
    }

    /// The MF flag.
    #[inline]
    #[must_use]
    pub fn more_fragments(&self) -> bool {
        self.fixed.fragment.get() & MORE_FRAGMENTS != 0
    }

    /// Where this fragment lies in the original payload, in units of 8 bytes.
    #[inline]
    #[must_use]
    pub fn fragment_offset(&self) -> u16 {
        self.fixed.fragment.get() & OFFSET_MASK
    }

    /// Whether the packet is a part of another: MF is set or the offset is not zero (RFC 4303 section 3.4.1).
    #[inline]
    #[must_use]
    pub fn is_fragment(&self) -> bool {
        self.fixed.fragment.get() & (MORE_FRAGMENTS | OFFSET_MASK) != 0
    }

    /// Time to live, in hops.
    #[inline]
    #[must_use]
    pub fn ttl(&self) -> u8 {
        self.fixed.ttl
    }

    /// What the payload is, see [`proto`](crate::proto).
    #[inline]
    #[must_use]
    pub fn protocol(&self) -> u8 {
        self.fixed.protocol
    }

    /// Whether the header checksum is right.
    #[inline]
    #[must_use]
    pub fn checksum_ok(&self) -> bool {
        checksum::of(self.header()) == 0
    }

    /// Source address.
    #[inline]
    #[must_use]
    pub fn src(&self) -> [u8; 4] {
        self.fixed.src
    }

    /// Destination address.
    #[inline]
    #[must_use]
    pub fn dst(&self) -> [u8; 4] {
        self.fixed.dst
    }

    /// The header with its options.
    #[inline]
    #[must_use]
    pub fn header(&self) -> &'a [u8] {
        self.bytes.get(..self.header_len()).unwrap_or_default()
    }

    /// What follows the header, up to the total length.
    #[inline]
    #[must_use]
    pub fn payload(&self) -> &'a [u8] {
        self.bytes.get(self.header_len()..).unwrap_or_default()
    }
}

/// The fields of a new header without options, in host byte order. It is never a fragment: MF and the offset are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv4Fields {
    /// DSCP and ECN.
    pub tos: u8,
    /// Bytes of header and payload.
    pub total_len: u16,
    /// Identification; unique per source, destination and protocol unless DF is set (RFC 6864).
    pub id: u16,
    /// The DF flag.
    pub dont_fragment: bool,
    /// Time to live, in hops.
    pub ttl: u8,
    /// What the payload is, see [`proto`](crate::proto).
    pub protocol: u8,
    /// Source address.
    pub src: [u8; 4],
    /// Destination address.
    pub dst: [u8; 4],
}

impl Ipv4Fields {
    /// The header with its checksum, as it goes on the wire.
    #[inline]
    #[must_use]
    pub fn write(self) -> [u8; MIN_HEADER_LEN] {
        let mut fixed = Fixed {
            version_ihl: 0x45,
            tos: self.tos,
            total_len: U16::new(self.total_len),
            id: U16::new(self.id),
            fragment: U16::new(if self.dont_fragment { DONT_FRAGMENT } else { 0 }),
            ttl: self.ttl,
            protocol: self.protocol,
            checksum: U16::ZERO,
            src: self.src,
            dst: self.dst,
        };
        fixed.checksum.set(checksum::of(fixed.as_bytes()));
        zerocopy::transmute!(fixed)
    }
}

/// Sets the total length, in bytes, and the protocol, and computes the checksum anew over the header with its options.
///
/// Returns false, and changes nothing, if `header` does not start with an IPv4 header that fits it, or if `total_len`
/// is below the header's length.
#[inline]
#[must_use]
pub fn patch(header: &mut [u8], total_len: u16, protocol: u8) -> bool {
    let Some(header) = whole_header(header) else { return false };
    if header.len() > usize::from(total_len) {
        return false;
    }
    // The whole header is summed before the first store: a wide load of bytes just stored one by one would stall. The
    // sum of a header is never zero, so taking words away from it and adding others leaves no second form of zero.
    let sum = Sum::of(header);
    set(header, |fixed| {
        let sum = sum
            .minus_u16(fixed.total_len.get())
            .minus_u16(fixed.ttl_protocol())
            .minus_u16(fixed.checksum.get());
        fixed.total_len.set(total_len);
        fixed.protocol = protocol;
        let sum = sum.plus(Sum::of_u16(total_len)).plus(Sum::of_u16(fixed.ttl_protocol()));
        fixed.checksum.set(sum.checksum());
    });
    true
}

/// Sets the TOS byte and corrects the checksum by the difference, so that an error in the header stays detectable.
///
/// Returns false, and changes nothing, if `header` does not start with an IPv4 header that fits it.
#[inline]
#[must_use]
pub fn set_tos(header: &mut [u8], tos: u8) -> bool {
    let Some(header) = whole_header(header) else { return false };
    set(header, |fixed| {
        let old = u16::from_be_bytes([fixed.version_ihl, fixed.tos]);
        let new = u16::from_be_bytes([fixed.version_ihl, tos]);
        fixed.tos = tos;
        // RFC 1624 equation 3: HC' = ~(~HC + ~m + m'). The sum is zero only if all three terms are, and ~m is not:
        // the version is 4. So the result is never the 0xffff that equation 2 can give.
        fixed
            .checksum
            .set(Sum::of_u16(!fixed.checksum.get()).minus_u16(old).plus(Sum::of_u16(new)).checksum());
    });
    true
}

/// The header with its options at the start of `bytes`, if it is one of IPv4 and fits.
#[inline]
fn whole_header(bytes: &mut [u8]) -> Option<&mut [u8]> {
    let header_len = Fixed::ref_from_prefix(bytes).ok()?.0.header_len().ok()?;
    bytes.get_mut(..header_len)
}

#[inline]
fn set(header: &mut [u8], change: impl FnOnce(&mut Fixed)) {
    if let Ok((fixed, _)) = Fixed::mut_from_prefix(header) {
        change(fixed);
    }
}

/// The header without its options, in the order of RFC 791 section 3.1.
#[derive(Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct Fixed {
    version_ihl: u8,
    tos: u8,
    total_len: U16,
    id: U16,
    fragment: U16, // three flags, then the offset
    ttl: u8,
    protocol: u8,
    checksum: U16,
    src: [u8; 4],
    dst: [u8; 4],
}

impl Fixed {
    /// Bytes of the header with its options, once the version and the header length field are seen to be legal.
    #[inline]
    fn header_len(&self) -> Result<usize, IpError> {
        match (self.version_ihl >> 4, self.ihl_bytes()) {
            (4, MIN_HEADER_LEN..) => Ok(self.ihl_bytes()),
            (4, _) => Err(IpError::HeaderLen),
            _ => Err(IpError::Version),
        }
    }

    #[inline]
    fn ttl_protocol(&self) -> u16 {
        u16::from_be_bytes([self.ttl, self.protocol])
    }

    /// The header length field, in bytes.
    #[inline]
    fn ihl_bytes(&self) -> usize {
        usize::from((self.version_ihl & 0x0f) << 2)
    }
}

const DONT_FRAGMENT: u16 = 0x4000;
const MORE_FRAGMENTS: u16 = 0x2000;
const OFFSET_MASK: u16 = 0x1fff;
const _: () = assert!(size_of::<Fixed>() == MIN_HEADER_LEN);
