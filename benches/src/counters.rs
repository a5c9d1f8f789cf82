//! The experiment behind per-thread counters: one SA, 64-byte inner packets, one thread against two.
//!
//! A patch series for Open vSwitch took two poll-mode threads on one tunnel from 9.5 to 11.2 Mpps by counting per
//! thread. Here the same walk runs with four ways of counting:
//!
//! | row            | SA       | packets and bytes are counted                                                      |
//! |----------------|----------|------------------------------------------------------------------------------------|
//! | `shared`       | one      | by the engine, and by two locked adds a packet on a line that all threads write     |
//! | `own-packet`   | one      | by the engine, and by two plain adds a packet on a line of the thread's own         |
//! | `engine`       | one      | by the engine: once a burst, in the worker's own cells                              |
//! | `own-sa`       | a thread | by the engine; the control that shares nothing                                      |
//!
//! The added counters run behind each burst, 64 adds in a row on a line that stays while they run: kinder to `shared`
//! than adds between other work.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::Result;
use esp_core::Transform;
use esp_core::config::Mode;

use crate::axes::{Axes, Op};
use crate::bench::Bench;
use crate::counting::Counting;
use crate::report::Row;

/// The ways of counting, in the order of the table.
pub const FORMS: [&str; 4] = ["shared", "own-packet", "engine", "own-sa"];

/// A bench, with the name of its way of counting, for each form, cipher and number of threads.
///
/// # Errors
///
/// As [`Bench::new`].
pub fn benches(threads: &[usize], size: usize, burst: usize) -> Result<(Vec<Bench>, Vec<&'static str>)> {
    let mut benches = Vec::new();
    let mut labels = Vec::new();
    for null in [true, false] {
        for threads in threads.iter().copied() {
            for form in FORMS {
                let axes = Axes {
                    op: Op::Seal,
                    transform: Transform::Aes128Gcm16,
                    null,
                    mode: Mode::Tunnel,
                    size,
                    sas: 1,
                    threads,
                    burst,
                    shared: form != "own-sa",
                    window: 64,
                };
                benches.push(Bench::new(axes, counting(form))?);
                labels.push(form);
            }
        }
    }
    Ok((benches, labels))
}

/// What each lane adds to the engine's counting.
fn counting(form: &'static str) -> impl Fn(usize) -> Counting {
    let line = Arc::default();
    move |_lane| match form {
        "shared" => Counting::Shared(Arc::clone(&line)),
        "own-packet" => Counting::Own(Arc::default()),
        _ => Counting::Engine,
    }
}

/// The table of the original: Mpps by form, and what the engine's form gains over the shared one.
///
/// # Errors
///
/// Never, in effect: writing to a string.
pub fn table(rows: &[Row]) -> Result<String, std::fmt::Error> {
    let mut out = String::from("\nMpps, all threads together\n");
    writeln!(
        out,
        "{:32} {:>8} {:>10} {:>10} {:>10} {:>10} {:>14}",
        "", "threads", "shared", "own-packet", "engine", "own-sa", "engine/shared"
    )?;
    for group in rows.chunks(FORMS.len()) {
        let [shared, own, engine, control] = group else { continue };
        writeln!(
            out,
            "{:32} {:8} {:10.2} {:10.2} {:10.2} {:10.2} {:>13.2}x",
            engine.transform,
            engine.threads,
            shared.mpps,
            own.mpps,
            engine.mpps,
            control.mpps,
            engine.mpps / shared.mpps
        )?;
    }
    Ok(out)
}
