//! The experiment behind contexts that are made once: what a packet costs when its context is keyed for it, when it is
//! a copy of a keyed one, and when the SA's is used as it is.
//!
//! A patch series for DPDK's OpenSSL driver stopped duplicating a context for each packet, and the key schedule of
//! 3DES-CTR for each packet before that. Here the same algorithms run in these forms:
//!
//! | form             | by          | for each packet                                                                |
//! |------------------|-------------|--------------------------------------------------------------------------------|
//! | `null-twin`      | esp-crypto  | nothing but the call, by bursts: what is not the algorithm                     |
//! | `keyed`          | esp-crypto  | a new key from keying material, dropped and wiped behind the packet            |
//! | `cloned`         | esp-crypto  | a copy of the key on the heap, dropped and wiped behind the packet             |
//! | `single`         | esp-crypto  | the key that all threads share, one packet a call                              |
//! | `burst`          | esp-crypto  | the same, a burst a call: what the engine does                                 |
//! | `openssl-keyed`  | OpenSSL 3   | a new `EVP_MAC_CTX` with key and digest; of 3DES the cipher and key set anew   |
//! | `openssl-cloned` | OpenSSL 3   | `EVP_MAC_CTX_dup` or `EVP_CIPHER_CTX_copy` of the one that all threads share   |
//! | `openssl-once`   | OpenSSL 3   | the thread's own copy, made once and set back                                  |
//!
//! Keyed, cloned and single differ in nothing but where the key comes from; `burst` beside `single` is what
//! bursts add. Before anything is timed, all forms seal the same packets twice, and bytes that differ end the run.

mod algorithm;
mod forms;
#[cfg(feature = "openssl")]
mod on_openssl;
mod report;

use anyhow::{Context as _, Result, ensure};

pub use algorithm::Algorithm;
pub use forms::Form;
pub use report::{Report, Row};

use crate::machine::Machine;
use crate::rounds::{Timing, run};
use crate::summary::Summary;
use crate::team::{Team, Work};
use forms::{Sealer, Session, session};

/// Which rows are made: each combination is one.
#[derive(Clone, Debug)]
pub struct Axes {
    /// What is computed.
    pub algorithms: Vec<Algorithm>,
    /// Bytes that a MAC covers or a cipher encrypts.
    pub sizes: Vec<usize>,
    /// Threads that work at once, be there cores for them or not.
    pub threads: Vec<usize>,
    /// Packets a call of the burst form.
    pub burst: usize,
}

impl Axes {
    /// The sizes of the original experiment, in bytes.
    pub const SIZES: [usize; 5] = [64, 256, 1024, 2048, 4096];
    /// Fewest and most threads.
    pub const THREADS: std::ops::RangeInclusive<usize> = 1..=64;

    /// # Errors
    ///
    /// The axis that is empty or out of its range, with the range, or an algorithm that was not built.
    pub fn check(&self) -> Result<()> {
        let Self { algorithms, sizes, threads, burst } = self;
        let some = !algorithms.is_empty() && !sizes.is_empty() && !threads.is_empty();
        ensure!(some, "no row to measure");
        for size in sizes {
            ensure!((16..=9000).contains(size), "size {size}: must be 16..=9000 bytes");
        }
        for threads in threads {
            ensure!(Self::THREADS.contains(threads), "threads {threads}: must be {:?}", Self::THREADS);
        }
        ensure!((1..=forms::MOST).contains(burst), "burst {burst}: must be 1..={}", forms::MOST);
        for algorithm in algorithms {
            ensure!(algorithm.is_built(), "{algorithm}: must be built with --features legacy");
        }
        Ok(())
    }
}

/// Compares all forms, times them, and says what was found.
///
/// # Errors
///
/// As [`Axes::check`]; a form that seals other bytes than the rest; a packet that failed.
pub fn measure(axes: &Axes, timing: Timing) -> Result<Report> {
    measure_by(axes, timing, session)
}

/// As [`measure`], with forms made by `session`.
fn measure_by(
    axes: &Axes,
    timing: Timing,
    session: impl Fn(Algorithm, Form) -> Result<Session>,
) -> Result<Report> {
    axes.check()?;
    let (mut cells, mut teams) = (Vec::new(), Vec::new());
    for algorithm in axes.algorithms.iter().copied() {
        for size in &axes.sizes {
            agree(algorithm, *size, axes.burst, &session)?;
        }
        for threads in axes.threads.iter().copied() {
            for bytes in axes.sizes.iter().copied() {
                for form in algorithm.forms() {
                    let cell = Cell { algorithm, bytes, threads, form };
                    teams.push(cell.team(axes.burst, &session(algorithm, form)?)?);
                    cells.push(cell);
                }
            }
        }
    }
    let summaries: Vec<Summary> = run(&mut teams, timing)?;
    let pinned = teams.iter().all(Team::pinned);
    Ok(Report::new(Machine::detect(), timing, pinned, axes.burst, &cells, &summaries))
}

/// One figure of the report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) algorithm: Algorithm,
    pub(crate) bytes: usize,
    pub(crate) threads: usize,
    pub(crate) form: Form,
}

impl Cell {
    fn team(self, burst: usize, session: &Session) -> Result<Team> {
        let Self { algorithm, bytes, threads, form } = self;
        let work = |_| -> Result<Box<dyn Work>> {
            let batch = algorithm.batch(bytes);
            let packets = algorithm.packets(bytes, burst.min(batch));
            Ok(Box::new(Sealing { sealer: session()?, calls: batch.div_ceil(packets.len()), packets }))
        };
        let works = (0..threads).map(work).collect::<Result<_>>()?;
        Ok(Team::new(format!("{algorithm} {form}, {bytes} bytes"), works))
    }
}

/// Seals the same burst again and again: a MAC's result does not depend on the last one, and a counter mode takes what
/// there is.
struct Sealing {
    sealer: Sealer,
    packets: Vec<Vec<u8>>,
    calls: usize,
}

impl Work for Sealing {
    fn batch(&mut self) -> Result<usize> {
        for _ in 0..self.calls {
            (self.sealer)(&mut self.packets)?;
        }
        Ok(self.calls * self.packets.len())
    }
}

/// Whether all forms make the same of the same packets, and then of what that made.
fn agree(
    algorithm: Algorithm,
    bytes: usize,
    burst: usize,
    session: &impl Fn(Algorithm, Form) -> Result<Session>,
) -> Result<()> {
    let sealed = |form: Form| -> Result<[Vec<Vec<u8>>; 2]> {
        let (mut sealer, mut packets) = (session(algorithm, form)?()?, algorithm.packets(bytes, burst));
        sealer(&mut packets)?;
        let first = packets.clone();
        sealer(&mut packets)?;
        Ok([first, packets])
    };
    let expected = sealed(Form::Single)?;
    for form in algorithm.forms().into_iter().filter(|form| *form != Form::NullTwin) {
        let place = || format!("{algorithm} {form}, {bytes} bytes");
        let got = sealed(form).with_context(place)?;
        same(&got, &expected).with_context(place)?;
    }
    Ok(())
}

/// # Errors
///
/// The first packet that differs.
fn same(got: &[Vec<Vec<u8>>; 2], expected: &[Vec<Vec<u8>>; 2]) -> Result<()> {
    for (pass, (got, expected)) in got.iter().zip(expected).enumerate() {
        let differs = got.iter().zip(expected).position(|(got, expected)| got != expected);
        ensure!(got.len() == expected.len(), "{} packets instead of {}", got.len(), expected.len());
        if let Some(index) = differs {
            anyhow::bail!("packet {index} of pass {pass} is not what {} makes of it", Form::Single);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
