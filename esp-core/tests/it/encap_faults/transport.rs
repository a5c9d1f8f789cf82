//! Transport mode: where ESP goes among the headers, and what they say afterwards.

use esp_core::config::UdpEncap;
use esp_core::{DropReason, Transform};
use esp_testkit::builder::{Ext, Ipv4, Ipv6, Upper};
use esp_testkit::slow::{self, seal_raw, wrap_esp};

use super::assert_ipv4_checksum;
use crate::rig::{Rig, iv, peer, slow as slow_sa, transport};

const GCM: Transform = Transform::Aes128Gcm16;
const HOP: Ext = Ext::HopByHop { len: 8 };
const LONG_HOP: Ext = Ext::HopByHop { len: 24 };
const OPTS: Ext = Ext::DestOpts { len: 16 };
const ROUTE: Ext = Ext::Routing { segments_left: 0 };
const ATOMIC: Ext = Ext::Fragment { offset: 0, more: false, id: 77 };

/// Extension headers, and how many of them stay in front of ESP.
const CHAINS: [(&[Ext], usize); 9] = [
    (&[], 0),
    (&[HOP], 1),
    (&[LONG_HOP, ROUTE], 2),
    (&[HOP, OPTS, ROUTE], 3),
    (&[HOP, OPTS, ROUTE, ATOMIC], 4),
    (&[HOP, ATOMIC], 2),
    (&[OPTS], 0),
    (&[HOP, OPTS], 1),
    (&[HOP, OPTS, ROUTE, OPTS], 3),
];

fn ext_len(ext: &Ext) -> usize {
    match ext {
        Ext::HopByHop { len } | Ext::DestOpts { len } => *len,
        Ext::Routing { .. } => 24,
        Ext::Fragment { .. } => 8,
    }
}

#[test]
fn b29_ipv6_lengths_and_next_headers() {
    for (exts, outside) in CHAINS {
        for (udp, protocol) in [(None, 50), (Some(UdpEncap::default()), 17)] {
            let mut config = transport(GCM);
            config.udp = udp;
            let mut rig = Rig::new();
            let out = rig.out(&config);
            rig.inbound(&peer(&config));
            let inner =
                Ipv6 { exts: exts.to_vec(), traffic_class: 0x5a, ..Ipv6::default() }.packet(&Upper::udp(33));
            let sealed = rig.seal_one(out, &inner).bytes;
            let header_len = 40 + exts[..outside].iter().map(ext_len).sum::<usize>();
            // Payload length: without the fixed header.
            assert_eq!(sealed[4..6], (sealed.len() as u16 - 40).to_be_bytes(), "{exts:?}");
            // The field that names ESP is the last one in front of it; all others are as they were.
            let field = if outside == 0 { 6 } else { header_len - ext_len(&exts[outside - 1]) };
            let mut wanted = inner[..header_len].to_vec();
            wanted[4..6].copy_from_slice(&sealed[4..6]);
            wanted[field] = protocol;
            assert_eq!(hex::encode(&sealed[..header_len]), hex::encode(&wanted), "{exts:?}");
            let esp_at = header_len + if udp.is_some() { 8 } else { 0 };
            assert_eq!(sealed[esp_at..esp_at + 8], [0, 0, 0x10, 1, 0, 0, 0, 1]);
            assert_eq!(slow::open(&slow_sa(&config), 0, &sealed).expect("authentic").inner, inner);
            rig.open_one(&sealed).assert_delivered(&inner);
        }
    }
}

