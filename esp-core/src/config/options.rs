//! The options of an SA that are a choice among a few words, or a word and a number.

use std::fmt;

use serde::{Deserialize, Deserializer, de};

/// Which way packets go through an SA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Plaintext in, ESP out.
    Outbound,
    /// ESP in, plaintext out.
    Inbound,
}

/// What ESP protects (RFC 4303 section 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// A whole IP packet, behind an outer IP header.
    Tunnel,
    /// The payload of an IP packet, behind the packet's own header.
    Transport,
}

/// Where keys come from, and so whether the same key can come again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeySource {
    /// Someone wrote them down: the same key is installed again after a restart, and numbers start again with it.
    #[default]
    Static,
    /// A key exchange such as IKE: no key is ever installed twice.
    Negotiated,
}

/// UDP encapsulation of ESP (RFC 3948). Ports are as the packet carries them, at either end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UdpEncap {
    /// Source port, 1..=65535. Default: 4500.
    pub src_port: u16,
    /// Destination port, 1..=65535. Default: 4500.
    pub dst_port: u16,
    /// IPv6, outbound: send a UDP checksum of zero (RFC 6935, RFC 6936). Inbound it has no effect, a zero checksum is
    /// always accepted. Over IPv4 the checksum sent is always zero (RFC 3948 section 2.1). Default: false.
    pub zero_checksum: bool,
}

impl Default for UdpEncap {
    fn default() -> UdpEncap {
        UdpEncap { src_port: 4500, dst_port: 4500, zero_checksum: false }
    }
}

/// Size of the anti-replay window. In files: the number of bits, or the word `"off"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReplayWindow {
    /// This many bits, that is sequence numbers; 32..=2097152, any number, not only powers of two.
    Bits(u32),
    /// No anti-replay: duplicates pass. Not possible with ESN.
    Off,
}

impl Default for ReplayWindow {
    fn default() -> ReplayWindow {
        ReplayWindow::Bits(64)
    }
}

impl<'de> Deserialize<'de> for ReplayWindow {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<ReplayWindow, D::Error> {
        let bits: Option<u32> = number_or(from, "off")?;
        Ok(bits.map_or(ReplayWindow::Off, ReplayWindow::Bits))
    }
}

/// What finds an inbound SA (RFC 4301 section 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lookup {
    /// The SPI alone.
    #[default]
    Spi,
    /// SPI and outer destination address.
    SpiDst,
    /// SPI, outer destination and outer source address.
    SpiDstSrc,
}

/// Which outer addresses an authentic inbound packet must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckOuter {
    /// Any: the ICV is proof enough, and the peer may move.
    #[default]
    None,
    /// The destination must be `dst`.
    Dst,
    /// The source must be `src` and the destination `dst`.
    SrcDst,
}

/// DSCP of the outer header. In files: `"copy"`, or 0..=63.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dscp {
    /// That of the inner header.
    #[default]
    Copy,
    /// This value, 0..=63.
    Set(u8),
}

impl<'de> Deserialize<'de> for Dscp {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Dscp, D::Error> {
        let value: Option<u8> = number_or(from, "copy")?;
        Ok(value.map_or(Dscp::Copy, Dscp::Set))
    }
}

/// ECN at the entry of a tunnel (RFC 6040 section 4.1). The exit is the same in both modes (section 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EcnMode {
    /// The outer header takes the inner ECN field.
    #[default]
    Normal,
    /// The outer header is Not-ECT, for a far end that does not propagate congestion marks.
    Compatibility,
}

/// DF of an outer IPv4 header (RFC 4301 section 8.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Df {
    /// That of the inner IPv4 header; set for an inner IPv6 packet, which no router may fragment.
    #[default]
    Copy,
    /// Always set.
    Set,
    /// Always clear.
    Clear,
}

/// Flow label of an outer IPv6 header. In files: `"copy"`, or 0..=1048575.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FlowLabel {
    /// That of the inner IPv6 header; 0 for an inner IPv4 packet.
    #[default]
    Copy,
    /// This value, below 2^20.
    Set(u32),
}

impl<'de> Deserialize<'de> for FlowLabel {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<FlowLabel, D::Error> {
        let label: Option<u32> = number_or(from, "copy")?;
        Ok(label.map_or(FlowLabel::Copy, FlowLabel::Set))
    }
}

/// A number, or `None` for the one word that may stand in its place.
fn number_or<'de, T: TryFrom<u64>, D: Deserializer<'de>>(
    from: D,
    word: &'static str,
) -> Result<Option<T>, D::Error> {
    from.deserialize_any(NumberOr { word, number: std::marker::PhantomData })
}

struct NumberOr<T> {
    word: &'static str,
    number: std::marker::PhantomData<T>,
}

impl<T: TryFrom<u64>> de::Visitor<'_> for NumberOr<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number in range or \"{}\"", self.word)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Option<T>, E> {
        if text == self.word { Ok(None) } else { Err(E::invalid_value(de::Unexpected::Str(text), &self)) }
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Option<T>, E> {
        let refused = || E::invalid_value(de::Unexpected::Unsigned(number), &self);
        T::try_from(number).map(Some).map_err(|_| refused())
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Option<T>, E> {
        let refused = E::invalid_value(de::Unexpected::Signed(number), &self);
        u64::try_from(number).map_err(|_| refused).and_then(|number| self.visit_u64(number))
    }
}
