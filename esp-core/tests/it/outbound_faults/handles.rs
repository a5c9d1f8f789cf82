//! Handles, reservations, and what the control plane refuses.

use esp_core::config::{Lookup, SaConfig};
use esp_core::{DropReason, Engine, Millis, SaError, SaId, Transform, TunnelId};
use esp_testkit::builder::{Ipv4, Ipv6, Upper};
use esp_testkit::slow;

use super::{packet_of, small};
use crate::rig::{Rig, SPI, iv, peer, slow as slow_sa, transport, tunnel};

const GCM: Transform = Transform::Aes128Gcm16;

/// A handle that outlived its SA finds nothing, above all not the SA that took the slot.
#[test]
fn stale_handles_find_nothing() {
    let mut rig = Rig::of(Engine::builder().max_sas(1).max_workers(1).build().expect("an engine"));
    let config = tunnel(GCM, false);
    let mut gone: Vec<(TunnelId, SaId, SaId)> = Vec::new();
    for round in 0..10_u32 {
        let mut config = config.clone();
        config.spi = SPI + round;
        let out = rig.out(&config);
        let sa_in = rig.inbound(&peer(&config));
        let sa_out = rig.engine.outbound_sa(out).expect("live");
        let sealed = rig.seal_one(out, &packet_of(50));
        assert!(rig.open_one(&sealed.bytes).delivered());
        for (tunnel, old_out, old_in) in &gone {
            rig.seal_one(*tunnel, &packet_of(50)).assert_dropped(DropReason::StaleTunnel);
            assert_eq!(rig.engine.outbound_sa(*tunnel), Err(SaError::Stale));
            assert_eq!(rig.engine.shape(*tunnel), Err(SaError::Stale));
            for old in [*old_out, *old_in] {
                assert_eq!(rig.engine.sa_stats(old), Err(SaError::Stale));
                assert_eq!(rig.engine.remove(old), Err(SaError::Stale));
            }
        }
        assert_eq!(rig.engine.sa_stats(sa_out).expect("live").packets, 1, "a new SA starts at nothing");
        assert_eq!(rig.engine.sa_stats(sa_in).expect("live").packets, 1);
        for sa in [sa_out, sa_in] {
            rig.engine.remove(sa).expect("live");
            assert_eq!(rig.engine.remove(sa), Err(SaError::Stale), "removed twice");
        }
        rig.open_one(&sealed.bytes).assert_dropped(DropReason::NoSa);
        assert_eq!(rig.engine.tick(Millis(1)), 2);
        gone.push((out, sa_out, sa_in));
    }
    for raw in [0, 1, 1 << 32, u64::MAX, u64::MAX >> 1] {
        assert_eq!(rig.engine.remove(SaId::from_u64(raw)), Err(SaError::Stale), "{raw:#x}");
        assert_eq!(rig.engine.outbound_sa(TunnelId::from_u64(raw)), Err(SaError::Stale));
    }
}

/// A handle as a number is the same handle; an outbound one never names an inbound SA.
#[test]
fn handles_are_numbers_with_a_direction() {
    let mut rig = Rig::new();
    let config = tunnel(GCM, false);
    let out = rig.out(&config);
    let sa_in = rig.inbound(&peer(&config));
    let sa_out = rig.engine.outbound_sa(out).expect("live");
    assert!(sa_out.is_outbound() && !sa_in.is_outbound());
    assert_eq!((SaId::from_u64(sa_out.to_u64()), SaId::from_u64(sa_in.to_u64())), (sa_out, sa_in));
    let sealed = rig.seal(TunnelId::from_u64(out.to_u64()), &small(3));
    assert!(sealed.iter().all(|one| one.verdict.delivered().is_some_and(|got| got.sa == sa_out)));
    let opened = rig.open_one(&sealed[0].bytes);
    assert_eq!(opened.verdict.delivered().map(|got| got.sa), Some(sa_in));
}

/// The caller's number comes back, and so does what the packet is.
#[test]
fn delivered_says_protocol_and_tun_id() {
    let udp = Some(esp_core::config::UdpEncap::default());
    for (base, tunnelled) in [(tunnel(GCM, false), true), (tunnel(GCM, true), true), (transport(GCM), false)]
    {
        for (udp, outside) in [(None, 50), (udp, 17)] {
            let mut config = base.clone();
            (config.udp, config.tun_id) = (udp, 0xfeed_f00d_0000_0001);
            let mut rig = Rig::new();
            let out = rig.out(&config);
            config.tun_id = u64::MAX;
            rig.inbound(&peer(&config));
            let cases = [
                (Ipv4::default().packet(&Upper::udp(9)), if tunnelled { 4 } else { 17 }),
                (Ipv4::default().packet(&Upper::tcp(9)), if tunnelled { 4 } else { 6 }),
                (Ipv6::default().packet(&Upper::Icmp { len: 9 }), if tunnelled { 41 } else { 58 }),
            ];
            for (packet, inside) in cases {
                let sealed = rig.seal_one(out, &packet);
                let got = sealed.verdict.delivered().expect("sealed");
                assert_eq!((got.next_header, got.tun_id), (outside, 0xfeed_f00d_0000_0001));
                let opened = rig.open_one(&sealed.bytes);
                let got = opened.verdict.delivered().expect("opened");
                assert_eq!((got.next_header, got.tun_id), (inside, u64::MAX));
            }
        }
    }
}

