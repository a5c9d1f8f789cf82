//! What must become of a packet, by the slow ESP and by what came before.

use std::collections::HashMap;

use esp_core::config::{CheckOuter, Mode, ReplayWindow, Selector};
use esp_core::{Consumed, Counter, DropReason, Engine, HandedBack, Verdict};
use esp_testkit::slow::{SlowError, SlowOpened};
use esp_wire::{Ecn, Ip, ecn, ipv6, proto};

use crate::attack::Attack;
use crate::lab::Outcome;
use crate::outer::blank_checksum;
use crate::seen::{Seen, is_keepalive, look, slow_open};
use crate::targets::{self, Target};

pub(crate) struct Judge {
    pub(crate) targets: Vec<Target>,
    /// Numbers that authenticated, each with the place of its target: in which burst.
    used: HashMap<(usize, u64), u32>,
    burst: u32,
}

impl Judge {
    pub(crate) fn new(targets: Vec<Target>) -> Self {
        Self { targets, used: HashMap::new(), burst: 0 }
    }

    /// A burst begins: the replay check sees no window that moves in it.
    pub(crate) fn begin_burst(&mut self) {
        self.burst += 1;
        for target in &mut self.targets {
            target.top_before = target.top;
        }
    }

    /// Judges one packet, in the order in which they were opened.
    pub(crate) fn judge(&mut self, attack: &Attack, outcome: &Outcome) {
        let seen = look(&attack.wire);
        let found = seen.as_ref().and_then(|seen| Some((seen, self.find(seen)?)));
        match outcome.verdict {
            Verdict::HandedBack(HandedBack::NotEsp | HandedBack::Ike)
            | Verdict::Consumed(Consumed::Keepalive) => {
                assert!(seen.is_none() && attack.honest.is_none(), "{attack:?}");
                let keepalive = outcome.verdict == Verdict::Consumed(Consumed::Keepalive);
                assert!(!keepalive || is_keepalive(&attack.wire), "{attack:?}");
            }
            Verdict::Dropped { reason, .. } if is_early(reason) => {
                assert!(attack.honest.is_none(), "{reason:?}: {attack:?}");
                assert!(reason != DropReason::NoSa || (seen.is_some() && found.is_none()));
                assert_nothing_shown(attack, outcome);
            }
            verdict => {
                let (seen, at) = found.unwrap_or_else(|| panic!("{verdict:?}: {attack:?}"));
                self.judge_found(attack, outcome, seen, at);
            }
        }
    }

    fn find(&self, seen: &Seen<'_>) -> Option<usize> {
        targets::find(&self.targets, seen.header.spi, seen.src, seen.dst)
    }

    /// The packet of a known SA: the slow ESP says whether it is authentic.
    fn judge_found(&mut self, attack: &Attack, outcome: &Outcome, seen: &Seen<'_>, at: usize) {
        let target = &self.targets[at];
        let authentic = slow_open(target, seen);
        match outcome.verdict.reason() {
            Some(DropReason::AuthFailed) => {
                assert!(authentic.is_none() || target.config.esn, "an authentic packet was refused");
                self.assert_no_loss(attack, at);
                self.assert_checked(at, seen);
                return assert_nothing_shown_of(target, attack, outcome);
            }
            Some(DropReason::SeqZero) => return assert_eq!(seen.header.seq.0, 0),
            Some(DropReason::ReplayDuplicate) => return self.assert_used(at, seen),
            Some(DropReason::ReplayTooOld) => return self.assert_old(at, seen),
            _ => {}
        }
        let (seq, opened) = authentic.expect("what passes the cipher is authentic");
        match outcome.verdict {
            Verdict::Delivered(got) => {
                let opened = opened.as_ref().expect("what is delivered is whole");
                assert_eq!((got.sa, got.next_header), (target.id, opened.next_header));
                assert!(target.config.udp.is_some() == seen.udp);
                let data = outcome.data().expect("delivered");
                assert_inner(target, seen, opened, data);
                assert!(outer_permitted(target, seen), "{:?} -> {:?}", seen.src, seen.dst);
                assert!(inner_permitted(target, data), "{data:?}");
            }
            Verdict::Consumed(_) => assert_eq!(opened.map(|opened| opened.next_header), Ok(proto::NO_NEXT)),
            Verdict::Dropped { reason, .. } => {
                let honest = attack.honest.is_some_and(|(of, _)| of == at);
                assert!(!honest || reason == DropReason::Selector, "{reason:?}: {attack:?}");
                assert_authentic_drop(target, seen, reason, &opened);
            }
            Verdict::HandedBack(_) => panic!("handed back after the cipher"),
        }
        if target.config.replay_window != ReplayWindow::Off {
            let before = self.used.insert((at, seq), self.burst);
            assert!(before.is_none(), "number {seq} of target {at} came twice");
        }
        let target = &mut self.targets[at];
        target.top = target.top.max(seq);
    }

