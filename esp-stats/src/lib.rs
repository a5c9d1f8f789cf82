//! Counters that each worker writes on its own cache lines, summed on read.
//!
//! **What is promised, to whom.** To a worker: counting is a plain load and a plain store into a line that no
//! other thread writes. No locked instruction, no lock, no allocation, no system call, no panic. To a reader: every
//! packet that was counted is in the sum once, whichever workers came and went; no cell ever runs backwards while a
//! reader looks, so the engine-level sums ([`Shards::totals`]) and the SA-level grand total ([`SaCells::total`])
//! never go down. What is not promised: a snapshot is not one instant. While workers run, two cells of one snapshot
//! can be a few packets apart; once they are quiet, and something orders their last burst before the read (a join, a
//! channel, a lock), sums are exact.
//!
//! **Who writes what.**
//!
//! | memory                             | written by                              | read by            |
//! |------------------------------------|-----------------------------------------|--------------------|
//! | hot line and drop cells of index i | the one [`ShardWriter`] that holds i    | anyone             |
//! | SA cells of (index i, slot)        | the one [`WorkerToken`] that holds i    | anyone             |
//! | the same, when an SA is folded     | control thread, after the grace period  | anyone             |
//! | the row of removed SAs             | control thread, under a mutex           | under that mutex   |
//! | which indices are taken            | claim and drop, under a mutex           | the same           |
//!
//! **How an index changes hands.** [`Shards::claim`] takes the lowest free index under a mutex, and dropping the
//! writer gives it back under the same mutex. The last store of the old owner is therefore ordered before the first
//! load of the new one, who goes on adding to the same cells. Nothing is copied or cleared on the way, so no reader
//! can see a packet twice.
//!
//! **Orderings.** All cell accesses are `Relaxed`. A cell is one independent running total: no reader draws a
//! conclusion about other memory from its value, and a single atomic location is never seen to run backwards by one
//! thread. The only edges that matter, old owner to new owner and worker to the folding control thread, come from
//! the mutex above and from the caller's grace period.
//!
//! The crate is mechanism: what a hot cell or a label means is the caller's business.
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cell;
mod cells;
mod shards;
mod workers;

pub use cell::{CellDelta, CellSum};
pub use cells::{NoSuchBulk, SaCells};
pub use shards::{Label, MAX_HOT, ShardWriter, Shards, Totals};
pub use workers::WorkerToken;
