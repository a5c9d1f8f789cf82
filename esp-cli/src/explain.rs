//! `esp explain`: one packet of a capture, stage by stage, and the mistake where it fails.

mod icv;
mod known;
mod mistakes;
mod overview;
mod scan;
mod stages;
mod story;
mod text;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Serialize;

use crate::capture::Reader;
use crate::output;
use crate::sa::Said;
use known::Known;
use overview::Overview;
use scan::Scan;
use story::{Cause, Story};

/// What `esp explain` can be told.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct ExplainArgs {
    /// SA file: TOML, Wireshark's esp_sa, or the text of `ip xfrm state`; of either end
    #[arg(long, value_name = "FILE")]
    sa: Option<PathBuf>,
    #[command(flatten)]
    said: Said,
    /// Number of the packet to explain, from 1 [default: the first that fails, else the first ESP packet]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    packet: Option<u64>,
    /// High half of the sequence numbers at which SAs with ESN start, for a capture that begins in the middle
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    seq_hi: u32,
    /// Print one JSON object on standard output instead of text
    #[arg(long)]
    json: bool,
    /// Capture to read: pcap or pcapng; `-` is standard input
    #[arg(value_name = "CAPTURE")]
    capture: PathBuf,
}

/// Everything that is said.
#[derive(Debug, Serialize)]
struct Report {
    version: &'static str,
    capture: String,
    sa_file: Option<String>,
    overview: Overview,
    /// The packet that is explained; none if the capture has no ESP packet and none was asked for.
    packet: Option<Story>,
    cause: Option<Cause>,
    ok: bool,
}

/// Explains a packet.
///
/// # Errors
///
/// A file that cannot be used, or no packet of that number.
pub(crate) fn run(args: &ExplainArgs) -> Result<ExitCode> {
    let known = Known::read(args.sa.as_deref(), args.said, args.seq_hi)?;
    let mut reader = Reader::open(&args.capture)?;
    let mut scan = Scan::new(known, args.packet);
    while let Some(record) = reader.next_packet()? {
        scan.packet(&record)?;
    }
    let (overview, told, known) = scan.end(reader.cut_short());
    if let (Some(number), None) = (args.packet, &told) {
        bail!("{}: no packet {number}; legal: 1..={}", args.capture.display(), overview.packets);
    }
    let cause = told.as_ref().and_then(|told| mistakes::find(told, &known, &overview));
    let packet = told.map(|told| told.story);
    let ok = packet.as_ref().is_none_or(|story| story.delivered);
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        capture: args.capture.display().to_string(),
        sa_file: args.sa.as_ref().map(|path| path.display().to_string()),
        overview,
        packet,
        cause,
        ok,
    };
    output::print_report(&report, args.json, || text::render(&report)).context("report")?;
    Ok(output::exit_code(ok))
}

const HELP: &str = "\
Walks one packet aloud, as its receiver would: frame, IP, UDP, ESP header, SA, sequence number and replay window, IV, AAD, \
ICV expected and found, trailer, the packet inside, and the engine's verdict. All packets before it went through the \
engine, so the window stands where it stood.

Where the ICV is wrong, or no SA is found, it tries what people get wrong and says which one fits: another ICV length, \
ESN on or off, another high half, a salt that is missing, reversed or in front, key bytes reversed, the key of the other \
direction or of another SA, another transform, the wrong SPI, padding taken for the ICV; alone and in pairs. SAs are \
taken as inbound whatever their direction, so the sender's file explains as well. Without --sa it says what can be seen \
without keys. Keys are never shown, nor the plaintext of a packet that does not authenticate.

Exit codes: 0 the packet is delivered, consumed or not ours; 1 it fails; 2 the command could not be carried out.

Examples:
  esp explain sealed.pcap --sa east.toml
  esp explain sealed.pcapng --sa esp_sa --packet 17
  esp explain sealed.pcap
  esp demo --pcap demo.pcapng && esp explain demo.pcapng --sa demo.toml

JSON: version, capture, sa_file, ok
  overview: packets, esp, verdicts{}, spis[] (spi, sa, packets, first, last, missing, udp, blocks_of_16), cut_short
  packet: number, delivered, verdict, stages[]: stage, mark (ok, fail, note), facts[] (name, value, offset or null),
    remark
  cause: found[] (id, cause, todo, fits, of), tried, text";
