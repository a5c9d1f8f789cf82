//! What the ICV covers, in which byte order, and that nothing of the key goes on the wire.

use esp_core::{DropReason, SaError, Transform};
use esp_crypto::Iv;
use esp_testkit::builder::{Ipv4, Upper};
use esp_testkit::slow::{self, SlowError};

use crate::rig::{EVERY, Rig, in_clear, iv, key, peer, slow as slow_sa, transport, tunnel};

/// The high half enters the ICV and does not go on the wire.
#[test]
fn b05_esn_high_half_is_authenticated_and_not_sent() {
    for transform in EVERY.iter() {
        let mut config = tunnel(*transform, false);
        let packet = Ipv4::default().packet(&Upper::udp(46));
        let mut rig = Rig::new();
        let short = rig.out(&config);
        let short_len = rig.seal_one(short, &packet).bytes.len();
        config.esn = true;
        let out = rig.out_at(&config, (68 << 32) + 4);
        let sealed = rig.seal_one(out, &packet).bytes;
        assert_eq!(sealed.len(), short_len, "{transform}: no byte more with ESN");
        assert_eq!(sealed[24..28], [0, 0, 0, 5]);
        for high in [0, 67, 69, 68_u32.swap_bytes(), 68 << 8] {
            assert_eq!(
                slow::open(&slow_sa(&config), high, &sealed).err(),
                Some(SlowError::BadIcv),
                "{high:#x}"
            );
        }
        assert_eq!(slow::open(&slow_sa(&config), 68, &sealed).expect("authentic").inner, packet);
    }
}

/// ... on the way in too: a sender that leaves the high half out of the ICV is refused, even where it is zero.
#[test]
fn b05_an_icv_without_the_high_half_is_refused() {
    for transform in EVERY.iter() {
        let mut config = tunnel(*transform, true);
        let forgetful = slow_sa(&config);
        config.esn = true;
        let packet = Ipv4::default().packet(&Upper::udp(46));
        for top in [0, 1 << 32] {
            let mut rig = Rig::new();
            rig.inbound_at(&peer(&config), top);
            let seq = top + 1;
            rig.open_one(&slow::seal(&forgetful, seq, iv(seq), &packet, 0, 0))
                .assert_dropped(DropReason::AuthFailed);
            rig.open_one(&slow::seal(&slow_sa(&config), seq, iv(seq), &packet, 0, 0))
                .assert_delivered(&packet);
        }
    }
}

/// The whole ESP packet against values that neither our code nor the slow ESP computed: python's `cryptography`, with
/// the AAD and the MAC's input written out byte by byte in network order.
#[test]
fn b06_esn_halves_are_in_network_order() {
    let (gcm, hmac) = (Transform::Aes128Gcm16, Transform::NullHmacSha256_128);
    let cases = [
        // AAD 00001001 00000001 00000001, nonce 11121314 00000001 00000001.
        (
            gcm,
            0x1_0000_0001,
            concat!(
                "0000100100000001000000010000000148b7aafaa4761f9f",
                "8f7700d3a975193b5e61092344c4a5d45ac39ed6"
            ),
        ),
        // AAD 00001001 156f3126 dd0db99b, nonce 11121314 156f3126 dd0db99b.
        (
            gcm,
            0x156f_3126_dd0d_b99b,
            concat!(
                "00001001dd0db99b156f3126dd0db99b23e5c87a8a9ad73a",
                "cdf6aebdc14ef347113a52e52bf83b9583c9b5b8"
            ),
        ),
        // HMAC over 00001001 00000001, payload and trailer, 00000001.
        (
            hmac,
            0x1_0000_0001,
            concat!("00001001000000010001020304050607080900fdd72338c3", "d50541ed1591380e4947b6b2"),
        ),
        // HMAC over 00001001 dd0db99b, payload and trailer, 156f3126.
        (
            hmac,
            0x156f_3126_dd0d_b99b,
            concat!("00001001dd0db99b0001020304050607080900fd1155d5da", "825434e182de99f025664dfa"),
        ),
    ];
    let packet = Ipv4::default().packet(&Upper::Raw { protocol: 253, bytes: (0..10).collect() });
    for (transform, seq, wanted) in cases {
        let mut config = transport(transform);
        config.esn = true;
        let mut rig = Rig::new();
        let out = rig.out_at(&config, seq - 1);
        let sealed = rig.seal_one(out, &packet);
        assert_eq!(hex::encode(&sealed.bytes[20..]), wanted, "{transform} {seq:#x}");
        rig.inbound_at(&peer(&config), seq - 1);
        rig.open_one(&sealed.bytes).assert_delivered(&packet);
    }
}

