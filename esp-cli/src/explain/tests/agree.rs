//! This program's judgement is the engine's, whatever the packet.

use esp_core::config::{CheckOuter, Lookup, ReplayWindow, Selector};
use esp_testkit::builder::{Ext, Ipv6};
use esp_testkit::vectors::{self, Scenario, Step};
use proptest::prelude::*;

use super::*;

/// Explains each packet of a capture: no defect, no panic, no secret.
fn explains_each(lab: &Lab) {
    for number in 1..=lab.frames.len() {
        lab.clone().asked(number as u64).report();
    }
}

/// Explains what needs it most. A capture in which nothing is left of ESP is none to explain.
fn agrees(lab: &Lab) {
    match lab.try_report() {
        Ok(_) => drop(lab.report()),
        Err(why) => assert!(why.to_string().contains("no ESP packet among"), "{why}"),
    }
}

/// SAs of many kinds.
fn sas() -> Vec<SaConfig> {
    let prefix = |text: &str| text.parse().unwrap();
    let any_udp = Selector {
        src: prefix("10.1.0.0/16"),
        dst: prefix("10.2.0.0/16"),
        protocol: Some(17),
        src_port: None,
        dst_port: Some(5002.into()),
    };
    let mut transport = sa("transport", 0x1002, Transform::ChaCha20Poly1305, 2);
    (transport.mode, transport.esn) = (Mode::Transport, true);
    let mut strict = sa("strict", 0x1003, Transform::Aes256Gcm16, 3);
    (strict.check_outer, strict.selectors) = (CheckOuter::SrcDst, vec![any_udp]);
    let mut off = sa("off", 0x1004, Transform::NullHmacSha256_128, 4);
    off.replay_window = ReplayWindow::Off;
    let mut nat = in_udp(sa("nat", 0x1005, Transform::Aes192Gcm16, 5), 4501);
    nat.mode = Mode::Transport;
    let mut by_dst = sa("by_dst", 0x1001, Transform::Aes128Gcm16, 6);
    (by_dst.lookup, by_dst.dst) = (Lookup::SpiDst, Some("192.0.2.77".parse().unwrap()));
    vec![gcm(), transport, strict, off, nat, by_dst]
}

/// Packets for all of them.
fn packets(sas: &[SaConfig]) -> Vec<Vec<u8>> {
    let clear = [
        clear(),
        Ipv4 { tos: 3, ..Ipv4::default() }.packet(&Upper::tcp(9)),
        Ipv6::default().packet(&Upper::Icmp { len: 30 }),
        Ipv6 { exts: vec![Ext::HopByHop { len: 8 }], ..Ipv6::default() }.packet(&Upper::udp(0)),
    ];
    let mut packets = Vec::new();
    for (clear, number) in clear.iter().zip(1_u8..) {
        let one =
            |sa| slow::seal(&sender(sa), number.into(), [number; 16], clear, 0, 4 * usize::from(number));
        packets.extend(sas.iter().map(one));
    }
    packets
}

/// What happens to a packet on its way.
#[derive(Clone, Debug)]
enum Harm {
    /// A byte becomes another one.
    Byte(prop::sample::Index, u8),
    /// One of the bytes that headers are made of.
    Header(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Grown(usize),
    Twice,
}

fn harms() -> impl Strategy<Value = (prop::sample::Index, Harm)> {
    let harm = prop_oneof![
        (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, to)| Harm::Byte(at, to)),
        (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, to)| Harm::Header(at, to)),
        any::<prop::sample::Index>().prop_map(Harm::Cut),
        (0..70_usize).prop_map(Harm::Grown),
        Just(Harm::Twice),
    ];
    (any::<prop::sample::Index>(), harm)
}

