//! An IP packet of either version.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::ipv4::Ipv4;
use crate::ipv6::Ipv6;

/// A parsed IP packet: all lengths of its fixed header agree with the slice.
#[derive(Clone, Copy, Debug)]
pub enum Ip<'a> {
    /// Version 4.
    V4(Ipv4<'a>),
    /// Version 6.
    V6(Ipv6<'a>),
}

impl<'a> Ip<'a> {
    /// Parses by the version nibble. Bytes after the packet's own length are left out (layer 2 padding).
    ///
    /// # Errors
    ///
    /// [`IpError::Truncated`] for an empty slice, [`IpError::Version`] for a nibble that is neither 4 nor 6, else those
    /// of [`Ipv4::parse`] and [`Ipv6::parse`].
    #[inline]
    pub fn parse(bytes: &'a [u8]) -> Result<Self, IpError> {
        match bytes.first().map(|first| first >> 4) {
            Some(4) => Ipv4::parse(bytes).map(Self::V4),
            Some(6) => Ipv6::parse(bytes).map(Self::V6),
            Some(_) => Err(IpError::Version),
            None => Err(IpError::Truncated),
        }
    }

    /// The packet, from its IP header to its last byte.
    #[inline]
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        match self {
            Self::V4(packet) => packet.bytes(),
            Self::V6(packet) => packet.bytes(),
        }
    }

    /// Bytes of the packet, headers and payload.
    #[inline]
    #[must_use]
    pub const fn total_len(&self) -> usize {
        self.bytes().len()
    }

    /// IPv4's TOS byte or IPv6's traffic class: DSCP and ECN.
    #[inline]
    #[must_use]
    pub fn traffic_class(&self) -> u8 {
        match self {
            Self::V4(packet) => packet.tos(),
            Self::V6(packet) => packet.traffic_class(),
        }
    }

    /// IPv4's TTL or IPv6's hop limit.
    #[inline]
    #[must_use]
    pub fn hop_limit(&self) -> u8 {
        match self {
            Self::V4(packet) => packet.ttl(),
            Self::V6(packet) => packet.hop_limit(),
        }
    }

    /// IPv4's DF flag. False for IPv6, which has none though no router fragments it.
    #[inline]
    #[must_use]
    pub fn dont_fragment(&self) -> bool {
        match self {
            Self::V4(packet) => packet.dont_fragment(),
            Self::V6(_) => false,
        }
    }

    /// Source address.
    #[inline]
    #[must_use]
    pub fn src(&self) -> IpAddr {
        match self {
            Self::V4(packet) => IpAddr::V4(Ipv4Addr::from(packet.src())),
            Self::V6(packet) => IpAddr::V6(Ipv6Addr::from(packet.src())),
        }
    }

    /// Destination address.
    #[inline]
    #[must_use]
    pub fn dst(&self) -> IpAddr {
        match self {
            Self::V4(packet) => IpAddr::V4(Ipv4Addr::from(packet.dst())),
            Self::V6(packet) => IpAddr::V6(Ipv6Addr::from(packet.dst())),
        }
    }
}

/// Why a slice is not an IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IpError {
    /// The slice ends before the header does.
    #[error("the slice ends inside the IP header")]
    Truncated,
    /// The version nibble is not the one expected.
    #[error("not this IP version")]
    Version,
    /// IPv4's header length field is below five words.
    #[error("the IPv4 header length is below 20 bytes")]
    HeaderLen,
    /// The length field of the header is below the header's own length, or larger than the slice.
    #[error("the IP length field does not agree with the header or the slice")]
    TotalLen,
    /// An IPv6 payload length of zero before a hop-by-hop header: the length is in a jumbo option (RFC 2675).
    #[error("an IPv6 jumbogram")]
    Jumbogram,
}