#[test]
fn b06_the_high_half_alone_makes_another_icv() {
    for transform in EVERY.iter() {
        let mut config = transport(*transform);
        config.esn = true;
        for high in [1_u32, 0x156f_3126] {
            let mut rig = Rig::new();
            let seq = u64::from(high) << 32 | 7;
            let out = rig.out_at(&config, seq - 1);
            let packet = Ipv4::default().packet(&Upper::tcp(9));
            let sealed = rig.seal_one(out, &packet).bytes;
            assert_eq!(slow::open(&slow_sa(&config), high, &sealed).expect("authentic").inner, packet);
            let swapped = slow::open(&slow_sa(&config), high.swap_bytes(), &sealed);
            assert_eq!(swapped.err(), Some(SlowError::BadIcv));
        }
    }
}

/// Exact lengths only, and the salt stays at home.
#[test]
fn b40_key_and_salt() {
    for transform in EVERY.iter() {
        let mut config = tunnel(*transform, false);
        let whole = key(*transform);
        let rig = Rig::new();
        for len in (0..=whole.len() + 4).filter(|len| *len != whole.len()) {
            config.key = vec![7; len].into();
            let (expected, got) = (whole.len(), len);
            let refused = SaError::KeyLength { transform: transform.name(), expected, got };
            assert_eq!(rig.engine.install_outbound(&config).err(), Some(refused.clone()));
            assert_eq!(rig.engine.install_inbound(&peer(&config)).err(), Some(refused));
        }
    }
    let mut rig = Rig::new();
    let salted = EVERY.iter().filter(|transform| transform.salt_len() > 0);
    for transform in salted.filter(|transform| !in_clear(**transform)) {
        let config = tunnel(*transform, false);
        let cipher_key_len = transform.cipher_key_len();
        let salt = key(*transform)[cipher_key_len - transform.salt_len()..cipher_key_len].to_vec();
        let out = rig.out(&config);
        for sealed in rig.seal(out, &super::small(64)) {
            assert!(sealed.bytes.windows(salt.len()).all(|bytes| bytes != salt), "{transform}");
        }
    }
}

/// 8 bytes of IV on the wire, 16 of a block mode, none without a cipher or with an implicit one, and the lengths that
/// follow.
#[test]
fn b41_iv_on_the_wire() {
    let packet = Ipv4::default().packet(&Upper::udp(46)); // 74 bytes: no padding behind them
    for transform in EVERY.iter() {
        let mut rig = Rig::new();
        let out = rig.out_at(&tunnel(*transform, false), 0x0102_0303);
        let sealed = rig.seal_one(out, &packet).bytes;
        let iv_len = match transform.name() {
            name if name.starts_with("null-") || name.ends_with("-iiv") => 0,
            name if name.contains("-cbc-") && name.starts_with("aes-") => 16,
            _ => 8,
        };
        let payload_len = 76_usize.next_multiple_of(transform.align());
        assert_eq!(sealed.len(), 20 + 8 + iv_len + payload_len + transform.icv_len(), "{transform}");
        assert_eq!(sealed[20..28], [0, 0, 0x10, 1, 1, 2, 3, 4]);
        match transform.cipher().iv {
            Iv::Unique => assert_eq!(sealed[28..36], [0, 0, 0, 0, 1, 2, 3, 4], "{transform}"),
            Iv::Absent => assert_eq!(sealed[28..28 + 74], packet, "NULL leaves the packet in clear"),
            Iv::Unpredictable | Iv::Implicit => {}
        }
    }
}

