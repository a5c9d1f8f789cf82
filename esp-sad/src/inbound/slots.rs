//! What needs no key: an SA by its identifier, walking over all of them, counting.

use std::sync::Arc;

use super::InboundSad;
use crate::key::Keyed;
use crate::reclaim::{Domain, Guard};
use crate::slab::SlotId;

impl<T: Keyed> InboundSad<T> {
    /// The SA that `id` names, if it is live. Wait-free.
    #[inline]
    pub fn get<'g>(&'g self, guard: &'g Guard<'_>, id: SlotId) -> Option<&'g T> {
        self.slab.get(guard, id)
    }

    /// The live SA in slot `index`. Wait-free. Going from 0 to the capacity meets every SA that stays live.
    #[inline]
    pub fn at<'g>(&'g self, guard: &'g Guard<'_>, index: u32) -> Option<(SlotId, &'g T)> {
        self.slab.at(guard, index)
    }

    /// Looks at a live SA under a mutex, for a thread that is no reader. `look` must not change this database.
    pub fn peek<R>(&self, id: SlotId, look: impl FnOnce(&T) -> R) -> Option<R> {
        self.slab.peek(id, look)
    }

    /// The most SAs there can be, fixed at creation.
    #[must_use]
    pub fn capacity(&self) -> u32 {
        self.slab.capacity()
    }

    /// The number of live SAs, without reservations.
    #[must_use]
    pub fn live(&self) -> u32 {
        self.slab.live()
    }

    /// The number of removed SAs that are not freed yet. At most the capacity.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.slab.pending()
    }

    /// The index of a reader that holds up the oldest grace period in progress.
    #[must_use]
    pub fn stalled(&self) -> Option<usize> {
        self.slab.stalled()
    }

    /// The domain whose readers may look.
    #[must_use]
    pub const fn domain(&self) -> &Arc<Domain> {
        self.slab.domain()
    }
}
