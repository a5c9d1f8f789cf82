//! `esp seal` and `esp open`: a capture file through the engine.

mod burst;
mod files;
mod stream;
mod summary;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use esp_core::config::SaConfig;
use esp_core::{Engine, EngineBuilder};

use crate::capture::{Reader, Writer};
use crate::{cpu_deny, output, sa};
use files::Output;
use stream::{Stream, Way};
use summary::{Command, Summary};

/// What `esp seal` can be told.
#[derive(Debug, Args)]
#[command(after_help = SEAL_HELP)]
pub(crate) struct SealArgs {
    /// Seal with the outbound SA of this name; needed if the SA file has several
    #[arg(long, value_name = "SA")]
    name: Option<String>,
    #[command(flatten)]
    common: CommonArgs,
}

/// What `esp open` can be told.
#[derive(Debug, Args)]
#[command(after_help = OPEN_HELP)]
pub(crate) struct OpenArgs {
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Debug, Args)]
struct CommonArgs {
    /// SA file (TOML): the keys and everything else about the SAs
    #[arg(long, value_name = "FILE")]
    sa: PathBuf,
    /// Packets that are not ours: write them unchanged, or leave them out
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Others::Pass)]
    others: Others,
    /// Print the summary as one JSON object on standard output
    #[arg(long)]
    json: bool,
    /// Capture file to read: classic pcap; link type Ethernet or raw IP
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Capture file to write; replaced only when the run succeeds
    #[arg(value_name = "OUT")]
    output: PathBuf,
}

/// What becomes of packets that are neither sealed nor opened nor at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Others {
    /// Write them unchanged.
    Pass,
    /// Leave them out.
    Drop,
}

/// Seals the IP packets of a capture file with one outbound SA.
///
/// # Errors
///
/// An SA file or capture file that cannot be used; OUT is then as it was.
pub(crate) fn seal(args: &SealArgs) -> Result<ExitCode> {
    let configs = sa::read(&args.common.sa)?;
    let place = || args.common.sa.display().to_string();
    let sa = sa::outbound(&configs, args.name.as_deref()).with_context(place)?;
    let engine = build(Engine::builder())?;
    let tunnel = engine.install_outbound(sa).with_context(place)?;
    let installed = [(sa, engine.outbound_sa(tunnel)?)];
    let room = engine.shape(tunnel)?.room_needed();
    run(&args.common, Command::Seal, &engine, Way::Seal(tunnel, room), &installed)
}

/// Opens the ESP packets of a capture file, each with the inbound SA that its SPI finds.
///
/// # Errors
///
/// As [`seal`].
pub(crate) fn open(args: &OpenArgs) -> Result<ExitCode> {
    let configs = sa::read(&args.common.sa)?;
    let place = || args.common.sa.display().to_string();
    let sas = sa::inbound(&configs).with_context(place)?;
    let max_sas = u32::try_from(sas.len()).context("SAs in one file")?;
    let builder = Engine::builder().max_sas(max_sas).udp_ports(&sa::udp_ports(&sas));
    let engine = build(builder).with_context(place)?;
    let mut installed = Vec::with_capacity(sas.len());
    for sa in sas {
        let id = engine.install_inbound(sa).with_context(|| sa::shown(sa)).with_context(place)?;
        installed.push((sa, id));
    }
    run(&args.common, Command::Open, &engine, Way::Open, &installed)
}

/// Audit events are not taken out of the engine here, so none are kept.
fn build(builder: EngineBuilder) -> Result<Engine> {
    Ok(builder.max_workers(1).event_queue(0).deny(&cpu_deny::from_env()?).build()?)
}

fn run(
    args: &CommonArgs,
    command: Command,
    engine: &Engine,
    way: Way,
    installed: &[(&SaConfig, esp_core::SaId)],
) -> Result<ExitCode> {
    files::apart(&args.output, &[&args.input, &args.sa])?;
    let reader = Reader::open(&args.input)?;
    let mut output = Output::create(&args.output)?;
    let writer = Writer::start(output.buffered(), reader.header(), reader.link())?;
    let stream = Stream::new(reader, writer, engine.worker()?, way, args.others);
    let counts = stream.run()?;
    counts.check(&engine.stats())?;
    output.commit()?;
    let summary = Summary::new(command, &args.input, &args.output, engine, installed, &counts)?;
    if args.json {
        output::print_json(&summary)?;
    } else {
        // A reader that has gone away is no reason to fail: OUT is in its place.
        io::stderr().write_all(summary.to_string().as_bytes()).ok();
    }
    Ok(output::exit_code(counts.is_clean()))
}

const SEAL_HELP: &str = "\
Every IP packet of IN goes through the SA. Layer 2 stays, and its EtherType follows the outer IP version. Sequence \
numbers start at 1 in every run: do not use the keys of live SAs. A sealed frame has no frame check sequence and no \
padding, even if it is shorter than 60 bytes. What is not IP (ARP, for instance) is not ours.

Packets of which the capture holds only a part are counted as truncated and not written. Captures of IPv4 only (228) or \
IPv6 only (229) are written as raw IP (101).

Exit codes: 0 done; 1 packets were dropped or truncated (those left out by --others drop do not count); 2 the command \
could not be carried out, and OUT is as it was.

Examples:
  esp seal --sa west.toml clear.pcap sealed.pcap
  esp seal --sa west.toml --name west-to-east --json clear.pcap sealed.pcap

JSON (packets unless said otherwise):
  command, version, input, output
  sas[]: name, spi, transform, tier, packets, dropped
  read == written + left_out + consumed + dropped + truncated
  written == sealed + passed
  others_by_kind{}, consumed_by_kind{}, dropped_by_reason{}: those that are not zero
  usable_inner_mtu: in bytes, if a packet was too big for the SA's MTU, else null
  ok: whether the exit code is 0";

const OPEN_HELP: &str = "\
The SPI of each ESP packet of IN, bare or in UDP, finds its SA among all inbound SAs of the file. The packet inside \
takes its place behind the same layer 2, whose EtherType follows the IP version; padding behind the IP packet goes. \
Packets that are not ESP, and IKE, are not ours. Dummy packets and NAT keepalives are consumed.

Packets of which the capture holds only a part are counted as truncated and not written. Captures of IPv4 only (228) or \
IPv6 only (229) are written as raw IP (101).

Exit codes: 0 done; 1 packets were dropped or truncated (those left out by --others drop do not count); 2 the command \
could not be carried out, and OUT is as it was.

Examples:
  esp open --sa east.toml sealed.pcap clear.pcap
  esp open --sa east.toml --others drop --json sealed.pcap clear.pcap

JSON (packets unless said otherwise):
  command, version, input, output
  sas[]: name, spi, transform, tier, packets, dropped
  read == written + left_out + consumed + dropped + truncated
  written == opened + passed
  others_by_kind{}, consumed_by_kind{}, dropped_by_reason{}: those that are not zero
  ok: whether the exit code is 0";