    /// An honest peer's packet may be a duplicate or too old, and no more.
    fn assert_no_loss(&self, attack: &Attack, at: usize) {
        let target = &self.targets[at];
        // To an SPI that several SAs have, a packet of one finds another by its addresses.
        let Some((_, seq)) = attack.honest.filter(|(of, _)| *of == at) else { return };
        let ahead = seq.wrapping_sub(target.top_before);
        let in_reach = if target.config.esn { (1..1 << 31).contains(&ahead) } else { true };
        assert!(!in_reach, "number {seq} after {}: {attack:?}", target.top_before);
    }

    /// The replay check spares the cipher what an earlier burst has seen.
    fn assert_checked(&self, at: usize, seen: &Seen<'_>) {
        let burst = self.used.get(&(at, u64::from(seen.header.seq.0)));
        let passed = burst.is_none_or(|burst| *burst == self.burst);
        assert!(passed || self.targets[at].config.esn, "a number seen before went to the cipher");
    }

    fn assert_used(&self, at: usize, seen: &Seen<'_>) {
        let low = seen.header.seq.0;
        assert!(self.used.keys().any(|(of, seq)| *of == at && *seq as u32 == low), "{low} was never seen");
    }

    fn assert_old(&self, at: usize, seen: &Seen<'_>) {
        let target = &self.targets[at];
        let ReplayWindow::Bits(bits) = target.config.replay_window else { panic!("no window") };
        if !target.config.esn {
            assert!(u64::from(seen.header.seq.0) + u64::from(bits) <= target.top);
        }
    }

    /// The engine's own books at the end.
    pub(crate) fn finish(&self, engine: &Engine) {
        let stats = engine.stats();
        let (mut packets, mut bytes, mut lost) = (0, 0, 0);
        for target in &self.targets {
            let sa = engine.sa_stats(target.id).expect("a live SA");
            (packets, bytes, lost) = (packets + sa.packets, bytes + sa.bytes, lost + sa.lost);
            let windowed = target.config.replay_window != ReplayWindow::Off;
            assert!(!windowed || sa.sequence == target.top, "{} against {}", sa.sequence, target.top);
        }
        assert_eq!((packets, bytes), (stats.inbound.delivered, stats.inbound.bytes));
        assert_eq!(lost, stats.of(Counter::Lost));
    }
}

/// Before an SA was looked for, or for want of one.
fn is_early(reason: DropReason) -> bool {
    use DropReason::{
        ExtensionHeaders, Fragment, Gso, Malformed, NoSa, PartialChecksum, Segmented, Shared, TooShort,
    };
    let early =
        [Malformed, ExtensionHeaders, Fragment, PartialChecksum, Gso, Segmented, Shared, TooShort, NoSa];
    early.contains(&reason)
}

fn assert_authentic_drop(
    target: &Target,
    seen: &Seen<'_>,
    reason: DropReason,
    opened: &Result<SlowOpened, SlowError>,
) {
    let tunnel = target.config.mode == Mode::Tunnel;
    match reason {
        DropReason::PadLength => {
            let why = opened.as_ref().expect_err("a wrong length");
            assert!(matches!(why, SlowError::BadPadLen | SlowError::NoWholeBlocks), "{why:?}");
        }
        DropReason::PadContent => assert_eq!(opened.as_ref().err(), Some(&SlowError::BadPadding)),
        DropReason::BadInner => {
            // In transport mode only what has no payload and says that hop-by-hop options follow.
            if !tunnel {
                let empty = opened.as_ref().map(|opened| (opened.payload_raw.len(), opened.next_header));
                return assert_eq!(empty, Ok((0, proto::HOP_BY_HOP)));
            }
            let whole = opened.as_ref().is_ok_and(|opened| Ip::parse(&opened.payload_raw).is_ok());
            assert!(!whole, "{opened:?}");
        }
        DropReason::EcnIllegal => assert!(tunnel && seen.tos & 3 == 3 && opened.is_ok()),
        DropReason::OuterAddress => {
            assert!(opened.is_ok());
            assert!(!outer_permitted(target, seen));
        }
        DropReason::Encapsulation => assert!(opened.is_ok() && target.config.udp.is_some() != seen.udp),
        DropReason::Selector => {
            assert!(opened.as_ref().is_ok_and(|got| !inner_permitted(target, &got.inner)));
        }
        other => panic!("{other:?} after the cipher"),
    }
}

