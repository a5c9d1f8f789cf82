//! The `esp` program: shows the engine at work, tests its cryptography, seals and opens capture files.

mod capture;
mod cli;
mod cpu_deny;
mod demo;
mod output;
mod seal_open;
mod selftest;
mod table;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Demo(args) => demo::run(&args),
        Command::Seal(args) => seal_open::seal(&args),
        Command::Open(args) => seal_open::open(&args),
        Command::Selftest(args) => selftest::run(&args),
    };
    done.unwrap_or_else(|error| {
        eprintln!("esp: {error:#}");
        ExitCode::from(output::USAGE)
    })
}
