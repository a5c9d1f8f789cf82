//! The anti-replay window of RFC 4303 section 3.4.3, exact, with ESN inference (appendix A2).
//!
//! **What is promised, to whom.** To the inbound walk: a sequence number that was committed is never committed again
//! while it is inside the window; a number below the window is never committed; every other number is. The window is
//! exact for any size, not only for powers of two or whole words. [`Window::check`] is cheap and changes nothing, so
//! it may run before the cipher; [`Window::commit`] judges again by the same rule and updates in one step, so two
//! copies of a number that both passed `check` end as one accepted packet and one duplicate. The high half of an
//! extended sequence number is returned by value: nothing about a packet is kept in the window between the two calls.
//! No call panics or allocates, and a step costs at most the words that the window moved over, the whole window at
//! worst, however far the jump.
//!
//! **Who writes what.** [`Window`] is a plain value with one owner. An SA that several workers share keeps it in a
//! [`Guarded`], a mutex on cache lines of its own, together with whatever else has to change in the same step. The
//! caller authenticates between `check` and `commit`; this crate has no way to know, so committing only what was
//! authenticated is the caller's duty.
//!
//! ```
//! use esp_replay::{Replay, Window, WindowSize};
//! use esp_wire::{Seq64, SeqLow};
//!
//! let mut window = Window::new(WindowSize::DEFAULT, true);
//! let seq = window.infer(SeqLow(7))?;
//! window.check(seq)?;
//! // ... the ICV is verified here, over `seq` ...
//! assert_eq!(window.commit(seq)?.lost, 0);
//! assert_eq!(window.commit(seq), Err(Replay::Duplicate));
//! assert_eq!(window.top(), Seq64(7));
//! # Ok::<(), Replay>(())
//! ```
#![forbid(unsafe_code)]
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod guarded;
#[cfg(any(test, feature = "model"))]
pub mod model;
mod ring;
mod size;
mod window;

pub use guarded::{Contention, Guard, Guarded, Protected, SPINS};
pub use size::{WindowSize, WindowSizeError};
pub use window::{Advance, Replay, Window};
