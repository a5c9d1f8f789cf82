//! What is not authentic: nothing is told about its inside, and nothing of it is left to read.

use esp_core::config::SaConfig;
use esp_core::{CpuFeature, DropReason, Engine, PacketFlags};
use esp_testkit::builder::Upper;

use super::{Pair, Sender, all_shapes, inner};
use crate::rig::{ROOM, Rig, in_clear};

use DropReason::AuthFailed;

#[test]
fn b25_no_plaintext_is_left_of_a_packet_that_failed() {
    for denied in [&[][..], CpuFeature::ALL] {
        for (config, v6) in all_shapes() {
            let engine = Engine::builder().max_sas(4).max_workers(1).deny(denied).build().expect("an engine");
            let mut rig = Rig::of(engine);
            rig.inbound(&config);
            let sender = Sender::of(&config, v6);
            let packet = sender.carrying(7, &secret(&sender));
            let bad = corrupted(&packet, sender.esp_off() + 4);
            for (packet, outcome) in bad.iter().zip(rig.open(&bad)) {
                outcome.assert_dropped(AuthFailed);
                if in_clear(config.transform) || !config.transform.is_combined() {
                    // It was in clear on the wire, or only the MAC has looked at it: then nothing may be written at all.
                    assert_eq!(outcome.buf[ROOM..ROOM + packet.len()], *packet);
                } else {
                    assert_no_part_of(&secret(&sender), &outcome.buf, &config);
                }
            }
            rig.open_one(&packet).assert_delivered(&secret(&sender));
        }
    }
}

#[test]
fn b25_a_shared_buffer_is_never_written() {
    let flags = [
        (PacketFlags::SHARED, DropReason::Shared),
        (PacketFlags::SEGMENTED, DropReason::Segmented),
        (PacketFlags::GSO, DropReason::Gso),
        (PacketFlags::PARTIAL_CHECKSUM, DropReason::PartialChecksum),
    ];
    for (config, v6) in all_shapes() {
        let sender = Sender::of(&config, v6);
        for (flag, why) in flags {
            let mut rig = Rig::new();
            rig.inbound(&config);
            let packets = [sender.carrying(1, &secret(&sender)), sender.forger().packet(2)];
            for (packet, outcome) in packets.iter().zip(rig.open_flagged(&packets, flag)) {
                outcome.assert_dropped(why);
                assert_eq!(outcome.buf[ROOM..ROOM + packet.len()], *packet);
            }
            // Its number was not used up: a copy in a buffer of its own is delivered.
            rig.open_one(&packets[0]).assert_delivered(&secret(&sender));
            let replayed = rig.open_flagged(&packets[..1], flag).remove(0);
            replayed.assert_dropped(why);
            assert_eq!(replayed.buf[ROOM..ROOM + packets[0].len()], packets[0]);
        }
    }
}

#[test]
fn b25_a_shared_buffer_that_is_not_ours_goes_back() {
    let mut rig = Rig::new();
    let packet = inner();
    let outcome = rig.open_flagged(std::slice::from_ref(&packet), PacketFlags::SHARED).remove(0);
    assert!(matches!(outcome.verdict, esp_core::Verdict::HandedBack(_)), "{:?}", outcome.verdict);
}

#[test]
fn b47_a_wicked_trailer_behind_a_bad_icv_is_an_authentication_failure() {
    for (config, v6) in all_shapes() {
        let mut rig = Rig::new();
        let sa = rig.inbound(&config);
        let sender = Sender::of(&config, v6);
        let trailers: [(&[u8], DropReason); 4] = [
            (&[255, 4], DropReason::PadLength),
            (&[31, 4], DropReason::PadLength),
            (&[1, 2, 4, 3, 4], DropReason::PadContent),
            (&[0, 99], DropReason::BadInner),
        ];
        for (n, (trailer, why)) in trailers.into_iter().enumerate() {
            let mut plaintext = vec![0x77; 32 - trailer.len()];
            plaintext.extend(trailer);
            let packet = sender.raw(1 + n as u64, &plaintext);
            for bad in corrupted(&packet, packet.len() - 16) {
                rig.open_one(&bad).assert_dropped(AuthFailed);
            }
            rig.open_one(&sender.forger().raw(1 + n as u64, &plaintext)).assert_dropped(AuthFailed);
            // The same packet, authentic, says what is wrong with it.
            let told = rig.open_one(&packet);
            if why == DropReason::BadInner && !super::is_tunnel(&config) {
                assert!(told.delivered(), "{:?}", told.verdict);
            } else {
                told.assert_dropped(why);
            }
            assert_eq!(rig.engine.sa_stats(sa).expect("live").sequence, 1 + n as u64);
        }
    }
}

#[test]
fn b47_a_packet_of_another_sa_is_an_authentication_failure() {
    let mut pair = Pair::new(64, false);
    let mut other = pair.sender.clone();
    *other.sa.key.last_mut().expect("a salt") ^= 1;
    pair.rig.open_one(&other.packet(1)).assert_dropped(AuthFailed);
    // The SPI and the number are covered too.
    let mut packet = pair.sender.packet(9);
    packet[20 + 7] ^= 3;
    pair.rig.open_one(&packet).assert_dropped(AuthFailed);
    assert_eq!(pair.top(), 0);
}

/// `packet` once for each byte from `from` on, with one bit of that byte flipped.
fn corrupted(packet: &[u8], from: usize) -> Vec<Vec<u8>> {
    let flip = |at: usize| {
        let mut bad = packet.to_vec();
        bad[at] ^= 1 << (at % 8);
        bad
    };
    (from..packet.len()).map(flip).collect()
}

/// A packet whose every 8 bytes of payload are unlike what a wiped or untouched buffer holds.
fn secret(sender: &Sender) -> Vec<u8> {
    let bytes = (0..60_u8).map(|at| at.wrapping_mul(37) ^ 0xc3).collect();
    sender.inner_with(&Upper::Raw { protocol: 253, bytes })
}

/// No 8 bytes of `secret`'s payload stand anywhere in `buf`.
#[track_caller]
fn assert_no_part_of(secret: &[u8], buf: &[u8], config: &SaConfig) {
    for part in secret[secret.len() - 60..].windows(8) {
        let found = buf.windows(8).position(|window| window == part);
        assert_eq!(found, None, "{part:02x?} is left, {config:?}");
    }
}
