//! Benchmarks of the ESP datapath: whole walks in Mpps, each beside its null twin, and the originals' experiments.
//!
//! The `mpps` program is the front; `benches/` holds criterion benches of single stages. How a row is made:
//!
//! * A row is a [`Bench`]: an engine of its own, its SAs, and one [`Lane`] a thread. Lanes are pinned if the system
//!   lets them.
//! * A lane works in *batches* of about 256 packets. It refills its buffers, times the walk over the batch, and starts
//!   again; so the clock is read twice a batch, and neither refilling nor (for opening) the sealing that makes the
//!   packets is timed. Packets lie 2,240 bytes apart, warm in the second-level cache.
//! * A *visit* runs batches for some milliseconds on all lanes at once. A lane's figure is the median batch, so that a
//!   moment without the core does not count; Mpps is the sum over lanes.
//! * *Rounds* are interleaved: each visits every row once, so that a slow minute falls on all rows. A row's figure is
//!   the median of its rounds, its spread is p90 / p10 - 1 of them.
//!
//! [`counters`] are such rows as well. [`contexts`] and [`keying`] time transforms alone, by the same visits and rounds.
//!
//! The null twin ([`Axes::null`]) is the same walk under a transform that does no cryptography: everything but the
//! cipher.

mod arena;
mod axes;
mod batches;
mod bench;
pub mod contexts;
pub mod counters;
mod counting;
pub mod keying;
mod lane;
mod machine;
#[cfg(feature = "openssl")]
mod openssl;
mod pin;
mod report;
mod rounds;
mod summary;
mod team;

pub use axes::{Axes, Op, inner_packet, tunnel_pair};
pub use batches::{CALLS, in_batches};
pub use bench::Bench;
pub use counting::Counting;
pub use lane::{Lane, Visit};
pub use machine::Machine;
pub use report::{Format, Render, Report, Row, rows};
pub use rounds::{Timed, Timing, run};
pub use summary::Summary;
