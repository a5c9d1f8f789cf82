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

/// Reads an SPI, decimal or hexadecimal with `0x`.
pub(crate) fn spi(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix, skipped) = digits.map_or((text, 10, 0), |digits| (digits, 16, 2));
    if let Some(at) = digits.chars().position(|c| !c.is_digit(radix)) {
        return Err(format!("character {} is no digit; legal: {SPI_LEGAL}", at + skipped + 1));
    }
    match u32::from_str_radix(digits, radix) {
        Ok(spi @ 256..) => Ok(spi),
        _ => Err(format!("out of range; legal: {SPI_LEGAL}")),
    }
}

const SPI_LEGAL: &str = "256..=4294967295 (0x100..=0xffffffff)";
