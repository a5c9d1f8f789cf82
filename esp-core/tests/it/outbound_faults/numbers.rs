//! Sequence numbers at their end.

use esp_core::{Counter, DropReason, Transform};
use esp_testkit::slow;

use super::small;
use crate::rig::{Outcome, Rig, SPI, peer, slow as slow_sa, tunnel};

const GCM: Transform = Transform::Aes128Gcm16;

fn wire_seq(sealed: &Outcome) -> u32 {
    u32::from_be_bytes(*sealed.bytes[24..].first_chunk().expect("a sequence number"))
}

#[test]
fn b14_a_used_up_sa_refuses_for_ever() {
    let mut rig = Rig::new();
    let out = rig.out_at(&tunnel(GCM, false), 0xffff_ffff);
    // A counter that went on would pass 2^32 within 2^27 calls; it would be seen to move in one.
    for _ in 0..300 {
        for refused in rig.seal(out, &small(21)) {
            refused.assert_dropped(DropReason::SeqOverflow);
        }
        assert_eq!(rig.last_seq(out), 0xffff_ffff);
    }
    assert_eq!(rig.engine.stats().of(Counter::Spent), 0);
    let sa = rig.engine.outbound_sa(out).expect("live");
    let stats = rig.engine.sa_stats(sa).expect("live");
    assert_eq!((stats.packets, stats.bytes, stats.drops), (0, 0, 300 * 21));
}

/// A refused packet is not half-made either: it is as it was.
#[test]
fn b14_a_refused_packet_is_not_written() {
    let mut rig = Rig::new();
    let out = rig.out_at(&tunnel(GCM, false), 0xffff_ffff);
    let packet = super::packet_of(77);
    let refused = rig.seal_one(out, &packet);
    assert_eq!(refused.buf[crate::rig::ROOM..][..77], packet);
}

/// The attempt is auditable (RFC 4303 section 3.3.3): one event a burst of 32.
#[test]
fn b14_the_attempt_is_told() {
    let mut rig = Rig::new();
    let out = rig.out_at(&tunnel(GCM, false), 0xffff_fffd);
    rig.seal(out, &small(2));
    assert_eq!(rig.events(), []);
    rig.seal(out, &small(33));
    let events = rig.events();
    assert_eq!(events.len(), 2);
    for event in events {
        assert_eq!((event.reason, event.spi, event.seq), (DropReason::SeqOverflow, SPI, 0xffff_ffff));
        assert_eq!([event.src.to_string(), event.dst.to_string()], ["192.0.2.1", "192.0.2.2"]);
    }
}

#[test]
fn b14_with_esn_the_low_half_goes_on_at_zero() {
    let mut config = tunnel(GCM, false);
    config.esn = true;
    let mut rig = Rig::new();
    let out = rig.out_at(&config, 0xffff_fffe);
    rig.inbound_at(&peer(&config), 0xffff_fffe);
    let inner = small(3);
    let sealed = rig.seal(out, &inner);
    for ((sealed, inner), (low, high)) in sealed.iter().zip(&inner).zip([(0xffff_ffff, 0), (0, 1), (1, 1)]) {
        assert_eq!(wire_seq(sealed), low);
        let opened = slow::open(&slow_sa(&config), high, &sealed.bytes).expect("authentic");
        assert_eq!(opened.inner, *inner);
        rig.open_one(&sealed.bytes).assert_delivered(inner);
    }
    assert_eq!(rig.last_seq(out), (1 << 32) + 1);
}

#[test]
fn b14_with_esn_there_is_an_end_too() {
    const LAST: u64 = u64::MAX - 0xffff_ffff;
    let mut config = tunnel(GCM, false);
    config.esn = true;
    let mut rig = Rig::new();
    let out = rig.out_at(&config, LAST - 2);
    let outcomes = rig.seal(out, &small(5));
    assert!(outcomes[..2].iter().all(Outcome::delivered));
    for refused in outcomes[2..].iter().chain(&rig.seal(out, &small(40))) {
        refused.assert_dropped(DropReason::SeqOverflow);
    }
    assert_eq!(rig.last_seq(out), LAST);
    assert_eq!(wire_seq(&outcomes[1]), 0);
}

#[test]
fn b15_a_burst_across_the_end_is_split() {
    let mut rig = Rig::new();
    let out = rig.out_at(&tunnel(GCM, false), 0xffff_fff0);
    let outcomes = rig.seal(out, &small(32));
    for (n, outcome) in outcomes.iter().enumerate() {
        if n < 15 {
            assert_eq!(wire_seq(outcome), 0xffff_fff1 + n as u32);
        } else {
            outcome.assert_dropped(DropReason::SeqOverflow);
        }
    }
    assert_eq!(rig.engine.stats().of(Counter::Spent), 17);
    assert_eq!(rig.last_seq(out), 0xffff_ffff);
    rig.seal_one(out, &super::packet_of(40)).assert_dropped(DropReason::SeqOverflow);
    assert_eq!(rig.engine.stats().of(Counter::Spent), 17);
}

/// Only packets that are fit take a number, in the caller's order.
#[test]
fn b15_unfit_packets_take_no_number() {
    let mut rig = Rig::new();
    let out = rig.out_at(&tunnel(GCM, false), 0xffff_fffb);
    let mut inner = small(10);
    for unfit in [0, 3, 4, 9] {
        inner[unfit] = vec![0x45; 19];
    }
    let outcomes = rig.seal(out, &inner);
    let numbers: Vec<u32> = outcomes.iter().filter(|one| one.delivered()).map(wire_seq).collect();
    assert_eq!(numbers, [0xffff_fffc, 0xffff_fffd, 0xffff_fffe, 0xffff_ffff]);
    for unfit in [0, 3, 4, 9] {
        outcomes[unfit].assert_dropped(DropReason::Malformed);
    }
    for late in [7, 8] {
        outcomes[late].assert_dropped(DropReason::SeqOverflow);
    }
}
