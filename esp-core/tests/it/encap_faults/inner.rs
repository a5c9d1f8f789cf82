//! What an authentic packet may hold: the inner packet must be one, and be what the trailer says (B61).

use esp_core::{DropReason, Transform};
use esp_testkit::builder::{Ipv4, Ipv6, Upper, with_tail};

use super::{authentic, with_header_byte};
use crate::rig::{Rig, peer, transport, tunnel};

const GCM: Transform = Transform::Aes128Gcm16;

#[test]
fn b61_next_header_and_version_must_agree() {
    let v4 = Ipv4::default().packet(&Upper::udp(20));
    let v6 = Ipv6::default().packet(&Upper::udp(20));
    for outer_v6 in [false, true] {
        let config = tunnel(GCM, outer_v6);
        let mut rig = Rig::new();
        let sa = rig.inbound(&peer(&config));
        let refused: [(u8, &[u8]); 10] = [
            (17, &v4), // an upper layer where a packet should be
            (6, &v4),
            (50, &v4),
            (0, &v6),
            (4, &v6),
            (41, &v4),
            (41, &v6[..10]),
            (4, &v4[..19]),
            (4, &[]),
            (41, &[]),
        ];
        for (n, (next_header, payload)) in refused.into_iter().enumerate() {
            let seq = 1 + n as u64;
            rig.open_one(&authentic(&config, seq, payload, next_header)).assert_dropped(DropReason::BadInner);
            assert_eq!(rig.engine.sa_stats(sa).expect("live").sequence, seq);
        }
        for nibble in (0..16).filter(|nibble| *nibble != 4) {
            let seq = 100 + u64::from(nibble);
            let odd = [&[nibble << 4 | 5], &v4[1..]].concat();
            rig.open_one(&authentic(&config, seq, &odd, 4)).assert_dropped(DropReason::BadInner);
        }
        rig.open_one(&authentic(&config, 200, &v4, 4)).assert_delivered(&v4);
        rig.open_one(&authentic(&config, 201, &v6, 41)).assert_delivered(&v6);
    }
}

#[test]
fn b61_the_inner_length_must_fit() {
    let v4 = Ipv4::default().packet(&Upper::udp(20));
    let v6 = Ipv6::default().packet(&Upper::udp(20));
    let config = tunnel(GCM, false);
    let mut rig = Rig::new();
    rig.inbound(&peer(&config));
    let refused = [
        (4, with_header_byte(&v4, 3, 49)), // one more byte than there is
        (4, with_header_byte(&v4, 2, 0xff)),
        (4, with_header_byte(&v4, 3, 19)), // less than its header
        (4, with_header_byte(&v4, 3, 0)),
        (4, [&[0x44], &v4[1..]].concat()),   // a header of 16 bytes
        (4, [&[0x4f], &v4[1..47]].concat()), // a header of 60 bytes in 47
        (41, with_header_byte(&v6, 5, 29)),
        (41, with_header_byte(&v6, 4, 0xff)),
    ];
    for (n, (next_header, payload)) in refused.iter().enumerate() {
        let packet = authentic(&config, 1 + n as u64, payload, *next_header);
        rig.open_one(&packet).assert_dropped(DropReason::BadInner);
    }
    // More than the packet is TFC padding, and comes off.
    rig.open_one(&authentic(&config, 100, &with_tail(&v4, 77), 4)).assert_delivered(&v4);
    rig.open_one(&authentic(&config, 101, &with_tail(&v6, 77), 41)).assert_delivered(&v6);
}

/// Transport mode takes whatever protocol the trailer names, another ESP or IP packet included.
#[test]
fn b61_transport_mode_hands_any_protocol_on() {
    let config = transport(GCM);
    let mut rig = Rig::new();
    let out = rig.out(&config);
    rig.inbound(&peer(&config));
    for protocol in (0..=255).filter(|protocol| *protocol != 59) {
        let inner = Ipv4::default().packet(&Upper::Raw { protocol, bytes: vec![0x5a; 13] });
        let sealed = rig.seal_one(out, &inner);
        assert!(sealed.delivered(), "{protocol} {:?}", sealed.verdict);
        let opened = rig.open_one(&sealed.bytes);
        opened.assert_delivered(&inner);
        assert_eq!(opened.verdict.delivered().map(|got| got.next_header), Some(protocol));
    }
}
