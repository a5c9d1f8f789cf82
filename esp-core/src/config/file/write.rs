//! Writing SA files: what [`SaFile::parse`](super::SaFile::parse) reads back as the same SAs.

use std::fmt::{Display, Write as _};

use zeroize::Zeroizing;

use crate::config::{
    CheckOuter, DEFAULT_TTL, Df, Direction, Dscp, EcnMode, FlowLabel, KeySource, Lookup, Mode, ReplayWindow,
    SaConfig, Secret, Selector, UdpEncap,
};

/// The whole file. Its buffer never grows, so no copy of a key is left behind in memory.
pub(super) fn file(sas: &[SaConfig]) -> Zeroizing<String> {
    let len = sas.iter().map(most).fold(0, usize::saturating_add);
    let mut text = Zeroizing::new(String::with_capacity(len));
    for (index, sa) in sas.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        Table(&mut text).sa(sa);
    }
    debug_assert!(text.len() <= len, "{} bytes written, {len} expected", text.len());
    text
}

/// The most bytes that an SA takes.
fn most(sa: &SaConfig) -> usize {
    let name = sa.name.as_ref().map_or(0, String::len).saturating_mul(ESCAPED_LEN);
    let key_len = sa.integrity_key.as_ref().map_or(0, Secret::len).saturating_add(sa.key.len());
    let key = key_len.saturating_mul(2);
    let selectors = sa.selectors.len().saturating_mul(SELECTOR_LEN);
    FIELDS_LEN.saturating_add(name).saturating_add(key).saturating_add(selectors)
}

struct Table<'t>(&'t mut String);

impl Table<'_> {
    fn sa(&mut self, sa: &SaConfig) {
        self.0.push_str("[[sa]]\n");
        self.set("name", sa.name.as_deref().map(toml_string));
        self.set("direction", Some(quoted(direction(sa.direction))));
        self.set("spi", Some(format_args!("{:#010x}", sa.spi)));
        self.set("transform", Some(quoted(sa.transform.name())));
        self.key("key", &sa.key);
        if let Some(key) = &sa.integrity_key {
            self.key("integrity_key", key);
        }
        self.set("keys", (sa.keys == KeySource::Negotiated).then(|| quoted("negotiated")));
        self.set("allow_legacy", sa.allow_legacy.then_some(true));
        self.set("mode", Some(quoted(mode(sa.mode))));
        self.set("src", sa.src.map(quoted));
        self.set("dst", sa.dst.map(quoted));
        self.set("esn", sa.esn.then_some(true));
        self.inbound(sa);
        self.outbound(sa);
        self.set("tun_id", Some(sa.tun_id).filter(|id| *id != 0));
        self.udp(sa.udp);
        for selector in &sa.selectors {
            self.selector(selector);
        }
    }

    fn inbound(&mut self, sa: &SaConfig) {
        match sa.replay_window {
            ReplayWindow::Off => self.set("replay_window", Some(quoted("off"))),
            window if window == ReplayWindow::default() => {}
            ReplayWindow::Bits(bits) => self.set("replay_window", Some(bits)),
        }
        let lookup = match sa.lookup {
            Lookup::Spi => None,
            Lookup::SpiDst => Some("spi-dst"),
            Lookup::SpiDstSrc => Some("spi-dst-src"),
        };
        self.set("lookup", lookup.map(quoted));
        let check_outer = match sa.check_outer {
            CheckOuter::None => None,
            CheckOuter::Dst => Some("dst"),
            CheckOuter::SrcDst => Some("src-dst"),
        };
        self.set("check_outer", check_outer.map(quoted));
    }

    fn outbound(&mut self, sa: &SaConfig) {
        self.set("mtu", sa.mtu);
        self.set("tfc_pad_to", sa.tfc_pad_to);
        self.set("dscp", if let Dscp::Set(dscp) = sa.dscp { Some(dscp) } else { None });
        self.set("ecn", (sa.ecn == EcnMode::Compatibility).then(|| quoted("compatibility")));
        let df = match sa.df {
            Df::Copy => None,
            Df::Set => Some("set"),
            Df::Clear => Some("clear"),
        };
        self.set("df", df.map(quoted));
        self.set("ttl", Some(sa.ttl).filter(|ttl| *ttl != DEFAULT_TTL));
        self.set("flow_label", if let FlowLabel::Set(label) = sa.flow_label { Some(label) } else { None });
    }

    /// Digit by digit into the buffer: a formatted copy would not be wiped.
    fn key(&mut self, field: &str, key: &Secret) {
        self.0.push_str(field);
        self.0.push_str(" = \"");
        for byte in key.expose() {
            let digits = [byte >> 4, byte & 0xf].map(|digit| char::from_digit(u32::from(digit), 16));
            self.0.extend(digits.into_iter().flatten());
        }
        self.0.push_str("\"\n");
    }

    fn udp(&mut self, udp: Option<UdpEncap>) {
        let Some(udp) = udp else { return };
        let default = UdpEncap::default();
        self.0.push_str("\n[sa.udp]\n");
        self.set("src_port", Some(udp.src_port).filter(|port| *port != default.src_port));
        self.set("dst_port", Some(udp.dst_port).filter(|port| *port != default.dst_port));
        self.set("zero_checksum", udp.zero_checksum.then_some(true));
    }

    fn selector(&mut self, selector: &Selector) {
        self.0.push_str("\n[[sa.selectors]]\n");
        self.set("src", Some(quoted(selector.src)));
        self.set("dst", Some(quoted(selector.dst)));
        self.set("protocol", selector.protocol);
        self.set("src_port", selector.src_port.map(quoted));
        self.set("dst_port", selector.dst_port.map(quoted));
    }

    /// A line for a field, or nothing for one that is not there.
    fn set(&mut self, field: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            // Writing to a string cannot fail.
            let _ = writeln!(self.0, "{field} = {value}");
        }
    }
}

fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Outbound => "outbound",
        Direction::Inbound => "inbound",
    }
}

fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Tunnel => "tunnel",
        Mode::Transport => "transport",
    }
}

/// For what holds no character that TOML would escape.
fn quoted(value: impl Display) -> String {
    format!("\"{value}\"")
}

fn toml_string(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// Bytes of the longest escape of a byte: `\u0000`.
const ESCAPED_LEN: usize = 6;
/// All fields but the name, the key and the selectors.
const FIELDS_LEN: usize = 1024;
/// Two IPv6 prefixes, a protocol, two port ranges.
const SELECTOR_LEN: usize = 256;
