//! Copies of one packet on two threads.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::time::Instant;

use esp_core::{BURST, DropReason, Engine, Millis, Packet, Verdict, Worker};
use esp_testkit::builder::{Ipv4, Upper};

use super::{Sender, windowed};
use crate::rig::Rig;

const THREADS: usize = 2;
const BURSTS: usize = 400;

#[test]
fn b01_threads_with_copies_deliver_each_packet_once() {
    for esn in [false, true] {
        let config = windowed(1024, esn);
        let rig = Rig::of(Engine::builder().max_sas(4).max_workers(1 + THREADS).build().expect("an engine"));
        let sa = rig.inbound(&config);
        let sender = Sender::of(&config, false);
        // Long enough that both threads are in the cipher at one time.
        let inner = Ipv4::default().packet(&Upper::udp(1000));
        let count = BURSTS * BURST;
        let packets: Vec<Vec<u8>> = (1..=count as u64).map(|seq| sender.carrying(seq, &inner)).collect();
        let delivered: Vec<AtomicU32> = (0..count).map(|_| AtomicU32::new(0)).collect();
        let arrived = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                let mut worker = rig.engine.worker().expect("a worker");
                let (arrived, delivered, packets, inner) = (&arrived, &delivered, &packets, &inner);
                scope.spawn(move || {
                    let bursts = packets.chunks(BURST).zip(delivered.chunks(BURST));
                    for (turn, (packets, delivered)) in bursts.enumerate() {
                        let copies = packets.to_vec();
                        meet(arrived, turn);
                        open(&mut worker, copies, delivered, inner);
                    }
                });
            }
        });
        let wrong = delivered.iter().position(|times| times.load(SeqCst) != 1);
        assert_eq!(wrong, None, "delivered {:?} times", wrong.map(|at| delivered[at].load(SeqCst)));
        let stats = rig.engine.stats();
        assert_eq!(stats.inbound.delivered, count as u64);
        assert_eq!(stats.dropped(DropReason::ReplayDuplicate), (count * (THREADS - 1)) as u64);
        assert_eq!(stats.unaccounted(), 0);
        assert_eq!(rig.engine.sa_stats(sa).expect("live").lost, 0);
    }
}

/// Waits until all threads are here for the `turn`th time. It spins, so that they leave together.
fn meet(arrived: &AtomicUsize, turn: usize) {
    arrived.fetch_add(1, SeqCst);
    let started = Instant::now();
    let mut spins = 0_u32;
    while arrived.load(SeqCst) < (turn + 1) * THREADS {
        spins += 1;
        if spins.is_multiple_of(1024) {
            // The other thread may need this very core; or it may have failed.
            assert!(started.elapsed().as_secs() < 100, "the other thread does not come");
            std::thread::yield_now();
        }
        std::hint::spin_loop();
    }
}

/// Opens a burst of copies, and notes what was delivered.
fn open(worker: &mut Worker, mut bufs: Vec<Vec<u8>>, delivered: &[AtomicU32], inner: &[u8]) {
    let mut verdicts = vec![Verdict::default(); bufs.len()];
    let mut burst: Vec<Packet<'_>> = bufs
        .iter_mut()
        .map(|buf| {
            let len = buf.len();
            Packet::new(buf, 0, len).expect("inside")
        })
        .collect();
    worker.open_burst(Millis(1), &mut burst, &mut verdicts).expect("one verdict each");
    for ((packet, verdict), delivered) in burst.iter().zip(&verdicts).zip(delivered) {
        if verdict.delivered().is_some() {
            assert_eq!(packet.data(), inner);
            delivered.fetch_add(1, SeqCst);
        } else {
            assert_eq!(verdict.reason(), Some(DropReason::ReplayDuplicate), "{verdict:?}");
        }
    }
}
