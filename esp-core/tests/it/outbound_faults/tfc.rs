//! Traffic flow confidentiality on the way out: padding to a length, dummy packets (RFC 4303 sections 2.6, 2.7).

use esp_core::config::SaConfig;
use esp_core::{Consumed, PacketFlags, Transform, Verdict};
use esp_testkit::builder::{Ipv4, Ipv6, Room, Upper};
use esp_testkit::slow;

use super::packet_of;
use crate::rig::{EVERY, ROOM, Rig, peer, slow as slow_sa, transport, tunnel};

fn padded_tunnel(v6: bool, pad_to: u16, mtu: Option<u16>) -> SaConfig {
    let mut config = tunnel(Transform::Aes256Gcm16, v6);
    (config.tfc_pad_to, config.mtu) = (Some(pad_to), mtu);
    config
}

#[test]
fn tfc_pads_short_packets_to_one_length() {
    for v6 in [false, true] {
        let config = padded_tunnel(v6, 300, None);
        let mut rig = Rig::new();
        let out = rig.out(&config);
        rig.inbound(&peer(&config));
        let room = rig.engine.shape(out).expect("live").room_needed();
        for len in [28, 29, 100, 299, 300, 301, 500] {
            let v4 = packet_of(len);
            let v6 = Ipv6::default().packet(&Upper::udp(len));
            for inner in [v4, v6] {
                let sealed = rig.seal_in(out, Room::new(room.headroom, &inner, room.tailroom));
                let opened = slow::open(&slow_sa(&config), 0, &sealed.bytes).expect("authentic");
                assert_eq!(opened.inner, inner);
                assert_eq!(opened.payload_raw.len(), inner.len().max(300));
                let tail = &opened.payload_raw[inner.len()..];
                assert!(tail.iter().all(|byte| *byte == 0), "TFC padding shows what the buffer held before");
                rig.open_one(&sealed.bytes).assert_delivered(&inner);
            }
        }
    }
}

#[test]
fn tfc_never_pads_past_the_mtu() {
    for (v6, mtu) in [(false, 576), (true, 1280)] {
        let config = padded_tunnel(v6, 9000, Some(mtu));
        let mut rig = Rig::new();
        let out = rig.out(&config);
        let usable = rig.engine.shape(out).expect("live").inner_mtu(usize::from(mtu), 0);
        for len in [28, 100, usable - 1, usable] {
            let sealed = rig.seal_in(out, Room::new(ROOM, &packet_of(len), 9100));
            assert!(sealed.delivered(), "{:?}", sealed.verdict);
            assert!(sealed.bytes.len() <= usize::from(mtu) && sealed.bytes.len() + 4 > usize::from(mtu));
            assert_eq!(
                slow::open(&slow_sa(&config), 0, &sealed.bytes).expect("authentic").inner,
                packet_of(len)
            );
        }
    }
}

#[test]
fn dummy_packets_in_tunnel_mode_are_any_bytes() {
    for transform in EVERY.iter() {
        for v6 in [false, true] {
            let config = tunnel(*transform, v6);
            let mut rig = Rig::new();
            let out = rig.out(&config);
            let sa = rig.inbound(&peer(&config));
            for (n, len) in [0, 1, 2, 20, 333].into_iter().enumerate() {
                let data = vec![0xd0; len];
                let sealed = rig.seal_flagged(out, std::slice::from_ref(&data), PacketFlags::DUMMY).remove(0);
                let opened = slow::open(&slow_sa(&config), 0, &sealed.bytes).expect("authentic");
                assert_eq!((opened.next_header, &opened.payload_raw), (59, &data));
                assert_eq!(rig.open_one(&sealed.bytes).verdict, Verdict::Consumed(Consumed::Dummy));
                assert_eq!(rig.engine.sa_stats(sa).expect("live").sequence, 1 + n as u64);
            }
        }
    }
}

#[test]
fn dummy_packets_in_tunnel_mode_are_padded_as_others_are() {
    let config = padded_tunnel(false, 300, None);
    let mut rig = Rig::new();
    let out = rig.out(&config);
    let dummy = Room::new(ROOM, &[], 400);
    let lens = [
        rig.seal_in_flagged(out, dummy, PacketFlags::DUMMY),
        rig.seal_in(out, Room::new(ROOM, &packet_of(40), 400)),
    ];
    assert_eq!(lens[0].bytes.len(), lens[1].bytes.len());
}

/// In transport mode the IP header stays and the upper layer's number becomes 59.
#[test]
fn dummy_packets_in_transport_mode() {
    for transform in EVERY.iter() {
        let config = transport(*transform);
        let mut rig = Rig::new();
        let out = rig.out(&config);
        rig.inbound(&peer(&config));
        let packets = [Ipv4::default().packet(&Upper::udp(30)), Ipv6::default().packet(&Upper::udp(30))];
        for packet in packets {
            let sealed = rig.seal_flagged(out, std::slice::from_ref(&packet), PacketFlags::DUMMY).remove(0);
            let opened = slow::open(&slow_sa(&config), 0, &sealed.bytes).expect("authentic");
            assert_eq!((opened.next_header, opened.payload_raw.len()), (59, 38));
            assert_eq!(rig.open_one(&sealed.bytes).verdict, Verdict::Consumed(Consumed::Dummy));
        }
        // It must be an IP packet all the same.
        let refused = rig.seal_flagged(out, &[vec![0xd0; 30]], PacketFlags::DUMMY).remove(0);
        refused.assert_dropped(esp_core::DropReason::Malformed);
    }
}

/// Without the flag an SA never makes a dummy of a packet.
#[test]
fn packets_are_dummies_only_on_request() {
    let config = tunnel(Transform::Aes128Gcm16, false);
    let mut rig = Rig::new();
    let out = rig.out(&config);
    let sealed = rig.seal_one(out, &packet_of(50));
    assert_eq!(slow::open(&slow_sa(&config), 0, &sealed.bytes).expect("authentic").next_header, 4);
    rig.seal_one(out, &[]).assert_dropped(esp_core::DropReason::Malformed);
}
