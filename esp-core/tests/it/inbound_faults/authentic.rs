//! Authentic packets of odd but legal kinds: dummies, empty payloads, TFC padding.

use esp_core::config::SaConfig;
use esp_core::{Consumed, Counter, DropReason, Verdict};
use esp_testkit::builder::{Ipv4, Ipv6, Upper, with_tail};

use super::{Sender, all_shapes, inbound, inner, is_tunnel};
use crate::rig::{Rig, in_blocks, tunnel};

use DropReason::{BadInner, ReplayDuplicate};

const NO_NEXT: u8 = 59;
const UDP: u8 = 17;

#[test]
fn b26_a_dummy_packet_is_consumed_without_an_error() {
    for (config, v6) in all_shapes() {
        let mut rig = Rig::new();
        let sa = rig.inbound(&config);
        let sender = Sender::of(&config, v6);
        let padded =
            |bytes: &[u8], pad_extra| [bytes, &sender.trailer(bytes.len(), pad_extra, NO_NEXT)].concat();
        let shortest = if in_blocks(config.transform) { padded(&[0xee], 0) } else { vec![0, NO_NEXT] };
        let plaintexts = [padded(&[], 0), shortest, padded(&inner(), 0), padded(&[0xee; 301], 8)];
        for (n, plaintext) in plaintexts.iter().enumerate() {
            let seq = 10 + n as u64;
            let dummy = sender.raw(seq, plaintext);
            let outcome = rig.open_one(&dummy);
            assert_eq!(outcome.verdict, Verdict::Consumed(Consumed::Dummy), "{config:?} dummy {n}");
            assert_eq!(rig.engine.sa_stats(sa).expect("live").sequence, seq, "the window moves");
            assert_eq!(rig.engine.sa_stats(sa).expect("live").drops, 2 * n as u64, "no drop");
            assert!(rig.events().is_empty(), "no audit event");
            // The number is used up: a copy is a replay.
            rig.open_one(&dummy).assert_dropped(ReplayDuplicate);
            rig.open_one(&sender.packet(seq)).assert_dropped(ReplayDuplicate);
            assert_eq!(rig.events().len(), 2);
        }
        let stats = rig.engine.stats();
        assert_eq!((stats.of(Counter::Dummy), stats.dropped_in_all()), (4, 8));
    }
}

#[test]
fn b26_a_forged_dummy_is_a_forgery() {
    let config = inbound(&tunnel(esp_core::Transform::Aes128Gcm16, false));
    let mut rig = Rig::new();
    rig.inbound(&config);
    let sender = Sender::of(&config, false);
    rig.open_one(&sender.forger().raw(1, &[1, 2, 2, NO_NEXT])).assert_dropped(DropReason::AuthFailed);
    rig.open_one(&sender.packet(1)).assert_delivered(&inner());
}

#[test]
fn b27_zero_length_payload() {
    for (config, v6) in all_shapes() {
        let mut rig = Rig::new();
        rig.inbound(&config);
        let sender = Sender::of(&config, v6);
        // Between two packets with a payload: what was left of those must not leak in.
        let upper = [0x99; 64];
        let full = [&upper[..], &sender.trailer(upper.len(), 0, 253)].concat();
        let empty = sender.trailer(0, 0, 253);
        let shortest = if in_blocks(config.transform) { sender.trailer(0, 0, UDP) } else { vec![0, UDP] };
        let packets =
            [sender.raw(1, &full), sender.raw(2, &empty), sender.raw(3, &full), sender.raw(4, &shortest)];
        for (n, outcome) in rig.open(&packets).iter().enumerate() {
            if is_tunnel(&config) {
                outcome.assert_dropped(BadInner);
                continue;
            }
            let payload: &[u8] = if n % 2 == 0 { &upper } else { &[] };
            let protocol = if n == 3 { UDP } else { 253 };
            outcome.assert_delivered(&rejoined(v6, protocol, payload));
        }
    }
}

/// The packet of transport mode as it was before ESP.
fn rejoined(v6: bool, protocol: u8, payload: &[u8]) -> Vec<u8> {
    let upper = Upper::Raw { protocol, bytes: payload.to_vec() };
    if v6 { Ipv6::default().packet(&upper) } else { Ipv4::default().packet(&upper) }
}

fn tunnels() -> impl Iterator<Item = (SaConfig, bool)> {
    all_shapes().into_iter().filter(|(config, _)| is_tunnel(config))
}

#[test]
fn b28_tfc_padding_is_cut_off() {
    let packets = [
        Ipv4::default().packet(&Upper::udp(56)), // 84 bytes
        Ipv4 { options: vec![1; 12], ..Ipv4::default() }.packet(&Upper::udp(1)),
        Ipv4::default().packet(&Upper::Raw { protocol: UDP, bytes: Vec::new() }),
        Ipv6::default().packet(&Upper::udp(56)),
        Ipv6::default().packet(&Upper::Raw { protocol: UDP, bytes: Vec::new() }),
    ];
    assert_eq!(packets[0].len(), 84);
    for (config, v6) in tunnels() {
        let mut rig = Rig::new();
        rig.inbound(&config);
        let sender = Sender::of(&config, v6);
        let mut seq = 0;
        for packet in &packets {
            let next_header = if packet[0] >> 4 == 4 { 4 } else { 41 };
            for tfc in [0, 1, 3, 100, 1300] {
                seq += 1;
                let mut plaintext = with_tail(packet, tfc);
                plaintext.extend(sender.trailer(plaintext.len(), 4, next_header));
                rig.open_one(&sender.raw(seq, &plaintext)).assert_delivered(packet);
            }
        }
    }
}

#[test]
fn b28_an_inner_length_larger_than_what_is_there() {
    for (config, v6) in tunnels() {
        let mut rig = Rig::new();
        rig.inbound(&config);
        let sender = Sender::of(&config, v6);
        let mut seq = 0;
        for (packet, next_header, length_at) in
            [(Ipv4::default().packet(&Upper::udp(9)), 4, 2), (Ipv6::default().packet(&Upper::udp(9)), 41, 4)]
        {
            let right = u16::from_be_bytes([packet[length_at], packet[length_at + 1]]);
            // The trailer is not part of the packet inside, and neither is the ICV behind it.
            for more in [1, 2, 3, 4, 20, 1000, u16::MAX - right] {
                seq += 1;
                let mut long = packet.clone();
                long[length_at..length_at + 2].copy_from_slice(&(right + more).to_be_bytes());
                long.extend(sender.trailer(long.len(), 0, next_header));
                rig.open_one(&sender.raw(seq, &long)).assert_dropped(BadInner);
            }
            // Shorter than its own header, with IPv4.
            for less in [0, 16] {
                let mut short = packet.clone();
                short[length_at..length_at + 2].copy_from_slice(&u16::to_be_bytes(less));
                short.extend(sender.trailer(short.len(), 0, next_header));
                seq += 1;
                let outcome = rig.open_one(&sender.raw(seq, &short));
                if next_header == 4 {
                    outcome.assert_dropped(BadInner);
                } else {
                    // An IPv6 payload may have any length: the rest is TFC padding.
                    outcome.assert_delivered(&short[..40 + usize::from(less)]);
                }
            }
        }
    }
}
