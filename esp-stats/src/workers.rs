//! Which worker indices are taken.

use std::sync::Arc;

use parking_lot::Mutex;

/// The indices `0..max` of one engine. Its mutex is what orders the old owner of an index before the new one.
#[derive(Debug)]
pub(crate) struct Workers {
    taken: Mutex<Box<[bool]>>,
}

impl Workers {
    /// `max` free indices.
    pub(crate) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self { taken: Mutex::new(vec![false; max].into_boxed_slice()) })
    }

    /// Takes the lowest free index; `None` when all are taken.
    pub(crate) fn claim(self: &Arc<Self>) -> Option<WorkerToken> {
        let mut taken = self.taken.lock();
        let (index, entry) = taken.iter_mut().enumerate().find(|(_, entry)| !**entry)?;
        *entry = true;
        Some(WorkerToken { index, workers: Arc::clone(self) })
    }

    /// How many indices are taken now.
    pub(crate) fn live(&self) -> usize {
        self.taken.lock().iter().filter(|entry| **entry).count()
    }
}

/// Proof of being the only writer of one worker index. Not `Clone`; used by `&mut` on the hot path; dropping it
/// frees the index and leaves the counters where they are.
#[derive(Debug)]
pub struct WorkerToken {
    index: usize,
    workers: Arc<Workers>,
}

impl WorkerToken {
    /// The index, `0..max_workers` of the [`Shards`](crate::Shards) that gave it.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Whether this token came from `workers`.
    pub(crate) fn is_of(&self, workers: &Arc<Workers>) -> bool {
        Arc::ptr_eq(&self.workers, workers)
    }
}

impl Drop for WorkerToken {
    fn drop(&mut self) {
        if let Some(entry) = self.workers.taken.lock().get_mut(self.index) {
            *entry = false;
        }
    }
}
