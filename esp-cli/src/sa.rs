//! SA files: reading them in three formats, and the `esp sa` commands.

mod algorithms;
mod check;
mod convert;
mod doubts;
mod esp_sa;
mod fault;
mod file;
mod generate;
mod read;
mod round_trip;
mod show;
mod xfrm;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

pub(crate) use file::{Format, Said, write};
pub(crate) use read::{inbound, outbound, read, shown, udp_ports};
#[doc(hidden)]
pub use round_trip::round_trip;

/// What `esp sa` can be told.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct SaArgs {
    #[command(subcommand)]
    command: SaCommand,
}

#[derive(Debug, Subcommand)]
enum SaCommand {
    /// Check SA files: every fault with its place, and what is legal but doubtful
    Check(check::CheckArgs),
    /// Convert SA files between TOML, Wireshark's esp_sa and ip xfrm state
    Convert(convert::ConvertArgs),
    /// Generate a matched pair of SA files with fresh keys and SPIs
    Generate(generate::GenerateArgs),
    /// Show the SAs of a file, keys masked
    Show(show::ShowArgs),
}

/// Runs one of the `esp sa` commands.
///
/// # Errors
///
/// A file that cannot be read or written.
pub(crate) fn run(args: &SaArgs) -> Result<ExitCode> {
    match &args.command {
        SaCommand::Check(args) => check::run(args),
        SaCommand::Convert(args) => convert::run(args),
        SaCommand::Generate(args) => generate::run(args),
        SaCommand::Show(args) => show::run(args),
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

const HELP: &str = "\
Three formats are read, told apart by what they hold: TOML (docs/sa-file.md), Wireshark's esp_sa, and the text of \
`ip xfrm state`. Keys are never taken from the command line, and never printed without --show-keys.

Examples:
  esp sa generate --src 192.0.2.1 --dst 198.51.100.1 west.toml east.toml
  esp sa check west.toml
  esp sa convert west.toml esp_sa
  ip xfrm state | esp sa convert --local 192.0.2.1 - gateway.toml
  esp sa show west.toml";
