//! Known answers that can be checked on the machine that will carry the traffic.

mod known_answer;

use self::known_answer::{KnownAnswer, known_answers};
use crate::{Tier, Tiers, Transform};

/// The outcome of one known answer on one tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfTestOutcome {
    /// The transform tested.
    pub transform: Transform,
    /// The tier tested.
    pub tier: Tier,
    /// The packet it was tested with, such as `rfc7634-appendix-a`.
    pub case: &'static str,
    /// True if every packet of a burst was sealed to the known bytes and opened to the known payload, and if
    /// each of its packets was refused after a bit of its ICV had been turned.
    pub passed: bool,
}

/// Runs every known answer on every tier that `tiers` allows for its transform.
///
/// Each transform has answers with and without ESN. Those that only receive are opened and not sealed, and those
/// without integrity refuse nothing.
pub fn self_test(tiers: &Tiers) -> Vec<SelfTestOutcome> {
    known_answers().flat_map(|answer| ask(&answer, tiers)).collect()
}

fn ask(answer: &KnownAnswer, tiers: &Tiers) -> Vec<SelfTestOutcome> {
    let KnownAnswer { transform, case, .. } = *answer;
    let outcome = |tier| SelfTestOutcome { transform, tier, case, passed: answer.holds(tier) == Some(true) };
    tiers.all(transform).map(outcome).collect()
}

#[cfg(test)]
mod tests;
