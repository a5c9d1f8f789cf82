//! Counters: every packet once, bytes by one definition, sums that stay when SAs and workers go.

use esp_core::config::ReplayWindow;
use esp_core::{Counter, DropReason, Engine, SaId, SaStats, Transform};
use esp_testkit::slow;

use super::{packet_of, small};
use crate::rig::{EVERY, Outcome, Rig, SPI, iv, peer, slow as slow_sa, tunnel};

const GCM: Transform = Transform::Aes128Gcm16;

/// What the cipher covers of an inner packet in tunnel mode.
fn ciphered(transform: Transform, len: usize) -> u64 {
    (len + 2).next_multiple_of(transform.align()) as u64
}

#[test]
fn b67_drops_in_the_middle_change_no_bytes() {
    let mut config = tunnel(GCM, false);
    config.mtu = Some(1500);
    let mut rig = Rig::new();
    let out = rig.out(&config);
    let sa_in = rig.inbound(&peer(&config));
    let burst = [
        packet_of(40),
        vec![0x45; 12],
        packet_of(41),
        packet_of(1447),
        packet_of(46),
        vec![],
        packet_of(1446),
    ];
    let sealed = rig.seal(out, &burst);
    let bytes: u64 = [40, 41, 46, 1446].map(|len| ciphered(GCM, len)).iter().sum();
    let stats = rig.engine.stats();
    assert_eq!((stats.outbound.packets_in, stats.outbound.delivered, stats.outbound.bytes), (7, 4, bytes));
    assert_eq!((stats.dropped(DropReason::Malformed), stats.dropped(DropReason::TooBig)), (2, 1));
    assert_eq!((stats.dropped_in_all(), stats.inbound.packets_in), (3, 0));
    let of_sa = rig.engine.sa_stats(rig.engine.outbound_sa(out).expect("live")).expect("live");
    assert_eq!((of_sa.packets, of_sa.bytes, of_sa.drops, of_sa.sequence), (4, bytes, 3, 4));
    // The other way, with drops in the middle too: the same bytes for the same packets.
    let good: Vec<Vec<u8>> =
        sealed.iter().filter(|one| one.delivered()).map(|one| one.bytes.clone()).collect();
    let mut forged = good[1].clone();
    forged[50] ^= 1;
    let arriving =
        [good[0].clone(), forged, good[1].clone(), good[0].clone(), good[2].clone(), good[3].clone()];
    rig.open(&arriving);
    let stats = rig.engine.stats();
    assert_eq!((stats.inbound.packets_in, stats.inbound.delivered, stats.inbound.bytes), (6, 4, bytes));
    assert_eq!((stats.dropped(DropReason::AuthFailed), stats.dropped(DropReason::ReplayDuplicate)), (1, 1));
    let of_sa = rig.engine.sa_stats(sa_in).expect("live");
    assert_eq!((of_sa.packets, of_sa.bytes, of_sa.drops, of_sa.sequence), (4, bytes, 2, 4));
    assert_eq!(stats.unaccounted(), 0);
}

/// Bytes mean the same for every transform and both directions: what the cipher covers.
#[test]
fn b67_bytes_are_what_the_cipher_covers() {
    for transform in EVERY.iter() {
        for v6 in [false, true] {
            let config = tunnel(*transform, v6);
            let mut rig = Rig::new();
            let out = rig.out(&config);
            rig.inbound(&peer(&config));
            let mut sum = 0;
            for len in 28..60 {
                let sealed = rig.seal_one(out, &packet_of(len)).bytes;
                rig.open_one(&sealed);
                sum += ciphered(*transform, len);
                let stats = rig.engine.stats();
                assert_eq!((stats.outbound.bytes, stats.inbound.bytes), (sum, sum), "{transform} {len}");
            }
        }
    }
}

