//! What one burst adds to a worker's rarer counters.

use esp_replay::Contention;

/// Counts that arise inside a walk and are added to the worker's cells once, at its end.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Sequence numbers reserved past the limit: spent, unsent.
    pub(crate) spent: u64,
    /// Sequence numbers that left a replay window unseen.
    pub(crate) lost: u64,
    /// How often a replay mutex was not free.
    pub(crate) contention: Contention,
}
