//! What may be inside an inbound packet (RFC 4301 section 4.4.1.1): address prefixes, protocol, ports.

use std::{fmt, net::IpAddr, str::FromStr};

use serde::{Deserialize, Deserializer, de};

/// One permitted kind of inner packet, seen as the packet carries it: `src` is the sender behind the peer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selector {
    /// Where the inner packet may come from.
    pub src: Prefix,
    /// Where the inner packet may go; the same family as `src`.
    pub dst: Prefix,
    /// Its upper-layer protocol number, 0..=255. Default: any.
    pub protocol: Option<u8>,
    /// Its source port; needs a `protocol` that has ports. Default: any.
    pub src_port: Option<PortRange>,
    /// Its destination port; needs a `protocol` that has ports. Default: any.
    pub dst_port: Option<PortRange>,
}

/// An IP prefix: all addresses that share its leading bits. In files: `"10.0.0.0/8"`; no length means one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Prefix {
    addr: IpAddr,
    len: u8,
}

impl Prefix {
    /// The prefix of `len` leading bits of `addr`.
    ///
    /// # Errors
    ///
    /// [`PrefixError`] when `len` is over 32 (IPv4) or 128 (IPv6), or `addr` has a bit set behind it.
    pub fn new(addr: IpAddr, len: u8) -> Result<Prefix, PrefixError> {
        if len > width(addr) {
            return Err(PrefixError::Length { len, max: width(addr) });
        }
        let first = masked(addr, len);
        if first != addr {
            return Err(PrefixError::HostBits { given: addr, meant: Prefix { addr: first, len } });
        }
        Ok(Prefix { addr, len })
    }

    /// The first address.
    pub fn addr(self) -> IpAddr {
        self.addr
    }

    /// The number of leading bits that are fixed: 0..=32, or 0..=128.
    #[expect(clippy::len_without_is_empty, reason = "a prefix always holds an address")]
    pub fn len(self) -> u8 {
        self.len
    }

    /// Whether `addr` is of this family and shares the leading bits.
    pub fn contains(self, addr: IpAddr) -> bool {
        masked(addr, self.len) == self.addr // never equal across families
    }
}

/// Why something is no prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PrefixError {
    /// Bits are set behind the prefix length: a slip in the address or in the length, and no guess which.
    #[error("{given} has bits set behind /{}; write {meant}, or {given}/{} for the one address", meant.len, width(*given))]
    HostBits {
        /// The address given.
        given: IpAddr,
        /// The prefix it lies in.
        meant: Prefix,
    },
    /// The length exceeds the address.
    #[error("prefix length {len} is over {max}")]
    Length {
        /// The length given, in bits.
        len: u8,
        /// The width of the address, in bits.
        max: u8,
    },
    /// Not an address, a slash and a number.
    #[error("not an IP prefix; write it like 10.0.0.0/8 or 2001:db8::/32")]
    Syntax,
}

impl FromStr for Prefix {
    type Err = PrefixError;

    fn from_str(text: &str) -> Result<Prefix, PrefixError> {
        let (addr, len) = text.split_once('/').map_or((text, None), |(addr, len)| (addr, Some(len)));
        let addr: IpAddr = addr.parse().map_err(|_| PrefixError::Syntax)?;
        let len = len.map_or(Ok(width(addr)), plain_number).map_err(|()| PrefixError::Syntax)?;
        Prefix::new(addr, len)
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.addr, self.len)
    }
}

impl<'de> Deserialize<'de> for Prefix {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Prefix, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

/// Ports `first..=last`, host byte order. In files: a number, or `"1024-2047"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PortRange {
    first: u16,
    last: u16,
}

impl PortRange {
    /// The ports `first..=last`; `None` when `first` is above `last`.
    pub fn new(first: u16, last: u16) -> Option<PortRange> {
        (first <= last).then_some(PortRange { first, last })
    }

    /// Whether `port` is one of them.
    pub fn contains(self, port: u16) -> bool {
        (self.first..=self.last).contains(&port)
    }
}

impl From<u16> for PortRange {
    fn from(port: u16) -> PortRange {
        PortRange { first: port, last: port }
    }
}

impl fmt::Display for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "{}", self.first)
        } else {
            write!(f, "{}-{}", self.first, self.last)
        }
    }
}

impl<'de> Deserialize<'de> for PortRange {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<PortRange, D::Error> {
        from.deserialize_any(Ports)
    }
}

struct Ports;

impl de::Visitor<'_> for Ports {
    type Value = PortRange;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a port 0..=65535, or a range like \"1024-2047\" with the lower port first")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<PortRange, E> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let range = plain_number(first).and_then(|first| Ok(PortRange::new(first, plain_number(last)?)));
        range.ok().flatten().ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<PortRange, E> {
        let refused = |_| E::invalid_value(de::Unexpected::Signed(number), &self);
        u16::try_from(number).map(PortRange::from).map_err(refused)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<PortRange, E> {
        let refused = |_| E::invalid_value(de::Unexpected::Unsigned(number), &self);
        u16::try_from(number).map(PortRange::from).map_err(refused)
    }
}

/// Digits only: `parse` alone would take a plus sign too.
fn plain_number<T: FromStr>(text: &str) -> Result<T, ()> {
    if text.bytes().all(|c| c.is_ascii_digit()) { text.parse().map_err(|_| ()) } else { Err(()) }
}

/// Bits in an address.
fn width(addr: IpAddr) -> u8 {
    if addr.is_ipv4() { 32 } else { 128 }
}

/// `addr` with only its `len` leading bits; none when `len` is 0, all when `len` reaches its width.
fn masked(addr: IpAddr, len: u8) -> IpAddr {
    let drop = u32::from(width(addr).saturating_sub(len));
    match addr {
        IpAddr::V4(addr) => IpAddr::V4((addr.to_bits() & u32::MAX.checked_shl(drop).unwrap_or(0)).into()),
        IpAddr::V6(addr) => IpAddr::V6((addr.to_bits() & u128::MAX.checked_shl(drop).unwrap_or(0)).into()),
    }
}
