//! Finding the SA, and what is told when there is none.

use std::net::IpAddr;

use esp_core::{BURST, Counter, DropReason, Engine, Event, HandedBack, Millis, SaError, Transform, Verdict};
use esp_testkit::builder::{Ipv4, Ipv6};
use esp_testkit::slow;

use super::{ESP, Pair, Sender, inbound, inner, windowed};
use crate::rig::{Rig, tunnel};

use DropReason::{AuthFailed, NoSa};

#[test]
fn b56_reserved_spis_find_nothing_and_cannot_be_installed() {
    for spi in [0, 1, 2, 254, 255] {
        let mut config = windowed(64, false);
        config.spi = spi;
        let mut rig = Rig::new();
        let refused = rig.engine.install_inbound(&config).expect_err("a reserved SPI");
        assert!(matches!(refused, SaError::Field { field: "spi", .. }), "{refused:?}");
        rig.open_one(&Sender::of(&config, false).packet(1)).assert_dropped(NoSa);
        let events = rig.events();
        assert_eq!((events.len(), events[0].reason, events[0].spi), (1, NoSa, spi));
    }
}

#[test]
fn b56_no_legal_spi_is_a_sentinel() {
    let spis = [256, 257, 0x8000_0000, 0x7fff_ffff, 0xffff_fffe, 0xffff_ffff, 0x0100_0000, 0x0001_0000];
    let mut rig = Rig::new();
    let configs = spis.map(|spi| {
        let mut config = windowed(64, false);
        config.spi = spi;
        config
    });
    for config in &configs {
        rig.open_one(&Sender::of(config, false).packet(1)).assert_dropped(NoSa);
    }
    let handles = configs.each_ref().map(|config| rig.inbound(config));
    for (config, handle) in configs.iter().zip(handles) {
        let opened = rig.open_one(&Sender::of(config, false).packet(1));
        opened.assert_delivered(&inner());
        assert_eq!(opened.verdict.delivered().map(|got| got.sa), Some(handle));
    }
    for config in &configs {
        assert!(matches!(rig.engine.install_inbound(config), Err(SaError::Exists { .. })));
    }
}

#[test]
fn b56_spi_zero_in_udp_is_a_marker() {
    let mut config = windowed(64, false);
    (config.spi, config.udp) = (0, Some(esp_core::config::UdpEncap::default()));
    let outcome = Rig::new().open_one(&Sender::of(&config, false).packet(1));
    assert_eq!(outcome.verdict, Verdict::HandedBack(HandedBack::Ike));
}

#[test]
fn b57_no_sa_is_dropped_counted_and_told() {
    for v6 in [false, true] {
        let mut config = inbound(&tunnel(Transform::Aes128Gcm16, v6));
        config.spi = 0xcafe_f00d;
        let mut sender = Sender::of(&config, v6);
        sender.sa.esn = true;
        let mut rig = Rig::new();
        let mut packet = sender.packet(0x9_1234_5678);
        if v6 {
            packet[1..4].copy_from_slice(&[0x0a, 0xbc, 0xde]);
        }
        let outcome = rig.open_one(&packet);
        outcome.assert_dropped(NoSa);
        assert_eq!(outcome.buf[crate::rig::ROOM..][..packet.len()], packet);
        let (src, dst): (IpAddr, IpAddr) = crate::rig::ends(&config);
        let told = Event {
            reason: NoSa,
            at: Millis(1),
            spi: 0xcafe_f00d,
            seq: 0x1234_5678,
            src,
            dst,
            flow_label: v6.then_some(0xa_bcde),
        };
        assert_eq!(rig.events(), [told]);
        let stats = rig.engine.stats();
        assert_eq!((stats.dropped(NoSa), stats.of(Counter::EventsLost)), (1, 0));
        assert_eq!(rig.engine.removed_stats(), esp_core::SaStats::default());
    }
}

#[test]
fn b57_a_packet_that_is_not_esp_has_no_side_effect() {
    let mut pair = Pair::new(64, false);
    pair.accepts(1);
    for packet in [inner(), Ipv6::default().packet(&esp_testkit::builder::Upper::tcp(3))] {
        let outcome = pair.rig.open_one(&packet);
        assert_eq!(outcome.verdict, Verdict::HandedBack(HandedBack::NotEsp));
    }
    assert!(pair.rig.events().is_empty());
    assert_eq!(pair.top(), 1);
}

#[test]
fn b57_every_auditable_reason_is_told_with_its_own_number() {
    let mut pair = Pair::new(64, false);
    pair.accepts(200);
    let forger = pair.sender.forger();
    let packets = [
        (pair.sender.packet(0), DropReason::SeqZero),
        (pair.sender.packet(3), DropReason::ReplayTooOld),
        (pair.sender.packet(200), DropReason::ReplayDuplicate),
        (forger.packet(201), AuthFailed),
        (pair.sender.raw(202, &[9; 16]), DropReason::PadContent),
        (pair.sender.raw(203, &[0xff; 16]), DropReason::PadLength),
    ];
    for (packet, why) in packets {
        pair.rig.open_one(&packet).assert_dropped(why);
        let events = pair.rig.events();
        let seq = u32::from_be_bytes(packet[24..28].try_into().expect("4 bytes"));
        assert_eq!(events.len(), 1, "{}", why.name());
        assert_eq!((events[0].reason, events[0].seq, events[0].spi), (why, seq, crate::rig::SPI));
    }
}

#[test]
fn b83_a_flood_is_counted_and_not_told_packet_by_packet() {
    const QUEUE: usize = 50;
    const BURSTS: usize = 40;
    /// What one burst may tell.
    const SHARE: usize = 4;
    let engine = Engine::builder().max_sas(4).max_workers(2).event_queue(QUEUE).build().expect("an engine");
    let mut rig = Rig::of(engine);
    let config = windowed(64, false);
    rig.inbound(&config);
    let forger = Sender::of(&config, false).forger();
    let flood: Vec<Vec<u8>> = (1..=BURST as u64).map(|seq| forger.packet(seq)).collect();
    for _ in 0..BURSTS {
        rig.open(&flood);
    }
    let lost = rig.engine.stats().of(Counter::EventsLost) as usize;
    let told = rig.events();
    assert_eq!(told.len(), QUEUE, "the queue is bounded");
    assert_eq!(told.len() + lost, BURSTS * BURST, "what is not told is counted");
    // With room in the queue, a burst tells its share and counts the rest.
    rig.open(&flood);
    assert_eq!(rig.events().len(), SHARE);
    assert_eq!(rig.engine.stats().of(Counter::EventsLost) as usize, lost + BURST - SHARE);
    assert_eq!(rig.engine.stats().dropped(AuthFailed) as usize, (BURSTS + 1) * BURST);
    // The flood pushes out nothing that was told before it, and later events are told again.
    rig.open_one(&forger.packet(77));
    assert_eq!(rig.events().iter().map(|event| event.seq).collect::<Vec<_>>(), [77]);
}

#[test]
fn b83_an_engine_without_a_queue_only_counts() {
    let engine = Engine::builder().max_sas(4).max_workers(2).event_queue(0).build().expect("an engine");
    let mut rig = Rig::of(engine);
    let unknown = slow::wrap_esp(&Ipv4::default().header(ESP, 0), None, &[1; 60]);
    rig.open(&vec![unknown; 3]);
    assert!(rig.events().is_empty());
    assert_eq!(rig.engine.stats().of(Counter::EventsLost), 3);
}
