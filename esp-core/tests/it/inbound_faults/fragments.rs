//! Fragments that look like ESP: a fragment is refused, told, and never looked up as if it were whole.

use esp_core::config::UdpEncap;
use esp_core::{DropReason, HandedBack, Transform, Verdict};
use esp_testkit::builder::{Ext, Ipv4, Ipv6, Upper};
use esp_testkit::slow;

use super::{ESP, Pair, Sender, inbound, windowed};
use crate::rig::{Rig, SPI, transport};

use DropReason::Fragment;

#[test]
fn b62_ipv4_fragments_of_esp_are_refused() {
    for (offset, more) in [(0, true), (1, false), (185, true), (0x1fff, false)] {
        let mut pair = Pair::new(64, false);
        let esp = pair.sender.packet(1)[20..].to_vec();
        let header = Ipv4 { mf: more, frag_offset: offset, ..Ipv4::default() };
        let packet = header.packet(&Upper::Raw { protocol: ESP, bytes: esp });
        pair.rig.open_one(&packet).assert_dropped(Fragment);
        assert_eq!(pair.top(), 0);
        pair.accepts(1);
    }
}

#[test]
fn b62_ipv6_fragments_of_esp_are_refused_and_whole_packets_pass() {
    for (offset, more) in [(0, true), (1, false), (185, true), (0, false)] {
        let config = inbound(&transport(Transform::Aes128Gcm16));
        let mut rig = Rig::new();
        rig.inbound(&config);
        let sender = Sender::of(&config, true);
        let upper = Upper::udp(46);
        let exts = vec![Ext::Fragment { offset, more, id: 7 }];
        let headers = Ipv6 { exts, ..Ipv6::default() };
        let esp = sender.carrying(1, &Ipv6::default().packet(&upper))[40..].to_vec();
        let outcome = rig.open_one(&headers.packet(&Upper::Raw { protocol: ESP, bytes: esp }));
        if (offset, more) == (0, false) {
            // An atomic fragment is a whole packet (RFC 6946).
            outcome.assert_delivered(&headers.packet(&upper));
        } else {
            outcome.assert_dropped(Fragment);
        }
    }
}

#[test]
fn b62_a_fragment_is_told_with_its_own_spi_and_number() {
    let mut pair = Pair::new(64, false);
    pair.accepts(0x55);
    let mut other = pair.sender.clone();
    other.sa.spi = 0xabcd_ef01;
    for (offset, spi, seq) in [(0, 0xabcd_ef01, 0x77), (185, 0, 0)] {
        let esp = other.packet(0x77)[20..].to_vec();
        let header = Ipv4 { mf: true, frag_offset: offset, ..Ipv4::default() };
        // Behind a whole packet, in the same place of the burst as that packet.
        pair.accepts(0x56 + u64::from(offset));
        pair.rig.open_one(&header.packet(&Upper::Raw { protocol: ESP, bytes: esp })).assert_dropped(Fragment);
        let events = pair.rig.events();
        assert_eq!((events.len(), events[0].reason), (1, Fragment));
        assert_eq!((events[0].spi, events[0].seq), (spi, seq), "offset {offset}");
    }
}

#[test]
fn b62_fragments_of_encapsulated_esp() {
    let mut config = windowed(64, false);
    config.udp = Some(UdpEncap::default());
    let mut rig = Rig::new();
    rig.inbound(&config);
    let packet = Sender::of(&config, false).packet(9);
    let datagram = &packet[20..];
    // The UDP length covers the datagram, not the fragment.
    let first = piece(&datagram[..64], 0, true);
    rig.open_one(&first).assert_dropped(Fragment);
    let events = rig.events();
    assert_eq!((events.len(), events[0].spi, events[0].seq), (1, SPI, 9));
    // The rest has no UDP header: nobody can say that it is ESP.
    let last = rig.open_one(&piece(&datagram[64..], 8, false));
    assert_eq!(last.verdict, Verdict::HandedBack(HandedBack::NotEsp));
    assert!(rig.events().is_empty());
}

#[test]
fn b34_fragments_of_ike_go_back_to_be_reassembled() {
    // An IKE message with certificates does not fit a packet. Its pieces are the host's, not ours.
    let ike = [&[0; 4][..], &[0x11; 2000]].concat();
    let packet = slow::wrap_esp(&Ipv4::default().header(ESP, 0), Some((4500, 4500)), &ike);
    let datagram = &packet[20..];
    let mut rig = Rig::new();
    let first = rig.open_one(&piece(&datagram[..1480], 0, true));
    assert_eq!(first.verdict, Verdict::HandedBack(HandedBack::Ike));
    let last = rig.open_one(&piece(&datagram[1480..], 185, false));
    assert_eq!(last.verdict, Verdict::HandedBack(HandedBack::NotEsp));
}

/// A fragment of a UDP datagram.
fn piece(bytes: &[u8], frag_offset: u16, mf: bool) -> Vec<u8> {
    let upper = Upper::Raw { protocol: 17, bytes: bytes.to_vec() };
    Ipv4 { mf, frag_offset, ..Ipv4::default() }.packet(&upper)
}
