//! The outer header of a tunnel: each field as configured, the inner packet as it was.

use std::collections::HashSet;

use esp_core::Transform;
use esp_core::config::{Df, Dscp, FlowLabel};
use esp_testkit::builder::{Ipv4, Ipv6, Upper};
use esp_testkit::slow;

use super::{assert_ipv4_checksum, tos_of};
use crate::rig::{Rig, peer, slow as slow_sa, tunnel};

const GCM: Transform = Transform::Aes128Gcm16;

/// Every byte of an outer IPv6 header; none of them is an IPv4 checksum.
#[test]
fn b32_outer_ipv6_to_the_byte() {
    let mut config = tunnel(GCM, true);
    config.ttl = 33;
    let mut rig = Rig::new();
    let out = rig.out(&config);
    rig.inbound(&peer(&config));
    for tos in 0..=255_u8 {
        let v4 = Ipv4 { tos, ..Ipv4::default() }.packet(&Upper::udp(10));
        let v6 = Ipv6 { traffic_class: tos, flow_label: 0xa_bcde, ..Ipv6::default() }.packet(&Upper::udp(10));
        for (inner, label) in [(v4, 0), (v6, 0xa_bcde_u32)] {
            let sealed = rig.seal_one(out, &inner).bytes;
            let word = 0x6000_0000 | u32::from(tos) << 20 | label;
            let payload_len = sealed.len() as u16 - 40;
            let mut wanted = word.to_be_bytes().to_vec();
            wanted.extend(payload_len.to_be_bytes());
            wanted.extend([50, 33]);
            wanted.extend([0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
            wanted.extend([0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
            assert_eq!(hex::encode(&sealed[..40]), hex::encode(&wanted), "{tos:#x}");
            rig.open_one(&sealed).assert_delivered(&inner);
        }
    }
}

/// ... and of an outer IPv4 header.
#[test]
fn b65_outer_ipv4_to_the_byte() {
    for (df, [copied, clear]) in [(Df::Copy, [0x40, 0]), (Df::Set, [0x40, 0x40]), (Df::Clear, [0, 0])] {
        let mut config = tunnel(GCM, false);
        (config.df, config.ttl, config.dscp) = (df, 200, Dscp::Set(46));
        let mut rig = Rig::new();
        let out = rig.out_at(&config, 0x1234);
        rig.inbound(&peer(&config));
        // IPv6 inside counts as DF: no router would fragment it.
        let cases = [
            (Ipv4 { df: true, ttl: 7, ..Ipv4::default() }.packet(&Upper::udp(10)), copied),
            (Ipv4 { df: false, ttl: 7, ..Ipv4::default() }.packet(&Upper::udp(10)), clear),
            (Ipv6 { hop_limit: 7, ..Ipv6::default() }.packet(&Upper::udp(10)), copied),
        ];
        for (n, (inner, flags)) in cases.into_iter().enumerate() {
            let sealed = rig.seal_one(out, &inner).bytes;
            let [len_high, len_low] = (sealed.len() as u16).to_be_bytes();
            let head = [0x45, 46 << 2, len_high, len_low, 0x12, 0x35 + n as u8, flags, 0, 200, 50];
            assert_eq!(hex::encode(&sealed[..10]), hex::encode(head), "{df:?} {n}");
            assert_eq!(sealed[12..20], [192, 0, 2, 1, 192, 0, 2, 2]);
            assert_ipv4_checksum(&sealed);
            rig.open_one(&sealed).assert_delivered(&inner);
        }
    }
}

/// A TTL is the router's to lower, not the tunnel's.
#[test]
fn b65_inner_ttl_is_untouched() {
    for (v6, ttl) in [(false, 1), (false, 255), (true, 1), (true, 255)] {
        let mut config = tunnel(GCM, v6);
        config.ttl = ttl;
        let mut rig = Rig::new();
        let out = rig.out(&config);
        rig.inbound(&peer(&config));
        for inner_ttl in [0, 1, 2, 64, 255] {
            let v4 = Ipv4 { ttl: inner_ttl, ..Ipv4::default() }.packet(&Upper::udp(10));
            let v6 = Ipv6 { hop_limit: inner_ttl, ..Ipv6::default() }.packet(&Upper::udp(10));
            for inner in [v4, v6] {
                let sealed = rig.seal_one(out, &inner).bytes;
                assert_eq!(sealed[if sealed[0] >> 4 == 4 { 8 } else { 7 }], ttl);
                assert_eq!(slow::open(&slow_sa(&config), 0, &sealed).expect("authentic").inner, inner);
                rig.open_one(&sealed).assert_delivered(&inner);
            }
        }
    }
}

#[test]
fn b64_dscp_and_flow_label_copied_or_set() {
    for (dscp, label) in [
        (Dscp::Copy, FlowLabel::Copy),
        (Dscp::Set(0), FlowLabel::Set(0)),
        (Dscp::Set(63), FlowLabel::Set(0xf_ffff)),
    ] {
        for v6 in [false, true] {
            let mut config = tunnel(GCM, v6);
            (config.dscp, config.flow_label) = (dscp, label);
            let mut rig = Rig::new();
            let out = rig.out(&config);
            rig.inbound(&peer(&config));
            for inner_dscp in 0..64_u8 {
                let tos = inner_dscp << 2 | 2;
                let inner = Ipv6 { traffic_class: tos, flow_label: 0x6_789a, ..Ipv6::default() }
                    .packet(&Upper::udp(1));
                let sealed = rig.seal_one(out, &inner).bytes;
                let wanted = if let Dscp::Set(dscp) = dscp { dscp << 2 | 2 } else { tos };
                assert_eq!(tos_of(&sealed), wanted);
                if v6 {
                    let wanted = if let FlowLabel::Set(label) = label { label } else { 0x6_789a };
                    let word = u32::from_be_bytes([0, sealed[1] & 0xf, sealed[2], sealed[3]]);
                    assert_eq!(word, wanted);
                }
                // The inner DSCP does not follow the outer one back.
                rig.open_one(&super::with_tos(&sealed, 0xfe)).assert_delivered(&inner);
            }
        }
    }
}

/// Where DF is clear a path may fragment: packets that are on it together need IDs that differ.
#[test]
fn b66_outer_ids_differ_over_65536_packets() {
    let mut config = tunnel(Transform::NullHmacSha256_128, false);
    config.df = Df::Clear;
    let mut rig = Rig::new();
    let out = rig.out_at(&config, 0xff00);
    let inner = vec![Ipv4::default().packet(&Upper::udp(1)); 1024];
    let mut ids = HashSet::new();
    for _ in 0..64 {
        for sealed in rig.seal(out, &inner) {
            assert_eq!(sealed.bytes[6..8], [0, 0]);
            assert!(ids.insert([sealed.bytes[4], sealed.bytes[5]]), "an ID came twice");
        }
    }
    assert_eq!(ids.len(), 65_536);
}

/// The inner packet may itself be anything: what it says never shows in the outer header but where it should.
#[test]
fn b62_a_fragment_goes_through_a_tunnel_whole() {
    for v6 in [false, true] {
        let config = tunnel(GCM, v6);
        let mut rig = Rig::new();
        let out = rig.out(&config);
        rig.inbound(&peer(&config));
        let fragments = [(false, 5), (true, 0), (true, 0x1fff), (false, 0x1fff)];
        for (mf, frag_offset) in fragments {
            let bytes = vec![9; 48];
            let upper = Upper::Raw { protocol: 17, bytes };
            let inner = Ipv4 { mf, frag_offset, ..Ipv4::default() }.packet(&upper);
            let sealed = rig.seal_one(out, &inner).bytes;
            if !v6 {
                assert_eq!(sealed[6..8], [0, 0], "outer offset 0, MF 0, DF as inside");
            }
            assert_eq!(slow::open(&slow_sa(&config), 0, &sealed).expect("authentic").inner, inner);
            rig.open_one(&sealed).assert_delivered(&inner);
        }
    }
}
