//! The `esp` program: seals, opens and explains captures, reads and writes SA files, shows the engine at work and
//! tests its cryptography.
//!
//! What is public is what `main`, the fuzz targets and the tests call; it is no library for others.

pub mod capture;
mod cli;
mod cpu_deny;
mod demo;
mod explain;
mod files;
mod locate;
mod output;
pub mod sa;
mod seal_open;
mod selftest;
mod shell;
mod table;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};

/// Reads the command line, does what it says, and reports.
pub fn run() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Demo(args) => demo::run(&args),
        Command::Seal(args) => seal_open::seal(&args),
        Command::Open(args) => seal_open::open(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Sa(args) => sa::run(&args),
        Command::Selftest(args) => selftest::run(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
    };
    done.unwrap_or_else(|error| {
        output::note(&format!("esp: {error:#}\n"));
        ExitCode::from(output::USAGE)
    })
}
