//! Two poll-mode threads on one SA.

use std::collections::HashSet;
use std::thread;

use esp_core::config::ReplayWindow;
use esp_core::{BURST, Counter, DropReason, Engine, Millis, Packet, Transform, TunnelId, Verdict, Worker};
use esp_testkit::builder::{Ipv4, Room, Upper};
use esp_testkit::slow;

use crate::rig::{EVERY, ROOM, Rig, peer, slow as slow_sa, tunnel};

/// Seals `count` packets in bursts; returns the low halves of the sequence numbers that went out, and how many packets
/// were refused.
fn seal_many(mut worker: Worker, tunnel: TunnelId, count: usize) -> (Vec<u32>, usize) {
    worker.enter();
    let inner = Ipv4::default().packet(&Upper::udp(18));
    let mut bufs = vec![vec![0; ROOM + inner.len() + ROOM]; BURST];
    let mut verdicts = [Verdict::default(); BURST];
    let (mut sent, mut refused) = (Vec::with_capacity(count), 0);
    for round in 0..count / BURST {
        let mut packets: Vec<Packet<'_>> = bufs
            .iter_mut()
            .map(|buf| {
                buf[ROOM..ROOM + inner.len()].copy_from_slice(&inner);
                Packet::new(buf, ROOM, inner.len()).expect("inside")
            })
            .collect();
        let now = Millis(round as u64);
        worker.seal_burst(now, tunnel, &mut packets, &mut verdicts).expect("one verdict each");
        for (packet, verdict) in packets.iter().zip(&verdicts) {
            match verdict {
                Verdict::Delivered(_) => {
                    let seq = packet.data()[24..28].try_into().expect("four bytes");
                    sent.push(u32::from_be_bytes(seq));
                }
                verdict => {
                    assert_eq!(verdict.reason(), Some(DropReason::SeqOverflow));
                    refused += 1;
                }
            }
        }
    }
    (sent, refused)
}

/// Both threads' numbers, sorted, and all refusals.
fn race(engine: &Engine, tunnel: TunnelId, each: usize) -> (Vec<u32>, usize) {
    let workers = [engine.worker().expect("worker"), engine.worker().expect("worker")];
    let threads = workers.map(|worker| thread::spawn(move || seal_many(worker, tunnel, each)));
    let mut all = Vec::new();
    let mut refused = 0;
    for thread in threads {
        let (sent, not_sent) = thread.join().expect("thread");
        assert!(sent.is_sorted(), "a thread's own numbers go up");
        all.extend(sent);
        refused += not_sent;
    }
    all.sort_unstable();
    (all, refused)
}

#[test]
fn b12_two_threads_never_share_a_sequence_number() {
    let rig = Rig::new();
    let out = rig.out(&tunnel(Transform::Aes128Gcm16, false));
    const EACH: usize = 500_000;
    let (sent, refused) = race(&rig.engine, out, EACH);
    assert_eq!(refused, 0);
    assert_eq!(sent.len(), 2 * EACH);
    assert!(sent.iter().zip(1..).all(|(seq, expected)| *seq == expected), "1 to a million, each once");
    let stats = rig.engine.stats();
    assert_eq!((stats.outbound.delivered, stats.unaccounted()), (2 * EACH as u64, 0));
    let sa = rig.engine.sa_stats(rig.engine.outbound_sa(out).expect("live")).expect("live");
    assert_eq!((sa.packets, sa.sequence), (2 * EACH as u64, 2 * EACH as u64));
}

#[test]
fn b15_two_threads_at_the_end_of_the_numbers() {
    let rig = Rig::new();
    const LEFT: u32 = 300_007;
    let last = u32::MAX - LEFT;
    let out = rig.out_at(&tunnel(Transform::Aes128Gcm16, false), u64::from(last));
    let (sent, refused) = race(&rig.engine, out, 200_000);
    assert_eq!(sent.len(), LEFT as usize, "a limit is reached exactly, never exceeded");
    assert_eq!(sent.len() + refused, 400_000);
    assert!(
        sent.iter().zip(last + 1..=u32::MAX).all(|(seq, expected)| *seq == expected),
        "each once, none wrapped"
    );
    // Reserved past the end and not sent: fewer than one burst a worker, and all counted.
    let spent = rig.engine.stats().of(Counter::Spent);
    assert!(spent < 2 * BURST as u64, "{spent}");
    assert_eq!((u64::from(LEFT) + spent) % BURST as u64, 0, "every reservation was a whole burst");
}

