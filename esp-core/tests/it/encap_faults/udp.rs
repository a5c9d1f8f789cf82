//! UDP encapsulation (RFC 3948): its header, its checksum, and what else comes to its port.

use esp_core::config::{SaConfig, UdpEncap};
use esp_core::{Consumed, DropReason, Engine, HandedBack, Transform, Verdict};
use esp_testkit::builder::{Ipv4, Ipv6, Upper, ethernet_padded};
use esp_testkit::slow;
use etherparse::UdpHeader;

use super::with;
use crate::rig::{Rig, SPI, iv, peer, slow as slow_sa, transport, tunnel};

const GCM: Transform = Transform::Aes128Gcm16;
const PORTS: UdpEncap = UdpEncap { src_port: 0x1234, dst_port: 4500, zero_checksum: false };

/// Tunnel and transport mode, each with packets of both families, and the length of the IP header in front of UDP.
fn cases() -> Vec<(SaConfig, Vec<u8>, usize)> {
    let v4 = Ipv4::default().packet(&Upper::udp(31));
    let v6 = Ipv6::default().packet(&Upper::udp(31));
    let mut all = Vec::new();
    for transform in [GCM, Transform::NullHmacSha256_128] {
        for inner in [&v4, &v6] {
            all.push((tunnel(transform, false), inner.clone(), 20));
            all.push((tunnel(transform, true), inner.clone(), 40));
        }
        all.push((transport(transform), v4.clone(), 20));
        all.push((transport(transform), v6.clone(), 40));
    }
    all.into_iter().map(|(config, inner, at)| (with(config, |sa| sa.udp = Some(PORTS)), inner, at)).collect()
}

#[test]
fn b33_udp_header_to_the_byte() {
    for (config, inner, at) in cases() {
        let mut rig = Rig::new();
        let out = rig.out(&config);
        rig.inbound(&peer(&config));
        let sealed = rig.seal_one(out, &inner).bytes;
        assert_eq!(sealed[if at == 20 { 9 } else { 6 }], 17);
        let total = if at == 20 { 0 } else { 40 }
            + usize::from(u16::from_be_bytes([sealed[at / 10], sealed[at / 10 + 1]]));
        assert_eq!(total, sealed.len(), "the IP length");
        let udp_len = (sealed.len() - at) as u16;
        assert_eq!(sealed[at..at + 4], [0x12, 0x34, 0x11, 0x94], "ports in network order");
        assert_eq!(sealed[at + 4..at + 6], udp_len.to_be_bytes());
        if at == 20 {
            assert_eq!(sealed[at + 6..at + 8], [0, 0], "no checksum over IPv4");
        }
        assert_eq!(sealed[at + 8..at + 16], [0, 0, 0x10, 1, 0, 0, 0, 1], "ESP right behind");
        assert_eq!(slow::open(&slow_sa(&config), 0, &sealed).expect("authentic").inner, inner);
        rig.open_one(&sealed).assert_delivered(&inner);
    }
}

/// Nothing of the UDP header is left, and no length still counts it.
#[test]
fn b36_decapsulation_leaves_no_udp_header() {
    for (config, inner, _) in cases() {
        let mut rig = Rig::new();
        rig.inbound(&peer(&config));
        let sealed = slow::seal(&slow_sa(&config), 1, iv(1), &inner, 0, 0);
        let opened = rig.open_one(&sealed);
        opened.assert_delivered(&inner);
        let protocol = opened.verdict.delivered().map(|got| got.next_header);
        let inside = if config.src.is_none() {
            17
        } else if inner[0] >> 4 == 4 {
            4
        } else {
            41
        };
        assert_eq!(protocol, Some(inside));
    }
}

/// The checksum of the UDP header at 40, by a judge that is not ours.
fn checksum_of(sealed: &[u8]) -> (u16, u16) {
    let (header, _) = UdpHeader::from_slice(&sealed[40..]).expect("a whole UDP header");
    let address = |at: usize| *sealed[at..].first_chunk().expect("an address");
    let right = header.calc_checksum_ipv6_raw(address(8), address(24), &sealed[48..]).expect("short");
    (header.checksum, right)
}

