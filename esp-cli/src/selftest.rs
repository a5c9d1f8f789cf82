//! `esp selftest`: known answers on every tier that this CPU has.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use esp_core::{Tier, Tiers, Transform};
use esp_crypto::SelfTestOutcome;
use serde::Serialize;

use crate::cli::SelftestArgs;
use crate::table::{Align, Table};
use crate::{cpu_deny, output};

/// Runs the self-test and prints what came of it.
///
/// # Errors
///
/// `ESP_CPU_DENY` names an unknown feature, or standard output cannot be written.
pub(crate) fn run(args: &SelftestArgs) -> Result<ExitCode> {
    let denied = cpu_deny::from_env()?;
    let tiers = Tiers::detect(&denied);
    let report = Report::new(&tiers, cpu_deny::names(&denied), &esp_crypto::self_test(&tiers));
    output::print_report(&report, args.json, || report.text())?;
    Ok(output::exit_code(report.ok))
}

#[derive(Debug, Serialize)]
struct Report {
    version: &'static str,
    denied: Vec<&'static str>,
    tiers: Vec<Served>,
    outcomes: Vec<Outcome>,
    ok: bool,
}

/// The tiers that serve a transform here, fastest first, and those that would if nothing were denied.
#[derive(Debug, Serialize)]
struct Served {
    transform: &'static str,
    tiers: Vec<&'static str>,
    denied: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct Outcome {
    transform: &'static str,
    tier: &'static str,
    case: &'static str,
    passed: bool,
}

impl Report {
    fn new(tiers: &Tiers, denied: Vec<&'static str>, outcomes: &[SelfTestOutcome]) -> Self {
        let served: Vec<_> = Transform::ALL.iter().map(|transform| Served::of(tiers, *transform)).collect();
        let outcomes: Vec<_> = outcomes.iter().map(Outcome::of).collect();
        // A tier without a known answer was not tested, and that is no pass.
        let tested = |transform: &str, tier: &&str| {
            outcomes.iter().any(|case| case.transform == transform && case.tier == *tier)
        };
        let complete = served.iter().all(|row| row.tiers.iter().all(|tier| tested(row.transform, tier)));
        let ok = complete && outcomes.iter().all(|case| case.passed);
        Self { version: env!("CARGO_PKG_VERSION"), denied, tiers: served, outcomes, ok }
    }

    fn text(&self) -> String {
        let denied = if self.denied.is_empty() { "none".to_owned() } else { self.denied.join(", ") };
        let mut text = format!("esp selftest {}; CPU features denied: {denied}\n\n", self.version);
        let mut table = Table::new(&[
            ("transform", Align::Left),
            ("tier", Align::Left),
            ("known answers", Align::Right),
            ("result", Align::Left),
        ]);
        for served in &self.tiers {
            for tier in &served.tiers {
                table.row(self.row(served.transform, tier));
            }
            for tier in &served.denied {
                let cells = [served.transform, tier, "-", "denied"];
                table.row(cells.map(str::to_owned));
            }
        }
        text += &table.render();
        text.push('\n');
        text += if self.ok { "every known answer holds\n" } else { "FAILED: see above\n" };
        text
    }

    fn row(&self, transform: &str, tier: &str) -> [String; 4] {
        let ours = self.outcomes.iter().filter(|case| case.transform == transform && case.tier == tier);
        let (mut held, mut all, mut result) = (0, 0, String::new());
        for case in ours {
            all += 1;
            if case.passed {
                held += 1;
            } else {
                // Writing to a String cannot fail.
                let _ = write!(result, " {}", case.case);
            }
        }
        let result = match (all, result.is_empty()) {
            (0, _) => "NOT TESTED".to_owned(),
            (_, true) => "pass".to_owned(),
            (_, false) => format!("FAIL:{result}"),
        };
        [transform.to_owned(), tier.to_owned(), format!("{held} of {all}"), result]
    }
}

impl Served {
    fn of(tiers: &Tiers, transform: Transform) -> Self {
        let allowed: Vec<Tier> = tiers.all(transform).collect();
        let without = Tiers::default().all(transform).filter(|tier| !allowed.contains(tier));
        Self {
            transform: transform.name(),
            denied: without.map(Tier::name).collect(),
            tiers: allowed.iter().map(|tier| tier.name()).collect(),
        }
    }
}

impl Outcome {
    fn of(outcome: &SelfTestOutcome) -> Self {
        Self {
            transform: outcome.transform.name(),
            tier: outcome.tier.name(),
            case: outcome.case,
            passed: outcome.passed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(tier: Tier, passed: bool) -> SelfTestOutcome {
        SelfTestOutcome { transform: Transform::Aes128Gcm16, tier, case: "rfc-case", passed }
    }

    #[test]
    fn a_failed_answer_is_named_and_fails_the_report() {
        let outcomes = [outcome(Tier::Ring, true), outcome(Tier::Ring, false)];
        let report = Report::new(&Tiers::default(), Vec::new(), &outcomes);
        assert!(!report.ok);
        let line = report.text().lines().find(|line| line.contains("rfc-case")).unwrap().to_owned();
        assert!(line.contains("1 of 2") && line.contains("FAIL"), "{line}");
    }

    #[test]
    fn a_tier_without_an_answer_is_no_pass() {
        let report = Report::new(&Tiers::default(), Vec::new(), &[]);
        assert!(!report.ok && report.text().contains("NOT TESTED"));
    }
}
