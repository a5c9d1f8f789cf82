//! SA files: reading, checking, converting, making and showing them.

mod read;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

pub(crate) use read::{inbound, outbound, read, shown, udp_ports};

/// What `esp sa` can be told.
#[derive(Debug, Args)]
pub(crate) struct SaArgs {
    #[command(subcommand)]
    command: SaCommand,
}

#[derive(Debug, Subcommand)]
enum SaCommand {
    /// Check an SA file
    Check,
}

/// Runs one of the `esp sa` commands.
///
/// # Errors
///
/// A file that cannot be read or written.
pub(crate) fn run(args: &SaArgs) -> Result<ExitCode> {
    match args.command {
        SaCommand::Check => Ok(ExitCode::SUCCESS),
    }
}
