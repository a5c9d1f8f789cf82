//! The command line: what there is to say, and its legal ranges.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use esp_core::Transform;

use crate::explain::ExplainArgs;
use crate::sa::SaArgs;
use crate::seal_open::{OpenArgs, SealArgs};
use crate::shell::{CompletionsArgs, ManArgs};

/// An ESP (RFC 4303) datapath engine for software switches, to try and to test.
#[derive(Debug, Parser)]
#[command(name = "esp", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Seal, carry and open traffic on every core, and prove that nothing was lost
    Demo(DemoArgs),
    /// Seal the IP packets of a capture file with an outbound SA
    Seal(SealArgs),
    /// Open the ESP packets of a capture file with inbound SAs
    Open(OpenArgs),
    /// Walk one packet of a capture aloud, and find the mistake where it fails
    Explain(ExplainArgs),
    /// Check, convert, generate and show SA files
    Sa(SaArgs),
    /// Check the cryptography of this machine against known answers
    Selftest(SelftestArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print or write man pages
    Man(ManArgs),
}

/// What `esp demo` can be told.
#[derive(Debug, Args)]
#[command(after_help = DEMO_HELP)]
pub(crate) struct DemoArgs {
    /// How long to send traffic in all, over the four phases; 0.1 to 3600, fractions too
    #[arg(long, value_name = "N", default_value = "5", value_parser = seconds)]
    pub(crate) seconds: f64,
    /// Worker threads, 1 to 64 [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) workers: Option<u16>,
    /// SAs that the phases with many SAs use, 1 to 1000000 (about 2 KiB each)
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) sas: u32,
    /// Transform of every SA
    #[arg(long, value_name = "NAME", default_value = Transform::Aes128Gcm16.name(), value_parser = transforms())]
    pub(crate) transform: Transform,
    /// Also write a capture of sealed traffic, with the SA files that open it: OUT with .esp_sa and with .toml
    #[arg(long, value_name = "OUT")]
    pub(crate) pcap: Option<PathBuf>,
    /// Replace SA files beside the capture of --pcap, keys and all
    #[arg(long, requires = "pcap")]
    pub(crate) force: bool,
    /// Print one JSON object on standard output instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `esp selftest` can be told.
#[derive(Debug, Args)]
#[command(after_help = SELFTEST_HELP)]
pub(crate) struct SelftestArgs {
    /// Print one JSON object on standard output instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("not a number; legal: {SECONDS}"))?;
    if (0.1..=3600.0).contains(&value) { Ok(value) } else { Err(format!("out of range; legal: {SECONDS}")) }
}

/// A transform by name.
pub(crate) fn transforms() -> impl TypedValueParser<Value = Transform> {
    let names = Transform::ALL.iter().map(|transform| transform.name());
    PossibleValuesParser::new(names)
        .try_map(|name| Transform::from_name(&name).ok_or("no transform of this engine"))
}

const SECONDS: &str = "0.1 to 3600 seconds";

const EXAMPLES: &str = "\
Examples:
  esp demo                   five seconds of traffic through the engine on this machine
  esp selftest               known answers on every tier that this CPU has
  esp seal --sa sa.toml plain.pcap sealed.pcap
  esp open --sa sa.toml sealed.pcap opened.pcap
  esp explain sealed.pcap --sa sa.toml
  esp sa generate --src 192.0.2.1 --dst 198.51.100.1 west.toml east.toml
  esp help demo              the options of one command

Environment:
  ESP_CPU_DENY=aesni,avx512  do without these CPU features: aesni, pclmulqdq, avx2, vaes, vpclmulqdq, avx512

Exit codes: 0 all is well; 1 something was lost, dropped or failed a check; 2 the command could not be carried out.";

const DEMO_HELP: &str = "\
Worker i seals packets in bursts and hands them to worker i+1, which opens them and compares every byte with what was
sealed. Four phases: a mix of packet lengths (IMIX), then 64-byte packets, each on one SA that all workers share and on
many SAs. Before that, bursts of bad packets show that each is dropped for its reason. Gbit/s count inner IP packets.
Exit code 1 if a packet was lost or differed.

Examples:
  esp demo --seconds 20 --workers 4
  esp demo --seconds 1 --pcap demo.pcapng
  esp demo --sas 100000 --transform chacha20-poly1305
  esp demo --seconds 1 --json | jq .conservation
  ESP_CPU_DENY=aesni esp demo

JSON (packets unless the key says otherwise; the counts of the engine are over the whole run):
  version, transform, tier, denied[], seconds, sas, workers, cores, pinned, window_shared, window_many (bits)
  bad_packets[]: kind, sent, delivered, dropped, reason, ok
  phases[]: name, mix, sas, seconds, and total with workers[]: worker, packets, inner_bytes, mpps, gbps, seal_ns,
    open_ns, compare_ns (nanoseconds a packet), busy (percent of the time)
  drops{}: packets by drop reason; counters{}: what else was counted; those that are not zero
  conservation: in, delivered, consumed, handed_back, dropped; sealed, opened, compared (timed phases);
    sa_packets, removed_packets, engine_packets; sa_bytes, removed_bytes, engine_bytes
  faults[]: what is wrong, in words; ok";

const SELFTEST_HELP: &str = "\
Every known answer is sealed and opened in a burst, and must be refused after a bit of its ICV was turned.
Exit code 1 if one fails.

Examples:
  esp selftest
  ESP_CPU_DENY=aesni,pclmulqdq esp selftest --json

JSON: version, denied[], tiers[] (transform, tiers[], denied[]), outcomes[] (transform, tier, case, passed), ok";

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn b89_seconds_are_a_number_in_range() {
        assert_eq!(seconds("0.1"), Ok(0.1));
        assert_eq!(seconds("3600"), Ok(3600.0));
        for bad in ["0", "0.09", "3600.1", "-1", "NaN", "inf", "", "5s", "1e9"] {
            let why = seconds(bad).expect_err(bad);
            assert!(why.contains("0.1 to 3600"), "{bad}: {why}");
        }
    }
}
