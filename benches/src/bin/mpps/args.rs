//! What the command line says.

use clap::{Args, Parser, Subcommand, ValueEnum};
use esp_benches::contexts::{self, Algorithm};
use esp_benches::{Format, Timing};

/// Measures the whole outbound and inbound walk, in millions of packets a second.
///
/// Sizes are those of the inner IP packet, and so is Gbit/s. A row's figure is the median of interleaved rounds; the
/// spread is p90 / p10 - 1 of them. A dropped packet is an error.
#[derive(Debug, Parser)]
#[command(name = "mpps", version, args_conflicts_with_subcommands = false, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) experiment: Option<Experiment>,
    #[command(flatten)]
    pub(crate) walks: Walks,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Experiment {
    /// Per-packet shared counters against per-thread ones: one SA, 64-byte inner packets.
    Counters,
    /// Keys made once against keys made or copied for each packet: HMAC-SHA1, AES-CMAC, 3DES-CTR, ours and OpenSSL's.
    ///
    /// Sizes are the bytes that a MAC covers or a cipher encrypts. Before anything is timed, all forms must make the
    /// same bytes of the same packets.
    #[command(after_help = CONTEXTS_EXAMPLES)]
    Contexts(Contexts),
    /// What a packet costs beside what making its SA's key costs, for every transform.
    ///
    /// Payloads of 64 and 1,420 bytes, rounded up to what the cipher takes; bursts of 32, one thread.
    #[command(after_help = KEYING_EXAMPLES)]
    Keying(Keying),
}

#[derive(Debug, Args)]
pub(crate) struct Keying {
    /// Transforms by name, or "all" that were built.
    #[arg(long, value_delimiter = ',', default_value = "all")]
    pub(crate) transforms: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Contexts {
    /// What is computed. Default: all that was built (3des-ctr: with --features legacy).
    #[arg(long, value_enum, value_delimiter = ',')]
    algorithms: Vec<Algorithm>,
    /// Bytes of a packet, 16 to 9000.
    #[arg(long, value_delimiter = ',', default_values_t = contexts::Axes::SIZES)]
    bytes: Vec<usize>,
}

impl Contexts {
    pub(crate) fn axes(&self, common: &Common) -> contexts::Axes {
        let built = || Algorithm::ALL.into_iter().filter(|algorithm| algorithm.is_built());
        let all = self.algorithms.is_empty();
        contexts::Axes {
            algorithms: if all { built().collect() } else { self.algorithms.clone() },
            sizes: self.bytes.clone(),
            threads: common.threads_or(&[1, 8]).to_vec(),
            burst: common.burst,
        }
    }
}

/// The axes; each combination is a row.
#[derive(Debug, Args)]
pub(crate) struct Walks {
    /// Which walk.
    #[arg(long, value_enum, default_value = "both")]
    pub(crate) op: Ops,
    /// Transforms by name, or "all".
    #[arg(long, value_delimiter = ',', default_value = "aes-128-gcm-16")]
    pub(crate) transform: Vec<String>,
    /// Tunnel or transport mode.
    #[arg(long, value_enum, default_value = "tunnel")]
    pub(crate) mode: ModeName,
    /// Bytes of the inner IP packet.
    #[arg(long, value_delimiter = ',', default_value = "64,256,1024,1420")]
    pub(crate) sizes: Vec<usize>,
    /// SAs of each thread; packets choose among them at random.
    #[arg(long, value_delimiter = ',', default_value = "1")]
    pub(crate) sas: Vec<u32>,
    /// All threads use the same SAs. When opening, the replay window is then at least 2^20, as threads overtake.
    #[arg(long)]
    pub(crate) shared: bool,
    /// Bits of the replay window.
    #[arg(long, default_value_t = 64)]
    pub(crate) window: u32,
    /// Also measures the null twin of each row, and shows what share of the row is not the cipher.
    #[arg(long)]
    pub(crate) null: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Threads, one worker each. Default: 1; of counters 1,2; of contexts 1,8 on whatever cores there are.
    #[arg(long, value_delimiter = ',', global = true)]
    threads: Vec<usize>,
    /// Packets a call.
    #[arg(long, default_value_t = 32, global = true)]
    pub(crate) burst: usize,
    /// Rounds; each visits every row once.
    #[arg(long, default_value_t = 15, global = true)]
    rounds: usize,
    /// Milliseconds of a visit.
    #[arg(long, default_value_t = 20, global = true)]
    millis: u64,
    /// Reports also rows whose spread is over 30 %, or whose threads were away from their cores for over 20 % of the time.
    #[arg(long, global = true)]
    pub(crate) allow_noise: bool,
    /// JSON instead of a table.
    #[arg(long, global = true, conflicts_with = "csv")]
    json: bool,
    /// CSV instead of a table.
    #[arg(long, global = true)]
    csv: bool,
}

impl Common {
    pub(crate) fn threads_or<'a>(&'a self, default: &'a [usize]) -> &'a [usize] {
        if self.threads.is_empty() { default } else { &self.threads }
    }

    pub(crate) const fn timing(&self) -> Timing {
        Timing { rounds: self.rounds, millis: self.millis }
    }

    pub(crate) const fn format(&self) -> Format {
        match (self.json, self.csv) {
            (true, _) => Format::Json,
            (_, true) => Format::Csv,
            _ => Format::Text,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Ops {
    Seal,
    Open,
    Both,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ModeName {
    Tunnel,
    Transport,
}

const EXAMPLES: &str = "\
Examples:
  mpps --null                                  the walks, and what of them is not the cipher
  mpps --transform all --sizes 64,1420 --csv   every transform, for a spreadsheet
  mpps counters                                what counting per thread gains
  mpps contexts                                what keys made once gain
  mpps keying                                  what a key costs, and a packet without it

Exit codes: 0 fine; 1 a packet failed, forms disagree, or the machine was too noisy; 2 the command line is wrong.";

const CONTEXTS_EXAMPLES: &str = "\
Examples:
  cargo run --release -p esp-benches --features openssl,legacy --bin mpps -- contexts
  mpps contexts --algorithms hmac-sha1 --bytes 64,4096 --threads 1
  mpps contexts --rounds 31 --csv > contexts.csv";

const KEYING_EXAMPLES: &str = "\
Examples:
  mpps keying --millis 5
  mpps keying --transforms aes-128-gcm-16,null-hmac-sha1-96 --json
  cargo run --release -p esp-benches --features legacy --bin mpps -- keying --millis 5 --csv";