#[test]
fn b01_two_threads_with_copies_deliver_one() {
    let mut rig = Rig::new();
    let config = tunnel(Transform::Aes128Gcm16, false);
    let out = rig.out(&config);
    let mut inbound = peer(&config);
    inbound.replay_window = ReplayWindow::Bits(4096);
    rig.inbound(&inbound);
    let inner: Vec<Vec<u8>> =
        (0..2048).map(|id| Ipv4 { id, ..Ipv4::default() }.packet(&Upper::udp(18))).collect();
    let sealed: Vec<Vec<u8>> = rig.seal(out, &inner).into_iter().map(|sealed| sealed.bytes).collect();
    let workers = [rig.engine.worker().expect("worker"), rig.engine.worker().expect("worker")];
    let delivered: usize = thread::scope(|scope| {
        let open = |mut worker: Worker| {
            let mut copies = sealed.clone();
            let mut verdicts = vec![Verdict::default(); copies.len()];
            let mut packets: Vec<Packet<'_>> = copies
                .iter_mut()
                .map(|copy| {
                    let len = copy.len();
                    Packet::new(copy, 0, len).expect("inside")
                })
                .collect();
            worker.open_burst(Millis(0), &mut packets, &mut verdicts).expect("one verdict each");
            verdicts.iter().filter(|verdict| verdict.delivered().is_some()).count()
        };
        let threads = workers.map(|worker| scope.spawn(move || open(worker)));
        threads.into_iter().map(|thread| thread.join().expect("thread")).sum()
    });
    assert_eq!(delivered, sealed.len(), "each number exactly once, whoever was first");
    let stats = rig.engine.stats();
    assert_eq!(stats.dropped(DropReason::ReplayDuplicate), sealed.len() as u64);
    assert_eq!(stats.unaccounted(), 0);
}

/// Both threads share the keyed state and nothing else of the cipher: under every transform each packet opens, and no
/// nonce comes twice.
#[test]
fn b12_two_threads_under_every_transform() {
    for transform in EVERY.iter() {
        let rig = Rig::new();
        let config = tunnel(*transform, false);
        let out = rig.out(&config);
        let workers = [rig.engine.worker().expect("worker"), rig.engine.worker().expect("worker")];
        let packets: Vec<_> =
            (0..256).map(|id| Ipv4 { id, ..Ipv4::default() }.packet(&Upper::udp(29))).collect();
        let sealed: Vec<Vec<u8>> = thread::scope(|scope| {
            let threads = workers.map(|worker| scope.spawn(|| seal_each(worker, out, &packets)));
            threads.into_iter().flat_map(|thread| thread.join().expect("thread")).collect()
        });
        let iv_len = transform.iv_len();
        // Without an IV on the wire it is the number that must be one's own.
        let nonces: HashSet<_> = sealed.iter().map(|esp| &esp[24..28 + iv_len]).collect();
        let ivs: HashSet<_> = sealed.iter().map(|esp| &esp[28..28 + iv_len]).collect();
        assert_eq!(nonces.len(), sealed.len(), "{transform}");
        assert!(iv_len == 0 || ivs.len() == sealed.len(), "{transform}");
        for packet in &sealed {
            slow::open(&slow_sa(&config), 0, packet).unwrap_or_else(|why| panic!("{transform}: {why:?}"));
        }
    }
}

fn seal_each(mut worker: Worker, tunnel: TunnelId, packets: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut sealed = Vec::new();
    for burst in packets.chunks(BURST) {
        let mut rooms: Vec<_> = burst.iter().map(|packet| Room::new(ROOM, packet, ROOM)).collect();
        let mut verdicts = vec![Verdict::default(); burst.len()];
        let mut given: Vec<_> = rooms
            .iter_mut()
            .map(|room| {
                let (off, len) = (room.data_off(), room.data_len());
                Packet::new(room.buf_mut(), off, len).expect("inside")
            })
            .collect();
        worker.seal_burst(Millis(1), tunnel, &mut given, &mut verdicts).expect("one verdict each");
        assert!(verdicts.iter().all(|verdict| verdict.delivered().is_some()), "{verdicts:?}");
        sealed.extend(given.iter().map(|packet| packet.data().to_vec()));
    }
    sealed
}
