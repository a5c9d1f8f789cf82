//! States of the kernel to SAs of the engine, and back.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use esp_core::config::{
    CheckOuter, Df, Direction, Dscp, EcnMode, FlowLabel, Lookup, Mode, ReplayWindow, SaConfig, Secret,
    UdpEncap, no_transform,
};
use zeroize::Zeroizing;

use super::line::{Algorithm, Kind, Line};
use super::{State, commands, selector};
use crate::sa::algorithms::{self, CIPHERS, INTEGRITIES};
use crate::sa::fault::{Fault, Note, shown};

/// The SA of a state, and what it does not carry over.
///
/// # Errors
///
/// An algorithm, a mode or an encapsulation that the engine has not, a key of another length.
pub(crate) fn to_config(state: &State, direction: Direction) -> Result<(SaConfig, Vec<Note>), Fault> {
    let (spi, mode) = spi_and_mode(state)?;
    let (transform, key) = transform(state)?;
    let mut sa = SaConfig::new(direction, spi, transform, Secret::from(key.as_slice()), mode);
    sa.allow_legacy = transform.is_legacy();
    (sa.src, sa.dst) = state.addresses();
    sa.esn = state.flags().any(|flag| flag == "esn");
    sa.udp = udp(state)?;
    let mut notes = lost(state, direction);
    if let Some((line, text)) =
        state.find(|line| if let Line::Selector(text) = line { Some(text) } else { None })
    {
        let (selector, left) = selector::read(text).map_err(|why| Fault::new(line, 1, "sel", why))?;
        sa.selectors.extend(selector);
        notes.extend(left.iter().map(|what| Note::new(line, format!("sel: without a counterpart: {what}"))));
    }
    if mode == Mode::Tunnel && state.flags().any(|flag| flag == "noecn") {
        sa.ecn = EcnMode::Compatibility;
    }
    if direction == Direction::Inbound {
        sa.replay_window = window(state);
    }
    Ok((sa, notes))
}

/// The state of an SA.
///
/// # Errors
///
/// The SA lacks an address, or Linux has no name for its algorithms.
pub(crate) fn from_config(sa: &SaConfig) -> Result<State, String> {
    let (Some(src), Some(dst)) = (sa.src, sa.dst) else {
        return Err("src and dst: a state of the kernel needs both addresses".to_owned());
    };
    let mode = if sa.mode == Mode::Tunnel { "tunnel" } else { "transport" };
    let window = match sa.replay_window {
        ReplayWindow::Bits(bits) if sa.direction == Direction::Inbound => bits.min(MAX_WINDOW),
        _ => 0,
    };
    let mut flags = Vec::new();
    if sa.ecn == EcnMode::Compatibility {
        flags.push("noecn".to_owned());
    }
    if sa.mode == Mode::Tunnel {
        // The inner family may be another than the outer.
        flags.push("af-unspec".to_owned());
    }
    if sa.esn {
        flags.push("esn".to_owned());
    }
    // The kernel keeps windows above 32 and all of ESN in the longer form, which an outbound state has too.
    let long = sa.esn || window > 32;
    let mut lines = vec![
        Line::Addresses { src, dst },
        Line::Proto { protocol: "esp".to_owned(), spi: sa.spi, reqid: 0, mode: mode.to_owned() },
        Line::Replay { window: if long { 0 } else { window }, flags, extra: Vec::new() },
    ];
    lines.extend(keyed(sa)?);
    if let Some(udp) = sa.udp {
        let addr = if dst.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        let (src_port, dst_port) = (udp.src_port, udp.dst_port);
        lines.push(Line::Encap { kind: "espinudp".to_owned(), src_port, dst_port, addr });
    }
    if long {
        let window = window.max(32);
        lines.push(Line::Other("\tanti-replay esn context:".to_owned()));
        lines.push(Line::EsnContext { seq: 0, oseq: 0 });
        lines.push(Line::EsnWindow { window, bitmap_len: window.div_ceil(32) });
    } else {
        lines.push(Line::Context { seq: 0, oseq: 0, bitmap: 0 });
    }
    if let [one] = sa.selectors.as_slice() {
        lines.extend(selector::write(one).map(Line::Selector));
    }
    Ok(State { line: 0, lines: lines.into_iter().map(|line| (0, line)).collect() })
}

