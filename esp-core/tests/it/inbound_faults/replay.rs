//! The replay window, one SA and one worker.

use std::time::{Duration, Instant};

use esp_core::config::{ReplayWindow, SaFile};
use esp_core::{Counter, DropReason};

use super::{Pair, Sender, inner, reasons, windowed};
use crate::rig::{ROOM, Rig};

use DropReason::{AuthFailed, ReplayDuplicate, ReplayTooOld, SeqZero};

#[test]
fn b01_burst_of_eight_copies() {
    for esn in [false, true] {
        let mut pair = Pair::new(64, esn);
        pair.accepts(1);
        let verdicts = reasons(&pair.burst(&[0x23; 8]));
        assert_eq!(verdicts[0], None);
        assert_eq!(verdicts[1..], [Some(ReplayDuplicate); 7]);
        assert_eq!(pair.rig.engine.stats().dropped(ReplayDuplicate), 7);
    }
}

#[test]
fn b01_copies_in_a_burst_among_others_and_across_bursts() {
    let mut pair = Pair::new(64, false);
    // 65 packets are cut into bursts of 32; copies lie in one of them and in two.
    let seqs: Vec<u64> = (1..=33).chain(1..=32).collect();
    let verdicts = reasons(&pair.burst(&seqs));
    assert!(verdicts[..33].iter().all(Option::is_none), "{verdicts:?}");
    assert_eq!(verdicts[33..], [Some(ReplayDuplicate); 32]);
    let verdicts = reasons(&pair.burst(&[34, 35, 34, 36, 35, 37, 36, 34]));
    let copy = Some(ReplayDuplicate);
    assert_eq!(verdicts, [None, None, copy, None, copy, None, copy, copy]);
}

#[test]
fn b02_high_half_belongs_to_the_packet() {
    for esn in [false, true] {
        let mut pair = Pair::new(64, esn);
        for seq in 63..=79 {
            pair.accepts(seq);
        }
        // 81 passes the check against the window as it was, and is too old once 200 has moved it.
        let verdicts = reasons(&pair.burst(&[200, 81, 201, 202]));
        assert_eq!(verdicts, [None, Some(ReplayTooOld), None, None], "esn {esn}");
        assert_eq!(pair.top(), 202);
    }
}

#[test]
fn b02_one_burst_across_the_wrap_of_the_low_half() {
    let wrap = 1 << 32;
    let mut pair = Pair::at(64, true, Some(wrap - 8));
    let seqs = [wrap - 2, wrap + 3, wrap - 1, wrap + 1, wrap, wrap - 5, wrap + 2];
    assert_eq!(reasons(&pair.burst(&seqs)), [None; 7]);
    assert_eq!(reasons(&pair.burst(&seqs)), [Some(ReplayDuplicate); 7]);
    assert_eq!(pair.top(), wrap + 3);
}

#[test]
fn b04_young_sa_and_a_high_low_half() {
    for top in [0, 1] {
        for low in [0xffff_ffff_u64, 0xffff_fff0] {
            let mut pair = Pair::new(64, true);
            if top == 1 {
                pair.accepts(1);
            }
            // Sealed with either high half that a receiver may think of: it is refused before the ICV.
            for seq in [low, 0xffff_ffff << 32 | low] {
                pair.drops(seq, ReplayTooOld);
            }
            assert_eq!(pair.top(), top);
            pair.accepts(2);
        }
    }
}

#[test]
fn b07_jump_by_the_window_or_a_word_leaves_no_stale_bit() {
    for (window, top) in [(32, 100), (64, 100), (96, 200), (128, 1000), (1024, 5000)] {
        for jump in [window, 2 * window, 64, 128, window - 1, window + 1, window + 64] {
            let mut pair = Pair::new(window, false);
            let (window, jump) = (u64::from(window), u64::from(jump));
            for seq in [top - 6, top - 1, top] {
                pair.accepts(seq);
            }
            let top_now = top + jump;
            pair.accepts(top_now);
            for seq in top_now - window + 1..top_now {
                if seq == top || seq == top - 1 || seq == top - 6 {
                    pair.drops(seq, ReplayDuplicate);
                } else {
                    pair.accepts(seq);
                }
            }
            pair.drops(top_now - window, ReplayTooOld);
        }
    }
    // The trigger as it was seen: W = 32, seen 94, top 100, jump to 132, then 126.
    let mut pair = Pair::new(32, false);
    for seq in [94, 100, 132, 126] {
        pair.accepts(seq);
    }
}

