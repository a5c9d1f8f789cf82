//! The public scenarios, step by step, through the engine.
//!
//! The peer is the slow ESP. A scenario whose SA the engine refuses, for a reason that the RFC gives, passes by the
//! refusal. One that needs what is not built is named and counted; a word that is not known here fails.

mod counters;
mod inbound;
mod outbound;
mod sas;

use esp_testkit::vectors::{self, Count, Expect, Scenario, Step};

use inbound::Handling;
use sas::{Sas, Unfit};

/// What became of a scenario.
enum Fate {
    Ran,
    /// The engine refuses the SA, for this reason.
    Refused(String),
    NotBuilt(&'static str),
}

#[test]
fn public_scenarios() {
    let Some(scenarios) = vectors::scenarios() else { return vectors::skipped("public_scenarios") };
    let (mut ran, mut refused, mut not_built) = (0, 0, 0);
    for scenario in &scenarios {
        match run(scenario) {
            Fate::Ran => ran += 1,
            Fate::Refused(why) => {
                println!("refused: {}: {why}", scenario.name);
                refused += 1;
            }
            Fate::NotBuilt(what) => {
                println!("not built: {what}: {}", scenario.name);
                not_built += 1;
            }
        }
    }
    println!("scenarios: {} in all, {ran} ran, {refused} refused, {not_built} not built", scenarios.len());
    assert_eq!(ran + refused + not_built, scenarios.len());
    assert!(ran > 2 * (refused + not_built), "most of the scenarios run");
}

fn run(scenario: &Scenario) -> Fate {
    if needs_lifetimes(scenario) {
        return Fate::NotBuilt("lifetimes");
    }
    let mut sas = match Sas::new(scenario) {
        Ok(sas) => sas,
        Err(Unfit(why)) => return Fate::Refused(why),
    };
    let mut handling = Handling::default();
    for (number, step) in scenario.steps.iter().enumerate() {
        let at = format!("{}, step {number}", scenario.name);
        take(&mut sas, &mut handling, step, &at);
    }
    for (counter, value) in &scenario.expected_totals {
        let found = counters::read(&sas, &handling, counter);
        assert_eq!(found, *value, "{}: counter {counter}", scenario.name);
    }
    Fate::Ran
}

fn take(sas: &mut Sas, handling: &mut Handling, step: &Step, at: &str) {
    match step {
        Step::Recv { seq, count, expect, key, tamper, sa, extra } => {
            known_fields(extra, at);
            let id = sas.inbound_id(sa.as_deref());
            for n in 0..*count {
                // Without a number, each packet is a new one; with one, all are copies.
                let seq = seq.unwrap_or_else(|| sas.next_from_peer(&id));
                let packet = sas.sealed(&id, seq, key.as_deref(), tamper.as_deref(), expect, at);
                handling.receive(sas, &id, seq, &packet, expect, &format!("{at}, copy {n}"));
            }
        }
        Step::RecvRange { from, to, step, expect, key, tamper, extra } => {
            known_fields(extra, at);
            let id = sas.inbound_id(None);
            for seq in (*from..=*to).step_by(usize::try_from(*step).expect("a small step")) {
                let packet = sas.sealed(&id, seq, key.as_deref(), tamper.as_deref(), expect, at);
                handling.receive(sas, &id, seq, &packet, expect, at);
            }
        }
        Step::Burst { seqs, expect } => handling.burst(sas, seqs, expect, at),
        Step::Begin { tag, seq } => handling.begin(sas, tag, *seq),
        Step::Finish { tag, expect } => handling.finish(sas, tag, expect, at),
        Step::SetRxTop { seq, seen } => handling.set_top(sas, *seq, seen, at),
        Step::SetTxSeq { seq } => sas.set_sent(*seq),
        Step::AssertCounter { counter, value } => {
            assert_eq!(counters::read(sas, handling, counter), *value, "{at}: counter {counter}");
        }
        Step::RecvUdp4500 { payload, count, expect } => {
            for _ in 0..*count {
                inbound::receive_udp4500(sas, payload, expect, at);
            }
        }
        Step::Send {
            count,
            until: None,
            max_at: None,
            burst,
            expect,
            first_seq,
            on_sa,
            event: None,
            extra,
        } => {
            known_fields(extra, at);
            let Some(Count::Exact(count)) = count else { panic!("{at}: send {count:?} packets") };
            outbound::send(sas, *count, *burst, expect, *first_seq, on_sa.as_deref(), at);
        }
        Step::Process { count, expect } => {
            if sas.sends() {
                outbound::send(sas, *count, false, expect, None, None, at);
            } else {
                let id = sas.inbound_id(None);
                for _ in 0..*count {
                    let seq = sas.next_from_peer(&id);
                    let packet = sas.sealed(&id, seq, None, None, expect, at);
                    handling.receive(sas, &id, seq, &packet, expect, at);
                }
            }
        }
        Step::AddSa { id } => sas.add(id),
        Step::DelSa { id } => sas.delete(id),
        Step::UseForOutput { sa } => sas.use_for_output(sa),
        Step::Send { .. } | Step::Other(_) => panic!("{at}: not known here: {step:?}"),
    }
}

/// Whether the scenario is about what ends an SA's life.
fn needs_lifetimes(scenario: &Scenario) -> bool {
    let sa = &scenario.sa.lifetime;
    let about_expiry = |expect: &Expect| match expect {
        Expect::AcceptWithEvent(event) => event.ends_with("_expired"),
        Expect::Drop(reason) => reason == "hard_expired",
        _ => false,
    };
    sa.packets_soft.is_some()
        || sa.packets_hard.is_some()
        || scenario.steps.iter().any(|step| match step {
            Step::Recv { expect, .. } | Step::Process { expect, .. } | Step::Send { expect, .. } => {
                about_expiry(expect)
            }
            _ => false,
        })
}

/// Says which fields of a step were not looked at.
fn known_fields(extra: &serde_json::Map<String, serde_json::Value>, at: &str) {
    for field in extra.keys().filter(|field| !matches!(field.as_str(), "note" | "notes" | "comment")) {
        println!("not looked at: {at}: field `{field}`");
    }
}