/// What the state of an SA does not hold.
pub(crate) fn not_in_state(sa: &SaConfig) -> Vec<&'static str> {
    let one_selector = match sa.selectors.as_slice() {
        [] => true,
        [one] => selector::write(one).is_some(),
        _ => false,
    };
    let window = matches!(sa.replay_window, ReplayWindow::Bits(bits) if bits > MAX_WINDOW);
    let lost = [
        (sa.name.is_some(), "name"),
        (!one_selector, "selectors (the kernel has one, with single ports)"),
        (window, "replay_window (the kernel's largest is 4096)"),
        (sa.lookup != Lookup::default(), "lookup"),
        (sa.check_outer != CheckOuter::default(), "check_outer"),
        (sa.udp.is_some_and(|udp| udp.zero_checksum), "udp.zero_checksum"),
        (sa.mtu.is_some(), "mtu"),
        (sa.tfc_pad_to.is_some(), "tfc_pad_to"),
        (sa.dscp != Dscp::default(), "dscp"),
        (sa.df != Df::default(), "df"),
        (sa.flow_label != FlowLabel::default(), "flow_label"),
        (sa.tun_id != 0, "tun_id"),
    ];
    lost.iter().filter(|(is, _)| *is).map(|(_, what)| *what).collect()
}

impl State {
    /// Source and destination.
    pub(in crate::sa) fn addresses(&self) -> (Option<IpAddr>, Option<IpAddr>) {
        let found = self.find(|line| match line {
            Line::Addresses { src, dst } => Some((*src, *dst)),
            _ => None,
        });
        (found.map(|(_, (src, _))| src), found.map(|(_, (_, dst))| dst))
    }

    pub(in crate::sa) fn flags(&self) -> impl Iterator<Item = &str> {
        let flags = self.find(|line| if let Line::Replay { flags, .. } = line { Some(flags) } else { None });
        flags.into_iter().flat_map(|(_, flags)| flags.iter().map(String::as_str))
    }

    pub(super) fn extra_flags(&self) -> impl Iterator<Item = &str> {
        let flags = self.find(|line| if let Line::Replay { extra, .. } = line { Some(extra) } else { None });
        flags.into_iter().flat_map(|(_, flags)| flags.iter().map(String::as_str))
    }

    /// 0 if it has none.
    pub(super) fn spi(&self) -> u32 {
        let spi = self.find(|line| if let Line::Proto { spi, .. } = line { Some(*spi) } else { None });
        spi.map_or(0, |(_, spi)| spi)
    }

    /// Numbers received and sent: the highest of each.
    pub(in crate::sa) fn numbers(&self) -> (u64, u64) {
        let numbers = self.find(|line| match line {
            Line::Context { seq, oseq, .. } => Some((u64::from(*seq), u64::from(*oseq))),
            Line::EsnContext { seq, oseq } => Some((*seq, *oseq)),
            _ => None,
        });
        numbers.map_or((0, 0), |(_, numbers)| numbers)
    }

    /// `dir in` or `dir out` of newer kernels.
    pub(in crate::sa) fn direction(&self) -> Option<Direction> {
        self.find(|line| match line {
            Line::Other(text) => match text.trim() {
                "dir in" => Some(Direction::Inbound),
                "dir out" => Some(Direction::Outbound),
                _ => None,
            },
            _ => None,
        })
        .map(|(_, direction)| direction)
    }

    fn algorithm(&self, kinds: &[Kind]) -> Option<(usize, &Algorithm)> {
        self.find(|line| match line {
            Line::Algorithm(algorithm) if kinds.contains(&algorithm.kind) => Some(algorithm),
            _ => None,
        })
    }
}

