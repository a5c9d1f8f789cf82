//! Checked SAs: what the engine installs. Only the checks make one.

use std::net::IpAddr;

use esp_crypto::{KeyMaterial, Transform};
use esp_replay::WindowSize;
use esp_wire::Spi;

use super::{CheckOuter, Df, Dscp, EcnMode, FlowLabel, Lookup, Selector, UdpEncap};

/// An outbound SA that has passed every check of [`SaConfig::outbound`](super::SaConfig::outbound).
#[derive(Debug)]
#[non_exhaustive]
pub struct OutboundSpec {
    /// Name for messages.
    pub name: Option<String>,
    /// SPI, 256 or above.
    pub spi: Spi,
    /// Encryption and integrity.
    pub transform: Transform,
    /// Keying material, exactly `transform.key_len()` bytes.
    pub key: KeyMaterial,
    /// The outer header; `None` in transport mode.
    pub tunnel: Option<TunnelSpec>,
    /// UDP encapsulation; ports are not 0.
    pub udp: Option<UdpEncap>,
    /// Whether sequence numbers have 64 bits.
    pub esn: bool,
    /// Largest sealed IP packet, in bytes.
    pub mtu: Option<u16>,
    /// Inner length to pad up to, in bytes, never past `mtu`; `None` in transport mode.
    pub tfc_pad_to: Option<u16>,
    /// What the caller may send through it; empty: any. The engine does not look at them.
    pub selectors: Vec<Selector>,
    /// The caller's number for the tunnel.
    pub tun_id: u64,
}

/// The outer header of an outbound tunnel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TunnelSpec {
    /// Outer source, unicast.
    pub src: IpAddr,
    /// Outer destination, of the family of `src`.
    pub dst: IpAddr,
    /// Outer DSCP; a set value is below 64.
    pub dscp: Dscp,
    /// ECN at the entry.
    pub ecn: EcnMode,
    /// Outer DF, for IPv4.
    pub df: Df,
    /// Outer TTL or hop limit, not 0.
    pub ttl: u8,
    /// Outer flow label, for IPv6; a set value is below 2^20.
    pub flow_label: FlowLabel,
}

/// An inbound SA that has passed every check of [`SaConfig::inbound`](super::SaConfig::inbound).
#[derive(Debug)]
#[non_exhaustive]
pub struct InboundSpec {
    /// Name for messages.
    pub name: Option<String>,
    /// SPI, 256 or above.
    pub spi: Spi,
    /// Encryption and integrity.
    pub transform: Transform,
    /// Keying material, exactly `transform.key_len()` bytes.
    pub key: KeyMaterial,
    /// Tunnel mode; else transport mode.
    pub tunnel: bool,
    /// Outer source; there whenever `lookup` or `check_outer` looks at it.
    pub src: Option<IpAddr>,
    /// Outer destination; there whenever `lookup` or `check_outer` looks at it.
    pub dst: Option<IpAddr>,
    /// What finds the SA.
    pub lookup: Lookup,
    /// Outer addresses to check.
    pub check_outer: CheckOuter,
    /// UDP encapsulation; ports are not 0.
    pub udp: Option<UdpEncap>,
    /// ECN mode of the tunnel; the exit is the same in both.
    pub ecn: EcnMode,
    /// Whether sequence numbers have 64 bits; then `window` is there.
    pub esn: bool,
    /// The anti-replay window; `None`: off.
    pub window: Option<WindowSize>,
    /// Permitted inner packets; empty: any.
    pub selectors: Vec<Selector>,
    /// The caller's number for the tunnel.
    pub tun_id: u64,
}
