//! SAs: any legal outbound one, its inbound end, and the same for the slow ESP.

use esp_core::config::{
    Df, Direction, Dscp, EcnMode, FlowLabel, KeySource, Mode, ReplayWindow, SaConfig, UdpEncap,
};
use esp_core::{Spi, Transform};
use esp_testkit::slow::{SlowMode, SlowSa, SlowTransform};

use crate::bytes::Bytes;

/// An outbound SA of any kind.
pub(crate) fn outbound(bytes: &mut Bytes<'_>) -> SaConfig {
    let two_way = |transform: &&Transform| !transform.is_legacy();
    let every: Vec<_> = Transform::ALL.iter().filter(two_way).copied().collect();
    let transform = bytes.pick(&every);
    let what = bytes.next();
    let (tunnel, v6, udp, esn) = (what & 1 == 0, what & 2 != 0, what & 4 != 0, what & 8 != 0);
    let mut config = if tunnel { self::tunnel(transform, v6) } else { transport(transform) };
    config.esn = esn;
    if udp {
        let zero_checksum = what & 16 != 0 && (v6 || !tunnel);
        config.udp = Some(UdpEncap { src_port: bytes.short().max(1), dst_port: UDP_PORT, zero_checksum });
    }
    if what & 32 != 0 {
        let least = if tunnel && v6 { 1280 } else { 576 };
        config.mtu = Some(bytes.short().max(least));
    }
    if what & 64 != 0 && tunnel {
        config.tfc_pad_to = Some(bytes.short().max(1) >> (bytes.next() % 8).min(6));
    }
    if what & 128 != 0 && tunnel {
        header_options(bytes, &mut config);
    }
    config.tfc_pad_to = config.tfc_pad_to.map(|pad_to| pad_to.max(1));
    config
}

fn header_options(bytes: &mut Bytes<'_>, config: &mut SaConfig) {
    config.dscp = if bytes.flag() { Dscp::Set(bytes.next() & 63) } else { Dscp::Copy };
    config.ecn = bytes.pick(&[EcnMode::Normal, EcnMode::Compatibility]);
    config.df = bytes.pick(&[Df::Copy, Df::Set, Df::Clear]);
    config.ttl = bytes.next().max(1);
    config.flow_label =
        if bytes.flag() { FlowLabel::Set(u32::from(bytes.short()) << 4) } else { FlowLabel::Copy };
}

/// A tunnel from 192.0.2.1 to 192.0.2.2, or over IPv6.
pub(crate) fn tunnel(transform: Transform, v6: bool) -> SaConfig {
    let mut config = transport(transform);
    config.mode = Mode::Tunnel;
    let (src, dst) = if v6 { ("2001:db8::1", "2001:db8::2") } else { ("192.0.2.1", "192.0.2.2") };
    (config.src, config.dst) = (src.parse().ok(), dst.parse().ok());
    config
}

/// An SA in transport mode. Each byte of its key tells its place.
pub(crate) fn transport(transform: Transform) -> SaConfig {
    let key: Vec<u8> = (1..=transform.key_len() as u8).collect();
    let mut config = SaConfig::new(Direction::Outbound, 0x1001, transform, key, Mode::Transport);
    config.keys = KeySource::Negotiated;
    config
}

/// The inbound end of an outbound SA.
pub(crate) fn peer(outbound: &SaConfig) -> SaConfig {
    let mut config = transport(outbound.transform);
    config.direction = Direction::Inbound;
    (config.spi, config.key, config.mode) = (outbound.spi, outbound.key.clone(), outbound.mode);
    (config.src, config.dst) = (outbound.src, outbound.dst);
    (config.esn, config.udp, config.ecn) = (outbound.esn, outbound.udp, outbound.ecn);
    config.replay_window = ReplayWindow::Bits(1024);
    assert!(Spi::new(config.spi).is_ok());
    config
}

/// The same SA for the slow ESP.
pub(crate) fn slow(config: &SaConfig) -> SlowSa {
    let transform = SlowTransform::named(config.transform.name()).expect("every transform");
    let mode = match (config.mode, config.src, config.dst) {
        (Mode::Tunnel, Some(src), Some(dst)) => SlowMode::Tunnel { src, dst },
        (Mode::Tunnel, ..) => panic!("these tunnels have addresses"),
        (Mode::Transport, ..) => SlowMode::Transport,
    };
    let udp = config.udp.map(|udp| (udp.src_port, udp.dst_port));
    SlowSa { spi: config.spi, transform, key: config.key.expose().to_vec(), esn: config.esn, mode, udp }
}

/// RFC 3948 section 2.
pub(crate) const UDP_PORT: u16 = 4500;
