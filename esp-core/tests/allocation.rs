//! The hot path allocates nothing, for any transform, in either direction.

use esp_core::config::{Direction, KeySource, Mode, SaConfig};
use esp_core::{BURST, Engine, Millis, Packet, Transform, Verdict};
use esp_testkit::alloc_counter::{CountingAlloc, allocations_during};
use esp_testkit::builder::{Ipv4, Upper};

#[global_allocator]
static ALLOC: CountingAlloc = CountingAlloc;

const ROOM: usize = 128;

#[test]
fn no_call_allocates() {
    for transform in Transform::ALL {
        let engine = Engine::builder().max_sas(8).build().expect("engine");
        let key: Vec<u8> = (0_u8..).take(transform.key_len()).collect();
        let mut config = SaConfig::new(Direction::Outbound, 0x1001, *transform, key, Mode::Tunnel);
        config.keys = KeySource::Negotiated;
        (config.src, config.dst) = ("192.0.2.1".parse().ok(), "192.0.2.2".parse().ok());
        let tunnel = engine.install_outbound(&config).expect("SA");
        config.direction = Direction::Inbound;
        engine.install_inbound(&config).expect("SA");
        let mut worker = engine.worker().expect("worker");
        worker.enter();

        let inner = Ipv4::default().packet(&Upper::udp(18));
        let mut bufs: [Vec<u8>; BURST] = std::array::from_fn(|_| vec![0; ROOM + inner.len() + ROOM]);
        let mut verdicts = [Verdict::default(); BURST];
        let mut delivered = 0;
        let allocations = allocations_during(|| {
            for round in 0..1000 {
                let mut packets = bufs.each_mut().map(|buf| {
                    buf[ROOM..ROOM + inner.len()].copy_from_slice(&inner);
                    Packet::new(buf, ROOM, inner.len()).expect("inside")
                });
                worker.seal_burst(Millis(round), tunnel, &mut packets, &mut verdicts).expect("verdicts");
                // Every fourth burst is hostile: a bit of each packet flips, which also queues audit events.
                if round % 4 == 0 {
                    for packet in &mut packets {
                        packet.data_mut()[40] ^= 1;
                    }
                }
                worker.open_burst(Millis(round), &mut packets, &mut verdicts).expect("verdicts");
                delivered += verdicts.iter().filter(|verdict| verdict.delivered().is_some()).count();
            }
        });
        assert_eq!(allocations, 0, "{}", transform.name());
        assert_eq!(delivered, 750 * BURST, "{}", transform.name());
    }
}
