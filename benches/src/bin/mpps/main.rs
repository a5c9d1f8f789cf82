//! Measures the ESP datapath in millions of packets a second.

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};
use clap::{Args, Parser, Subcommand, ValueEnum};
use esp_benches::{Axes, Bench, Counting, Format, Machine, Op, Report, Timing, counters, rows, run};
use esp_core::Transform;
use esp_core::config::Mode;

/// Measures the whole outbound and inbound walk, in millions of packets a second.
///
/// Sizes are those of the inner IP packet, and so is Gbit/s. A row's figure is the median of interleaved rounds; the
/// spread is p90 / p10 - 1 of them. A dropped packet is an error.
#[derive(Debug, Parser)]
#[command(name = "mpps", version, args_conflicts_with_subcommands = false)]
struct Cli {
    #[command(subcommand)]
    experiment: Option<Experiment>,
    #[command(flatten)]
    walks: Walks,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    /// Per-packet shared counters against per-thread ones: one SA, 64-byte inner packets.
    Counters,
}

/// The axes; each combination is a row.
#[derive(Debug, Args)]
struct Walks {
    /// Which walk.
    #[arg(long, value_enum, default_value = "both")]
    op: Ops,
    /// Transforms by name, or "all".
    #[arg(long, value_delimiter = ',', default_value = "aes-128-gcm-16")]
    transform: Vec<String>,
    /// Tunnel or transport mode.
    #[arg(long, value_enum, default_value = "tunnel")]
    mode: ModeName,
    /// Bytes of the inner IP packet.
    #[arg(long, value_delimiter = ',', default_value = "64,256,1024,1420")]
    sizes: Vec<usize>,
    /// SAs of each thread; packets choose among them at random.
    #[arg(long, value_delimiter = ',', default_value = "1")]
    sas: Vec<u32>,
    /// All threads use the same SAs. When opening, the replay window is then at least 2^20, as threads overtake.
    #[arg(long)]
    shared: bool,
    /// Bits of the replay window.
    #[arg(long, default_value_t = 64)]
    window: u32,
    /// Also measures the null twin of each row, and shows what share of the row is not the cipher.
    #[arg(long)]
    null: bool,
}

#[derive(Debug, Args)]
struct Common {
    /// Threads, one worker each. Default: 1; of the counters experiment 1,2.
    #[arg(long, value_delimiter = ',', global = true)]
    threads: Vec<usize>,
    /// Packets a call.
    #[arg(long, default_value_t = 32, global = true)]
    burst: usize,
    /// Rounds; each visits every row once.
    #[arg(long, default_value_t = 15, global = true)]
    rounds: usize,
    /// Milliseconds of a visit.
    #[arg(long, default_value_t = 20, global = true)]
    millis: u64,
    /// Reports also rows whose spread is over 30 %, or whose threads were away from their cores for over 20 % of the time.
    #[arg(long, global = true)]
    allow_noise: bool,
    /// JSON instead of a table.
    #[arg(long, global = true, conflicts_with = "csv")]
    json: bool,
    /// CSV instead of a table.
    #[arg(long, global = true)]
    csv: bool,
}

impl Common {
    fn threads_or<'a>(&'a self, default: &'a [usize]) -> &'a [usize] {
        if self.threads.is_empty() { default } else { &self.threads }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Ops {
    Seal,
    Open,
    Both,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ModeName {
    Tunnel,
    Transport,
}

fn main() -> ExitCode {
    match measure(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mpps: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn measure(cli: &Cli) -> Result<()> {
    let common = &cli.common;
    let timing = Timing { rounds: common.rounds, millis: common.millis };
    let (mut benches, labels) = match cli.experiment {
        Some(Experiment::Counters) => counters::benches(common.threads_or(&[1, 2]), 64, common.burst)?,
        None => walks(&cli.walks, common)?,
    };
    let summaries = run(&mut benches, timing)?;
    let report = Report {
        machine: Machine::detect(),
        timing,
        pinned: benches.iter().all(Bench::pinned),
        rows: rows(&benches, &labels, &summaries),
    };
    let noisy = report.noisy(MOST_SPREAD, LEAST_PRESENCE);
    if !noisy.is_empty() && !common.allow_noise {
        bail!("too noisy to report, see --allow-noise:\n  {}", noisy.join("\n  "));
    }
    let format = match (common.json, common.csv) {
        (true, _) => Format::Json,
        (_, true) => Format::Csv,
        _ => Format::Text,
    };
    print!("{}", report.render(format)?);
    if cli.experiment.is_some() && format == Format::Text {
        print!("{}", counters::table(&report.rows)?);
    }
    Ok(())
}

/// One bench for each combination of axes, and its null twin in front of it if asked for.
fn walks(walks: &Walks, common: &Common) -> Result<(Vec<Bench>, Vec<&'static str>)> {
    let ops: &[Op] = match walks.op {
        Ops::Seal => &[Op::Seal],
        Ops::Open => &[Op::Open],
        Ops::Both => &[Op::Seal, Op::Open],
    };
    let nulls: &[bool] = if walks.null { &[true, false] } else { &[false] };
    let mut benches = Vec::new();
    for transform in transforms(&walks.transform)? {
        for (op, threads) in product(ops, common.threads_or(&[1])) {
            for (sas, size) in product(&walks.sas, &walks.sizes) {
                for null in nulls.iter().copied() {
                    let overtaking = walks.shared && op == Op::Open && threads > 1;
                    let axes = Axes {
                        op,
                        transform,
                        null,
                        mode: match walks.mode {
                            ModeName::Tunnel => Mode::Tunnel,
                            ModeName::Transport => Mode::Transport,
                        },
                        size,
                        sas,
                        threads,
                        burst: common.burst,
                        shared: walks.shared,
                        window: if overtaking { walks.window.max(1 << 20) } else { walks.window },
                    };
                    benches.push(Bench::new(axes, |_| Counting::Engine)?);
                }
            }
        }
    }
    ensure!(!benches.is_empty(), "no row to measure");
    let labels = vec!["engine"; benches.len()];
    Ok((benches, labels))
}

fn product<A: Copy, B: Copy>(left: &[A], right: &[B]) -> impl Iterator<Item = (A, B)> {
    left.iter().flat_map(|a| right.iter().map(|b| (*a, *b)))
}

fn transforms(names: &[String]) -> Result<Vec<Transform>> {
    if names.iter().any(|name| name == "all") {
        return Ok(Transform::ALL.to_vec());
    }
    let known = || Transform::ALL.iter().map(|transform| transform.name()).collect::<Vec<_>>().join(", ");
    let named = |name: &String| {
        Transform::from_name(name).with_context(|| format!("transform {name}: must be one of {}", known()))
    };
    names.iter().map(named).collect()
}

/// The spread from which on a row says more about the machine than about the engine.
const MOST_SPREAD: f64 = 0.3;
/// The share of the time that several threads must have had their cores, so that they have met.
const LEAST_PRESENCE: f64 = 0.8;