/// Numbers count as lost when they leave the window unseen, once, and only for authentic packets.
#[test]
fn b68_lost_numbers() {
    let config = tunnel(GCM, false);
    let mut rig = Rig::new();
    let sa = rig.inbound(&peer(&config));
    let packet = packet_of(60);
    let sealed = |seq: u64| slow::seal(&slow_sa(&config), seq, iv(seq), &packet, 0, 0);
    let steps = [
        (1, 0),
        (64, 0),     // 2..=63 are in the window still
        (65, 0),     // 1 leaves, it was seen
        (66, 1),     // 2 leaves unseen
        (10, 1),     // late, but in time
        (100, 34),   // 2..=36 without 10
        (100, 34),   // a copy
        (20, 34),    // too old: it was counted when it left
        (1000, 930), // 2..=936 without 10, 64, 65, 66 and 100
    ];
    for (seq, lost) in steps {
        rig.open_one(&sealed(seq));
        assert_eq!(rig.engine.sa_stats(sa).expect("live").lost, lost, "after {seq}");
        assert_eq!(rig.engine.stats().of(Counter::Lost), lost, "after {seq}");
    }
    let mut forged = sealed(1 << 20);
    forged[60] ^= 1;
    rig.open_one(&forged).assert_dropped(DropReason::AuthFailed);
    assert_eq!(rig.engine.stats().of(Counter::Lost), 930);
    // The same in one burst.
    let mut rig = Rig::new();
    let sa = rig.inbound(&peer(&config));
    rig.open(&steps.map(|(seq, _)| sealed(seq)));
    assert_eq!(rig.engine.sa_stats(sa).expect("live").lost, 930);
    assert_eq!(rig.engine.stats().of(Counter::Lost), 930);
}

fn sum(all: impl IntoIterator<Item = SaStats>) -> (u64, u64, u64) {
    all.into_iter().fold((0, 0, 0), |(packets, bytes, drops), one| {
        (packets + one.packets, bytes + one.bytes, drops + one.drops)
    })
}

/// What the engine counted is what its SAs counted, those that are gone included. Every drop here has an SA.
#[track_caller]
fn assert_sums(engine: &Engine, live: &[SaId]) {
    let stats = engine.stats();
    let of_sas =
        sum(live.iter().map(|sa| engine.sa_stats(*sa).expect("live")).chain([engine.removed_stats()]));
    let delivered = stats.outbound.delivered + stats.inbound.delivered;
    assert_eq!(of_sas, (delivered, stats.outbound.bytes + stats.inbound.bytes, stats.dropped_in_all()));
}

#[test]
fn b67_sums_survive_removal_and_reuse() {
    let mut rig = Rig::of(Engine::builder().max_sas(4).build().expect("an engine"));
    let mut live: Vec<SaId> = Vec::new();
    for round in 0..20_u32 {
        let mut config = tunnel(GCM, round % 2 == 0);
        (config.spi, config.mtu) = (SPI + round, Some(1280));
        let out = rig.out(&config);
        let mut inbound = peer(&config);
        inbound.replay_window = ReplayWindow::Bits(32);
        let sa_in = rig.inbound(&inbound);
        let mut burst = small(10 + round as usize);
        burst.push(packet_of(1400));
        let sealed: Vec<Vec<u8>> =
            rig.seal(out, &burst).into_iter().filter(Outcome::delivered).map(|one| one.bytes).collect();
        rig.open(&sealed);
        rig.open(&sealed[..3]);
        live.extend([rig.engine.outbound_sa(out).expect("live"), sa_in]);
        assert_sums(&rig.engine, &live);
        if live.len() == 6 {
            for gone in live.drain(..2) {
                rig.engine.remove(gone).expect("live");
            }
            rig.engine.tick(esp_core::Millis(u64::from(round)));
            assert_sums(&rig.engine, &live);
        }
    }
    for gone in live.drain(..) {
        rig.engine.remove(gone).expect("live");
    }
    assert_eq!(rig.engine.tick(esp_core::Millis(99)), 4);
    assert_sums(&rig.engine, &[]);
    assert!(rig.engine.removed_stats().drops >= 20);
}

/// A worker's counters stay when it goes, and its successor goes on from them.
#[test]
fn a_workers_counters_outlive_it() {
    let engine = Engine::builder().max_workers(1).build().expect("an engine");
    let config = tunnel(GCM, false);
    let mut rig = Rig::of(engine.clone());
    let out = rig.out(&config);
    let mut totals = 0;
    for round in 1..=5 {
        rig.seal(out, &small(round));
        totals += round as u64;
        assert_eq!(engine.stats().outbound.delivered, totals);
        drop(rig);
        assert_eq!(engine.stats().outbound.delivered, totals, "the worker took its counters along");
        let rows: u64 = engine.worker_stats().iter().map(|row| row.outbound.delivered).sum();
        assert_eq!(rows, totals);
        rig = Rig::of(engine.clone());
    }
    let sa = engine.outbound_sa(out).expect("live");
    let of_sa = engine.sa_stats(sa).expect("live");
    assert_eq!((of_sa.packets, of_sa.sequence), (totals, totals));
}
