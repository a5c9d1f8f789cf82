//! The name of a slot in one of its lives.

/// A slot and the generation of the value in it. Stale once that value is removed: it then finds nothing, never
/// another value.
///
/// The generation comes round after 2^31 - 1 values in the same slot. Slots are reused oldest first and generations
/// start at a random number, so an identifier from an earlier run of the program is stale but for chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SlotId {
    index: u32,
    generation: u32,
}

impl SlotId {
    pub(crate) const fn new(index: u32, generation: u32) -> Self {
        Self { index, generation }
    }

    /// The slot, below the slab's capacity.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// The generation: 31 bits, never 0.
    #[must_use]
    pub const fn generation(self) -> u32 {
        self.generation
    }

    /// Generation above index, 63 bits: the top bit is the caller's. Never 0.
    #[must_use]
    pub const fn to_u64(self) -> u64 {
        (self.generation as u64) << 32 | self.index as u64
    }

    /// The identifier that [`to_u64`](Self::to_u64) gave. Any other number gives an identifier that finds nothing
    /// unless it happens to name a live slot; the top bit is ignored.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of 64 bits")]
    pub const fn from_u64(raw: u64) -> Self {
        Self { index: raw as u32, generation: (raw >> 32) as u32 & MAX_GENERATION }
    }

    /// What the slot's directory word holds in this life.
    pub(crate) const fn word(self, tag: u32, live: bool) -> u64 {
        (tag as u64) << 32 | (self.generation as u64) << 1 | live as u64
    }
}

/// 2^31 - 1.
pub(crate) const MAX_GENERATION: u32 = u32::MAX >> 1;
