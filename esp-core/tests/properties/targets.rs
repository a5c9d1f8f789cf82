//! The SAs that hostile packets are aimed at: every transform, mode, family and option at least once.

use std::net::IpAddr;

use esp_core::config::{
    CheckOuter, Direction, Lookup, Mode, PortRange, ReplayWindow, SaConfig, Selector, UdpEncap,
};
use esp_core::{Engine, InboundStart, SaId, Transform};
use esp_testkit::slow::SlowSa;

use crate::sas;

/// An inbound SA, and its far end.
pub(crate) struct Target {
    pub(crate) id: SaId,
    pub(crate) config: SaConfig,
    pub(crate) slow: SlowSa,
    /// IPv6 outside.
    pub(crate) v6: bool,
    /// The highest number that authenticated; that at the start of the burst; and the last one sent in turn.
    pub(crate) top: u64,
    pub(crate) top_before: u64,
    pub(crate) sent: u64,
}

/// Installs all of them.
pub(crate) fn install(engine: &Engine) -> Vec<Target> {
    let rows = ROWS.iter().enumerate();
    rows.map(|(n, row)| {
        let config = config(n, row);
        let start = InboundStart { top: (row.top > 0).then_some(row.top), null_twin: false };
        let id = engine.install_inbound_at(&config, start).expect("a legal SA");
        let slow = sas::slow(&config);
        Target { id, slow, v6: row.v6, top: row.top, top_before: row.top, sent: row.top, config }
    })
    .collect()
}

/// The SA that RFC 4301 section 4.1 finds: the longest match.
pub(crate) fn find(targets: &[Target], spi: u32, src: IpAddr, dst: IpAddr) -> Option<usize> {
    let rank = |target: &Target| {
        let (is_src, is_dst) = (target.config.src == Some(src), target.config.dst == Some(dst));
        match target.config.lookup {
            _ if target.config.spi != spi => None,
            Lookup::Spi => Some(1),
            Lookup::SpiDst => is_dst.then_some(2),
            Lookup::SpiDstSrc => (is_src && is_dst).then_some(3),
        }
    };
    let ranked = targets.iter().enumerate().filter_map(|(at, target)| Some((rank(target)?, at)));
    ranked.max().map(|(_, at)| at)
}

struct Row {
    spi: u32,
    transform: Transform,
    mode: Mode,
    v6: bool,
    udp: bool,
    esn: bool,
    /// 0 is off.
    window: u32,
    top: u64,
    lookup: Lookup,
    check_outer: CheckOuter,
    selective: bool,
}

const PLAIN: Row = Row {
    spi: 0x1000,
    transform: Transform::Aes128Gcm16,
    mode: Mode::Tunnel,
    v6: false,
    udp: false,
    esn: false,
    window: 64,
    top: 0,
    lookup: Lookup::Spi,
    check_outer: CheckOuter::None,
    selective: false,
};

const ROWS: [Row; 22] = [
    PLAIN,
    Row { transform: Transform::Aes256Gcm16, v6: true, esn: true, top: 0xffff_fff0, ..PLAIN },
    Row { transform: Transform::ChaCha20Poly1305, udp: true, window: 32, ..PLAIN },
    Row { transform: Transform::NullHmacSha256_128, v6: true, udp: true, window: 1000, ..PLAIN },
    Row { transform: Transform::Aes192Gcm16, mode: Mode::Transport, ..PLAIN },
    Row {
        transform: Transform::ChaCha20Poly1305,
        mode: Mode::Transport,
        v6: true,
        udp: true,
        esn: true,
        ..PLAIN
    },
    Row { transform: Transform::NullHmacSha256_128, mode: Mode::Transport, selective: true, ..PLAIN },
    Row { check_outer: CheckOuter::SrcDst, selective: true, top: 0xffff_ffe0, ..PLAIN },
    Row { window: 0, ..PLAIN },
    Row { spi: SHARED, check_outer: CheckOuter::Dst, ..PLAIN },
    Row { spi: SHARED, transform: Transform::ChaCha20Poly1305, lookup: Lookup::SpiDst, v6: true, ..PLAIN },
    Row { spi: SHARED, lookup: Lookup::SpiDstSrc, esn: true, top: 0x7_0000_0000, ..PLAIN },
    Row {
        transform: Transform::NullHmacSha256_128,
        mode: Mode::Transport,
        v6: true,
        udp: true,
        esn: true,
        ..PLAIN
    },
    Row { transform: Transform::Aes256Gcm16, mode: Mode::Transport, udp: true, window: 0, ..PLAIN },
    Row { transform: Transform::Aes128CbcHmacSha256_128, esn: true, top: 0xffff_fff0, ..PLAIN },
    Row {
        transform: Transform::Aes256CbcHmacSha512_256,
        mode: Mode::Transport,
        v6: true,
        udp: true,
        ..PLAIN
    },
    Row { transform: Transform::Aes192CtrHmacSha1_96, mode: Mode::Transport, esn: true, ..PLAIN },
    Row { transform: Transform::Aes128CbcAesXcbc96, v6: true, window: 0, ..PLAIN },
    Row { transform: Transform::Aes256Ccm8, udp: true, ..PLAIN },
    Row { transform: Transform::Aes128Gmac, mode: Mode::Transport, esn: true, ..PLAIN },
    Row { transform: Transform::ChaCha20Poly1305Iiv, esn: true, top: 0xffff_ffe0, ..PLAIN },
    Row { transform: Transform::NullAesCmac96, udp: true, ..PLAIN },
];

/// An SPI that several have.
const SHARED: u32 = 0x7777_0001;

fn config(n: usize, row: &Row) -> SaConfig {
    let mut config = sas::tunnel(row.transform, row.v6);
    config.direction = Direction::Inbound;
    config.mode = row.mode;
    config.spi = if row.spi == SHARED { SHARED } else { row.spi + n as u32 };
    // A key of its own: what one SA sent is a forgery to another.
    config.key = config.key.expose().iter().map(|byte| byte ^ (n as u8) << 3).collect::<Vec<u8>>().into();
    config.esn = row.esn;
    config.udp = row.udp.then(UdpEncap::default);
    config.replay_window = if row.window == 0 { ReplayWindow::Off } else { ReplayWindow::Bits(row.window) };
    (config.lookup, config.check_outer) = (row.lookup, row.check_outer);
    if row.selective {
        let prefix = |text: &str| text.parse().expect("a prefix");
        let (src, dst) = (prefix("10.1.0.0/25"), prefix("10.2.0.0/16"));
        let any = (prefix("192.0.2.0/24"), prefix("192.0.2.0/24"));
        config.selectors = vec![
            Selector { src, dst, protocol: Some(17), src_port: None, dst_port: PortRange::new(5000, 5002) },
            Selector { src, dst, protocol: Some(6), src_port: None, dst_port: None },
            Selector { src: any.0, dst: any.1, protocol: None, src_port: None, dst_port: None },
        ];
    }
    config
}