fn spi_and_mode(state: &State) -> Result<(u32, Mode), Fault> {
    let found = state.find(|line| match line {
        Line::Proto { spi, mode, .. } => Some((*spi, mode.as_str())),
        _ => None,
    });
    match found {
        Some((line, (..=255, _))) => {
            Err(Fault::new(line, 1, "spi", "legal: 256..=4294967295 (RFC 4303 section 2.1)"))
        }
        Some((_, (spi, "tunnel"))) => Ok((spi, Mode::Tunnel)),
        Some((_, (spi, "transport"))) => Ok((spi, Mode::Transport)),
        Some((line, _)) => Err(Fault::new(line, 1, "mode", "legal: tunnel, transport")),
        None => Err(Fault::new(state.line, 1, "proto", "missing")),
    }
}

/// The transform, and its keying material.
fn transform(state: &State) -> Result<(esp_core::Transform, Zeroizing<Vec<u8>>), Fault> {
    let aead = state.algorithm(&[Kind::Aead]);
    let (line, cipher) = aead.or_else(|| state.algorithm(&[Kind::Enc])).ok_or_else(|| {
        Fault::new(
            state.line,
            1,
            "aead",
            "missing: the state has neither aead nor enc; were the keys left out?",
        )
    })?;
    let integrity = state.algorithm(&[Kind::Auth, Kind::AuthTrunc]);
    let fault = |line, field: &str, message: String| Fault::new(line, 1, field, message);
    let icv_bits = cipher.icv_bits.unwrap_or(0);
    let named = CIPHERS.iter().filter(|row| row.linux == Some(cipher.name.as_str()));
    let field = if aead.is_some() { "aead" } else { "enc" };
    let row = named
        .clone()
        .find(|row| row.icv_bits == icv_bits && row.key_len == cipher.key.len())
        .ok_or_else(|| {
            let legal = named.map(|row| match row.icv_bits {
                0 => format!("{} bytes", row.key_len),
                bits => format!("{} bytes with {bits} bits", row.key_len),
            });
            let legal = legal.collect::<Vec<_>>().join(", ");
            let got = format!("{}: a key of {} bytes", cipher.name, cipher.key.len());
            match (legal.is_empty(), aead) {
                (true, _) => fault(
                    line,
                    field,
                    format!("{}: an algorithm that this program does not know", cipher.name),
                ),
                (_, Some(_)) => {
                    fault(line, field, format!("{got} and an ICV of {icv_bits} bits; legal: {legal}"))
                }
                _ => fault(line, field, format!("{got}; legal: {legal}")),
            }
        })?;
    let mut key = Zeroizing::new(Vec::with_capacity(cipher.key.len() + 64));
    key.extend_from_slice(cipher.key.expose());
    let second = match (row.icv_bits, integrity) {
        (0, Some((line, algorithm))) => {
            key.extend_from_slice(algorithm.key.expose());
            Some(integrity_row(line, algorithm)?)
        }
        (0, None) => {
            let message = format!("missing: {} without integrity is refused (RFC 8221 section 4)", row.ours);
            return Err(fault(line, "auth", message));
        }
        _ => None,
    };
    let transform =
        algorithms::transform((row, second)).map_err(|name| fault(line, field, no_transform(&name)))?;
    Ok((transform, key))
}

/// `auth` without a length has the one that Linux gives it: 96 bits of SHA-256, which no RFC has, and of others that of
/// their RFC.
fn integrity_row(line: usize, algorithm: &Algorithm) -> Result<&'static algorithms::Integrity, Fault> {
    let named = INTEGRITIES.iter().filter(|row| row.linux == Some(algorithm.name.as_str()));
    let default =
        || if algorithm.name == "hmac(sha256)" { Some(96) } else { Some(named.clone().next()?.icv_bits) };
    let bits = algorithm.icv_bits.or_else(default).unwrap_or(0);
    let found = named.clone().find(|row| row.icv_bits == bits && row.key_len == algorithm.key.len());
    found.ok_or_else(|| {
        let legal = named.map(|row| format!("{} bytes with {} bits", row.key_len, row.icv_bits));
        let legal = legal.collect::<Vec<_>>().join(", ");
        let got =
            format!("{}: a key of {} bytes and an ICV of {bits} bits", algorithm.name, algorithm.key.len());
        let message = match legal.is_empty() {
            true => format!("{}: an algorithm that this program does not know", algorithm.name),
            false => format!("{got}; legal: {legal}"),
        };
        Fault::new(line, 1, "auth", message)
    })
}