#[test]
fn b35_checksum_over_ipv6() {
    for (config, inner, at) in cases().into_iter().filter(|(.., at)| *at == 40) {
        let mut rig = Rig::new();
        let out = rig.out(&config);
        for sealed in rig.seal(out, &vec![inner; 100]) {
            let (sent, right) = checksum_of(&sealed.bytes);
            assert_eq!(sent, right, "{config:?} {at}");
            assert_ne!(sent, 0);
        }
    }
}

/// A sum that comes out as zero goes as all ones: zero would say that there is no checksum (RFC 768).
#[test]
fn b35_a_sum_of_zero_is_sent_as_all_ones() {
    let config = with(tunnel(Transform::NullHmacSha256_128, true), |sa| sa.udp = Some(PORTS));
    let inner = Ipv4::default().packet(&Upper::udp(2));
    let mut rig = Rig::new();
    let out = rig.out(&config);
    // About one packet in 65,536 has such a sum; this run has some.
    let mut found = 0;
    for _ in 0..256 {
        for sealed in rig.seal(out, &vec![inner.clone(); 1024]) {
            if sealed.bytes[46..48] == [0xff, 0xff] {
                assert_eq!(checksum_of(&sealed.bytes), (0xffff, 0xffff));
                found += 1;
            }
            assert_ne!(sealed.bytes[46..48], [0, 0]);
        }
    }
    assert!(found > 0);
}

#[test]
fn b35_zero_checksum_on_request_and_accepted_always() {
    for (config, inner, _) in cases().into_iter().filter(|(.., at)| *at == 40) {
        let mut lazy = config.clone();
        lazy.udp = Some(UdpEncap { zero_checksum: true, ..PORTS });
        for (sender, receiver) in [(&config, &lazy), (&lazy, &config), (&lazy, &lazy), (&config, &config)] {
            let mut rig = Rig::new();
            let out = rig.out(sender);
            rig.inbound(&peer(receiver));
            let sealed = rig.seal_one(out, &inner).bytes;
            let zero = sender.udp.is_some_and(|udp| udp.zero_checksum);
            assert_eq!(sealed[46..48] == [0, 0], zero);
            rig.open_one(&sealed).assert_delivered(&inner);
        }
    }
}

/// A datagram to this port, over both families.
fn datagrams(src_port: u16, dst_port: u16, payload: &[u8]) -> [Vec<u8>; 2] {
    let length = 8 + payload.len() as u16;
    let bytes = [[src_port, dst_port, length, 0].map(u16::to_be_bytes).as_flattened(), payload].concat();
    let upper = Upper::Raw { protocol: 17, bytes };
    [Ipv4::default().packet(&upper), Ipv6::default().packet(&upper)]
}

#[test]
fn b34_keepalives_are_consumed() {
    let mut rig = Rig::new();
    for packet in datagrams(4500, 4500, &[0xff]) {
        for packet in [ethernet_padded(&packet), packet] {
            assert_eq!(rig.open_one(&packet).verdict, Verdict::Consumed(Consumed::Keepalive));
        }
    }
    // Anything else that short is no keepalive, and no ESP.
    for payload in [&[0xfe][..], &[0xff, 0xff], &[0], &[0, 0, 0], &[], &[1; 7]] {
        for packet in datagrams(4500, 4500, payload) {
            rig.open_one(&packet).assert_dropped(DropReason::TooShort);
        }
    }
}

#[test]
fn b34_ike_is_handed_back() {
    let mut rig = Rig::new();
    for len in [4, 5, 8, 32, 500] {
        let payload = [vec![0; 4], vec![0x21; len - 4]].concat();
        for packet in datagrams(4500, 4500, &payload) {
            let outcome = rig.open_one(&packet);
            assert_eq!(outcome.verdict, Verdict::HandedBack(HandedBack::Ike));
        }
    }
}

#[test]
fn b34_other_ports_are_handed_back() {
    let mut rig = Rig::new();
    let config = with(tunnel(GCM, false), |sa| sa.udp = Some(UdpEncap::default()));
    rig.inbound(&peer(&config));
    let inner = Ipv4::default().packet(&Upper::udp(20));
    let sealed = slow::seal(&slow_sa(&config), 1, iv(1), &inner, 0, 0);
    let to = |port: u16| [&sealed[..22], &port.to_be_bytes(), &sealed[24..]].concat();
    for port in [0, 4499, 4501, 500, 0x9411] {
        assert_eq!(rig.open_one(&to(port)).verdict, Verdict::HandedBack(HandedBack::NotEsp));
    }
    for payload in [&[0xff][..], &[0, 0, 0, 0, 1], &[1; 40], &[]] {
        for packet in datagrams(4500, 500, payload) {
            assert_eq!(rig.open_one(&packet).verdict, Verdict::HandedBack(HandedBack::NotEsp));
        }
    }
    // The source port is the NAT's to choose.
    let mut through_nat = to(4500);
    through_nat[20..22].copy_from_slice(&[0xde, 0xad]);
    rig.open_one(&through_nat).assert_delivered(&inner);
}

