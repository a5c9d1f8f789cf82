//! What `esp explain` can be told.

use std::path::PathBuf;

use clap::Args;

use crate::sa::Said;

/// What `esp explain` can be told.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct ExplainArgs {
    /// SA file: TOML, Wireshark's esp_sa, or the text of `ip xfrm state`; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(super) sa: Option<PathBuf>,
    #[command(flatten)]
    pub(super) said: Said,
    /// High half of the sequence numbers at which SAs with ESN start, for a capture that begins in the middle
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, requires = "sa")]
    pub(super) seq_hi: u32,
    /// Which packet to explain, by its number in the capture, from 1 [default: the first ESP packet that is not
    /// delivered, else the first ESP packet]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) packet: Option<u64>,
    /// Show the ICV that a packet should have. Never publish it: with two ICVs under one nonce anyone can forge packets of
    /// AES-GCM, and any expected ICV makes its packet authentic
    #[arg(long, requires = "sa")]
    pub(super) show_icv: bool,
    /// Print one JSON object on standard output instead of text
    #[arg(long)]
    pub(super) json: bool,
    /// Capture to read, pcap or pcapng; `-` is standard input
    #[arg(value_name = "CAPTURE")]
    pub(super) capture: PathBuf,
}

const HELP: &str = "\
Walks one packet from its frame to the packet inside, and says at each stage what was found and whether it is right. \
All packets of the capture go through the engine, so that the replay window is where it was when the packet came. \
If the ICV is wrong, the mistakes that people make are tried, one and two at a time: another length of the ICV, \
ESN on or off, another high half, the salt or the key in another order, the key of another SA, another transform, \
layer-2 padding taken for the packet; the one that fits is named, with what to change. Keys and salts are never shown, and what a wrong ICV should be only with --show-icv.

Without --sa: what can be seen without keys, and a table of the SPIs. SAs of either direction are taken: the sender's \
file explains as well as the receiver's.

Exit codes: 0 the packet is delivered, or is no ESP; 1 it fails; 2 the command could not be carried out, for instance \
because the capture has no such packet.

Examples:
  esp explain --sa east.toml sealed.pcapng
  esp explain --sa esp_sa --packet 17 sealed.pcap
  ip xfrm state | esp explain --sa - sealed.pcap
  esp explain --json --sa east.toml sealed.pcap | jq -r '.cause.found[] | .cause, .todo'
  esp explain unknown.pcap
  esp demo --seconds 1 --pcap demo.pcapng && esp explain demo.pcapng --sa demo.toml

JSON: version, capture, sa_file (null without), ok (whether the exit code is 0)
  overview: packets, esp, verdicts{}, first{} (packet), defects (packets that this program judges otherwise than the
    engine, and the first), spis[], cut_short (packet in which the capture ends, or null)
  packet: number, nanos, why, delivered, verdict; judged, engine: both opinions; then the stages, null where it did not get
    to: frame, ip, udp, esp, sa, replay, cipher, icv, trailer, inner, policy; at and len are bytes of the frame
  cause: null if nothing is wrong; found[]: id, cause, todo, fits, of, and for an ICV mistakes[], icv_len, trailer, inside;
    tried, bound_reached, text (the conclusion if nothing was found), rule";
