//! Test support: known answers, packet builders, and a slow ESP written from the RFC alone.
//!
//! Nothing here is shared with the engine, so a mistake in one is not a mistake in both.
//!
//! * [`vectors`]: known answers. Those of others live in an optional directory outside the workspace; those that
//!   `scripts/scapy_vectors.py` made are compiled in.
//!
//! Functions panic, with the reason, where a test could not go on anyway.

#![expect(
    clippy::missing_panics_doc,
    reason = "test support: every function panics with its reason when a test could not go on"
)]

pub mod vectors;