#[test]
fn reserved_spis_are_nobody_elses() {
    let mut rig = Rig::new();
    let mut config = tunnel(GCM, false);
    let reserved = rig.engine.reserve_spi().expect("room");
    let other = rig.engine.reserve_spi().expect("room");
    let spi = reserved.spi().get();
    assert!(spi >= 256 && spi != other.spi().get());
    config.spi = spi;
    let seal = |config: &SaConfig| slow::seal(&slow_sa(config), 1, iv(1), &packet_of(50), 0, 0);
    rig.open_one(&seal(&config)).assert_dropped(DropReason::NoSa);
    assert_eq!(rig.engine.install_inbound(&peer(&config)), Err(SaError::Exists { spi }));
    // The configuration's own SPI gives way.
    let mut elsewhere = peer(&config);
    elsewhere.spi = SPI;
    let sa = rig.engine.install_reserved(reserved, &elsewhere).expect("reserved");
    rig.open_one(&seal(&config)).assert_delivered(&packet_of(50));
    assert_eq!(rig.engine.sa_stats(sa).expect("live").packets, 1);
    assert_eq!(rig.engine.install_inbound(&peer(&config)), Err(SaError::Exists { spi }));
    // A reservation that nobody used is given back.
    let unused = other.spi().get();
    drop(other);
    config.spi = unused;
    rig.inbound(&peer(&config));
    rig.open_one(&seal(&config)).assert_delivered(&packet_of(50));
}

#[test]
fn a_reserved_spi_is_for_lookup_by_spi_alone() {
    let rig = Rig::new();
    let mut config = peer(&tunnel(GCM, false));
    for lookup in [Lookup::SpiDst, Lookup::SpiDstSrc] {
        config.lookup = lookup;
        let reserved = rig.engine.reserve_spi().expect("room");
        let refused = rig.engine.install_reserved(reserved, &config).expect_err("refused");
        assert!(matches!(refused, SaError::Field { field: "lookup", .. }), "{refused}");
    }
    config.lookup = Lookup::Spi;
    config.key = vec![1; 19].into();
    let reserved = rig.engine.reserve_spi().expect("room");
    let refused = rig.engine.install_reserved(reserved, &config).expect_err("refused");
    assert!(matches!(refused, SaError::KeyLength { .. }), "{refused}");
    // None of the refusals kept a slot.
    let all: Vec<_> = (0..64).map(|_| rig.engine.reserve_spi()).collect();
    assert!(all.iter().all(Result::is_ok), "{all:?}");
    assert_eq!(rig.engine.reserve_spi().err(), Some(SaError::Full { max_sas: 64 }));
}

#[test]
fn workers_are_as_many_as_the_engine_was_built_for() {
    let engine = Engine::builder().max_workers(2).build().expect("an engine");
    let (first, second) = (engine.worker().expect("one"), engine.worker().expect("two"));
    assert_ne!(first.index(), second.index());
    let refused = engine.worker().err();
    assert_eq!(refused, Some(SaError::NoRoomForWorkers { max_workers: 2 }));
    let freed = first.index();
    drop(first);
    assert_eq!(engine.worker().expect("the freed index").index(), freed);
}

#[test]
fn full_when_all_are_live_and_busy_when_a_worker_stalls() {
    let mut rig = Rig::of(Engine::builder().max_sas(1).max_workers(3).build().expect("an engine"));
    let config = tunnel(GCM, false);
    let idle = rig.engine.worker().expect("another worker");
    let out = rig.out(&config);
    let sa_in = rig.inbound(&peer(&config));
    let mut other = config.clone();
    other.spi = SPI + 1;
    assert_eq!(rig.engine.install_outbound(&other).err(), Some(SaError::Full { max_sas: 1 }));
    assert_eq!(rig.engine.install_inbound(&peer(&other)).err(), Some(SaError::Full { max_sas: 1 }));
    // A worker that is to quiesce, and does not.
    rig.worker.caller_driven(true);
    rig.seal_one(out, &packet_of(50));
    rig.engine.remove(rig.engine.outbound_sa(out).expect("live")).expect("live");
    rig.engine.remove(sa_in).expect("live");
    let busy = SaError::Busy { stalled_worker: Some(rig.worker.index()) };
    for _ in 0..3 {
        assert_eq!(rig.engine.tick(Millis(0)), 0);
        assert_eq!(rig.engine.install_outbound(&other).err(), Some(busy.clone()));
        assert_eq!(rig.engine.install_inbound(&peer(&other)).err(), Some(busy.clone()));
        assert_eq!(rig.engine.reserve_spi().err(), Some(busy.clone()));
        // Bursts without quiescing do not help.
        rig.seal_one(out, &packet_of(50)).assert_dropped(DropReason::StaleTunnel);
    }
    assert!(busy.to_string().contains(&format!("worker {}", rig.worker.index())), "{busy}");
    rig.worker.quiesce();
    rig.engine.install_outbound(&other).expect("after quiescing");
    rig.worker.offline();
    rig.engine.install_inbound(&peer(&other)).expect("an offline worker holds up no one");
    drop(idle);
}
