//! Fragments: never opened, never sealed in transport mode (RFC 4303 sections 3.3.4 and 3.4.1).

use esp_core::config::UdpEncap;
use esp_core::{DropReason, HandedBack, Transform, Verdict};
use esp_testkit::builder::{Ext, Ipv4, Ipv6, Upper};
use esp_testkit::slow::{self, seal_raw, wrap_esp};

use super::{mended, with};
use crate::rig::{Rig, SPI, iv, peer, slow as slow_sa, transport, tunnel};

const GCM: Transform = Transform::Aes128Gcm16;

/// The pieces that a router makes of an IPv4 packet: each but the last carries `len` bytes, a multiple of 8.
fn split_v4(packet: &[u8], len: usize) -> Vec<Vec<u8>> {
    let (header, payload) = packet.split_at(20);
    let last = payload.len().div_ceil(len) - 1;
    let piece = |(n, bytes): (usize, &[u8])| {
        let mut piece = [header, bytes].concat();
        let total = piece.len() as u16;
        piece[2..4].copy_from_slice(&total.to_be_bytes());
        let field = (n * len / 8) as u16 | if n == last { 0 } else { 0x2000 };
        piece[6..8].copy_from_slice(&field.to_be_bytes());
        mended(piece)
    };
    payload.chunks(len).enumerate().map(piece).collect()
}

fn v6_piece(esp: &[u8], protocol: u8, offset: u16, more: bool) -> Vec<u8> {
    let exts = vec![Ext::Fragment { offset, more, id: 9 }];
    Ipv6 { exts, ..Ipv6::default() }.packet(&Upper::Raw { protocol, bytes: esp.to_vec() })
}

#[test]
fn b62_ipv4_fragments_inbound() {
    let config = tunnel(GCM, false);
    let mut rig = Rig::new();
    let sa = rig.inbound(&peer(&config));
    let inner = Ipv4::default().packet(&Upper::udp(200));
    let sealed = slow::seal(&slow_sa(&config), 1, iv(1), &inner, 0, 0);
    for len in [8, 64, 128] {
        for piece in split_v4(&sealed, len) {
            rig.open_one(&piece).assert_dropped(DropReason::Fragment);
        }
    }
    // Whole, but for the flag; and whole, but for the offset.
    for field in [0x2000_u16, 1, 0x1fff, 0x3fff, 0x6000] {
        let mut piece = sealed.clone();
        piece[6..8].copy_from_slice(&field.to_be_bytes());
        rig.open_one(&mended(piece)).assert_dropped(DropReason::Fragment);
    }
    assert_eq!(rig.engine.sa_stats(sa).expect("live").sequence, 0);
    // DF is no fragment.
    let mut whole = sealed.clone();
    whole[6] = 0x40;
    rig.open_one(&mended(whole)).assert_delivered(&inner);
}

#[test]
fn b62_ipv4_fragments_in_udp_inbound() {
    let config = with(tunnel(GCM, false), |sa| sa.udp = Some(UdpEncap::default()));
    let mut rig = Rig::new();
    let sa = rig.inbound(&peer(&config));
    let inner = Ipv4::default().packet(&Upper::udp(200));
    let sealed = slow::seal(&slow_sa(&config), 1, iv(1), &inner, 0, 0);
    for len in [16, 64, 128] {
        let pieces = split_v4(&sealed, len);
        rig.open_one(&pieces[0]).assert_dropped(DropReason::Fragment);
        for piece in &pieces[1..] {
            // Without ports nobody can say that it is ESP: somebody else may reassemble.
            assert_eq!(rig.open_one(piece).verdict, Verdict::HandedBack(HandedBack::NotEsp));
        }
    }
    assert_eq!(rig.engine.sa_stats(sa).expect("live").sequence, 0);
    rig.open_one(&sealed).assert_delivered(&inner);
}

#[test]
fn b62_ipv6_fragments_inbound() {
    let config = transport(GCM);
    let mut rig = Rig::new();
    rig.inbound(&peer(&config));
    let clear = Ipv6 { exts: vec![Ext::Fragment { offset: 0, more: false, id: 9 }], ..Ipv6::default() }
        .packet(&Upper::udp(20));
    let plaintext = [&clear[48..], &slow::trailer(4, 28, 0, 17)].concat();
    let esp = seal_raw(&slow_sa(&config), 1, iv(1), &plaintext);
    for (offset, more) in [(0, true), (1, false), (1, true), (0x1fff, false)] {
        rig.open_one(&v6_piece(&esp, 50, offset, more)).assert_dropped(DropReason::Fragment);
    }
    // An atomic fragment is a whole packet (RFC 6946).
    rig.open_one(&wrap_esp(&clear[..48], None, &esp)).assert_delivered(&clear);
}

#[test]
fn b62_ipv6_fragments_in_udp_inbound() {
    let mut rig = Rig::new();
    let datagram =
        [[4500_u16, 4500, 200, 0].map(u16::to_be_bytes).as_flattened(), &SPI.to_be_bytes(), &[1; 44]]
            .concat();
    rig.open_one(&v6_piece(&datagram, 17, 0, true)).assert_dropped(DropReason::Fragment);
    let later = v6_piece(&datagram, 17, 7, true);
    assert_eq!(rig.open_one(&later).verdict, Verdict::HandedBack(HandedBack::NotEsp));
}

#[test]
fn b62_transport_mode_refuses_fragments_outbound() {
    for udp in [None, Some(UdpEncap::default())] {
        let config = with(transport(GCM), |sa| sa.udp = udp);
        let mut rig = Rig::new();
        let out = rig.out(&config);
        for (mf, frag_offset) in [(true, 0), (false, 1), (true, 1), (false, 0x1fff)] {
            let packet = Ipv4 { mf, frag_offset, ..Ipv4::default() }.packet(&Upper::udp(32));
            let refused = rig.seal_one(out, &packet);
            refused.assert_dropped(DropReason::Fragment);
            assert_eq!(refused.buf[crate::rig::ROOM..][..packet.len()], packet);
        }
        for (offset, more) in [(0, true), (1, false), (1, true), (0x1fff, false)] {
            let datagram = [7; 40];
            rig.seal_one(out, &v6_piece(&datagram, 17, offset, more)).assert_dropped(DropReason::Fragment);
        }
        assert_eq!(rig.last_seq(out), 0);
        // DF alone is no fragment, nor is an atomic one.
        assert!(rig.seal_one(out, &Ipv4 { df: true, ..Ipv4::default() }.packet(&Upper::udp(32))).delivered());
        let atomic = v6_piece(&[7; 40], 253, 0, false);
        let sealed = rig.seal_one(out, &atomic);
        assert_eq!(slow::open(&slow_sa(&config), 0, &sealed.bytes).expect("authentic").inner, atomic);
    }
}

/// A fragment comes out of a tunnel as it went in, IPv6 too.
#[test]
fn b62_ipv6_fragments_through_a_tunnel() {
    for v6 in [false, true] {
        let config = tunnel(GCM, v6);
        let mut rig = Rig::new();
        let out = rig.out(&config);
        rig.inbound(&peer(&config));
        for (offset, more) in [(0, true), (1, false), (0x1fff, true)] {
            let inner = v6_piece(&[7; 40], 17, offset, more);
            let sealed = rig.seal_one(out, &inner).bytes;
            rig.open_one(&sealed).assert_delivered(&inner);
        }
    }
}