/// Inbound, destination options that the peer left in front of ESP stay there.
#[test]
fn b29_options_in_front_of_esp_inbound() {
    let chains: [&[Ext]; 4] = [&[OPTS], &[HOP, OPTS], &[HOP, OPTS, ROUTE, OPTS], &[ATOMIC, OPTS]];
    for exts in chains {
        for udp in [None, Some(UdpEncap::default())] {
            let mut config = transport(GCM);
            config.udp = udp;
            let mut rig = Rig::new();
            rig.inbound(&peer(&config));
            let clear = Ipv6 { exts: exts.to_vec(), ..Ipv6::default() }.packet(&Upper::tcp(21));
            let headers = &clear[..clear.len() - 41];
            let plaintext = [&clear[headers.len()..], &slow::trailer(4, 41, 0, 6)].concat();
            let esp = seal_raw(&slow_sa(&config), 5, iv(5), &plaintext);
            let sealed = wrap_esp(headers, udp.map(|udp| (udp.src_port, udp.dst_port)), &esp);
            rig.open_one(&sealed).assert_delivered(&clear);
        }
    }
}

/// Options inside ESP come back as the upper layer.
#[test]
fn b29_options_behind_esp_inbound() {
    let config = transport(GCM);
    let mut rig = Rig::new();
    rig.inbound(&peer(&config));
    let inner = Ipv6 { exts: vec![HOP, OPTS], ..Ipv6::default() }.packet(&Upper::tcp(21));
    let sealed = slow::seal(&slow_sa(&config), 1, iv(1), &inner, 0, 0);
    let opened = rig.open_one(&sealed);
    opened.assert_delivered(&inner);
    assert_eq!(opened.verdict.delivered().map(|got| got.next_header), Some(60));
}

/// Chains that cannot be followed, as (what, packet with ESP at its end).
fn broken_chains() -> Vec<(&'static str, Vec<u8>)> {
    let with = |exts: Vec<Ext>| {
        Ipv6 { exts, ..Ipv6::default() }.packet(&Upper::Raw {
            protocol: 50,
            bytes: [[0, 0, 0x20, 0], [0, 0, 0, 1]].concat().into_iter().chain([7; 64]).collect(),
        })
    };
    let patched = |mut packet: Vec<u8>, at: usize, byte: u8| {
        packet[at] = byte;
        packet
    };
    let cut = |mut packet: Vec<u8>, len: usize| {
        packet.truncate(len);
        packet[4..6].copy_from_slice(&(len as u16 - 40).to_be_bytes());
        packet
    };
    vec![
        ("a header past the end", patched(with(vec![HOP]), 41, 0xff)),
        ("a header that ends one unit past the end", patched(with(vec![OPTS]), 41, 11)),
        ("the second header past the end", patched(with(vec![HOP, OPTS]), 49, 0xff)),
        ("no byte of the header is there", cut(with(vec![OPTS]), 40)),
        ("one byte of the header is there", cut(with(vec![OPTS]), 41)),
        ("a fragment header cut short", cut(with(vec![ATOMIC]), 47)),
        ("nine headers", with(vec![Ext::DestOpts { len: 8 }; 9])),
        ("twenty headers", with(vec![Ext::DestOpts { len: 8 }; 20])),
        ("264 bytes of headers", with(vec![Ext::DestOpts { len: 264 }])),
        ("2048 bytes of headers", with(vec![Ext::DestOpts { len: 2048 }])),
    ]
}

#[test]
fn b30_broken_chains_are_dropped_both_ways() {
    let mut rig = Rig::new();
    let config = transport(GCM);
    let out = rig.out(&config);
    rig.inbound(&peer(&config));
    for (what, packet) in broken_chains() {
        let outbound = rig.seal_one(out, &packet);
        assert_eq!(outbound.verdict.reason(), Some(DropReason::ExtensionHeaders), "{what}");
        let inbound = rig.open_one(&packet);
        assert_eq!(inbound.verdict.reason(), Some(DropReason::ExtensionHeaders), "{what}");
    }
    assert_eq!(rig.last_seq(out), 0);
}

