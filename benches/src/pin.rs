//! Which thread runs where.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The CPUs that this process may use, last first: the first one of a machine serves the most interrupts.
pub(crate) fn cpus() -> Vec<usize> {
    let Ok(allowed) = sched_getaffinity(None) else { return Vec::new() };
    (0..CpuSet::MAX_CPU).rev().filter(|cpu| allowed.is_set(*cpu)).collect()
}

/// Keeps the calling thread on one CPU. False if the system does not let it.
pub(crate) fn pin(cpu: usize) -> bool {
    let mut only = CpuSet::new();
    only.set(cpu);
    sched_setaffinity(None, &only).is_ok()
}

/// The CPU of thread `index`, in turn if there are more threads than CPUs.
pub(crate) fn nth(cpus: &[usize], index: usize) -> Option<usize> {
    cpus.get(index.checked_rem(cpus.len())?).copied()
}
