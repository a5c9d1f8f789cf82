//! The counters that are not in the hot line.

use esp_stats::Label;

use crate::verdict::DropReason;

/// Everything that is counted but the hot line: drop reasons first, with their own discriminants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Packets dropped, by reason.
    Dropped(DropReason),
    /// Authentic dummy packets.
    Dummy,
    /// NAT keepalives.
    Keepalive,
    /// Packets handed back as IKE.
    Ike,
    /// Packets handed back as neither ESP nor UDP-encapsulated ESP.
    NotEsp,
    /// Sequence numbers reserved past an SA's limit: spent, unsent.
    Spent,
    /// Sequence numbers that left a replay window unseen.
    Lost,
    /// Locks of a replay mutex whose first try failed.
    LockContended,
    /// Locks of a replay mutex that may have slept.
    LockBlocked,
    /// Audit events that found no room in the queue or in their burst's share.
    EventsLost,
}

const DROPS: usize = DropReason::ALL.len();

impl Counter {
    /// The counters that are not drop reasons.
    pub const OTHERS: &'static [Self] = &[
        Self::Dummy,
        Self::Keepalive,
        Self::Ike,
        Self::NotEsp,
        Self::Spent,
        Self::Lost,
        Self::LockContended,
        Self::LockBlocked,
        Self::EventsLost,
    ];

    /// The counter's label in statistics and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dropped(reason) => reason.name(),
            Self::Dummy => "dummy",
            Self::Keepalive => "keepalive",
            Self::Ike => "ike",
            Self::NotEsp => "not_esp",
            Self::Spent => "spent",
            Self::Lost => "lost",
            Self::LockContended => "lock_contended",
            Self::LockBlocked => "lock_blocked",
            Self::EventsLost => "events_lost",
        }
    }
}

impl Label for Counter {
    const COUNT: usize = DROPS + Self::OTHERS.len();

    #[inline]
    fn index(self) -> usize {
        match self {
            Self::Dropped(reason) => reason as usize,
            Self::Dummy => DROPS,
            Self::Keepalive => DROPS + 1,
            Self::Ike => DROPS + 2,
            Self::NotEsp => DROPS + 3,
            Self::Spent => DROPS + 4,
            Self::Lost => DROPS + 5,
            Self::LockContended => DROPS + 6,
            Self::LockBlocked => DROPS + 7,
            Self::EventsLost => DROPS + 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_counter_has_a_cell_and_a_name_of_its_own() {
        let all: Vec<Counter> = DropReason::ALL
            .iter()
            .map(|reason| Counter::Dropped(*reason))
            .chain(Counter::OTHERS.iter().copied())
            .collect();
        assert_eq!(all.len(), Counter::COUNT);
        for (index, counter) in all.iter().enumerate() {
            assert_eq!(counter.index(), index, "{}", counter.name());
            assert_eq!(all.iter().filter(|other| other.name() == counter.name()).count(), 1);
        }
    }
}
