//! `esp explain`: one packet of a capture, stage by stage, and the mistake where it fails.
//!
//! The whole capture goes through a real engine, packet by packet, and beside it through a reading of its own that keeps
//! the values in between: [`stages`] has one file a stage, [`story`] is what they leave. Where the two judge a packet
//! differently, the report says so.

mod args;
mod cause;
mod dump;
mod icv;
mod json;
mod judge;
mod keying;
mod mistakes;
mod names;
mod sas;
mod span;
mod spis;
mod stages;
mod story;
#[cfg(test)]
mod tests;
mod text;
mod walk;

use std::process::ExitCode;

use anyhow::{Result, ensure};

use crate::capture::Reader;
use crate::{files, output};
pub(crate) use args::ExplainArgs;
use json::Report;
use sas::Sas;
use walk::Walk;

/// Explains one packet. Exit code 1 if it fails.
///
/// # Errors
///
/// A capture or SA file that cannot be used, or a packet that the capture does not have.
pub(crate) fn run(args: &ExplainArgs) -> Result<ExitCode> {
    let both = args.sa.as_deref().is_some_and(files::is_standard) && files::is_standard(&args.capture);
    ensure!(!both, "--sa and CAPTURE are both `-`: standard input can be one of them");
    let sas =
        args.sa.as_deref().map(|path| Sas::read(path, args.said, args.seq_hi, args.show_icv)).transpose()?;
    let mut reader = Reader::open(&args.capture)?;
    let walked = Walk::new(sas, args.packet)?.run(&mut reader)?;
    let report = Report::new(&args.capture.display().to_string(), args.packet, walked)?;
    output::print_report(&report, args.json, || text::render(&report, text::in_colour()))?;
    Ok(output::exit_code(report.ok))
}
