//! What a caller of the crate may rely on, checked through its public functions.
#![expect(clippy::unwrap_used, reason = "clippy.toml exempts test functions, not the helpers beside them")]

mod agree;
mod allocations;
mod bursts;
mod esp;
mod faults;
mod keys;
mod known_answers;
mod tiers;
