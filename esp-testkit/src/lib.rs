//! Test support: known answers, packet builders, and a slow ESP written from the RFC alone.
//!
//! Nothing here is shared with the engine, so a mistake in one is not a mistake in both.
//!
//! * [`vectors`]: known answers. Those of others live in an optional directory outside the workspace; those
//!   that `scripts/scapy_vectors.py` made are compiled in.
//! * [`builder`]: packets in clear with any header field, and buffers that notice a write out of bounds.
//! * [`slow`]: an ESP that is simple rather than fast, to compare with, and to make packets that are
//!   authentic and wicked.
//! * [`alloc_counter`]: a global allocator that shows that something does not allocate.
//! * [`guard_page`]: buffers next to a page that can't be touched, to catch a read out of bounds.
//!
//! Functions panic, with the reason, where a test could not go on anyway.

#![expect(
    clippy::missing_panics_doc,
    reason = "test support: every function panics with its reason when a test could not go on"
)]

pub mod alloc_counter;
pub mod builder;
pub mod guard_page;
pub mod slow;
pub mod vectors;
