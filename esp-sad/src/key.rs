//! What an inbound SA is found by.

use core::fmt;
use core::net::IpAddr;

use esp_wire::Spi;

/// The key of an inbound SA: as much of the packet as must match.
///
/// A packet belongs to the SA with the longest key that matches it (RFC 4301 section 4.1). Two SAs conflict when
/// their keys are equal, and only then: the same SPI may be live under several destinations, or under one destination
/// and several sources. Installing, finding and removing all use this one rule.
///
/// Addresses are those of the outer header, compared as they stand: an IPv4 address and the IPv6 address that maps it
/// are different keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SaKey {
    /// The SPI alone: what a unicast SA needs.
    Spi(Spi),
    /// The SPI and the destination address.
    SpiDst(Spi, IpAddr),
    /// The SPI, the destination address and the source address, in this order.
    SpiDstSrc(Spi, IpAddr, IpAddr),
}

impl SaKey {
    /// The SPI, which every key has.
    #[must_use]
    pub const fn spi(&self) -> Spi {
        match *self {
            Self::Spi(spi) | Self::SpiDst(spi, _) | Self::SpiDstSrc(spi, _, _) => spi,
        }
    }

    /// Whether addresses are part of the key.
    pub(crate) const fn is_long(&self) -> bool {
        !matches!(self, Self::Spi(_))
    }

    pub(crate) const fn kind(&self) -> Kind {
        match self {
            Self::Spi(_) => Kind::Spi,
            Self::SpiDst(..) => Kind::SpiDst,
            Self::SpiDstSrc(..) => Kind::SpiDstSrc,
        }
    }
}

impl fmt::Display for SaKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spi(spi) => write!(f, "SPI {spi}"),
            Self::SpiDst(spi, dst) => write!(f, "SPI {spi}, destination {dst}"),
            Self::SpiDstSrc(spi, dst, src) => write!(f, "SPI {spi}, destination {dst}, source {src}"),
        }
    }
}

/// Which of the three forms a key has. The number is part of a table entry and is never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Spi = 1,
    SpiDst = 2,
    SpiDstSrc = 3,
}

/// A value that knows the key it is found by.
pub trait Keyed {
    /// The key. It never changes while the value is in the database; a value that breaks this may be found by
    /// neither key, but no packet finds another SA for it.
    fn key(&self) -> &SaKey;
}

/// What one packet asks: its SPI and its outer addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// The SPI as it was on the wire, in host byte order; any value, legal or not.
    pub spi: u32,
    /// Destination address of the outer header.
    pub dst: IpAddr,
    /// Source address of the outer header.
    pub src: IpAddr,
}
