//! Measures the ESP datapath in millions of packets a second.

mod args;
mod walks;

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Parser as _;
use esp_benches::{
    Bench, Format, Machine, Render as _, Report, Timing, contexts, counters, keying, rows, run,
};
use esp_core::Transform;

use args::{Cli, Common, Experiment};
use walks::{transforms, walks};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = plan(&cli).map_err(|error| (error, WRONG_COMMAND));
    match outcome.and_then(|plan| measure(plan, &cli.common).map_err(|error| (error, FAILED))) {
        Ok(()) => ExitCode::SUCCESS,
        Err((error, code)) => {
            eprintln!("mpps: {error:#}");
            ExitCode::from(code)
        }
    }
}

/// What is to be measured.
enum Plan {
    Walks { benches: Vec<Bench>, labels: Vec<&'static str>, counters: bool },
    Contexts(contexts::Axes),
    Keying(Vec<Transform>),
}

/// # Errors
///
/// An axis out of its range.
fn plan(cli: &Cli) -> Result<Plan> {
    let common = &cli.common;
    common.timing().check()?;
    Ok(match &cli.experiment {
        None => {
            let (benches, labels) = walks(&cli.walks, common)?;
            Plan::Walks { benches, labels, counters: false }
        }
        Some(Experiment::Counters) => {
            let (benches, labels) = counters::benches(common.threads_or(&[1, 2]), 64, common.burst)?;
            Plan::Walks { benches, labels, counters: true }
        }
        Some(Experiment::Contexts(contexts)) => {
            let axes = contexts.axes(common);
            axes.check()?;
            Plan::Contexts(axes)
        }
        Some(Experiment::Keying(keying)) => Plan::Keying(transforms(&keying.transforms)?),
    })
}

fn measure(plan: Plan, common: &Common) -> Result<()> {
    let (timing, format) = (common.timing(), common.format());
    match plan {
        Plan::Walks { benches, labels, counters } => {
            let report = measure_walks(benches, &labels, timing)?;
            heed(&report.noisy(MOST_SPREAD, LEAST_PRESENCE), common)?;
            print!("{}", report.render(format)?);
            if counters && format == Format::Text {
                print!("{}", counters::table(&report.rows)?);
            }
        }
        Plan::Contexts(axes) => {
            let report = contexts::measure(&axes, timing)?;
            heed(&report.noisy(MOST_SPREAD, LEAST_PRESENCE), common)?;
            print!("{}", report.render(format)?);
        }
        Plan::Keying(transforms) => {
            let report = keying::measure(&transforms, timing)?;
            heed(&report.noisy(MOST_SPREAD), common)?;
            print!("{}", report.render(format)?);
        }
    }
    Ok(())
}

fn measure_walks(mut benches: Vec<Bench>, labels: &[&'static str], timing: Timing) -> Result<Report> {
    let summaries = run(&mut benches, timing)?;
    Ok(Report {
        machine: Machine::detect(),
        timing,
        pinned: benches.iter().all(Bench::pinned),
        rows: rows(&benches, labels, &summaries),
    })
}

/// Says on stderr which rows are noise.
///
/// # Errors
///
/// If there are any and none are allowed.
fn heed(noisy: &[String], common: &Common) -> Result<()> {
    let list = noisy.join("\n  ");
    if noisy.is_empty() {
        return Ok(());
    }
    if !common.allow_noise {
        bail!("too noisy to report, see --allow-noise:\n  {list}");
    }
    eprintln!("mpps: {} figures are noisy:\n  {list}", noisy.len());
    Ok(())
}

/// Exit code of packets that failed, forms that disagree, and noise.
const FAILED: u8 = 1;
/// Exit code of a command that cannot be carried out.
const WRONG_COMMAND: u8 = 2;
/// The spread from which on a row says more about the machine than about the engine.
const MOST_SPREAD: f64 = 0.3;
/// The share of the time that several threads must have had their cores, so that they have met.
const LEAST_PRESENCE: f64 = 0.8;
