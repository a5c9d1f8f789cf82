//! Which CPUs this process may use, and how a thread is bound to one.

/// A CPU's number, as the system counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cpu(usize);

/// The CPUs that this process may use; where the system cannot say which, as many as it has, from 0.
pub(crate) fn allowed() -> Vec<Cpu> {
    named().filter(|cpus| !cpus.is_empty()).unwrap_or_else(|| {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        (0..count).map(Cpu).collect()
    })
}

#[cfg(target_os = "linux")]
fn named() -> Option<Vec<Cpu>> {
    let set = rustix::thread::sched_getaffinity(None).ok()?;
    let max = rustix::thread::CpuSet::MAX_CPU;
    Some((0..max).filter(|cpu| set.is_set(*cpu)).map(Cpu).collect())
}

#[cfg(not(target_os = "linux"))]
fn named() -> Option<Vec<Cpu>> {
    None
}

/// Binds the calling thread to `cpu`; false if the system does not allow it.
#[cfg(target_os = "linux")]
pub(crate) fn pin(cpu: Cpu) -> bool {
    let mut set = rustix::thread::CpuSet::new();
    set.set(cpu.0);
    rustix::thread::sched_setaffinity(None, &set).is_ok()
}

/// Binds the calling thread to `cpu`; false, as this system has no call for it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn pin(_cpu: Cpu) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_cpu() {
        let cpus = allowed();
        assert!(!cpus.is_empty());
        if cfg!(target_os = "linux") {
            assert!(std::thread::spawn(move || pin(cpus[0])).join().unwrap());
        }
    }
}
