//! The `esp` program: shows the engine at work, tests its cryptography, seals and opens capture files.

mod cli;
mod cpu_deny;
mod demo;
mod output;
mod selftest;
mod table;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Demo(args) => demo::run(&args),
        Command::Selftest(args) => selftest::run(&args),
    };
    done.unwrap_or_else(|error| {
        eprintln!("esp: {error:#}");
        ExitCode::from(output::USAGE)
    })
}