#[test]
fn b08_below_the_window_is_no_alias_of_a_later_number() {
    let mut pair = Pair::at(128, false, Some(1000));
    // 872 + 128 = 1000: in a ring of the window's size both have one bit; in one of 256 bits 744 and 1000 do.
    for old in [872, 871, 744, 808, 1] {
        pair.drops(old, ReplayTooOld);
    }
    for seq in 1001..=1064 {
        pair.accepts(seq);
    }
    for old in [872, 873, 936, 808] {
        pair.drops(old, ReplayTooOld);
    }
    pair.accepts(937);
}

#[test]
fn b18_number_zero_is_never_valid() {
    for esn in [false, true] {
        let mut pair = Pair::new(64, esn);
        pair.drops(0, SeqZero);
        pair.accepts(1);
        pair.drops(0, SeqZero);
        let events = pair.rig.events();
        assert_eq!(
            events.iter().map(|event| (event.reason, event.seq)).collect::<Vec<_>>(),
            [(SeqZero, 0); 2]
        );
    }
}

#[test]
fn b18_low_half_zero_is_legal_after_a_wrap() {
    let mut pair = Pair::at(64, true, Some(0xffff_fff0));
    pair.accepts(1 << 32);
    pair.drops(1 << 32, ReplayDuplicate);
    // Without ESN no number is beyond 2^32 - 1.
    let mut pair = Pair::at(64, false, Some(0xffff_fff0));
    pair.drops(1 << 32, SeqZero);
}

#[test]
fn b24_forged_packets_do_not_move_the_window() {
    for esn in [false, true] {
        let mut pair = Pair::new(64, esn);
        pair.accepts(100);
        let forger = pair.sender.forger();
        for ahead in [1, 63, 64, 65, 1 << 20, 1 << 31] {
            pair.rig.open_one(&forger.packet(100 + ahead)).assert_dropped(AuthFailed);
            assert_eq!(pair.top(), 100);
        }
        assert_eq!(pair.rig.engine.sa_stats(pair.sa).expect("live").lost, 36);
        // Inside the window a forgery must not mark its number as seen either.
        pair.rig.open_one(&forger.packet(50)).assert_dropped(AuthFailed);
        pair.accepts(50);
        pair.accepts(37);
        pair.accepts(101);
    }
}

#[test]
fn b24_forged_and_genuine_in_one_burst() {
    let mut pair = Pair::new(64, false);
    let forger = pair.sender.forger();
    let packets =
        [forger.packet(0x8000_0001), pair.sender.packet(1), forger.packet(2), pair.sender.packet(2)];
    let verdicts: Vec<_> = pair.rig.open(&packets).iter().map(|outcome| outcome.verdict).collect();
    assert_eq!(reasons(&verdicts), [Some(AuthFailed), None, Some(AuthFailed), None]);
    assert_eq!(pair.top(), 2);
}

#[test]
fn b50_forward_jump_costs_no_more_than_the_window() {
    for (window, esn) in [(64, false), (1 << 21, false), (64, true), (1 << 21, true)] {
        // The largest jump that the inference allows: with ESN the window lies in the way.
        let far = if esn { (1 << 32) - u64::from(window) } else { 0xffff_ffff };
        // The quickest of several, because the machine may be busy.
        let quickest = (0..20).map(|_| jump(window, esn, far)).min().expect("some");
        // A step for every word of the gap is 2^26 steps.
        assert!(quickest < Duration::from_millis(5), "{quickest:?} for {window}, esn {esn}");
    }
}

/// How long the packet `far` takes that comes behind the packet 1.
fn jump(window: u32, esn: bool, far: u64) -> Duration {
    let mut pair = Pair::new(window, esn);
    pair.accepts(1);
    let packet = pair.sender.packet(far);
    let started = Instant::now();
    let outcome = pair.rig.open_one(&packet);
    let took = started.elapsed();
    outcome.assert_delivered(&inner());
    pair.drops(far, ReplayDuplicate);
    pair.accepts(far - 5);
    assert_eq!(pair.rig.engine.stats().of(Counter::Lost), far - u64::from(window) - 1);
    took
}

#[test]
fn b50_the_end_of_the_number_space_is_the_end() {
    let mut pair = Pair::new(64, false);
    pair.accepts(0xffff_ffff);
    for (seq, why) in [(0, SeqZero), (1, ReplayTooOld), (0xffff_ffff, ReplayDuplicate)] {
        pair.drops(seq, why);
    }
    pair.accepts(0xffff_fffe);

    let mut pair = Pair::at(64, true, Some(u64::MAX - 10));
    pair.accepts(u64::MAX);
    pair.drops(u64::MAX, ReplayDuplicate);
    // Their high half would be 2^32; what they really carry is 0, which is long past.
    for seq in [0, 1, 100] {
        pair.drops(seq, ReplayTooOld);
    }
    pair.accepts(u64::MAX - 1);
    assert_eq!(pair.top(), u64::MAX);
}

