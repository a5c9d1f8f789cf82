//! Peers that hold the key and send what nobody expects.

use esp_core::Transform;
use esp_core::config::UdpEncap;
use esp_testkit::builder::{Ipv4, Ipv6, Upper, pattern};
use esp_testkit::slow;
use etherparse::Ipv4HeaderSlice;

use crate::rig::{Rig, iv, peer, slow as slow_sa, transport};

/// Bytes behind the UDP datagram, inside the IP packet (RFC 9868): the checksum does not cover them, so a right one was
/// replaced by a wrong one.
#[test]
fn b37_bytes_behind_the_udp_datagram_are_not_summed() {
    let mut rig = Rig::new();
    let mut config = transport(Transform::Aes128Gcm16);
    config.udp = Some(UdpEncap::default());
    rig.inbound(&peer(&config));
    let v4 = Ipv4::default().packet(&Upper::udp(21));
    let v6 = Ipv6::default().packet(&Upper::udp(21));
    for (seq, inner) in (1..).zip([with_surplus(v4, 2), with_surplus(v6, 4)]) {
        let sealed = slow::seal(&slow_sa(&config), seq, iv(seq), &inner, 0, 0);
        rig.open_one(&sealed).assert_delivered(&inner);
    }
}

/// A UDP length that is none leaves the packet as the peer made it; its receiver will refuse it.
#[test]
fn b37_an_impossible_udp_length_changes_nothing() {
    let mut rig = Rig::new();
    let mut config = transport(Transform::ChaCha20Poly1305);
    config.udp = Some(UdpEncap::default());
    rig.inbound(&peer(&config));
    for (seq, length) in (1..).zip([0_u16, 7, 30, u16::MAX]) {
        let mut inner = Ipv4::default().packet(&Upper::udp(21));
        inner[24..26].copy_from_slice(&length.to_be_bytes());
        let sealed = slow::seal(&slow_sa(&config), seq, iv(seq), &inner, 0, 0);
        rig.open_one(&sealed).assert_delivered(&inner);
    }
}

/// The packet, 13 bytes longer than its UDP datagram. `length_at` is where the IP header has its length.
fn with_surplus(mut packet: Vec<u8>, length_at: usize) -> Vec<u8> {
    let grown = u16::from_be_bytes([packet[length_at], packet[length_at + 1]]) + 13;
    packet[length_at..length_at + 2].copy_from_slice(&grown.to_be_bytes());
    packet.extend(pattern(13));
    if packet[0] >> 4 == 4 {
        let header = Ipv4HeaderSlice::from_slice(&packet).expect("a whole IPv4 header").to_header();
        packet[10..12].copy_from_slice(&header.calc_header_checksum().to_be_bytes());
    }
    packet
}
