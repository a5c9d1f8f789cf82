//! Careless callers, in safe Rust.

use esp_core::{DropReason, Engine, SaError, SaId, Transform, Verdict};
use esp_testkit::builder::{Ipv4, Upper};

use crate::rig::{Rig, peer, transport, tunnel};

/// Sums in `usize` overflowed: a panic where overflow is checked, nonsense elsewhere.
#[test]
fn lengths_that_no_packet_has_are_answered() {
    let rig = Rig::new();
    for config in [transport(Transform::Aes128Gcm16), tunnel(Transform::NullHmacSha256_128, true)] {
        let shape = rig.engine.shape(rig.out(&config)).expect("live");
        for (one, other) in [(usize::MAX, 0), (0, usize::MAX), (usize::MAX, usize::MAX)] {
            assert!(shape.overhead(one, other) < 1 << 31, "{one} {other}");
            assert!(shape.inner_mtu(one, other) <= 65_535, "{one} {other}");
        }
        let longest = shape.inner_mtu(usize::MAX, 20);
        assert_eq!(longest, shape.inner_mtu(65_535, 20));
        assert!(longest + shape.overhead(longest, 20) <= 65_535);
    }
}

#[test]
fn handles_and_reservations_of_another_engine_do_nothing() {
    let (mut ours, other) = (Rig::new(), Rig::new());
    let config = transport(Transform::Aes128Gcm16);
    ours.out(&config);
    let foreign = other.out(&config);
    let inner = Ipv4::default().packet(&Upper::udp(8));
    ours.seal_one(foreign, &inner).assert_dropped(DropReason::StaleTunnel);
    assert_eq!(ours.engine.shape(foreign), Err(SaError::Stale));
    let reserved = other.engine.reserve_spi().expect("free slots");
    assert_eq!(ours.engine.install_reserved(reserved, &peer(&config)), Err(SaError::Stale));
    for raw in [0, 1, u64::MAX, 1 << 63, 1 << 32] {
        assert_eq!(ours.engine.remove(SaId::from_u64(raw)), Err(SaError::Stale), "{raw:#x}");
    }
}

/// Memory stays bounded while a worker never says that it is done, and who it is can be read.
#[test]
fn installing_and_removing_past_a_stalled_worker_ends_in_busy() {
    let engine = Engine::builder().max_sas(32).max_workers(2).build().expect("an engine");
    let mut idle = engine.worker().expect("a worker");
    idle.caller_driven(true);
    let config = transport(Transform::Aes128Gcm16);
    let again = || {
        let tunnel = engine.install_outbound(&config)?;
        engine.remove(engine.outbound_sa(tunnel)?)
    };
    let outcomes: Vec<_> = (0..200).map(|_| again()).collect();
    assert!(outcomes[..32].iter().all(Result::is_ok));
    let busy = SaError::Busy { stalled_worker: Some(idle.index()) };
    assert!(outcomes[32..].iter().all(|outcome| *outcome == Err(busy.clone())), "{outcomes:?}");
    idle.quiesce();
    assert_eq!(again(), Ok(()));
}

#[test]
fn a_worker_outlives_its_engine() {
    let mut rig = Rig::new();
    let tunnel = rig.out(&transport(Transform::Aes128Gcm16));
    let (mut buf, mut verdicts) = (vec![0; 256], [Verdict::default()]);
    let inner = Ipv4::default().packet(&Upper::udp(8));
    buf[64..][..inner.len()].copy_from_slice(&inner);
    drop(rig.engine);
    let mut packets = [esp_core::Packet::new(&mut buf, 64, inner.len()).expect("inside")];
    rig.worker.seal_burst(esp_core::Millis(u64::MAX), tunnel, &mut packets, &mut verdicts).expect("one each");
    assert!(verdicts[0].delivered().is_some(), "{:?}", verdicts[0]);
}
