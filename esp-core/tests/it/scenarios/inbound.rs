//! Steps in which packets arrive.

use std::collections::BTreeMap;

use esp_core::{Consumed, DropReason, HandedBack, Verdict};
use esp_replay::{Replay, Window, WindowSize};
use esp_testkit::builder::{Ipv4, Upper, ethernet_padded};
use esp_testkit::vectors::Expect;
use esp_wire::Seq64;

use super::sas::{Sas, inner};
use crate::rig::Outcome;

/// What goes on between steps.
///
/// A burst call checks, opens and commits before it returns, so a packet cannot be held between the check and the
/// commit from outside of the engine. The steps `begin` and `finish` are therefore taken by a window like the SA's,
/// which commits whatever the engine delivers; `inbound_faults::threads` holds copies on several threads.
#[derive(Default)]
pub(super) struct Handling {
    window: Option<Window>,
    begun: BTreeMap<String, (Result<Seq64, Replay>, u64)>,
    /// Packets that the window, not the engine, refused as replays, and as not authentic.
    pub(super) replays: u64,
    pub(super) forgeries: u64,
    /// Packets delivered of bursts.
    pub(super) of_burst: u64,
}

impl Handling {
    /// A packet arrives on an SA.
    pub(super) fn receive(
        &mut self,
        sas: &mut Sas,
        id: &str,
        seq: u64,
        packet: &[u8],
        expect: &Expect,
        at: &str,
    ) {
        let outcome = sas.rig.open_one(packet);
        judge(&outcome, expect, &format!("{at}: {seq:#x}"));
        if outcome.delivered() {
            assert_eq!(outcome.verdict.delivered().map(|got| got.sa), sas.get(id).inbound, "{at}");
            let _ = self.window(sas).commit(Seq64(seq));
        }
    }

    /// Packets arrive in one call.
    pub(super) fn burst(&mut self, sas: &mut Sas, seqs: &[u64], expect: &[Expect], at: &str) {
        assert_eq!(seqs.len(), expect.len(), "{at}");
        let id = sas.inbound_id(None);
        let sealed = |(seq, expect): (&u64, &Expect)| sas.sealed(&id, *seq, None, None, expect, at);
        let packets: Vec<Vec<u8>> = seqs.iter().zip(expect).map(sealed).collect();
        let outcomes = sas.rig.open(&packets);
        for ((outcome, seq), expect) in outcomes.iter().zip(seqs).zip(expect) {
            judge(outcome, expect, &format!("{at}: {seq:#x}"));
            if outcome.delivered() {
                self.of_burst += 1;
                let _ = self.window(sas).commit(Seq64(*seq));
            }
        }
    }

    /// A packet passes the check before the cipher.
    pub(super) fn begin(&mut self, sas: &Sas, tag: &str, seq: u64) {
        let window = self.window(sas);
        let checked = window.infer(Seq64(seq).low()).and_then(|found| window.check(found).map(|()| found));
        assert!(self.begun.insert(tag.to_owned(), (checked, seq)).is_none(), "`{tag}` begins twice");
    }

    /// The packet's ICV is known. The engine sees those that are delivered, to stay in step.
    pub(super) fn finish(&mut self, sas: &mut Sas, tag: &str, expect: &Expect, at: &str) {
        let (checked, sent) = self.begun.remove(tag).unwrap_or_else(|| panic!("{at}: `{tag}` was not begun"));
        if checked.is_ok_and(|seq| seq != Seq64(sent)) {
            // The ICV covers another high half.
            self.forgeries += 1;
            return assert_eq!(*expect, Expect::Drop("auth".to_owned()), "{at}");
        }
        match (checked.and_then(|seq| self.window(sas).commit(seq)), expect) {
            (Ok(_), Expect::Accept) => {
                let id = sas.inbound_id(None);
                let packet = sas.sealed(&id, sent, None, None, expect, at);
                judge(&sas.rig.open_one(&packet), expect, at);
            }
            (Err(Replay::TooOld | Replay::Duplicate), Expect::Drop(why)) if why == "replay" => {
                self.replays += 1;
            }
            (other, _) => panic!("{at}: {other:?}, expected {expect:?}"),
        }
    }

    pub(super) fn set_top(&mut self, sas: &mut Sas, top: u64, seen: &[u64], at: &str) {
        sas.set_top(top);
        self.window = Some(window(sas, Some(top)));
        let id = sas.inbound_id(None);
        for seq in seen {
            let packet = sas.sealed(&id, *seq, None, None, &Expect::Accept, at);
            self.receive(sas, &id, *seq, &packet, &Expect::Accept, at);
        }
    }

    fn window(&mut self, sas: &Sas) -> &mut Window {
        self.window.get_or_insert_with(|| window(sas, None))
    }
}

/// A window like that of the scenario's SA.
fn window(sas: &Sas, top: Option<u64>) -> Window {
    let spec = sas.get(&sas.inbound_id(None)).config.inbound().expect("a legal SA");
    let size = |size: WindowSize| Window::with_top(size, spec.esn, Seq64(top.unwrap_or(0)));
    spec.window.map_or_else(Window::off, size)
}

/// A datagram arrives at port 4500, in the shortest frame that Ethernet allows.
pub(super) fn receive_udp4500(sas: &mut Sas, payload: &[u8], expect: &Expect, at: &str) {
    let length = u16::try_from(8 + payload.len()).expect("a short datagram");
    let header = [4500, 4500, length, 0].map(u16::to_be_bytes);
    let bytes = [header.as_flattened(), payload].concat();
    let packet = Ipv4::default().packet(&Upper::Raw { protocol: 17, bytes });
    judge(&sas.rig.open_one(&ethernet_padded(&packet)), expect, at);
}

/// Holds a verdict against the scenario's word.
#[track_caller]
pub(super) fn judge(outcome: &Outcome, expect: &Expect, at: &str) {
    let verdict = outcome.verdict;
    let fits = match expect {
        Expect::Accept => {
            let right = outcome.delivered() && outcome.bytes == inner();
            assert!(right || !outcome.delivered(), "{at}: delivered something else");
            right
        }
        Expect::Drop(word) => verdict.reason().is_some_and(|reason| meant(word).contains(&reason)),
        Expect::Consume(word) => match word.as_str() {
            "nat_keepalive" | "keepalive" => verdict == Verdict::Consumed(Consumed::Keepalive),
            "dummy" => verdict == Verdict::Consumed(Consumed::Dummy),
            "ike" => verdict == Verdict::HandedBack(HandedBack::Ike),
            other => panic!("{at}: consume:{other}"),
        },
        Expect::AcceptWithEvent(_) | Expect::Other(_) => panic!("{at}: not known here: {expect:?}"),
    };
    assert!(fits, "{at}: {verdict:?}, expected {expect:?}");
}

/// The engine's reasons for a scenario's word.
pub(super) fn meant(word: &str) -> Vec<DropReason> {
    match word {
        "replay" => vec![DropReason::ReplayTooOld, DropReason::ReplayDuplicate],
        "auth" | "auth_fail" => vec![DropReason::AuthFailed],
        "bad_padding" => vec![DropReason::PadLength, DropReason::PadContent],
        "runt" => vec![DropReason::TooShort],
        name => {
            let named: Vec<DropReason> =
                DropReason::ALL.iter().copied().filter(|reason| reason.name() == name).collect();
            assert!(!named.is_empty(), "reason {name}");
            named
        }
    }
}
