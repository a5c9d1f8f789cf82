//! `esp demo`: every core seals, carries and opens traffic, and the books must balance.
//!
//! ```text
//!   worker 0 --seals--> ring --opens, compares--> worker 1 --seals--> ring --> .. worker 0
//! ```
//!
//! A set of packets goes once round the ring of workers for ever: who opens it has it to seal next. So replay windows
//! are shared by workers that seal and workers that open, nothing is allocated on the way, and a worker that stalls
//! stops the others before they can run ahead of the windows (see [`plan`]).

mod bad_packets;
mod batch;
mod carrier;
mod cpus;
mod pcap;
mod phase;
mod plan;
mod progress;
mod proof;
mod report;
mod sas;
mod tally;
mod text;
mod traffic;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;

use crate::cli::DemoArgs;
use crate::{cpu_deny, output};

use plan::Plan;
use progress::Progress;
use report::Report;
use sas::Sas;

/// Runs the demo and prints its report.
///
/// # Errors
///
/// `ESP_CPU_DENY` names an unknown feature, the engine could not be set up, a thread could not be started, or
/// standard output cannot be written.
pub(crate) fn run(args: &DemoArgs) -> Result<ExitCode> {
    let denied = cpu_deny::from_env()?;
    let tries =
        args.pcap.as_deref().map(|out| pcap::write(out, args.transform, &denied, args.force)).transpose()?;
    let plan = Plan::new(args, &cpus::allowed());
    let progress = Progress::new(&plan, args.json);
    let sas = Sas::install(&plan, &denied, &progress)?;
    let bad_packets = bad_packets::run(&sas, &plan)?;
    let mut workers = (0..plan.workers).map(|_| sas.engine.worker()).collect::<Result<Vec<_>, _>>()?;
    let phases = plan
        .phases()
        .iter()
        .map(|phase| phase::run(&plan, &sas, &mut workers, phase, &progress))
        .collect::<Result<Vec<_>>>()?;
    progress.finish();
    let report = Report::new(&plan, &denied, &sas, bad_packets, &phases)?;
    output::print_report(&report, args.json, || text::render(&report, &plan))?;
    if let Some(tries) = tries {
        output::note(&tries);
    }
    Ok(output::exit_code(report.ok))
}

/// Whole milliseconds.
fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
