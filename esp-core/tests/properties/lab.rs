//! An engine with one worker, and calls that check what must hold after every burst.

use esp_core::{
    Consumed, Counter, DropReason, Engine, HandedBack, Millis, Packet, PacketFlags, Stats, TunnelId, Verdict,
    Worker,
};
use esp_testkit::builder::Room;

pub(crate) struct Lab {
    pub(crate) engine: Engine,
    worker: Worker,
    now: u64,
}

/// One packet of a burst.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) room: Room,
    pub(crate) flags: PacketFlags,
}

/// The same packet afterwards.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) verdict: Verdict,
    pub(crate) room: Room,
}

impl Outcome {
    /// The packet that came out, if one was delivered.
    pub(crate) fn data(&self) -> Option<&[u8]> {
        let got = self.verdict.delivered()?;
        let (start, len) = (got.offset as usize, got.len as usize);
        Some(self.room.buf().get(start..start + len).expect("the result lies inside the buffer"))
    }
}

impl Lab {
    pub(crate) fn new(max_sas: u32) -> Self {
        let engine = Engine::builder().max_sas(max_sas).max_workers(1).event_queue(16).build();
        let engine = engine.expect("an engine");
        let worker = engine.worker().expect("a worker");
        Self { engine, worker, now: 0 }
    }

    /// Seals a burst. A packet that is refused is untouched, and so is all that lies outside of a sealed one.
    pub(crate) fn seal(&mut self, tunnel: TunnelId, given: Vec<Given>) -> Vec<Outcome> {
        let outcomes = self.run(given, |worker, now, packets, verdicts| {
            worker.seal_burst(now, tunnel, packets, verdicts).expect("one verdict each");
        });
        for Outcome { verdict, room } in &outcomes {
            match verdict {
                Verdict::Delivered(got) => {
                    let (start, len) = (got.offset as usize, got.len as usize);
                    room.assert_untouched_outside(start..start + len);
                }
                Verdict::Dropped { .. } => room.assert_untouched(),
                other => panic!("sealing ends in {other:?}"),
            }
        }
        outcomes
    }

    /// Opens a burst. Nothing is written outside of what the packet was; what is handed back is untouched.
    pub(crate) fn open(&mut self, given: Vec<Given>) -> Vec<Outcome> {
        let outcomes = self.run(given, |worker, now, packets, verdicts| {
            worker.open_burst(now, packets, verdicts).expect("one verdict each");
        });
        for Outcome { verdict, room } in &outcomes {
            let (start, end) = (room.data_off(), room.data_off() + room.data_len());
            match verdict {
                Verdict::HandedBack(_) => room.assert_untouched(),
                Verdict::Delivered(got) => {
                    let (first, len) = (got.offset as usize, got.len as usize);
                    assert!(start <= first && first + len <= end, "{got:?} outside {start}..{end}");
                    room.assert_untouched_outside(start..end);
                }
                Verdict::Consumed(_) | Verdict::Dropped { .. } => room.assert_untouched_outside(start..end),
            }
        }
        outcomes
    }

    fn run(
        &mut self,
        given: Vec<Given>,
        call: impl FnOnce(&mut Worker, Millis, &mut [Packet<'_>], &mut [Verdict]),
    ) -> Vec<Outcome> {
        self.now += 1;
        let before = self.engine.stats();
        let mut verdicts = vec![UNTOUCHED; given.len()];
        let (mut rooms, flags): (Vec<Room>, Vec<PacketFlags>) =
            given.into_iter().map(|given| (given.room, given.flags)).unzip();
        {
            let with_flags = rooms.iter_mut().zip(flags);
            let mut packets: Vec<Packet<'_>> = with_flags.map(|(room, flags)| packet(room, flags)).collect();
            call(&mut self.worker, Millis(self.now), &mut packets, &mut verdicts);
        }
        assert_counted(&before, &self.engine.stats(), &verdicts);
        rooms.into_iter().zip(verdicts).map(|(room, verdict)| Outcome { verdict, room }).collect()
    }
}

fn packet(room: &mut Room, flags: PacketFlags) -> Packet<'_> {
    let (off, len) = (room.data_off(), room.data_len());
    Packet::new(room.buf_mut(), off, len).expect("the data lies inside").with_flags(flags)
}

/// Every packet got a verdict and was counted once, where the verdict says.
fn assert_counted(before: &Stats, after: &Stats, verdicts: &[Verdict]) {
    assert_eq!(after.unaccounted(), 0);
    let count =
        |wanted: &dyn Fn(&Verdict) -> bool| verdicts.iter().filter(|verdict| wanted(verdict)).count() as u64;
    assert_eq!(count(&|verdict| *verdict == UNTOUCHED), 0, "a packet without a verdict");
    let grown = |counter| after.of(counter) - before.of(counter);
    for reason in DropReason::ALL {
        let dropped = count(&|verdict| verdict.reason() == Some(*reason));
        assert_eq!(grown(Counter::Dropped(*reason)), dropped, "{}", reason.name());
    }
    assert_eq!(grown(Counter::Dropped(DropReason::Internal)), 0);
    let others = [
        (Counter::Dummy, Verdict::Consumed(Consumed::Dummy)),
        (Counter::Keepalive, Verdict::Consumed(Consumed::Keepalive)),
        (Counter::Ike, Verdict::HandedBack(HandedBack::Ike)),
        (Counter::NotEsp, Verdict::HandedBack(HandedBack::NotEsp)),
    ];
    for (counter, wanted) in others {
        assert_eq!(grown(counter), count(&|verdict| *verdict == wanted), "{}", counter.name());
    }
    let delivered = |stats: &Stats| stats.outbound.delivered + stats.inbound.delivered;
    assert_eq!(delivered(after) - delivered(before), count(&|verdict| verdict.delivered().is_some()));
    let offered = |stats: &Stats| stats.outbound.packets_in + stats.inbound.packets_in;
    assert_eq!(offered(after) - offered(before), verdicts.len() as u64);
}

/// What no walk answers.
const UNTOUCHED: Verdict = Verdict::Dropped { reason: DropReason::Internal, detail: u32::MAX };
