//! What one worker did in one phase.

use std::collections::BTreeMap;
use std::time::Duration;

use esp_core::Verdict;

use crate::output::counted;

/// Counts of one worker in one phase. Packets, where nothing else is said.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Whether the thread was bound to a CPU of its own.
    pub(crate) pinned: bool,
    pub(crate) sealed: u64,
    pub(crate) opened: u64,
    /// Opened by the right SA, and equal to what was sealed.
    pub(crate) compared: u64,
    /// Bytes of the inner IP packets that were compared.
    pub(crate) inner_bytes: u64,
    /// Time within the engine's calls.
    pub(crate) seal: Duration,
    pub(crate) open: Duration,
    /// Time to make the packets, describe them to the engine and compare them.
    pub(crate) compare: Duration,
    pub(crate) faults: Faults,
}

/// What went wrong. All zero in a correct run.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    unsealed: BTreeMap<String, u64>,
    unopened: BTreeMap<String, u64>,
    different: u64,
    first_difference: Option<String>,
}

impl Faults {
    /// Notes a packet that was not sealed.
    #[cold]
    pub(crate) fn unsealed(&mut self, verdict: &Verdict) {
        *self.unsealed.entry(ending(verdict)).or_default() += 1;
    }

    /// Notes a sealed packet that was not opened.
    #[cold]
    pub(crate) fn unopened(&mut self, verdict: &Verdict) {
        *self.unopened.entry(ending(verdict)).or_default() += 1;
    }

    /// Notes a packet that is not what was sealed; `what` describes it if it is the first.
    #[cold]
    pub(crate) fn different(&mut self, what: impl FnOnce() -> String) {
        self.different += 1;
        self.first_difference.get_or_insert_with(what);
    }

    /// Everything that was noted, in words.
    pub(crate) fn describe(&self) -> Vec<String> {
        let unsealed =
            self.unsealed.iter().map(|(why, n)| format!("{} not sealed: {why}", counted(*n, "packet")));
        let unopened = self
            .unopened
            .iter()
            .map(|(why, n)| format!("{} not opened: {why}", counted(*n, "sealed packet")));
        let different = self.first_difference.iter().map(|first| {
            let packets = counted(self.different, "packet");
            format!("{packets} not as sealed; the first: {first}")
        });
        unsealed.chain(unopened).chain(different).collect()
    }
}

fn ending(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Dropped { reason, detail: 0 } => reason.name().to_owned(),
        Verdict::Dropped { reason, detail } => format!("{} ({detail})", reason.name()),
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use esp_core::DropReason;

    #[test]
    fn faults_are_told_by_kind_with_their_number() {
        let mut faults = Faults::default();
        assert!(faults.describe().is_empty());
        faults.unopened(&DropReason::ReplayTooOld.into());
        faults.unopened(&DropReason::ReplayTooOld.into());
        faults.unsealed(&Verdict::Dropped { reason: DropReason::NoRoom, detail: 7 });
        faults.different(|| "byte 3".to_owned());
        faults.different(|| "byte 4".to_owned());
        let told = [
            "1 packet not sealed: no_room (7)",
            "2 sealed packets not opened: replay_too_old",
            "2 packets not as sealed; the first: byte 3",
        ];
        assert_eq!(faults.describe(), told);
    }
}
