//! `esp seal` and `esp open`: a capture file through the engine.

mod burst;
mod progress;
mod route;
mod stream;
mod summary;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use esp_core::config::{Direction, SaConfig};
use esp_core::{Engine, EngineBuilder, InboundStart, Room, SaId};
use esp_crypto::Iv;

use crate::capture::{Reader, Writer};
use crate::files::{self, Output};
use crate::{cpu_deny, output, sa};
use progress::Progress;
use route::{Outbound, Route};
use stream::Stream;
use summary::{Command, Summary};

/// What `esp seal` can be told.
#[derive(Debug, Args)]
#[command(after_help = SEAL_HELP)]
pub(crate) struct SealArgs {
    /// Seal with the outbound SA of this name alone
    #[arg(long, value_name = "SA")]
    name: Option<String>,
    /// Seal with the outbound SA of this SPI alone; decimal, or hexadecimal with 0x
    #[arg(long, value_name = "SPI", conflicts_with = "name", value_parser = sa::spi)]
    spi: Option<u32>,
    #[command(flatten)]
    common: CommonArgs,
}

/// What `esp open` can be told.
#[derive(Debug, Args)]
#[command(after_help = OPEN_HELP)]
pub(crate) struct OpenArgs {
    /// High half of the sequence numbers at which SAs with ESN start, for a capture that begins in the middle
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    seq_hi: u32,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Debug, Args)]
struct CommonArgs {
    /// SA file: TOML, Wireshark's esp_sa, or the text of `ip xfrm state`; `-` is standard input
    #[arg(long, value_name = "FILE")]
    sa: PathBuf,
    #[command(flatten)]
    said: sa::Said,
    /// Packets that are not ours: write them unchanged, or leave them out
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Others::Pass)]
    others: Others,
    /// Print the summary as one JSON object on standard output; on standard error if OUT is `-`
    #[arg(long)]
    json: bool,
    /// Capture to read: pcap or pcapng; `-` is standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Capture to write, in the format of IN; replaced only when the run succeeds; `-` is standard output
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

/// Seals the IP packets of a capture with outbound SAs.
///
/// # Errors
///
/// An SA file or capture that cannot be used; OUT is then as it was.
pub(crate) fn seal(args: &SealArgs) -> Result<ExitCode> {
    files::apart(&args.common.output, &[&args.common.input, &args.common.sa])?;
    let configs = sa::read(&args.common.sa, Direction::Outbound, args.common.said)?;
    let place = || args.common.sa.display().to_string();
    let sas = sa::outbound(&configs, args.name.as_deref(), args.spi).with_context(place)?;
    let engine = build(Engine::builder().max_sas(count(&sas)?))?;
    let mut installed = Vec::with_capacity(sas.len());
    let mut route = Vec::with_capacity(sas.len());
    let mut room = Room { headroom: 0, tailroom: 0 };
    for sa in sas {
        ensure!(
            sa.transform.cipher().iv != Iv::Implicit,
            "{}: {}: {} cannot be sealed with here: each run begins at number 1, and with an implicit IV the numbers are the \
             nonces, which would repeat (RFC 8750)",
            place(),
            sa::shown(sa),
            sa.transform
        );
        let tunnel = engine.install_outbound(sa).with_context(|| sa::shown(sa)).with_context(place)?;
        let needed = engine.shape(tunnel)?.room_needed();
        room.headroom = room.headroom.max(needed.headroom);
        room.tailroom = room.tailroom.max(needed.tailroom);
        route.push(Outbound { tunnel, selectors: sa.selectors.clone() });
        installed.push((sa, engine.outbound_sa(tunnel)?));
    }
    run(&args.common, Command::Seal, &engine, Route::Seal(route), room, &installed)
}

/// Opens the ESP packets of a capture, each with the inbound SA that its SPI finds.
///
/// # Errors
///
/// As [`seal`].
pub(crate) fn open(args: &OpenArgs) -> Result<ExitCode> {
    files::apart(&args.common.output, &[&args.common.input, &args.common.sa])?;
    let configs = sa::read(&args.common.sa, Direction::Inbound, args.common.said)?;
    let place = || args.common.sa.display().to_string();
    let sas = sa::inbound(&configs).with_context(place)?;
    let builder = Engine::builder().max_sas(count(&sas)?).udp_ports(&sa::udp_ports(&sas));
    let engine = build(builder).with_context(place)?;
    let mut installed = Vec::with_capacity(sas.len());
    for sa in sas {
        let id = install_inbound(&engine, sa, args.seq_hi);
        installed.push((sa, id.with_context(|| sa::shown(sa)).with_context(place)?));
    }
    let room = Room { headroom: 0, tailroom: 0 };
    run(&args.common, Command::Open, &engine, Route::Open, room, &installed)
}

/// An SA whose window stands at the start of the numbers with this high half.
fn install_inbound(engine: &Engine, sa: &SaConfig, seq_hi: u32) -> Result<SaId> {
    if sa.esn && seq_hi > 0 {
        let start = InboundStart { top: Some(u64::from(seq_hi) << 32), ..InboundStart::default() };
        return Ok(engine.install_inbound_at(sa, start)?);
    }
    Ok(engine.install_inbound(sa)?)
}

