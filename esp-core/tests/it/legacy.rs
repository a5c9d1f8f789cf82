//! What the cargo feature `legacy` adds, and what it asks for besides.

use esp_core::config::{ReplayWindow, SaFile};
use esp_core::{DropReason, SaError, Transform};
use esp_testkit::builder::{Ipv4, Upper};
use esp_testkit::slow;

use crate::rig::{Rig, iv, peer, slow as slow_sa, tunnel};

fn legacy() -> impl Iterator<Item = Transform> {
    Transform::ALL.iter().copied().filter(|transform| transform.is_legacy())
}

fn is_des(transform: Transform) -> bool {
    transform.name().starts_with("des-")
}

#[track_caller]
fn field_of<T: std::fmt::Debug>(refused: Result<T, SaError>) -> &'static str {
    match refused.expect_err("refused") {
        SaError::Field { field, .. } => field,
        other => panic!("{other}"),
    }
}

#[test]
fn b49_each_has_to_be_allowed_in_its_sa() {
    assert_eq!(legacy().count(), esp_crypto::LEGACY_NAMES.len());
    let rig = Rig::new();
    for transform in legacy() {
        let mut config = tunnel(transform, false);
        config.allow_legacy = false;
        assert_eq!(field_of(rig.engine.install_outbound(&config)), "allow_legacy", "{transform}");
        assert_eq!(field_of(rig.engine.install_inbound(&peer(&config))), "allow_legacy", "{transform}");
    }
}

#[test]
fn b49_without_integrity_there_is_no_window_and_no_esn() {
    let rig = Rig::new();
    for transform in legacy().filter(|transform| transform.icv_len() == 0) {
        let inbound = peer(&tunnel(transform, false));
        assert_eq!(field_of(rig.engine.install_inbound(&inbound)), "replay_window", "{transform}");
        let mut esn = inbound;
        (esn.esn, esn.replay_window) = (true, ReplayWindow::Off);
        assert!(
            ["esn", "replay_window"].contains(&field_of(rig.engine.install_inbound(&esn))),
            "{transform}"
        );
        if !is_des(transform) {
            let mut esn = tunnel(transform, false);
            esn.esn = true;
            assert_eq!(field_of(rig.engine.install_outbound(&esn)), "esn", "{transform}");
        }
    }
}

#[test]
fn b49_null_without_integrity_does_not_exist() {
    let file = "[[sa]]\ndirection = 'inbound'\nspi = 0x1001\ntransform = 'null-none'\nkey = ''\nmode = 'transport'\n";
    let refused = SaFile::parse(file).expect_err("nothing at all").to_string();
    assert!(refused.contains("protects nothing"), "{refused}");
}

#[test]
fn des_is_for_receiving_only() {
    let rig = Rig::new();
    for transform in legacy().filter(|transform| is_des(*transform)) {
        assert_eq!(field_of(rig.engine.install_outbound(&tunnel(transform, false))), "direction");
    }
}

#[test]
fn both_ways_against_the_slow_esp() {
    for transform in legacy() {
        let config = tunnel(transform, false);
        let mut inbound = peer(&config);
        if transform.icv_len() == 0 {
            inbound.replay_window = ReplayWindow::Off;
        }
        let mut rig = Rig::new();
        rig.inbound(&inbound);
        let inner: Vec<_> = (0..40).map(|len| Ipv4::default().packet(&Upper::udp(len))).collect();
        let sealed = |(n, packet): (u64, &Vec<u8>)| slow::seal(&slow_sa(&config), n, iv(n), packet, 0, 0);
        let sealed: Vec<_> = (1..).zip(&inner).map(sealed).collect();
        for (packet, opened) in inner.iter().zip(rig.open(&sealed)) {
            opened.assert_delivered(packet);
        }
        if is_des(transform) {
            continue;
        }
        let out = rig.out(&config);
        for (packet, sealed) in inner.iter().zip(rig.seal(out, &inner)) {
            assert!(sealed.delivered(), "{transform}: {:?}", sealed.verdict);
            assert_eq!(&slow::open(&slow_sa(&config), 0, &sealed.bytes).expect("authentic").inner, packet);
        }
    }
}

#[test]
fn b42_a_forgery_is_refused_where_there_is_integrity() {
    for transform in legacy().filter(|transform| transform.icv_len() > 0) {
        let config = tunnel(transform, false);
        let mut rig = Rig::new();
        rig.inbound(&peer(&config));
        let sealed = slow::seal(&slow_sa(&config), 3, iv(3), &Ipv4::default().packet(&Upper::udp(9)), 0, 0);
        for bit in 24 * 8..sealed.len() * 8 {
            let mut forged = sealed.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            rig.open_one(&forged).assert_dropped(DropReason::AuthFailed);
        }
    }
}

/// RFC 2451 section 2.3: such a key makes 3DES a DES, whatever its parity bits.
#[test]
fn degenerate_3des_keys_are_refused() {
    let rig = Rig::new();
    for transform in legacy().filter(|transform| transform.name().starts_with("3des-")) {
        let whole = tunnel(transform, false);
        for (copy_from, copy_to) in [(0, 8), (8, 16)] {
            for parity in [0, 1] {
                let mut key = whole.key.expose().to_vec();
                key.copy_within(copy_from..copy_from + 8, copy_to);
                key[copy_to] ^= parity;
                let mut config = whole.clone();
                config.key = key.into();
                assert_eq!(field_of(rig.engine.install_outbound(&config)), "key", "{transform}");
                assert_eq!(field_of(config.outbound()), "key", "{transform}");
            }
        }
    }
}