fn harmed(packets: &mut Vec<Vec<u8>>, which: prop::sample::Index, harm: &Harm) {
    let at = which.index(packets.len());
    let packet = &mut packets[at];
    match harm {
        Harm::Byte(_, _) | Harm::Header(_, _) | Harm::Cut(_) if packet.is_empty() => {}
        Harm::Byte(place, to) => {
            let place = place.index(packet.len());
            packet[place] = *to;
        }
        Harm::Header(place, to) => {
            let place = place.index(packet.len().min(44));
            packet[place] = *to;
        }
        Harm::Cut(len) => packet.truncate(len.index(packet.len())),
        Harm::Grown(by) => packet.resize(packet.len() + by, 0),
        Harm::Twice => {
            let copy = packet.clone();
            packets.push(copy);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn on_packets_that_were_harmed(harms in proptest::collection::vec(harms(), 1..40), link in prop_oneof![Just(101_u32), Just(1), Just(113), Just(0)]) {
        let sas = sas();
        let mut packets = packets(&sas);
        for (which, harm) in &harms {
            harmed(&mut packets, *which, harm);
        }
        agrees(&Lab::new(&sas, packets).link(link));
    }

    #[test]
    fn on_truncated_captures(cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0..200_usize), 24)) {
        let sas = sas();
        let mut lab = Lab::new(&sas, packets(&sas));
        for ((frame, wire_len), (keep, more)) in lab.frames.iter_mut().zip(cuts) {
            *wire_len += more;
            frame.truncate(keep.index(*wire_len + 1));
        }
        agrees(&lab);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whichever_packet_is_explained(harms in proptest::collection::vec(harms(), 1..30)) {
        let sas = sas();
        let mut packets = packets(&sas);
        for (which, harm) in &harms {
            harmed(&mut packets, *which, harm);
        }
        explains_each(&Lab::new(&sas, packets.clone()));
        explains_each(&Lab::new(&[], packets));
    }
}

#[test]
fn on_what_scapy_sealed() {
    for vector in vectors::scapy() {
        let name = vector.name.split('/').next().unwrap();
        let mode = if vector.sa.mode == SlowMode::Transport { Mode::Transport } else { Mode::Tunnel };
        let transform = Transform::from_name(name).unwrap();
        let mut sa = SaConfig::new(Direction::Inbound, vector.sa.spi, transform, vector.sa.key.clone(), mode);
        sa.esn = vector.sa.esn;
        sa.udp =
            vector.sa.udp.map(|(src_port, dst_port)| UdpEncap { src_port, dst_port, ..UdpEncap::default() });
        let high = u32::try_from(vector.seq >> 32).unwrap();
        let report = Lab::new(&[sa], [vector.sealed.clone()]).seq_hi(high).report();
        assert_eq!(report.packet.story.fate.name(), "delivered", "{}", vector.name);
    }
}

/// The numbers that a scenario receives, and whether each is sealed with the right key.
fn received(scenario: &Scenario) -> Option<Vec<(u64, bool)>> {
    let mut all = Vec::new();
    for step in &scenario.steps {
        match step {
            Step::Recv { seq: Some(seq), count, key, .. } => {
                all.extend((0..(*count).min(70)).map(|_| (*seq, key.is_none())));
            }
            Step::RecvRange { from, to, step, key, .. } => {
                let numbers = (*from..=*to).step_by(usize::try_from(*step).ok()?);
                all.extend(numbers.take(3000).map(|seq| (seq, key.is_none())));
            }
            Step::Burst { seqs, .. } => all.extend(seqs.iter().map(|seq| (*seq, true))),
            Step::AssertCounter { .. } => {}
            _ => return None,
        }
    }
    (!all.is_empty()).then_some(all)
}

#[test]
fn on_the_scenarios_of_others() {
    let Some(scenarios) = vectors::scenarios() else { return vectors::skipped("explain on scenarios") };
    let mut done = 0;
    for scenario in scenarios.iter().filter(|scenario| scenario.sa.direction != "out") {
        let Some(numbers) = received(scenario) else { continue };
        let mut sa = gcm();
        sa.esn = scenario.sa.esn;
        match scenario.sa.window {
            Some(0) => sa.replay_window = ReplayWindow::Off,
            Some(bits @ 32..) => sa.replay_window = ReplayWindow::Bits(bits),
            _ => {}
        }
        sa.esn &= sa.replay_window != ReplayWindow::Off;
        let right = sender(&sa);
        let wrong = SlowSa { key: vec![0x33; 20], ..right.clone() };
        let packets =
            numbers.iter().map(|(seq, is_right)| sealed(if *is_right { &right } else { &wrong }, *seq));
        let report = Lab::new(&[sa], packets).report();
        assert_eq!(report.overview.packets, numbers.len() as u64, "{}", scenario.name);
        done += 1;
    }
    assert!(done >= 10, "only {done} scenarios fit");
}
