//! The public replay and ESN scenarios, step by step, at the level of the window.
//!
//! There is no cipher here. A packet authenticates when it was sealed with the right key and the high half that was
//! inferred is the sender's; that is what the ICV covers (RFC 4303 section 2.2.1).

use std::collections::BTreeMap;

use esp_replay::{Replay, Window, WindowSize};
use esp_testkit::vectors::{self, Expect, Scenario, Step};
use esp_wire::Seq64;

#[test]
fn public_replay_and_esn_scenarios() {
    let Some(scenarios) = vectors::scenarios() else {
        return vectors::skipped("public_replay_and_esn_scenarios");
    };
    let (mut ran, mut appendix, mut left) = (0, 0, Vec::new());
    for scenario in &scenarios {
        match why_not(scenario) {
            Some(why) => left.push(format!("{}: {why}", scenario.name)),
            None => {
                run(scenario);
                ran += 1;
                appendix += usize::from(scenario.name.starts_with("a2-"));
            }
        }
    }
    println!("ran {ran} of {}; left to the engine's tests:\n{}", scenarios.len(), left.join("\n"));
    assert!(ran >= 62 && appendix >= 11, "ran {ran}, of appendix A2 {appendix}");
}

/// What in a scenario a window alone cannot show.
fn why_not(scenario: &Scenario) -> Option<&'static str> {
    if scenario.sa.direction != "in" {
        return Some("not inbound");
    }
    if scenario.sa.esn && scenario.sa.anti_replay == Some(false) {
        return Some("ESN without anti-replay cannot be made");
    }
    scenario.steps.iter().find_map(|step| match step {
        Step::Recv { seq: None, .. }
        | Step::Recv { tamper: Some(_), .. }
        | Step::RecvRange { tamper: Some(_), .. } => Some("packet bytes"),
        Step::Recv { .. }
        | Step::RecvRange { .. }
        | Step::Burst { .. }
        | Step::Begin { .. }
        | Step::Finish { .. } => None,
        Step::SetRxTop { .. } | Step::AssertCounter { .. } => None,
        _ => Some("an operation of the engine"),
    })
}

fn run(scenario: &Scenario) {
    let mut receiver = Receiver::new(scenario);
    let mut begun = BTreeMap::new();
    for (number, step) in scenario.steps.iter().enumerate() {
        let at = format!("{}, step {number}", scenario.name);
        match step {
            Step::Recv { seq: Some(seq), count, expect, key, .. } => {
                for _ in 0..*count {
                    receiver.packet(*seq, key.is_none(), expect, &at);
                }
            }
            Step::RecvRange { from, to, step, expect, key, .. } => {
                for seq in (*from..=*to).step_by(usize::try_from(*step).expect("a small step")) {
                    receiver.packet(seq, key.is_none(), expect, &at);
                }
            }
            Step::Burst { seqs, expect } => {
                let checked: Vec<_> = seqs.iter().map(|seq| receiver.begin(*seq)).collect();
                assert_eq!(checked.len(), expect.len(), "{at}");
                for ((checked, seq), expect) in checked.into_iter().zip(seqs).zip(expect) {
                    receiver.finish(checked, *seq, true, expect, &at);
                }
            }
            Step::Begin { tag, seq } => {
                begun.insert(tag, (receiver.begin(*seq), *seq));
            }
            Step::Finish { tag, expect } => {
                let (checked, seq) = begun.remove(tag).expect("begun");
                receiver.finish(checked, seq, true, expect, &at);
            }
            Step::SetRxTop { seq, seen } => receiver.set_top(*seq, seen),
            Step::AssertCounter { counter, value } => {
                assert_eq!(receiver.counter(counter), *value, "{at}, {counter}");
            }
            _ => panic!("{at}: not for a window"),
        }
    }
    for (counter, value) in
        scenario.expected_totals.iter().filter(|(counter, _)| *counter != "accepted_of_burst")
    {
        assert_eq!(receiver.counter(counter), *value, "{}, {counter}", scenario.name);
    }
}

/// A receiver that is nothing but a window.
struct Receiver {
    window: Window,
    replay: u64,
    auth_fail: u64,
    lost: u64,
    accepted: u64,
    packets_hard: Option<u64>,
}

impl Receiver {
    fn new(scenario: &Scenario) -> Self {
        let sa = &scenario.sa;
        let window = if sa.anti_replay == Some(false) {
            Window::off()
        } else {
            Window::new(
                sa.window.map_or(WindowSize::DEFAULT, |bits| WindowSize::new(bits).expect("a legal size")),
                sa.esn,
            )
        };
        let packets_hard = sa.lifetime.packets_hard.as_ref().map(|count| match count {
            vectors::Count::Exact(packets) => *packets,
            vectors::Count::Symbol(name) => panic!("{}: {name}", scenario.name),
        });
        Self { window, replay: 0, auth_fail: 0, lost: 0, accepted: 0, packets_hard }
    }

    fn packet(&mut self, sent: u64, good_key: bool, expect: &Expect, at: &str) {
        let checked = self.begin(sent);
        self.finish(checked, sent, good_key, expect, at);
    }

    /// Up to the cipher: only the low half is known.
    fn begin(&self, sent: u64) -> Result<Seq64, Replay> {
        let seq = self.window.infer(Seq64(sent).low())?;
        self.window.check(seq).map(|()| seq)
    }

    /// From the ICV on.
    fn finish(
        &mut self,
        checked: Result<Seq64, Replay>,
        sent: u64,
        good_key: bool,
        expect: &Expect,
        at: &str,
    ) {
        let verdict = match checked {
            Err(why) => self.refused(why),
            Ok(_) if self.packets_hard.is_some_and(|hard| self.accepted >= hard) => {
                Expect::parse("drop:hard_expired")
            }
            Ok(seq) if !good_key || seq != Seq64(sent) => {
                self.auth_fail += 1;
                Expect::parse("drop:auth")
            }
            Ok(seq) => match self.window.commit(seq) {
                Err(why) => self.refused(why),
                Ok(advance) => {
                    self.lost += advance.lost;
                    self.accepted += 1;
                    Expect::Accept
                }
            },
        };
        assert_eq!(&verdict, expect, "{at}: {sent:#x} at top {:#x}", self.window.top().0);
    }

    fn refused(&mut self, why: Replay) -> Expect {
        match why {
            Replay::Zero => Expect::parse("drop:seq_zero"),
            Replay::TooOld | Replay::Duplicate => {
                self.replay += 1;
                Expect::parse("drop:replay")
            }
        }
    }

    fn set_top(&mut self, top: u64, seen: &[u64]) {
        let size = self.window.size().expect("a window");
        self.window = Window::with_top(size, self.window.esn(), Seq64(top));
        for seq in seen {
            self.window.commit(Seq64(*seq)).expect("numbers seen lie in the window");
        }
    }

    fn counter(&self, name: &str) -> u64 {
        match name {
            "replay" => self.replay,
            "auth_fail" => self.auth_fail,
            "lost" => self.lost,
            _ => panic!("counter {name}"),
        }
    }
}
