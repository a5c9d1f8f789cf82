//! Head- and tailroom, MTU, length fields, and what a packet's flags say: refused before anything is spent or written.

use esp_core::config::{Df, SaConfig, UdpEncap};
use esp_core::{DropReason, PacketFlags, Transform, Verdict};
use esp_testkit::builder::{Ipv4, Ipv6, Room, Upper, ethernet_padded};
use esp_testkit::slow;

use super::packet_of;
use crate::rig::{ROOM, Rig, iv, peer, slow as slow_sa, transport, tunnel};

const GCM: Transform = Transform::Aes128Gcm16;

/// An SA, and the bytes it needs in front of a packet.
fn sas() -> Vec<(SaConfig, usize)> {
    let mut all = Vec::new();
    for transform in [GCM, Transform::NullHmacSha256_128] {
        let iv_len = transform.iv_len();
        for (base, outer) in
            [(tunnel(transform, false), 20), (tunnel(transform, true), 40), (transport(transform), 0)]
        {
            let mut in_udp = base.clone();
            in_udp.udp = Some(UdpEncap::default());
            all.extend([(base, outer + 8 + iv_len), (in_udp, outer + 8 + 8 + iv_len)]);
        }
    }
    all
}

#[test]
fn b71_missing_room_is_told_to_the_byte() {
    for (config, headroom) in sas() {
        for packet in [packet_of(40), packet_of(41), Ipv6::default().packet(&Upper::udp(3))] {
            let header_len = match (config.src, packet[0] >> 4) {
                (Some(_), _) => 0,
                (None, 4) => 20,
                (None, _) => 40,
            };
            let content = packet.len() - header_len;
            let tailroom = (content + 2).next_multiple_of(4) - content + 16;
            let mut rig = Rig::new();
            let out = rig.out(&config);
            for head in 0..=headroom {
                for tail in 0..=tailroom {
                    let missing = headroom - head + tailroom - tail;
                    let outcome = rig.seal_in(out, Room::new(head, &packet, tail));
                    if missing == 0 {
                        assert!(outcome.delivered(), "{config:?} {:?}", outcome.verdict);
                        continue;
                    }
                    let refused = Verdict::Dropped { reason: DropReason::NoRoom, detail: missing as u32 };
                    assert_eq!(outcome.verdict, refused, "{config:?} {head} {tail}");
                    assert_eq!(outcome.buf, Room::new(head, &packet, tail).buf(), "something was written");
                    assert_eq!(rig.last_seq(out), 0, "a number was spent");
                }
            }
            assert_eq!(rig.last_seq(out), 1);
        }
    }
}

/// TFC padding needs room as well, and the engine says how much at most.
#[test]
fn b71_room_needed_suffices_for_every_length() {
    for (mut config, _) in sas() {
        for pad_to in [None, Some(200)].into_iter().take(if config.src.is_some() { 2 } else { 1 }) {
            config.tfc_pad_to = pad_to;
            let mut rig = Rig::new();
            let out = rig.out(&config);
            let room = rig.engine.shape(out).expect("live").room_needed();
            for len in 28..260 {
                let outcome = rig.seal_in(out, Room::new(room.headroom, &packet_of(len), room.tailroom));
                assert!(outcome.delivered(), "{config:?} {len} {:?}", outcome.verdict);
            }
        }
    }
}

#[test]
fn b71_tfc_padding_without_room_is_refused() {
    let mut config = tunnel(GCM, false);
    config.tfc_pad_to = Some(200);
    let mut rig = Rig::new();
    let out = rig.out(&config);
    // Behind the packet: 160 bytes of TFC padding, 2 of padding, 2 of trailer, 16 of ICV.
    let refused = rig.seal_in(out, Room::new(36, &packet_of(40), 100));
    assert_eq!(refused.verdict, Verdict::Dropped { reason: DropReason::NoRoom, detail: 80 });
    assert_eq!(rig.last_seq(out), 0);
}

/// Bytes behind the IP packet are room, not payload.
#[test]
fn b71_link_padding_is_room() {
    let packet = packet_of(28);
    let padded = ethernet_padded(&packet);
    assert_eq!(padded.len(), 46);
    let config = tunnel(GCM, false);
    let mut rig = Rig::new();
    let out = rig.out(&config);
    // 28 bytes of content: padding 2, trailer 2, ICV 16; 18 of them lie in what the link added.
    let refused = rig.seal_in(out, Room::new(36, &padded, 1));
    assert_eq!(refused.verdict, Verdict::Dropped { reason: DropReason::NoRoom, detail: 1 });
    let sealed = rig.seal_in(out, Room::new(36, &padded, 2));
    assert_eq!(sealed.bytes.len(), 36 + 32 + 16);
    assert_eq!(slow::open(&slow_sa(&config), 0, &sealed.bytes).expect("authentic").payload_raw, packet);
}