fn udp(state: &State) -> Result<Option<UdpEncap>, Fault> {
    let found = state.find(|line| match line {
        Line::Encap { kind, src_port, dst_port, .. } => Some((kind.as_str(), *src_port, *dst_port)),
        _ => None,
    });
    match found {
        None => Ok(None),
        Some((_, ("espinudp", src_port, dst_port))) => {
            Ok(Some(UdpEncap { src_port, dst_port, ..UdpEncap::default() }))
        }
        Some((line, _)) => Err(Fault::new(line, 1, "encap", "legal: type espinudp")),
    }
}

fn window(state: &State) -> ReplayWindow {
    let bits =
        state.find(|line| if let Line::EsnWindow { window, .. } = line { Some(*window) } else { None });
    let bits = bits.or_else(|| {
        state.find(|line| if let Line::Replay { window, .. } = line { Some(*window) } else { None })
    });
    match bits {
        Some((_, 0)) | None => ReplayWindow::Off,
        Some((_, bits)) => ReplayWindow::Bits(bits),
    }
}

/// What the engine's SA does not take over.
fn lost(state: &State, direction: Direction) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut note = |message: String| notes.push(Note::new(state.line, message));
    let (received, sent) = state.numbers();
    let spi = state.spi();
    if sent > 0 {
        note(format!(
            "SA {spi:#010x}: the kernel has sent {sent} packets with this key: an outbound SA made from it starts at number 1 \
             again, and repeats nonces that were used; make new keys before it sends"
        ));
    }
    if direction == Direction::Inbound && received > 0 {
        note(format!(
            "SA {spi:#010x}: the highest number received, {received}, is left behind: older packets can come again"
        ));
        if received >> 32 > 0 {
            note(format!("to open a capture of now, say `--seq-hi {}`", received >> 32));
        }
    }
    let kept = ["esn", "af-unspec", "noecn"];
    let flags: Vec<_> =
        state.flags().filter(|flag| !kept.contains(flag)).chain(state.extra_flags()).collect();
    if !flags.is_empty() {
        note(format!("flags without a counterpart: {}", shown(&flags.join(", "))));
    }
    for (_, line) in &state.lines {
        if let Line::Other(text) = line
            && (commands::has_argument(text) || !commands::is_only_told(text))
            && !text.trim().starts_with("dir ")
        {
            note(format!("without a counterpart: {}", shown(text.trim())));
        }
    }
    notes
}

fn keyed(sa: &SaConfig) -> Result<Vec<Line>, String> {
    let unnamed = || format!("{} has no name in Linux", sa.transform);
    let (cipher, integrity) = algorithms::of(sa.transform).ok_or_else(unnamed)?;
    let (key, second) = sa.key.expose().split_at_checked(cipher.key_len).unwrap_or((sa.key.expose(), &[]));
    let name = cipher.linux.ok_or_else(unnamed)?.to_owned();
    let Some(integrity) = integrity else {
        let icv_bits = Some(cipher.icv_bits);
        return Ok(vec![Line::Algorithm(Algorithm { kind: Kind::Aead, name, key: key.into(), icv_bits })]);
    };
    let auth = integrity.linux.ok_or_else(unnamed)?.to_owned();
    let icv_bits = Some(integrity.icv_bits);
    Ok(vec![
        Line::Algorithm(Algorithm { kind: Kind::AuthTrunc, name: auth, key: second.into(), icv_bits }),
        Line::Algorithm(Algorithm { kind: Kind::Enc, name, key: key.into(), icv_bits: None }),
    ])
}

/// `XFRMA_REPLAY_ESN_MAX`, in bits.
const MAX_WINDOW: u32 = 4096;
