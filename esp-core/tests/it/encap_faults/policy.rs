//! What an authentic packet must be besides: from the right place, in the right wrapping, within the selectors.

use esp_core::config::{CheckOuter, Mode, PortRange, Selector, UdpEncap};
use esp_core::{DropReason, Transform};
use esp_testkit::builder::{Ext, Ipv4, Ipv6, Upper};
use esp_testkit::slow::{self, SlowMode};

use super::with;
use crate::rig::{Rig, iv, peer, slow as slow_sa, transport, tunnel};

const GCM: Transform = Transform::Aes128Gcm16;

fn selector(src: &str, dst: &str) -> Selector {
    let (src, dst) = (src.parse().expect("a prefix"), dst.parse().expect("a prefix"));
    Selector { src, dst, protocol: None, src_port: None, dst_port: None }
}

fn ports(first: u16, last: u16) -> Option<PortRange> {
    PortRange::new(first, last)
}

/// Opens each packet under an SA with these selectors; true where it should pass.
#[track_caller]
fn judged(selectors: &[Selector], cases: &[(Vec<u8>, bool)]) {
    for mode in [Mode::Tunnel, Mode::Transport] {
        let sender = if mode == Mode::Tunnel { tunnel(GCM, false) } else { transport(GCM) };
        let config = with(peer(&sender), |sa| sa.selectors = selectors.to_vec());
        let mut rig = Rig::new();
        rig.inbound(&config);
        for (n, (packet, passes)) in cases.iter().enumerate() {
            // A fragment is not for transport mode.
            if mode == Mode::Transport && is_fragment(packet) {
                continue;
            }
            let seq = 1 + n as u64;
            let opened = rig.open_one(&slow::seal(&slow_sa(&sender), seq, iv(seq), packet, 0, 0));
            if *passes {
                assert!(opened.delivered(), "{mode:?} packet {n}: {:?}", opened.verdict);
                assert_eq!(opened.bytes, *packet);
            } else {
                assert_eq!(opened.verdict.reason(), Some(DropReason::Selector), "{mode:?} packet {n}");
            }
        }
    }
}

fn is_fragment(packet: &[u8]) -> bool {
    if packet[0] >> 4 == 4 { [packet[6] & 0x3f, packet[7]] != [0, 0] } else { packet[6] == 44 }
}

fn from(src: [u8; 4], dst: [u8; 4]) -> Vec<u8> {
    Ipv4 { src, dst, ..Ipv4::default() }.packet(&Upper::udp(8))
}

#[test]
fn b59_addresses() {
    let selectors = [selector("10.1.0.0/16", "10.2.0.0/24"), selector("10.9.0.0/16", "10.2.0.2")];
    judged(
        &selectors,
        &[
            (from([10, 1, 0, 1], [10, 2, 0, 2]), true),
            (from([10, 1, 255, 255], [10, 2, 0, 255]), true),
            (from([10, 9, 7, 7], [10, 2, 0, 2]), true), // the second selector
            (from([10, 3, 0, 1], [10, 2, 0, 2]), false), // the source of another peer
            (from([10, 1, 0, 1], [10, 2, 1, 0]), false),
            (from([10, 9, 7, 7], [10, 2, 0, 3]), false), // source of one, destination of the other
            (from([10, 2, 0, 2], [10, 1, 0, 1]), false), // the other way round
            (Ipv6::default().packet(&Upper::udp(8)), false),
        ],
    );
    judged(
        &[selector("2001:db8:1::/48", "2001:db8:2::2")],
        &[
            (Ipv6::default().packet(&Upper::udp(8)), true),
            (Ipv6 { src: [0x20; 16], ..Ipv6::default() }.packet(&Upper::udp(8)), false),
            (from([10, 1, 0, 1], [10, 2, 0, 2]), false),
        ],
    );
    judged(
        &[selector("0.0.0.0/0", "0.0.0.0/0")],
        &[(from([1, 2, 3, 4], [255; 4]), true), (Ipv6::default().packet(&Upper::udp(8)), false)],
    );
}

#[test]
fn b59_protocol_and_ports() {
    let any = selector("0.0.0.0/0", "0.0.0.0/0");
    let tcp_only = Selector { protocol: Some(6), ..any.clone() };
    let web = Selector { protocol: Some(6), dst_port: ports(80, 81), ..any.clone() };
    let dns = Selector { protocol: Some(17), src_port: Some(53.into()), ..any };
    let udp = |src_port, dst_port| Ipv4::default().packet(&Upper::Udp { src_port, dst_port, len: 3 });
    let tcp = |src_port, dst_port| Ipv4::default().packet(&Upper::Tcp { src_port, dst_port, len: 3 });
    let raw = |protocol, len| Ipv4::default().packet(&Upper::Raw { protocol, bytes: vec![0; len] });
    judged(&[tcp_only], &[(tcp(1, 2), true), (udp(1, 2), false), (raw(6, 0), true), (raw(1, 8), false)]);
    let both = [web, dns];
    judged(
        &both,
        &[
            (tcp(1000, 80), true),
            (tcp(1000, 81), true),
            (tcp(1000, 79), false),
            (tcp(1000, 82), false),
            (tcp(80, 1000), false),
            (udp(53, 80), true),
            (udp(1000, 80), false), // the port of TCP, but UDP
            (udp(80, 53), false),
            (raw(6, 3), false), // too short to hold ports
            (raw(17, 0), false),
        ],
    );
}