#[test]
fn b71_no_length_field_overflows() {
    let usable = |front: usize, header: usize| header + (65_535 - front - header - 16) / 4 * 4 - 2;
    for (config, front) in sas() {
        let header_len = if config.src.is_some() { 0 } else { 20 };
        let longest = usable(front, header_len);
        let mut rig = Rig::new();
        let out = rig.out(&config);
        rig.inbound(&peer(&config));
        let packet = packet_of(longest);
        let sealed = rig.seal_one(out, &packet);
        assert!(
            sealed.delivered() && sealed.bytes.len() <= 65_535 && sealed.bytes.len() > 65_531,
            "{config:?}"
        );
        rig.open_one(&sealed.bytes).assert_delivered(&packet);
        for len in [longest + 1, longest + 2, 65_535] {
            let refused = Verdict::Dropped { reason: DropReason::TooBig, detail: longest as u32 };
            assert_eq!(rig.seal_one(out, &packet_of(len)).verdict, refused, "{config:?} {len}");
        }
        assert_eq!(rig.last_seq(out), 1);
    }
}

#[test]
fn b63_mtu_to_the_byte() {
    for df in [Df::Copy, Df::Set, Df::Clear] {
        for inner_df in [false, true] {
            let mut config = tunnel(GCM, false);
            (config.mtu, config.df) = (Some(1500), df);
            let mut rig = Rig::new();
            let out = rig.out(&config);
            let shape = rig.engine.shape(out).expect("live");
            assert_eq!((shape.inner_mtu(1500, 0), shape.overhead(1446, 0)), (1446, 54));
            let packet = |len: usize| Ipv4 { df: inner_df, ..Ipv4::default() }.packet(&Upper::udp(len - 28));
            let refused = Verdict::Dropped { reason: DropReason::TooBig, detail: 1446 };
            for len in [1447, 1448, 1500, 9000] {
                let outcome = rig.seal_one(out, &packet(len));
                assert_eq!(outcome.verdict, refused);
                assert_eq!(outcome.buf[ROOM..ROOM + len], packet(len), "a refused packet was written");
            }
            assert_eq!(rig.last_seq(out), 0, "a number was spent");
            let sealed = rig.seal_one(out, &packet(1446)).bytes;
            assert_eq!((sealed.len(), sealed[2..4].to_vec()), (1500, vec![0x05, 0xdc]));
            assert_eq!(sealed[24..28], [0, 0, 0, 1]);
        }
    }
}

/// The size told is the largest that fits: a packet of it goes through, one more byte does not.
#[test]
fn b63_the_usable_mtu_is_usable() {
    for (mut config, _) in sas() {
        for mtu in [1280, 1281, 1282, 1283, 1500] {
            config.mtu = Some(mtu);
            let mut rig = Rig::new();
            let out = rig.out(&config);
            let Verdict::Dropped { reason: DropReason::TooBig, detail } =
                rig.seal_one(out, &packet_of(usize::from(mtu))).verdict
            else {
                panic!("a packet as long as the MTU fits {config:?}")
            };
            let usable = detail as usize;
            let sealed = rig.seal_one(out, &packet_of(usable)).bytes;
            assert!(sealed.len() <= usize::from(mtu) && sealed.len() + 4 > usize::from(mtu), "{config:?}");
            rig.seal_one(out, &packet_of(usable + 1)).assert_dropped(DropReason::TooBig);
        }
    }
}

const REFUSED: [(PacketFlags, DropReason); 4] = [
    (PacketFlags::PARTIAL_CHECKSUM, DropReason::PartialChecksum),
    (PacketFlags::GSO, DropReason::Gso),
    (PacketFlags::SEGMENTED, DropReason::Segmented),
    (PacketFlags::SHARED, DropReason::Shared),
];

#[test]
fn flags_are_refused_outbound_each_with_its_reason() {
    for config in [tunnel(GCM, false), transport(GCM)] {
        let mut rig = Rig::new();
        let out = rig.out(&config);
        let packet = packet_of(99);
        for (flag, reason) in REFUSED {
            for flags in [flag, flag.with(PacketFlags::DUMMY)] {
                let refused = rig.seal_flagged(out, std::slice::from_ref(&packet), flags).remove(0);
                refused.assert_dropped(reason);
                assert_eq!(refused.buf, Room::new(ROOM, &packet, ROOM).buf());
            }
        }
        assert_eq!(rig.last_seq(out), 0);
        assert!(rig.seal_one(out, &packet).delivered());
    }
}

#[test]
fn flags_are_refused_inbound_each_with_its_reason() {
    let config = tunnel(GCM, false);
    let mut rig = Rig::new();
    let sa = rig.inbound(&peer(&config));
    let inner = packet_of(99);
    let sealed = slow::seal(&slow_sa(&config), 1, iv(1), &inner, 0, 0);
    for (flag, reason) in REFUSED {
        let refused = rig.open_flagged(std::slice::from_ref(&sealed), flag).remove(0);
        refused.assert_dropped(reason);
        assert_eq!(refused.buf, Room::new(ROOM, &sealed, ROOM).buf());
        // What is not ESP goes back, whatever its buffer is like.
        let other = rig.open_flagged(std::slice::from_ref(&inner), flag).remove(0);
        assert!(matches!(other.verdict, Verdict::HandedBack(_)), "{:?}", other.verdict);
    }
    assert_eq!(rig.engine.sa_stats(sa).expect("live").sequence, 0);
    rig.open_one(&sealed).assert_delivered(&inner);
}