#[test]
fn b30_long_chains_up_to_the_bounds_work() {
    let chains = [
        vec![Ext::DestOpts { len: 8 }; 8],
        vec![Ext::HopByHop { len: 256 }],
        vec![Ext::DestOpts { len: 256 }],
    ];
    for exts in chains {
        let config = transport(GCM);
        let mut rig = Rig::new();
        let out = rig.out(&config);
        rig.inbound(&peer(&config));
        let inner = Ipv6 { exts: exts.clone(), ..Ipv6::default() }.packet(&Upper::udp(33));
        let sealed = rig.seal_one(out, &inner);
        assert!(sealed.delivered(), "{exts:?} {:?}", sealed.verdict);
        rig.open_one(&sealed.bytes).assert_delivered(&inner);
    }
}

/// ESP has no next header and no length in front: bytes of the SPI are not taken for them.
#[test]
fn b30_esp_ends_the_walk() {
    for spi in [0x3cff_0001, 0x2cff_0001, 0x00ff_0001, 0x2bff_0001] {
        for exts in [vec![], vec![HOP], vec![HOP, OPTS]] {
            let mut config = transport(GCM);
            config.spi = spi;
            let mut rig = Rig::new();
            let sa = rig.inbound(&peer(&config));
            let clear = Ipv6 { exts, ..Ipv6::default() }.packet(&Upper::udp(1));
            let (headers, payload) = clear.split_at(clear.len() - 9);
            let plaintext = [payload, &slow::trailer(4, 9, 0, 17)].concat();
            let sealed = wrap_esp(headers, None, &seal_raw(&slow_sa(&config), 1, iv(1), &plaintext));
            rig.open_one(&sealed).assert_delivered(&clear);
            assert_eq!(rig.engine.sa_stats(sa).expect("live").packets, 1);
            // Outbound too: another SA's ESP is an upper layer like any other.
            let out = rig.out(&transport(GCM));
            let nested = rig.seal_one(out, &sealed);
            let opened = slow::open(&slow_sa(&transport(GCM)), 0, &nested.bytes).expect("authentic");
            assert_eq!(
                (opened.inner, opened.next_header),
                (sealed, if headers.len() > 48 { 60 } else { 50 })
            );
        }
    }
}

#[test]
fn b31_ipv4_options_and_checksum() {
    for options in [vec![], vec![1; 4], vec![7, 11, 4, 0, 0, 0, 0, 0, 0, 0, 0, 1], vec![1; 40]] {
        for (udp, protocol) in [(None, 50), (Some(UdpEncap::default()), 17)] {
            let mut config = transport(GCM);
            config.udp = udp;
            let mut rig = Rig::new();
            let out = rig.out(&config);
            rig.inbound(&peer(&config));
            let inner = Ipv4 { options: options.clone(), tos: 0xb8, df: true, ..Ipv4::default() }
                .packet(&Upper::tcp(50));
            let header_len = 20 + options.len();
            let sealed = rig.seal_one(out, &inner).bytes;
            assert_ipv4_checksum(&sealed);
            let mut wanted = inner[..header_len].to_vec();
            wanted[2..4].copy_from_slice(&(sealed.len() as u16).to_be_bytes());
            wanted[9] = protocol;
            assert_eq!(super::mended(wanted), sealed[..header_len]);
            assert_eq!(slow::open(&slow_sa(&config), 0, &sealed).expect("authentic").inner, inner);
            let opened = rig.open_one(&sealed);
            opened.assert_delivered(&inner);
            assert_ipv4_checksum(&opened.bytes);
        }
    }
}

/// Nothing of an IPv6 header but the two fields changes, whatever its traffic class looks like.
#[test]
fn b32_no_checksum_in_ipv6_transport() {
    let config = transport(GCM);
    let mut rig = Rig::new();
    let out = rig.out(&config);
    rig.inbound(&peer(&config));
    for traffic_class in 0..=255 {
        let inner = Ipv6 { traffic_class, flow_label: 0x5_4321, ..Ipv6::default() }.packet(&Upper::udp(8));
        let sealed = rig.seal_one(out, &inner).bytes;
        assert_eq!((&sealed[..4], &sealed[7..40]), (&inner[..4], &inner[7..40]), "{traffic_class:#x}");
        rig.open_one(&sealed).assert_delivered(&inner);
    }
}
