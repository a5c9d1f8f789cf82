//! Copies of one packet on several threads.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use esp_core::{BURST, DropReason, Engine, Millis, Packet, Verdict, Worker};

use super::{Sender, inner, windowed};
use crate::rig::Rig;

const THREADS: usize = 4;
const PACKETS: u64 = 256;
const ROUNDS: u64 = 40;

#[test]
fn b01_threads_with_copies_deliver_each_packet_once() {
    for esn in [false, true] {
        let config = windowed(1024, esn);
        let rig = Rig::of(Engine::builder().max_sas(4).max_workers(1 + THREADS).build().expect("an engine"));
        let sa = rig.inbound(&config);
        let sender = Sender::of(&config, false);
        let barrier = Barrier::new(THREADS);
        let delivered: Vec<AtomicU32> = (0..PACKETS * ROUNDS).map(|_| AtomicU32::new(0)).collect();
        let packets: Vec<Vec<u8>> = (1..=PACKETS * ROUNDS).map(|seq| sender.packet(seq)).collect();
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                let mut worker = rig.engine.worker().expect("a worker");
                let (barrier, delivered, packets) = (&barrier, &delivered, &packets);
                scope.spawn(move || {
                    let rounds = packets.chunks(PACKETS as usize).zip(delivered.chunks(PACKETS as usize));
                    for (packets, delivered) in rounds {
                        barrier.wait();
                        for (packets, delivered) in packets.chunks(BURST).zip(delivered.chunks(BURST)) {
                            open(&mut worker, packets, delivered);
                        }
                    }
                });
            }
        });
        let wrong = delivered.iter().position(|count| count.load(Relaxed) != 1);
        assert_eq!(wrong, None, "packet delivered {:?} times", wrong.map(|at| delivered[at].load(Relaxed)));
        let stats = rig.engine.stats();
        assert_eq!(stats.inbound.delivered, PACKETS * ROUNDS);
        assert_eq!(stats.dropped(DropReason::ReplayDuplicate), PACKETS * ROUNDS * (THREADS as u64 - 1));
        assert_eq!(stats.unaccounted(), 0);
        assert_eq!(rig.engine.sa_stats(sa).expect("live").lost, 0);
    }
}

/// Opens a burst of copies, and notes what was delivered.
fn open(worker: &mut Worker, packets: &[Vec<u8>], delivered: &[AtomicU32]) {
    let mut bufs = packets.to_vec();
    let mut verdicts = vec![Verdict::default(); bufs.len()];
    {
        let mut burst: Vec<Packet<'_>> = bufs
            .iter_mut()
            .map(|buf| {
                let len = buf.len();
                Packet::new(buf, 0, len).expect("inside")
            })
            .collect();
        worker.open_burst(Millis(1), &mut burst, &mut verdicts).expect("one verdict each");
    }
    for ((buf, verdict), delivered) in bufs.iter().zip(&verdicts).zip(delivered) {
        match verdict {
            Verdict::Delivered(got) => {
                let (off, len) = (got.offset as usize, got.len as usize);
                assert_eq!(buf[off..off + len], inner());
                delivered.fetch_add(1, Relaxed);
            }
            other => assert_eq!(other.reason(), Some(DropReason::ReplayDuplicate), "{other:?}"),
        }
    }
}
