//! What a control thread is told when the database refuses.

use crate::key::SaKey;

/// Why the database refused a change. No variant carries secret bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SadError {
    /// An SA with exactly this key is live, or its SPI is reserved by [`allocate_spi`].
    ///
    /// [`allocate_spi`]: crate::InboundSad::allocate_spi
    #[error("an SA with {key} is live or its SPI is reserved")]
    Exists {
        /// The key that is taken.
        key: SaKey,
    },
    /// Every slot holds a live SA or a reservation. Remove one first.
    #[error("all {max} slots are taken")]
    Full {
        /// The capacity that was fixed at creation, in SAs.
        max: u32,
    },
    /// No slot is free, but at least one waits for its grace period: call `reclaim`, then try again.
    #[error("no slot is free until a grace period ends{}", Stalled(*.stalled))]
    Busy {
        /// The index of a reader that holds the grace period up, if one does at this moment.
        stalled: Option<usize>,
    },
    /// The value's own key is not the key it was to be installed under.
    #[error("the SA's own key is not the key it was to be installed under")]
    KeyMismatch,
    /// The reservation was made by another database.
    #[error("the reservation belongs to another database")]
    ForeignReservation,
    /// A capacity of zero, or above the limit.
    #[error("a capacity of {asked} SAs is outside 1..={limit}")]
    Capacity {
        /// What was asked for, in SAs.
        asked: u32,
        /// The largest legal capacity, in SAs.
        limit: u32,
    },
}

struct Stalled(Option<usize>);

impl core::fmt::Display for Stalled {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.0 {
            Some(reader) => write!(f, "; reader {reader} holds it up"),
            None => Ok(()),
        }
    }
}
