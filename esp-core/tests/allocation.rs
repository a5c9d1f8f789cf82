//! The hot path allocates nothing, for any transform, in either direction.

use esp_core::config::{Direction, KeySource, Mode, ReplayWindow, SaConfig};
use esp_core::{BURST, Engine, Millis, Packet, Transform, TunnelId, Verdict, Worker};
use esp_testkit::alloc_counter::{CountingAlloc, allocations_during};
use esp_testkit::builder::{Ipv4, Upper};

#[global_allocator]
static ALLOC: CountingAlloc = CountingAlloc;

const ROOM: usize = 128;

/// A million packets each, half of them sealed and half opened.
const BURSTS: usize = 1_000_000_usize.div_ceil(2 * BURST);

#[test]
fn no_call_allocates_under_a_combined_mode() {
    for transform in Transform::ALL.iter().filter(|transform| transform.is_combined()) {
        assert_no_call_allocates(*transform);
    }
}

/// DES is left out: nothing is sealed with it.
#[test]
fn no_call_allocates_under_a_separate_mac() {
    let separate = Transform::ALL.iter().filter(|transform| !transform.is_combined());
    for transform in separate.filter(|transform| !transform.name().starts_with("des-")) {
        assert_no_call_allocates(*transform);
    }
}

fn assert_no_call_allocates(transform: Transform) {
    let (tunnel, mut worker) = both_ends(transform);
    let inner = Ipv4::default().packet(&Upper::udp(18));
    let mut bufs: [Vec<u8>; BURST] = std::array::from_fn(|_| vec![0; ROOM + inner.len() + ROOM]);
    let mut verdicts = [Verdict::default(); BURST];
    let mut delivered = 0;
    let allocations = allocations_during(|| {
        for round in 0..BURSTS {
            let now = Millis(round as u64);
            let mut packets = bufs.each_mut().map(|buf| {
                buf[ROOM..ROOM + inner.len()].copy_from_slice(&inner);
                Packet::new(buf, ROOM, inner.len()).expect("inside")
            });
            worker.seal_burst(now, tunnel, &mut packets, &mut verdicts).expect("verdicts");
            // Every fourth burst is hostile: a bit of each packet flips, which also queues audit events.
            if is_hostile(transform, round) {
                for packet in &mut packets {
                    packet.data_mut()[40] ^= 1;
                }
            }
            worker.open_burst(now, &mut packets, &mut verdicts).expect("verdicts");
            delivered += verdicts.iter().filter(|verdict| verdict.delivered().is_some()).count();
        }
    });
    assert_eq!(allocations, 0, "{transform}");
    let hostile = (0..BURSTS).filter(|round| is_hostile(transform, *round)).count();
    assert_eq!(delivered, (BURSTS - hostile) * BURST, "{transform}");
}

/// Without integrity nobody would notice.
fn is_hostile(transform: Transform, round: usize) -> bool {
    round.is_multiple_of(4) && transform.icv_len() > 0
}

/// An engine with one SA, outbound and inbound.
fn both_ends(transform: Transform) -> (TunnelId, Worker) {
    let engine = Engine::builder().max_sas(8).build().expect("engine");
    let key: Vec<u8> = (0_u8..).take(transform.key_len()).collect();
    let mut config = SaConfig::new(Direction::Outbound, 0x1001, transform, key, Mode::Tunnel);
    (config.keys, config.allow_legacy) = (KeySource::Negotiated, transform.is_legacy());
    (config.src, config.dst) = ("192.0.2.1".parse().ok(), "192.0.2.2".parse().ok());
    let tunnel = engine.install_outbound(&config).expect("SA");
    config.direction = Direction::Inbound;
    if transform.icv_len() == 0 {
        config.replay_window = ReplayWindow::Off;
    }
    engine.install_inbound(&config).expect("SA");
    let mut worker = engine.worker().expect("worker");
    worker.enter();
    (tunnel, worker)
}
