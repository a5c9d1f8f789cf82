//! Faults that others had around ESP: headers before it, UDP, ECN, fragments, selectors, lookup.

mod ecn;
mod fragments;
mod inner;
mod lookup;
mod nat;
mod policy;
mod transport;
mod tunnel;
mod udp;

use esp_core::config::SaConfig;
use esp_testkit::slow::{seal_raw, tunnel_header, wrap_esp};
use etherparse::Ipv4HeaderSlice;

use crate::rig::{ends, iv, slow as slow_sa};

/// The configuration with something changed.
fn with(mut config: SaConfig, change: impl FnOnce(&mut SaConfig)) -> SaConfig {
    change(&mut config);
    config
}

/// Whether an IPv4 header's checksum is right, by a judge that is not ours.
#[track_caller]
fn assert_ipv4_checksum(packet: &[u8]) {
    let header = Ipv4HeaderSlice::from_slice(packet).expect("a whole IPv4 header").to_header();
    assert_eq!(header.header_checksum, header.calc_header_checksum());
}

/// Changes byte `at` of an IP packet's header, and mends the checksum of IPv4.
fn with_header_byte(packet: &[u8], at: usize, byte: u8) -> Vec<u8> {
    let mut packet = packet.to_vec();
    packet[at] = byte;
    mended(packet)
}

/// The packet with the right IPv4 header checksum; IPv6 has none.
fn mended(mut packet: Vec<u8>) -> Vec<u8> {
    if packet[0] >> 4 == 4 {
        let header = Ipv4HeaderSlice::from_slice(&packet).expect("a whole IPv4 header").to_header();
        packet[10..12].copy_from_slice(&header.calc_header_checksum().to_be_bytes());
    }
    packet
}

/// The packet with another traffic class.
fn with_tos(packet: &[u8], tos: u8) -> Vec<u8> {
    if packet[0] >> 4 == 4 {
        return with_header_byte(packet, 1, tos);
    }
    let packet = with_header_byte(packet, 0, 0x60 | tos >> 4);
    let low = packet[1] & 0x0f | tos << 4;
    with_header_byte(&packet, 1, low)
}

fn tos_of(packet: &[u8]) -> u8 {
    if packet[0] >> 4 == 4 { packet[1] } else { packet[0] << 4 | packet[1] >> 4 }
}

/// An authentic tunnel packet whose plaintext is `payload` and this next header, padded as it should be.
fn authentic(config: &SaConfig, seq: u64, payload: &[u8], next_header: u8) -> Vec<u8> {
    let trailer = esp_testkit::slow::trailer(config.transform.align(), payload.len(), 0, next_header);
    let (src, dst) = ends(config);
    let esp = seal_raw(&slow_sa(config), seq, iv(seq), &[payload, &trailer].concat());
    wrap_esp(&tunnel_header(src, dst), config.udp.map(|udp| (udp.src_port, udp.dst_port)), &esp)
}
