//! IVs: which are counted, which are random, and that none comes twice under a key.

use std::collections::HashSet;

use esp_core::config::{Direction, KeySource, SaConfig};
use esp_core::{SaError, Transform};
use esp_crypto::Iv;
use esp_testkit::builder::{Ipv4, Upper};

use crate::rig::{EVERY, Rig, peer, tunnel};

/// The IVs of so many packets, as the wire shows them.
fn ivs(rig: &mut Rig, config: &SaConfig, count: usize) -> Vec<Vec<u8>> {
    let tunnel = rig.engine.install_outbound(config).expect("an SA");
    let packets = vec![Ipv4::default().packet(&Upper::udp(46)); count];
    let iv_len = config.transform.iv_len();
    let sealed = rig.seal(tunnel, &packets);
    let sa = rig.engine.outbound_sa(tunnel).expect("live");
    rig.engine.remove(sa).expect("live");
    sealed.iter().map(|packet| packet.bytes[28..28 + iv_len].to_vec()).collect()
}

fn with_iv(kind: Iv) -> impl Iterator<Item = Transform> {
    EVERY.iter().copied().filter(move |transform| transform.cipher().iv == kind)
}

/// RFC 3602 section 3: no one can tell the next IV from those before it.
#[test]
fn b44_the_ivs_of_block_modes_are_unpredictable() {
    for transform in with_iv(Iv::Unpredictable) {
        let config = tunnel(transform, false);
        let mut rig = Rig::new();
        let all = ivs(&mut rig, &config, 2000);
        let other = ivs(&mut Rig::new(), &config, 2000);
        let distinct: HashSet<_> = all.iter().chain(&other).collect();
        assert_eq!(distinct.len(), 4000, "{transform}: all engines and workers draw their own");
        let number = |iv: &Vec<u8>| iv.iter().fold(0_u128, |sum, byte| sum << 8 | u128::from(*byte));
        let steps: HashSet<_> =
            all.windows(2).map(|pair| number(&pair[1]).wrapping_sub(number(&pair[0]))).collect();
        assert_eq!(steps.len(), 1999, "{transform}: no two steps are the same");
        // Each bit is set about every second time: 2000 throws, 8 standard deviations.
        for bit in 0..all[0].len() * 8 {
            let set = all.iter().filter(|iv| iv[bit / 8] >> (bit % 8) & 1 == 1).count();
            assert!((820..1180).contains(&set), "{transform}: bit {bit} is set in {set} of 2000");
        }
    }
}

/// The ciphertext of the packet before is no IV either.
#[test]
fn b44_an_iv_is_not_the_last_block_of_the_packet_before() {
    let config = tunnel(Transform::Aes128CbcHmacSha256_128, false);
    let mut rig = Rig::new();
    let out = rig.out(&config);
    let sealed = rig.seal(out, &vec![Ipv4::default().packet(&Upper::udp(46)); 64]);
    for pair in sealed.windows(2) {
        let (before, after) = (&pair[0].bytes, &pair[1].bytes);
        let iv = &after[28..44];
        assert!(!before.windows(16).any(|part| part == iv));
    }
}

/// A key that is installed again, from a file after a restart, starts at number 1 again, but not at the same IV.
#[test]
fn b13_a_static_key_installed_again_has_other_ivs() {
    for transform in with_iv(Iv::Unique) {
        let mut config = tunnel(transform, false);
        config.keys = KeySource::Static;
        let mut seen = HashSet::new();
        for _ in 0..8 {
            let mut rig = Rig::new();
            for iv in ivs(&mut rig, &config, 64) {
                assert!(seen.insert(iv), "{transform}: an IV came twice");
            }
        }
    }
}

/// RFC 8750: there the number is all that makes the nonce, so a key must never be installed again.
#[test]
fn b13_a_static_key_has_no_implicit_ivs() {
    let rig = Rig::new();
    let implicit: Vec<_> = with_iv(Iv::Implicit).collect();
    assert_eq!(implicit.len(), 7);
    for transform in implicit {
        let mut config = tunnel(transform, false);
        config.keys = KeySource::Static;
        let refused =
            [rig.engine.install_outbound(&config).err(), rig.engine.install_inbound(&peer(&config)).err()];
        for why in refused {
            let Some(SaError::Field { field: "keys", legal, .. }) = why else {
                panic!("{transform}: {why:?}")
            };
            assert!(legal.contains("its nonce is the sequence number"), "{legal}");
        }
        config.keys = KeySource::Negotiated;
        assert_eq!(config.direction, Direction::Outbound);
        rig.engine.install_outbound(&config).expect("a key that no file has");
    }
}
