//! What is not ours goes back, what no SA is for is dropped, and what finds an SA is exact.

use esp_core::config::{Lookup, Mode, ReplayWindow, SaFile};
use esp_core::{DropReason, HandedBack, SaError, SaId, Transform, Verdict};
use esp_testkit::builder::{Ipv4, Ipv6, Upper, pattern};
use esp_testkit::slow::{self, SlowMode, SlowSa};

use super::with;
use crate::rig::{EVERY, Rig, SPI, iv, peer, slow as slow_sa, tunnel};

const GCM: Transform = Transform::Aes128Gcm16;

#[test]
fn b76_nothing_passes_by_default() {
    let mut rig = Rig::new();
    rig.inbound(&peer(&tunnel(GCM, false)));
    for protocol in 0..=255_u8 {
        let upper = Upper::Raw { protocol, bytes: pattern(64) };
        let v4 = rig.open_one(&Ipv4::default().packet(&upper)).verdict;
        let v6 = rig.open_one(&Ipv6::default().packet(&upper)).verdict;
        match protocol {
            50 => assert_eq!([v4, v6], [DropReason::NoSa.into(); 2]),
            // In IPv6 these are extension headers, of which pattern bytes are poor ones.
            0 | 43 | 44 | 60 => {
                assert_eq!(v4, Verdict::HandedBack(HandedBack::NotEsp));
                assert!(v6.delivered().is_none());
            }
            // 51, AH, among them: its bytes are not looked up as an SPI.
            _ => assert_eq!([v4, v6], [Verdict::HandedBack(HandedBack::NotEsp); 2], "{protocol}"),
        }
    }
    for garbage in [&[][..], &[0x45], &[0; 40], &[0xff; 80], &[0x60; 39], &[0x45; 19], &[0x54; 60]] {
        rig.open_one(garbage).assert_dropped(DropReason::Malformed);
    }
}

#[test]
fn b76_unknown_spis_are_dropped() {
    let config = tunnel(GCM, false);
    let mut rig = Rig::new();
    rig.inbound(&peer(&config));
    let inner = Ipv4::default().packet(&Upper::udp(8));
    for spi in [0, 1, 255, 256, SPI - 1, SPI + 1, SPI.swap_bytes(), SPI << 8, u32::MAX] {
        let sender = SlowSa { spi, ..slow_sa(&config) };
        rig.open_one(&slow::seal(&sender, 1, iv(1), &inner, 0, 0)).assert_dropped(DropReason::NoSa);
    }
}

/// An inbound SA whose `lookup` is this, told apart by `tun_id`.
fn sa(rig: &Rig, lookup: Lookup, src: &str, dst: &str, tun_id: u64) -> SaId {
    let mut config = peer(&tunnel(GCM, false));
    (config.src, config.dst) = (src.parse().ok(), dst.parse().ok());
    (config.lookup, config.tun_id, config.replay_window) = (lookup, tun_id, ReplayWindow::Off);
    rig.inbound(&config)
}

/// Which SA a packet between these addresses finds.
fn found(rig: &mut Rig, src: &str, dst: &str) -> Option<u64> {
    let mut sender = slow_sa(&tunnel(GCM, false));
    sender.mode =
        SlowMode::Tunnel { src: src.parse().expect("an address"), dst: dst.parse().expect("an address") };
    let inner = Ipv4::default().packet(&Upper::udp(8));
    let verdict = rig.open_one(&slow::seal(&sender, 1, iv(1), &inner, 0, 0)).verdict;
    assert!(verdict.delivered().is_some() || verdict.reason() == Some(DropReason::NoSa), "{verdict:?}");
    verdict.delivered().map(|got| got.tun_id)
}

/// RFC 4301 section 4.1: the most specific entry wins.
#[test]
fn lookup_takes_the_longest_match() {
    let mut rig = Rig::new();
    let exact = sa(&rig, Lookup::SpiDstSrc, "192.0.2.1", "192.0.2.2", 3);
    assert_eq!(found(&mut rig, "192.0.2.9", "192.0.2.2"), None);
    sa(&rig, Lookup::Spi, "192.0.2.1", "192.0.2.2", 1);
    let by_dst = sa(&rig, Lookup::SpiDst, "192.0.2.1", "192.0.2.2", 2);
    assert_eq!(found(&mut rig, "192.0.2.1", "192.0.2.2"), Some(3));
    assert_eq!(found(&mut rig, "192.0.2.9", "192.0.2.2"), Some(2));
    assert_eq!(found(&mut rig, "192.0.2.1", "192.0.2.9"), Some(1));
    assert_eq!(found(&mut rig, "2001:db8::1", "2001:db8::2"), Some(1));
    rig.engine.remove(exact).expect("live");
    assert_eq!(found(&mut rig, "192.0.2.1", "192.0.2.2"), Some(2));
    rig.engine.remove(by_dst).expect("live");
    assert_eq!(found(&mut rig, "192.0.2.1", "192.0.2.2"), Some(1));
}

