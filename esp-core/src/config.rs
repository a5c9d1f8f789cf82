//! What an SA is made of, as a caller or an SA file says it, and the checks that make it an SA.
//!
//! [`SaConfig`] may hold anything its field types can hold. [`SaConfig::outbound`] and [`SaConfig::inbound`] are
//! the only way on: they refuse, with the field and its legal range, or return a specification that needs no further
//! check. [`SaFile::parse`] reads SA files (TOML; `docs/sa-file.md` is the reference) and names the line as well.

mod check;
mod file;
mod keying;
mod legal;
mod matching;
mod options;
mod secret;
mod selector;
mod spec;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use esp_crypto::Transform;
use serde::{Deserialize, Deserializer, de};

pub use file::{ConfigError, SaFile};
pub use keying::no_transform;
pub(crate) use matching::any_matches;
pub use options::{
    CheckOuter, Df, Direction, Dscp, EcnMode, FlowLabel, KeySource, Lookup, Mode, ReplayWindow, UdpEncap,
};
pub use secret::{HexError, Secret};
pub use selector::{PortRange, Prefix, PrefixError, Selector};
pub use spec::{InboundSpec, OutboundSpec, TunnelSpec};

/// One SA as configured, not yet checked. Start from [`SaConfig::new`] and set the fields that differ.
///
/// `src` and `dst` are as the packet carries them: `src` is the sender, at either end. So the two ends of an SA
/// have the same addresses, ports, SPI, transform and key, and differ in `direction`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SaConfig {
    /// Name for messages and tools: 1 to 64 characters without control characters, unique within an SA file. Default:
    /// none.
    pub name: Option<String>,
    /// Which way packets go through the SA.
    pub direction: Direction,
    /// SPI, host byte order, 256..=4294967295 (RFC 4303 section 2.1).
    pub spi: u32,
    /// Encryption and integrity, by [`Transform::name`] in files.
    #[serde(deserialize_with = "transform_by_name")]
    pub transform: Transform,
    /// Keying material, exactly [`Transform::key_len`] bytes: the cipher's key, its salt, the integrity key. With
    /// `integrity_key`, only the first two. Hexadecimal in files.
    #[serde(default)]
    pub key: Secret,
    /// Key of a separate integrity algorithm, when it does not stand at the end of `key`. Default: none.
    pub integrity_key: Option<Secret>,
    /// Whether a key exchange makes the keys afresh or someone wrote them down. Default: static.
    #[serde(default)]
    pub keys: KeySource,
    /// Take a transform that RFC 8221 says not to use. Only with the cargo feature `legacy` is there any. Default: false.
    #[serde(default)]
    pub allow_legacy: bool,
    /// Tunnel or transport mode (RFC 4303 section 3.1).
    pub mode: Mode,
    /// Outer source address. Needed by outbound tunnels and by `check_outer`/`lookup` that look at it.
    pub src: Option<IpAddr>,
    /// Outer destination address. Needed by outbound tunnels and by `check_outer`/`lookup` that look at it.
    pub dst: Option<IpAddr>,
    /// Extended (64-bit) sequence numbers, RFC 4303 section 2.2.1. Default: false.
    #[serde(default)]
    pub esn: bool,
    /// UDP encapsulation (RFC 3948). Default: none, ESP is IP protocol 50.
    pub udp: Option<UdpEncap>,
    /// Inbound: the anti-replay window (RFC 4303 section 3.4.3). Default: 64.
    #[serde(default)]
    pub replay_window: ReplayWindow,
    /// Inbound: what finds the SA (RFC 4301 section 4.1). Default: the SPI alone.
    #[serde(default)]
    pub lookup: Lookup,
    /// Inbound: which outer addresses a packet must have, once it is authentic. Default: none is checked.
    #[serde(default)]
    pub check_outer: CheckOuter,
    /// What is inside (RFC 4301 section 4.4.1.1). Inbound: one must match the packet, or it is dropped (section 5.2).
    /// Outbound: the engine does not look at them, its caller picks the tunnel; a caller that lets the SA say what it is
    /// for finds it here. Default: empty, anything.
    #[serde(default)]
    pub selectors: Vec<Selector>,
    /// Outbound: the largest sealed IP packet, in bytes; at least 576, or 1280 with IPv6 outside. Default: no limit
    /// but the buffer and the length fields.
    pub mtu: Option<u16>,
    /// Outbound tunnel: pad the inner packet up to this many bytes, never past `mtu` (RFC 4303 section 2.7), 1..=65535.
    /// Default: no padding for traffic flow confidentiality.
    pub tfc_pad_to: Option<u16>,
    /// Outbound tunnel: DSCP of the outer header (RFC 4301 section 5.1.2). Default: copied.
    #[serde(default)]
    pub dscp: Dscp,
    /// Tunnel: ECN at this end of the tunnel (RFC 6040). Default: normal mode.
    #[serde(default)]
    pub ecn: EcnMode,
    /// Outbound tunnel: DF of an outer IPv4 header; IPv6 has none. Default: copied.
    #[serde(default)]
    pub df: Df,
    /// Outbound tunnel: TTL or hop limit of the outer header, 1..=255. Default: 64.
    #[serde(default = "default_ttl")]
    pub ttl: u8,
    /// Outbound tunnel: flow label of an outer IPv6 header; IPv4 has none. Default: copied.
    #[serde(default)]
    pub flow_label: FlowLabel,
    /// The caller's own number for the tunnel (for instance a port or a VNI), handed back untouched. Default: 0.
    #[serde(default)]
    pub tun_id: u64,
}

impl SaConfig {
    /// An SA with every option at its default.
    pub fn new(
        direction: Direction,
        spi: u32,
        transform: Transform,
        key: impl Into<Secret>,
        mode: Mode,
    ) -> SaConfig {
        SaConfig {
            name: None,
            direction,
            spi,
            transform,
            key: key.into(),
            integrity_key: None,
            keys: KeySource::default(),
            allow_legacy: false,
            mode,
            src: None,
            dst: None,
            esn: false,
            udp: None,
            replay_window: ReplayWindow::default(),
            lookup: Lookup::default(),
            check_outer: CheckOuter::default(),
            selectors: Vec::new(),
            mtu: None,
            tfc_pad_to: None,
            dscp: Dscp::default(),
            ecn: EcnMode::default(),
            df: Df::default(),
            ttl: DEFAULT_TTL,
            flow_label: FlowLabel::default(),
            tun_id: 0,
        }
    }
}

fn transform_by_name<'de, D: Deserializer<'de>>(from: D) -> Result<Transform, D::Error> {
    let name = String::deserialize(from)?;
    Transform::from_name(&name).ok_or_else(|| de::Error::custom(keying::why_not(&name)))
}

fn default_ttl() -> u8 {
    DEFAULT_TTL
}

/// RFC 1700, "IP time to live parameter".
const DEFAULT_TTL: u8 = 64;
