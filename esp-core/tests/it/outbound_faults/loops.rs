//! A packet that this very SA has sealed already must not be sealed by it again.

use esp_core::config::{SaConfig, UdpEncap};
use esp_core::{DropReason, Transform};
use esp_testkit::builder::{Ext, Ipv4, Ipv6, Upper};

use crate::rig::{Rig, SPI, peer, transport, tunnel};

const GCM: Transform = Transform::Aes128Gcm16;

fn bare_and_in_udp(config: SaConfig) -> [SaConfig; 2] {
    let mut in_udp = config.clone();
    in_udp.udp = Some(UdpEncap { src_port: 4501, ..UdpEncap::default() });
    [config, in_udp]
}

fn inner_packets() -> Vec<Vec<u8>> {
    let exts = |exts: &[Ext]| Ipv6 { exts: exts.to_vec(), ..Ipv6::default() }.packet(&Upper::udp(20));
    vec![
        Ipv4::default().packet(&Upper::udp(20)),
        Ipv4 { options: vec![1; 8], ..Ipv4::default() }.packet(&Upper::udp(20)),
        exts(&[]),
        exts(&[Ext::HopByHop { len: 8 }]),
        exts(&[Ext::HopByHop { len: 16 }, Ext::DestOpts { len: 8 }, Ext::Routing { segments_left: 0 }]),
        exts(&[Ext::DestOpts { len: 8 }]),
    ]
}

#[test]
fn b77_a_sealed_packet_is_not_sealed_again() {
    let bases = [tunnel(GCM, false), tunnel(GCM, true), transport(GCM)];
    for config in bases.into_iter().flat_map(bare_and_in_udp) {
        let mut rig = Rig::new();
        let out = rig.out(&config);
        rig.inbound(&peer(&config));
        for inner in inner_packets() {
            let sealed = rig.seal_one(out, &inner);
            assert!(sealed.delivered(), "{:?}", sealed.verdict);
            let spent = rig.last_seq(out);
            let again = rig.seal_one(out, &sealed.bytes);
            again.assert_dropped(DropReason::Loop);
            assert_eq!(again.buf[crate::rig::ROOM..][..sealed.bytes.len()], sealed.bytes);
            assert_eq!(rig.last_seq(out), spent, "a loop spent a number");
            rig.open_one(&sealed.bytes).assert_delivered(&inner);
        }
    }
}

/// Another SA may seal it: tunnels nest.
#[test]
fn b77_other_sas_may_seal_it() {
    for base in [tunnel(GCM, false), tunnel(GCM, true)] {
        for config in bare_and_in_udp(base) {
            let mut rig = Rig::new();
            let first = rig.out(&config);
            let sealed = rig.seal_one(first, &inner_packets()[0]);
            let mut other = config.clone();
            other.spi = SPI + 1;
            let second = rig.out(&other);
            assert!(rig.seal_one(second, &sealed.bytes).delivered());
            // The same SPI between other hosts is traffic in transit.
            let mut transit = config.clone();
            transit.src = if sealed.bytes[0] >> 4 == 4 { "198.51.100.7" } else { "2001:db8::7" }.parse().ok();
            let third = rig.out(&transit);
            let foreign = rig.seal_one(third, &inner_packets()[0]);
            assert!(rig.seal_one(first, &foreign.bytes).delivered());
        }
    }
}

/// A datagram between other ports whose payload happens to start with the SPI is no loop.
#[test]
fn b77_only_the_sas_own_encapsulation_counts() {
    let mut config = transport(GCM);
    config.udp = Some(UdpEncap::default());
    let mut rig = Rig::new();
    let out = rig.out(&config);
    let datagram = |src_port: u16, dst_port: u16| {
        let mut bytes = [src_port, dst_port, 24, 0].map(u16::to_be_bytes).concat();
        bytes.extend([SPI.to_be_bytes(), [0, 0, 0, 1], [0; 4], [0; 4]].concat());
        Ipv4::default().packet(&Upper::Raw { protocol: 17, bytes })
    };
    assert!(rig.seal_one(out, &datagram(4500, 4501)).delivered());
    assert!(rig.seal_one(out, &datagram(4501, 4500)).delivered());
    rig.seal_one(out, &datagram(4500, 4500)).assert_dropped(DropReason::Loop);
    // Bare ESP under the SPI is not this SA's: it sends in UDP.
    let esp = Upper::Raw { protocol: 50, bytes: [SPI.to_be_bytes(), [0; 4]].concat() };
    assert!(rig.seal_one(out, &Ipv4::default().packet(&esp)).delivered());
}