/// One burst with packets for all three.
#[test]
fn lookup_kinds_in_one_burst() {
    let mut rig = Rig::new();
    sa(&rig, Lookup::SpiDstSrc, "192.0.2.1", "192.0.2.2", 3);
    sa(&rig, Lookup::SpiDst, "192.0.2.1", "192.0.2.2", 2);
    sa(&rig, Lookup::Spi, "192.0.2.1", "192.0.2.2", 1);
    let ends = [("192.0.2.1", "192.0.2.2"), ("192.0.2.9", "192.0.2.2"), ("192.0.2.9", "192.0.2.9")];
    let inner = Ipv4::default().packet(&Upper::udp(8));
    let burst: Vec<Vec<u8>> = (0..50)
        .map(|n| {
            let (src, dst) = ends[n % 3];
            let mut sender = slow_sa(&tunnel(GCM, false));
            sender.mode = SlowMode::Tunnel { src: src.parse().expect("one"), dst: dst.parse().expect("one") };
            slow::seal(&sender, 1 + n as u64, iv(n as u64), &inner, 0, 0)
        })
        .collect();
    for (n, opened) in rig.open(&burst).iter().enumerate() {
        opened.assert_delivered(&inner);
        assert_eq!(opened.verdict.delivered().map(|got| got.tun_id), Some(3 - n as u64 % 3));
    }
}

/// Keys over IPv4, over IPv6 and over IPv6 addresses that look like IPv4 are all different.
#[test]
fn b88_lookup_keys_do_not_alias() {
    let mut rig = Rig::new();
    let ends = [
        ("192.0.2.1", "192.0.2.2"),
        ("192.0.2.2", "192.0.2.1"),
        ("::192.0.2.1", "::192.0.2.2"),
        ("c000:201::", "c000:202::"),
        ("64:ff9b::192.0.2.1", "64:ff9b::192.0.2.2"),
        ("2001:db8::1", "2001:db8::2"),
        ("2001:db8::2", "2001:db8::1"),
    ];
    for (n, (src, dst)) in ends.iter().enumerate() {
        sa(&rig, Lookup::SpiDstSrc, src, dst, n as u64);
    }
    for (n, (src, dst)) in ends.iter().enumerate() {
        assert_eq!(found(&mut rig, src, dst), Some(n as u64), "{src} {dst}");
    }
    // On the wire a mapped address is an IPv6 address, and none of these.
    for (src, dst) in
        [("::ffff:192.0.2.1", "::ffff:192.0.2.2"), ("192.0.2.1", "192.0.2.1"), ("c000:201::", "c000:202::1")]
    {
        assert_eq!(found(&mut rig, src, dst), None, "{src} {dst}");
    }
    let mut mapped = peer(&tunnel(GCM, true));
    (mapped.src, mapped.dst) = ("::ffff:192.0.2.1".parse().ok(), "::ffff:192.0.2.2".parse().ok());
    mapped.lookup = Lookup::SpiDstSrc;
    let refused = rig.engine.install_inbound(&mapped).expect_err("a mapped address is never on the wire");
    assert!(matches!(refused, SaError::Field { field: "src", .. }), "{refused}");
}

/// The same key twice is refused, another destination or source is another SA.
#[test]
fn b58_the_key_is_the_whole_key() {
    let rig = Rig::new();
    sa(&rig, Lookup::SpiDstSrc, "192.0.2.1", "192.0.2.2", 0);
    sa(&rig, Lookup::SpiDstSrc, "192.0.2.3", "192.0.2.2", 0);
    sa(&rig, Lookup::SpiDstSrc, "192.0.2.1", "192.0.2.4", 0);
    sa(&rig, Lookup::SpiDst, "192.0.2.1", "192.0.2.2", 0);
    sa(&rig, Lookup::Spi, "192.0.2.1", "192.0.2.2", 0);
    for lookup in [Lookup::SpiDstSrc, Lookup::SpiDst, Lookup::Spi] {
        let config = with(peer(&tunnel(GCM, false)), |sa| sa.lookup = lookup);
        assert_eq!(rig.engine.install_inbound(&config), Err(SaError::Exists { spi: SPI }));
    }
}

const FILE: &str = r#"
[[sa]]
direction = "inbound"
spi = 4097
transform = "null-hmac-sha256-128"
key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
mode = "transport"
"#;

/// There is no way to write down an SA without algorithm, or one without integrity.
#[test]
fn b49_b78_no_sa_without_integrity() {
    assert_eq!(SaFile::parse(FILE).expect("a good file").len(), 1);
    let without = FILE.replace("transform = \"null-hmac-sha256-128\"\n", "");
    let refused = SaFile::parse(&without).expect_err("no transform").to_string();
    assert!(refused.contains("transform"), "{refused}");
    for name in ["null", "null-null", "none", "", "aes-128-cbc", "aes-128-ctr", "null-hmac-sha256-0"] {
        let file = FILE.replace("null-hmac-sha256-128", name);
        let refused = SaFile::parse(&file).expect_err(name).to_string();
        assert!(refused.contains("transform"), "{refused}");
        assert_eq!(Transform::from_name(name), None);
    }
    for transform in EVERY.iter().filter(|transform| !transform.is_legacy()) {
        assert!(transform.icv_len() >= 8, "{transform} has no integrity worth the name");
    }
}

/// Without a window the high half of a number could only be guessed.
#[test]
fn b49_esn_without_a_window_is_refused() {
    let rig = Rig::new();
    for transform in EVERY.iter() {
        let mut config = peer(&tunnel(*transform, false));
        (config.esn, config.replay_window) = (true, ReplayWindow::Off);
        let refused = rig.engine.install_inbound(&config).expect_err("ESN without a window");
        assert!(matches!(refused, SaError::Field { field: "replay_window", .. }), "{refused}");
        (config.esn, config.mode) = (false, Mode::Transport);
        let sa = rig.engine.install_inbound(&config).expect("no ESN");
        rig.engine.remove(sa).expect("live");
    }
}
