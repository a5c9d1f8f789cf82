//! `esp explain`: one packet of a capture, stage by stage.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

/// What `esp explain` can be told.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// Capture file to read, pcap or pcapng; `-` is standard input
    #[arg(value_name = "CAPTURE")]
    capture: PathBuf,
}

/// Explains.
///
/// # Errors
///
/// A file that cannot be used.
pub(crate) fn run(args: &ExplainArgs) -> Result<ExitCode> {
    let _ = &args.capture;
    Ok(ExitCode::SUCCESS)
}