#[test]
fn b51_first_packet_far_ahead() {
    for (esn, first) in [(false, 0xf000_0000), (true, 0xf000_0000), (false, 2 * 64), (true, 2 * 64)] {
        let mut pair = Pair::new(64, esn);
        pair.accepts(first);
        pair.accepts(first - 63);
        assert_eq!(pair.top(), first);
    }
}

#[test]
fn b52_window_edges_are_exact() {
    for window in [32, 33, 64, 65, 100, 1000, 4096] {
        let edge = u64::from(window);
        let mut pair = Pair::new(window, false);
        let top = 10_000;
        pair.accepts(top);
        pair.drops(top, ReplayDuplicate);
        pair.drops(top - edge, ReplayTooOld);
        pair.accepts(top - edge + 1);
        pair.drops(top - edge + 1, ReplayDuplicate);
        pair.accepts(top + 1);
        pair.drops(top - edge + 1, ReplayTooOld);
        pair.accepts(top - edge + 2);
    }
    // The trigger as it was seen.
    let mut pair = Pair::new(64, false);
    pair.accepts(100);
    pair.drops(100, ReplayDuplicate);
    pair.drops(36, ReplayTooOld);
    pair.accepts(37);
}

#[test]
fn b54_a_duplicate_is_not_delivered() {
    let mut pair = Pair::new(64, false);
    let packet = pair.sender.packet(7);
    pair.rig.open_one(&packet).assert_delivered(&inner());
    for _ in 0..3 {
        let again = pair.rig.open_one(&packet);
        again.assert_dropped(ReplayDuplicate);
        // Not a byte of it was decrypted.
        assert_eq!(again.buf[ROOM..ROOM + packet.len()], packet);
    }
    let stats = pair.rig.engine.stats();
    assert_eq!((stats.inbound.delivered, stats.dropped(ReplayDuplicate)), (1, 3));
}

#[test]
fn b55_anti_replay_is_on_unless_off_is_spelled_out() {
    let mut written = windowed(64, false);
    written.replay_window = ReplayWindow::default();
    let text = r#"
        [[sa]]
        direction = "inbound"
        spi = 0x1001
        transform = "aes-128-gcm-16"
        key = "0102030405060708090a0b0c0d0e0f1011121314"
        mode = "tunnel"
        src = "192.0.2.1"
        dst = "192.0.2.2"
    "#;
    let read = SaFile::parse(text).expect("an SA file").remove(0);
    for config in [written.clone(), read] {
        let mut rig = Rig::new();
        rig.inbound(&config);
        let sender = Sender::of(&config, false);
        rig.open_one(&sender.packet(100)).assert_delivered(&inner());
        rig.open_one(&sender.packet(100)).assert_dropped(ReplayDuplicate);
        rig.open_one(&sender.packet(37)).assert_delivered(&inner());
        rig.open_one(&sender.packet(36)).assert_dropped(ReplayTooOld);
    }
    written.replay_window = ReplayWindow::Off;
    let mut rig = Rig::new();
    rig.inbound(&written);
    let sender = Sender::of(&written, false);
    for seq in [100, 100, 1] {
        rig.open_one(&sender.packet(seq)).assert_delivered(&inner());
    }
}

#[test]
fn b93_a_replayed_packet_is_refused_before_the_cipher() {
    for esn in [false, true] {
        let mut pair = Pair::new(64, esn);
        pair.accepts(100);
        // Corrupted as well: had the cipher come first, it would say so.
        let mut old = pair.sender.packet(100);
        *old.last_mut().expect("an ICV") ^= 1;
        let mut all = vec![(old, ReplayDuplicate)];
        if !esn {
            let mut old = pair.sender.packet(20);
            *old.last_mut().expect("an ICV") ^= 1;
            all.push((old, ReplayTooOld));
        }
        for (packet, why) in all {
            for outcome in pair.rig.open(&vec![packet.clone(); 32]) {
                outcome.assert_dropped(why);
                assert_eq!(outcome.buf[ROOM..ROOM + packet.len()], packet);
            }
        }
        assert_eq!(pair.rig.engine.stats().dropped(AuthFailed), 0);
    }
}
