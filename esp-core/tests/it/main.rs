//! The engine as a whole, against the slow ESP of `esp-testkit` and the faults that others had.
#![expect(clippy::cast_possible_truncation, reason = "test values are small")]

mod attacks;
mod encap_faults;
mod inbound_faults;
#[cfg(feature = "legacy")]
mod legacy;
mod outbound_faults;
mod rig;
mod scenarios;
mod threads;
mod vectors;
mod walks;