/// A flipped bit anywhere from the SPI to the ICV: the packet is never delivered, and the window does not move.
#[test]
fn b42_every_bit_is_covered() {
    let packet = Ipv4::default().packet(&Upper::udp(5));
    for transform in EVERY.iter() {
        for esn in [false, true] {
            let mut config = tunnel(*transform, false);
            config.esn = esn;
            let mut rig = Rig::new();
            let sa = rig.inbound_at(&peer(&config), 1000);
            let good = slow::seal(&slow_sa(&config), 1001, iv(77), &packet, 0, 0);
            let bits = 20 * 8..good.len() * 8;
            let flipped: Vec<Vec<u8>> = bits.map(|bit| with_bit_flipped(&good, bit)).collect();
            for (n, outcome) in rig.open(&flipped).iter().enumerate() {
                let reason =
                    outcome.verdict.reason().unwrap_or_else(|| panic!("bit {n}: {:?}", outcome.verdict));
                match n / 8 {
                    0..4 => assert_eq!(reason, DropReason::NoSa, "bit {n} of the SPI"),
                    4..8 => assert!(
                        matches!(reason, DropReason::AuthFailed | DropReason::ReplayTooOld),
                        "bit {n}: {}",
                        reason.name()
                    ),
                    _ => assert_eq!(reason, DropReason::AuthFailed, "bit {n}"),
                }
            }
            assert_eq!(rig.engine.sa_stats(sa).expect("live").sequence, 1000);
            rig.open_one(&good).assert_delivered(&packet);
        }
    }
}

fn with_bit_flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 0x80 >> (bit % 8);
    bytes
}

/// A combined mode and a separate MAC give one reason, whichever part was changed.
#[test]
fn b46_one_reason_for_every_kind_of_forgery() {
    let packet = Ipv4::default().packet(&Upper::udp(100));
    for transform in EVERY.iter() {
        let config = tunnel(*transform, false);
        let mut rig = Rig::new();
        rig.inbound(&peer(&config));
        let good = slow::seal(&slow_sa(&config), 1, iv(1), &packet, 0, 0);
        for at in [good.len() - 1, good.len() - 16, good.len() - 17, 40] {
            let mut forged = good.clone();
            forged[at] ^= 1;
            rig.open_one(&forged).assert_dropped(DropReason::AuthFailed);
        }
        rig.open_one(&good).assert_delivered(&packet);
    }
}

/// An ICV that was cut, by a device or an attacker, is none, however short the SA's is.
#[test]
fn b45_every_truncation_is_refused() {
    let packet = Ipv4::default().packet(&Upper::udp(40));
    for transform in EVERY.iter() {
        let config = transport(*transform);
        let mut rig = Rig::new();
        let sa = rig.inbound(&peer(&config));
        let good = slow::seal(&slow_sa(&config), 3, iv(3), &packet, 0, 0);
        for cut in 1..good.len() - 28 {
            let esp = &good[20..good.len() - cut];
            let outcome = rig.open_one(&slow::wrap_esp(&good[..20], None, esp));
            let reason = outcome.verdict.reason();
            let expected = [Some(DropReason::AuthFailed), Some(DropReason::TooShort)];
            assert!(expected.contains(&reason), "{transform} cut by {cut}: {:?}", outcome.verdict);
        }
        assert_eq!(rig.engine.sa_stats(sa).expect("live").sequence, 0, "the window does not move");
        rig.open_one(&good).assert_delivered(&packet);
    }
}