fn outer_permitted(target: &Target, seen: &Seen<'_>) -> bool {
    let (src, dst) = (target.config.src == Some(seen.src), target.config.dst == Some(seen.dst));
    match target.config.check_outer {
        CheckOuter::None => true,
        CheckOuter::Dst => dst,
        CheckOuter::SrcDst => src && dst,
    }
}

/// RFC 4301 section 5.2, for selectors without a source port.
fn inner_permitted(target: &Target, data: &[u8]) -> bool {
    let ip = Ip::parse(data).expect("a packet");
    let (protocol, upper) = match &ip {
        Ip::V4(ip) => (ip.protocol(), ip.payload().get(..4).filter(|_| ip.fragment_offset() == 0)),
        Ip::V6(v6) => match ipv6::find_upper(v6) {
            Ok(upper) => (upper.next_header, v6.bytes()[upper.offset..].get(..4).filter(|_| upper.first)),
            Err(_) => return target.config.selectors.is_empty(),
        },
    };
    let port = upper.map(|ports| u16::from_be_bytes([ports[2], ports[3]]));
    let matches = |selector: &Selector| {
        selector.src.contains(ip.src())
            && selector.dst.contains(ip.dst())
            && selector.protocol.is_none_or(|wanted| wanted == protocol)
            && selector.dst_port.is_none_or(|range| port.is_some_and(|port| range.contains(port)))
    };
    target.config.selectors.is_empty() || target.config.selectors.iter().any(matches)
}

/// The packet inside is what was sealed, but for what RFC 6040 and RFC 3948 section 3.1.2 change.
fn assert_inner(target: &Target, seen: &Seen<'_>, opened: &SlowOpened, got: &[u8]) {
    let (mut want, mut got) = (opened.inner.clone(), got.to_vec());
    if target.config.mode == Mode::Transport {
        if target.config.udp.is_some() {
            for bytes in [&mut want, &mut got] {
                blank_checksum(bytes, seen.headers.len(), opened.next_header);
            }
        }
        return assert_eq!(got, want);
    }
    let (inner, outer) = (Ip::parse(&want).expect("whole").traffic_class(), seen.tos);
    let combined = ecn::decap(Ecn::from_tos(inner), Ecn::from_tos(outer)).expect("else it was dropped");
    let marked = Ip::parse(&got).expect("whole");
    assert_eq!(marked.traffic_class(), ecn::with_ecn(inner, combined), "{got:?}\n{want:?}\n{outer:#x}");
    if let (Ip::V4(marked), Ok(Ip::V4(inner))) = (marked, Ip::parse(&want)) {
        assert_eq!(marked.checksum_ok(), inner.checksum_ok());
    }
    for bytes in [&mut want, &mut got] {
        if bytes[0] >> 4 == 4 {
            bytes[1] = 0;
            bytes[10..12].fill(0);
        } else {
            bytes[1] &= 0x0f;
            bytes[0] = 0x60;
        }
    }
    assert_eq!(got, want);
}

fn assert_nothing_shown_of(target: &Target, attack: &Attack, outcome: &Outcome) {
    let name = target.config.transform.name();
    if !name.starts_with("null-") && !name.ends_with("-gmac") {
        assert_nothing_shown(attack, outcome);
    }
}

/// No twelve bytes of the plaintext stand where deciphering in place would have put them, unless the wire showed them.
fn assert_nothing_shown(attack: &Attack, outcome: &Outcome) {
    let at = attack.plaintext_at;
    let wire = attack.wire.get(at..).unwrap_or_default();
    let now = outcome.room.buf().get(outcome.room.data_off() + at..).unwrap_or_default();
    let windows = now.windows(RUN).zip(wire.windows(RUN)).zip(attack.plaintext.windows(RUN));
    for ((now, wire), plaintext) in windows {
        assert!(now != plaintext || wire == plaintext || plaintext.contains(&0), "plaintext of a forgery");
    }
}

/// Bytes that do not agree by chance.
const RUN: usize = 12;
