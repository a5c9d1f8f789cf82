//! Handles: slot and generation, resolved inside each call. A stale one is an error, never another SA.

use std::fmt;

use esp_sad::SlotId;

/// Bit 63 of a handle says outbound; a [`SlotId`] needs 63 bits.
const OUTBOUND: u64 = 1 << 63;

/// One SA, of either direction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct SaId(u64);

/// The outbound direction of a tunnel: what [`Worker::seal_burst`](crate::Worker::seal_burst) takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct TunnelId(u64);

/// Which slab a handle's slot is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Outbound(SlotId),
    Inbound(SlotId),
}

impl SaId {
    /// The handle as a number, for a C caller or a table.
    #[inline]
    #[must_use]
    pub const fn to_u64(self) -> u64 {
        self.0
    }

    /// The handle that [`SaId::to_u64`] gave. Any number may be asked about; one that names no live SA is stale.
    #[inline]
    #[must_use]
    pub const fn from_u64(raw: u64) -> Self {
        Self(raw)
    }

    /// Whether the SA seals (true) or opens.
    #[inline]
    #[must_use]
    pub const fn is_outbound(self) -> bool {
        self.0 & OUTBOUND != 0
    }

    #[inline]
    pub(crate) fn outbound(slot: SlotId) -> Self {
        Self(slot.to_u64() | OUTBOUND)
    }

    #[inline]
    pub(crate) fn inbound(slot: SlotId) -> Self {
        Self(slot.to_u64())
    }

    #[inline]
    pub(crate) fn place(self) -> Place {
        let slot = SlotId::from_u64(self.0 & !OUTBOUND);
        if self.is_outbound() { Place::Outbound(slot) } else { Place::Inbound(slot) }
    }
}

impl TunnelId {
    /// The handle as a number, for a C caller or a table.
    #[inline]
    #[must_use]
    pub const fn to_u64(self) -> u64 {
        self.0
    }

    /// The handle that [`TunnelId::to_u64`] gave. Any number may be asked about.
    #[inline]
    #[must_use]
    pub const fn from_u64(raw: u64) -> Self {
        Self(raw)
    }

    #[inline]
    pub(crate) fn new(slot: SlotId) -> Self {
        Self(slot.to_u64())
    }

    #[inline]
    pub(crate) fn slot(self) -> SlotId {
        SlotId::from_u64(self.0 & !OUTBOUND)
    }
}

impl fmt::Debug for SaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if self.is_outbound() { "out" } else { "in" };
        write!(f, "SaId({direction} {:#x})", self.0 & !OUTBOUND)
    }
}

impl fmt::Debug for TunnelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TunnelId({:#x})", self.0)
    }
}