/// A fragment that does not hold the ports matches no selector that asks for them.
#[test]
fn b59_fragments() {
    let any = selector("0.0.0.0/0", "0.0.0.0/0");
    let with_port = Selector { protocol: Some(17), dst_port: ports(0, u16::MAX), ..any.clone() };
    let without = Selector { protocol: Some(17), ..any };
    let piece = |mf, frag_offset| Ipv4 { mf, frag_offset, ..Ipv4::default() }.packet(&Upper::udp(16));
    judged(&[with_port], &[(piece(true, 0), true), (piece(true, 3), false), (piece(false, 3), false)]);
    judged(&[without], &[(piece(true, 0), true), (piece(true, 3), true), (piece(false, 3), true)]);
    let v6 = selector("::/0", "::/0");
    let with_port = Selector { protocol: Some(17), dst_port: ports(0, u16::MAX), ..v6.clone() };
    let without = Selector { protocol: Some(17), ..v6 };
    let piece = |offset, more| {
        Ipv6 { exts: vec![Ext::Fragment { offset, more, id: 1 }], ..Ipv6::default() }.packet(&Upper::udp(16))
    };
    judged(&[with_port], &[(piece(0, true), true), (piece(3, false), false)]);
    judged(&[without], &[(piece(0, true), true), (piece(3, false), true)]);
}

/// The protocol of IPv6 stands behind its extension headers; a chain that cannot be followed matches nothing.
#[test]
fn b59_ipv6_extension_headers() {
    let dns = Selector { protocol: Some(17), dst_port: ports(5002, 5002), ..selector("::/0", "::/0") };
    let v6 = |exts: Vec<Ext>, upper: &Upper| Ipv6 { exts, ..Ipv6::default() }.packet(upper);
    let opts = Ext::DestOpts { len: 8 };
    judged(
        &[dns],
        &[
            (v6(vec![Ext::HopByHop { len: 8 }], &Upper::udp(4)), true),
            (
                v6(
                    vec![Ext::HopByHop { len: 8 }, opts, Ext::Routing { segments_left: 0 }, opts],
                    &Upper::udp(4),
                ),
                true,
            ),
            (v6(vec![opts], &Upper::tcp(4)), false),
        ],
    );
    let sender = tunnel(GCM, false);
    let any_protocol = with(peer(&sender), |sa| sa.selectors = vec![selector("::/0", "::/0")]);
    let mut rig = Rig::new();
    rig.inbound(&any_protocol);
    let endless = v6(vec![opts; 12], &Upper::udp(4));
    let sealed = slow::seal(&slow_sa(&sender), 1, iv(1), &endless, 0, 0);
    rig.open_one(&sealed).assert_dropped(DropReason::Selector);
}

/// A packet for an SA from other outer addresses: `None` checks nothing.
#[test]
fn b60_outer_addresses_are_checked_when_asked() {
    let inner = Ipv4::default().packet(&Upper::udp(8));
    for v6 in [false, true] {
        let config = tunnel(GCM, v6);
        let (other_src, other_dst) =
            if v6 { ("2001:db8::9", "2001:db8::8") } else { ("192.0.2.9", "192.0.2.8") };
        for check in [CheckOuter::None, CheckOuter::Dst, CheckOuter::SrcDst] {
            let mut rig = Rig::new();
            let sa = rig.inbound(&with(peer(&config), |sa| sa.check_outer = check));
            for (n, (src, dst)) in
                [(false, false), (true, false), (false, true), (true, true)].into_iter().enumerate()
            {
                let mut sender = slow_sa(&config);
                let SlowMode::Tunnel { src: from, dst: to } = &mut sender.mode else {
                    unreachable!("a tunnel")
                };
                if src {
                    *from = other_src.parse().expect("an address");
                }
                if dst {
                    *to = other_dst.parse().expect("an address");
                }
                let seq = 1 + n as u64;
                let sealed = slow::seal(&sender, seq, iv(seq), &inner, 0, 0);
                let mut forged = sealed.clone();
                *forged.last_mut().expect("an ICV") ^= 1;
                rig.open_one(&forged).assert_dropped(DropReason::AuthFailed);
                let wrong = match check {
                    CheckOuter::None => false,
                    CheckOuter::Dst => dst,
                    CheckOuter::SrcDst => src || dst,
                };
                let opened = rig.open_one(&sealed);
                if wrong {
                    opened.assert_dropped(DropReason::OuterAddress);
                } else {
                    opened.assert_delivered(&inner);
                }
                // Authentic either way: the number is used up.
                assert_eq!(rig.engine.sa_stats(sa).expect("live").sequence, seq);
                rig.open_one(&sealed).assert_dropped(DropReason::ReplayDuplicate);
            }
        }
    }
}

/// An SA in UDP takes nothing bare, and the other way round.
#[test]
fn b60_the_wrapping_must_be_the_sas() {
    let inner = Ipv4::default().packet(&Upper::udp(8));
    for v6 in [false, true] {
        let bare = tunnel(GCM, v6);
        let in_udp = with(bare.clone(), |sa| sa.udp = Some(UdpEncap::default()));
        for (sender, receiver) in [(&bare, &in_udp), (&in_udp, &bare)] {
            let mut rig = Rig::new();
            rig.inbound(&peer(receiver));
            let sealed = slow::seal(&slow_sa(sender), 1, iv(1), &inner, 0, 0);
            rig.open_one(&sealed).assert_dropped(DropReason::Encapsulation);
            rig.open_one(&slow::seal(&slow_sa(receiver), 2, iv(2), &inner, 0, 0)).assert_delivered(&inner);
        }
    }
}