fn count(sas: &[&SaConfig]) -> Result<u32> {
    u32::try_from(sas.len()).context("SAs in one file")
}

/// Audit events are not taken out of the engine here, so none are kept.
fn build(builder: EngineBuilder) -> Result<Engine> {
    Ok(builder.max_workers(1).event_queue(0).deny(&cpu_deny::from_env()?).build()?)
}

fn run(
    args: &CommonArgs,
    command: Command,
    engine: &Engine,
    route: Route,
    room: Room,
    installed: &[(&SaConfig, SaId)],
) -> Result<ExitCode> {
    let mut reader = Reader::open(&args.input)?;
    let mut output = Output::create(&args.output)?;
    let mut progress = Progress::new(&args.input);
    let writer = Writer::start(output.buffered(), &reader)?;
    let stream = Stream::new(writer, engine.worker()?, route, room, args.others);
    let counts = stream.run(&mut reader, &mut progress)?;
    progress.finish();
    counts.check(&engine.stats())?;
    output.commit()?;
    let paths = (args.input.as_path(), args.output.as_path());
    let summary = Summary::new(command, paths, &reader, engine, installed, &counts)?;
    match (args.json, files::is_standard(&args.output)) {
        (true, false) => output::print_json(&summary)?,
        (true, true) => output::note(&(serde_json::to_string_pretty(&summary)? + "\n")),
        (false, _) => output::note(&summary.to_string()),
    }
    Ok(output::exit_code(counts.is_clean()))
}

const SEAL_HELP: &str = "\
Each IP packet of IN goes through the first outbound SA of the file whose selectors match it; an SA without selectors \
takes any. Packets that no SA selects are not ours (no_sa_selects). Layer 2 stays, and its type follows the outer IP \
version. Sequence \
numbers start at 1 in every run: do not use the keys of live SAs. A sealed frame has no frame check sequence and no \
padding, even if it is shorter than 60 bytes. What is not IP (ARP, for instance) is not ours.

Captures are pcap or pcapng, of Ethernet (VLAN, QinQ), raw IP, Linux cooked v1 and v2, BSD null and loop. Time stamps, \
comments, interfaces and blocks that are no packets are kept as they are. Packets of which the capture holds only a part \
are counted as truncated and not written. Captures of IPv4 only (228) or IPv6 only (229) are written as raw IP (101).

Exit codes: 0 done; 1 packets were dropped or truncated, or IN is cut short (those left out by --others drop do not count); 2 the command \
could not be carried out, and OUT is as it was.

Examples:
  esp seal --sa west.toml clear.pcap sealed.pcap
  esp seal --sa west.toml --name west-to-east --json clear.pcapng sealed.pcapng
  tcpdump -w - -i eth0 | esp seal --sa west.toml - - > sealed.pcap

JSON (packets unless said otherwise):
  command, version, input, output, format, link_types[]
  sas[]: name, spi, transform, tier, packets, dropped
  read == written + left_out + consumed + dropped + truncated
  written == sealed + passed
  others_by_kind{}, consumed_by_kind{}, dropped_by_reason{}: those that are not zero
  usable_inner_mtu: in bytes, if a packet was too big for the SA's MTU, else null
  truncated_at[]: the first truncated packets, by number; cut_short: the packet in which IN ends, else null
  ok: whether the exit code is 0";

const OPEN_HELP: &str = "\
The SPI of each ESP packet of IN, bare or in UDP, finds its SA among all inbound SAs of the file. The packet inside \
takes its place behind the same layer 2, whose EtherType follows the IP version; padding behind the IP packet goes. \
Packets that are not ESP, and IKE, are not ours. Dummy packets and NAT keepalives are consumed.

Captures are pcap or pcapng, of Ethernet (VLAN, QinQ), raw IP, Linux cooked v1 and v2, BSD null and loop. Time stamps, \
comments, interfaces and blocks that are no packets are kept as they are. Packets of which the capture holds only a part \
are counted as truncated and not written. Captures of IPv4 only (228) or IPv6 only (229) are written as raw IP (101).

Exit codes: 0 done; 1 packets were dropped or truncated, or IN is cut short (those left out by --others drop do not count); 2 the command \
could not be carried out, and OUT is as it was.

Examples:
  esp open --sa east.toml sealed.pcap clear.pcap
  esp open --sa esp_sa --others drop --json sealed.pcapng clear.pcapng
  ip xfrm state | esp open --sa - sealed.pcap clear.pcap

JSON (packets unless said otherwise):
  command, version, input, output, format, link_types[]
  sas[]: name, spi, transform, tier, packets, dropped
  read == written + left_out + consumed + dropped + truncated
  written == opened + passed
  others_by_kind{}, consumed_by_kind{}, dropped_by_reason{}: those that are not zero
  unknown_spis[]: spi, packets: the most frequent SPIs that no SA has
  truncated_at[]: the first truncated packets, by number; cut_short: the packet in which IN ends, else null
  ok: whether the exit code is 0";
