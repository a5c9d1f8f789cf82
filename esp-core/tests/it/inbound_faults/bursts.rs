//! One packet's fate must not become its neighbour's: several fates and several SAs in one burst.

use esp_core::config::{Prefix, Selector};
use esp_core::{BURST, DropReason, Verdict};

use super::{Pair, Sender, inbound, inner, reasons, windowed};
use crate::rig::{EVERY, Rig, SPI, tunnel};

use DropReason::{AuthFailed, NoSa, ReplayDuplicate, ReplayTooOld};

#[test]
fn b16_bad_packets_at_the_head_of_a_burst() {
    for (esn, old) in [(false, ReplayTooOld), (true, AuthFailed)] {
        let mut pair = Pair::new(64, esn);
        for seq in (63..=79).chain([203]) {
            pair.accepts(seq);
        }
        let verdicts = reasons(&pair.burst(&[203, 81, 204]));
        assert_eq!(verdicts, [Some(ReplayDuplicate), Some(old), None]);
    }
}

#[test]
fn b16_every_place_of_a_burst_can_be_the_bad_one() {
    let mut pair = Pair::new(4096, false);
    let mut seq = 0;
    for count in [1, 2, 3, 31, 32, 33, 64] {
        for bad in 0..count {
            let mut packets: Vec<Vec<u8>> = (0..count)
                .map(|_| {
                    seq += 1;
                    pair.sender.packet(seq)
                })
                .collect();
            *packets[bad].last_mut().expect("an ICV") ^= 0x80;
            for (place, outcome) in pair.rig.open(&packets).iter().enumerate() {
                if place == bad {
                    outcome.assert_dropped(AuthFailed);
                } else {
                    outcome.assert_delivered(&inner());
                }
            }
        }
    }
}

/// SAs of every transform, each its own SPI, key and inner packet.
fn many() -> (Rig, Vec<(Sender, Vec<u8>)>) {
    let rig = Rig::new();
    let mut senders = Vec::new();
    for (n, transform) in EVERY.iter().cycle().take(40).enumerate() {
        let mut config = tunnel(*transform, n % 2 == 1);
        config.spi = SPI + n as u32;
        let key: Vec<u8> = (0..transform.key_len()).map(|at| (at + n) as u8).collect();
        config.key = key.into();
        config.tun_id = n as u64;
        rig.inbound(&inbound(&config));
        let mut inner = inner();
        inner.last_mut().expect("a payload").clone_from(&(n as u8));
        senders.push((Sender::of(&config, false), inner));
    }
    (rig, senders)
}

#[test]
fn b17_sas_that_alternate_in_a_burst() {
    for sas in [2, 3, 5, 32, 40] {
        let (mut rig, senders) = many();
        let ways: Vec<usize> = (0..3 * sas).map(|n| n * 7 % sas).collect();
        let packets: Vec<Vec<u8>> = ways
            .iter()
            .enumerate()
            .map(|(n, way)| senders[*way].0.carrying(1 + n as u64 / 2, &senders[*way].1))
            .collect();
        let outcomes = rig.open(&packets);
        for (way, outcome) in ways.iter().zip(&outcomes) {
            outcome.assert_delivered(&senders[*way].1);
            assert_eq!(outcome.verdict.delivered().map(|got| got.tun_id), Some(*way as u64));
        }
    }
}

#[test]
fn b17_a_burst_of_two_sas_one_of_which_must_refuse() {
    let mut rig = Rig::new();
    let good = windowed(64, false);
    let mut strict = windowed(64, false);
    strict.spi = SPI + 1;
    let other: Prefix = "198.51.100.0/24".parse().expect("a prefix");
    strict.selectors =
        vec![Selector { src: other, dst: other, protocol: None, src_port: None, dst_port: None }];
    let mut gone = windowed(64, false);
    gone.spi = SPI + 2;
    rig.inbound(&good);
    rig.inbound(&strict);
    let removed = rig.inbound(&gone);
    rig.engine.remove(removed).expect("live until now");
    let senders = [&good, &strict, &gone].map(|config| Sender::of(config, false));
    let expected = [None, Some(DropReason::Selector), Some(NoSa)];
    for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0], [1, 1, 1], [2, 2, 2]] {
        let mut rig_seq = rig.engine.stats().inbound.packets_in;
        let packets: Vec<Vec<u8>> = (0..BURST)
            .map(|n| {
                rig_seq += 1;
                senders[order[n % 3]].packet(rig_seq)
            })
            .collect();
        let verdicts: Vec<Verdict> = rig.open(&packets).iter().map(|outcome| outcome.verdict).collect();
        let wanted: Vec<Option<DropReason>> = (0..BURST).map(|n| expected[order[n % 3]]).collect();
        assert_eq!(reasons(&verdicts), wanted, "{order:?}");
    }
}

#[test]
fn b17_every_verdict_at_once() {
    let (mut rig, senders) = many();
    let (sender, inner) = &senders[0];
    let mut unknown = sender.clone();
    unknown.sa.spi = 0xdead_beef;
    rig.open_one(&sender.carrying(5, inner)).assert_delivered(inner);
    let kinds: [(Vec<u8>, Option<DropReason>); 7] = [
        (sender.carrying(5, inner), Some(ReplayDuplicate)),
        (sender.carrying(6, inner), None),
        (unknown.carrying(7, inner), Some(NoSa)),
        (sender.forger().carrying(7, inner), Some(AuthFailed)),
        (sender.wrap(&[0, 0, 0x10, 0x01, 0, 0, 0, 7]), Some(DropReason::TooShort)),
        (sender.raw(7, &[0xff; 32]), Some(DropReason::PadLength)),
        (vec![0x45; 19], Some(DropReason::Malformed)),
    ];
    for turn in 0..kinds.len() {
        let (mut rig, _) = many();
        rig.open_one(&sender.carrying(5, inner)).assert_delivered(inner);
        let order: Vec<_> = (0..kinds.len()).map(|n| &kinds[(n + turn) % kinds.len()]).collect();
        let packets: Vec<Vec<u8>> = order.iter().map(|(packet, _)| packet.clone()).collect();
        let verdicts: Vec<Verdict> = rig.open(&packets).iter().map(|outcome| outcome.verdict).collect();
        let wanted: Vec<Option<DropReason>> = order.iter().map(|(_, reason)| *reason).collect();
        assert_eq!(reasons(&verdicts), wanted, "turn {turn}");
    }
}