#[test]
fn b34_the_ports_are_the_engines_to_choose() {
    let mut rig = Rig::of(Engine::builder().udp_ports(&[4500, 10_000]).build().expect("an engine"));
    let config = with(tunnel(GCM, true), |sa| sa.udp = Some(UdpEncap { dst_port: 10_000, ..PORTS }));
    rig.inbound(&peer(&config));
    let out = rig.out(&config);
    let inner = Ipv4::default().packet(&Upper::udp(20));
    let sealed = rig.seal_one(out, &inner).bytes;
    rig.open_one(&sealed).assert_delivered(&inner);
    for packet in datagrams(1, 10_000, &[0xff]) {
        assert_eq!(rig.open_one(&packet).verdict, Verdict::Consumed(Consumed::Keepalive));
    }
}

#[test]
fn b34_short_and_lying_udp() {
    let mut rig = Rig::new();
    // Not even a UDP header.
    for len in 0..8 {
        let upper = Upper::Raw { protocol: 17, bytes: [0x11, 0x94, 0x11, 0x94, 0, 9, 0, 0][..len].to_vec() };
        for packet in [Ipv4::default().packet(&upper), Ipv6::default().packet(&upper)] {
            assert_eq!(rig.open_one(&packet).verdict, Verdict::HandedBack(HandedBack::NotEsp), "{len}");
        }
    }
    // A length below the header's own, and beyond the packet's.
    for [mut v4, mut v6] in [0, 1, 7, 49, 50, 0xffff].map(|length: u16| {
        let [v4, v6] = datagrams(4500, 4500, &[7; 40]);
        let with =
            |packet: Vec<u8>, at: usize| [&packet[..at], &length.to_be_bytes(), &packet[at + 2..]].concat();
        [with(v4, 24), with(v6, 44)]
    }) {
        rig.open_one(&v4).assert_dropped(DropReason::Malformed);
        rig.open_one(&v6).assert_dropped(DropReason::Malformed);
        // What the link added is not the datagram's.
        v4.extend([0; 20]);
        v6.extend([0; 20]);
        rig.open_one(&v4).assert_dropped(DropReason::Malformed);
        rig.open_one(&v6).assert_dropped(DropReason::Malformed);
    }
}

/// A datagram shorter than its IP packet ends where UDP says.
#[test]
fn b34_bytes_behind_the_datagram_are_not_esp() {
    let config = with(tunnel(GCM, false), |sa| sa.udp = Some(UdpEncap::default()));
    let mut rig = Rig::new();
    rig.inbound(&peer(&config));
    let inner = Ipv4::default().packet(&Upper::udp(20));
    let mut sealed = slow::seal(&slow_sa(&config), 1, iv(1), &inner, 0, 0);
    sealed.extend([0xab; 12]);
    let total = sealed.len() as u16;
    sealed[2..4].copy_from_slice(&total.to_be_bytes());
    rig.open_one(&super::mended(sealed)).assert_delivered(&inner);
}

/// SPI zero is never looked up as an SA: in UDP it marks IKE, bare it is nobody's.
#[test]
fn b34_spi_zero_is_no_sa() {
    let mut rig = Rig::new();
    let esp = [[0; 8].to_vec(), vec![5; 60]].concat();
    let bare = Upper::Raw { protocol: 50, bytes: esp };
    rig.open_one(&Ipv4::default().packet(&bare)).assert_dropped(DropReason::NoSa);
    rig.open_one(&Ipv6::default().packet(&bare)).assert_dropped(DropReason::NoSa);
    assert_eq!(rig.events().iter().map(|event| event.spi).collect::<Vec<_>>(), [0, 0]);
    assert_ne!(SPI, 0);
}
