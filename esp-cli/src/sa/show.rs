//! `esp sa show`: the SAs of a file as a table.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use esp_core::config::{Direction, Mode, ReplayWindow, SaConfig};
use serde::Serialize;

use super::file::{Format, Hint, parse};
use super::read;
use crate::output;
use crate::table::{Align, Table};

/// What `esp sa show` can be told.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct ShowArgs {
    /// SA file in any format; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print keys in full
    #[arg(long)]
    show_keys: bool,
    /// Print one JSON object on standard output instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    file: String,
    format: &'static str,
    sas: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    line: usize,
    name: Option<String>,
    /// Of a file that does not say: null.
    direction: Option<&'static str>,
    spi: u32,
    transform: &'static str,
    mode: &'static str,
    src: Option<String>,
    dst: Option<String>,
    udp: Option<[u16; 2]>,
    esn: bool,
    /// Bits; null outbound and where it is off.
    replay_window: Option<u32>,
    key_len: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

/// Shows a file.
///
/// # Errors
///
/// A file that cannot be read or is wrong.
pub(crate) fn run(args: &ShowArgs) -> Result<ExitCode> {
    let text = read::text(&args.file)?;
    let format = Format::of(&text.text);
    let hint = Hint { direction: Some(Direction::Inbound), ..Hint::default() };
    let parsed = parse(&text.text, format, &hint);
    text.refuse(&parsed.faults)?;
    let says_direction = format == Format::Toml;
    let rows =
        parsed.sas.iter().map(|entry| Row::new(entry.line, &entry.config, says_direction, args.show_keys));
    let report = Report { file: text.name.clone(), format: format.name(), sas: rows.collect() };
    output::print_report(&report, args.json, || report.text())?;
    Ok(ExitCode::SUCCESS)
}

impl Row {
    fn new(line: usize, sa: &SaConfig, says_direction: bool, show_keys: bool) -> Self {
        let direction = match sa.direction {
            Direction::Inbound => "inbound",
            Direction::Outbound => "outbound",
        };
        let window = match sa.replay_window {
            ReplayWindow::Bits(bits) if sa.direction == Direction::Inbound => Some(bits),
            _ => None,
        };
        Self {
            line,
            name: sa.name.clone(),
            direction: says_direction.then_some(direction),
            spi: sa.spi,
            transform: sa.transform.name(),
            mode: if sa.mode == Mode::Tunnel { "tunnel" } else { "transport" },
            src: sa.src.map(|addr| addr.to_string()),
            dst: sa.dst.map(|addr| addr.to_string()),
            udp: sa.udp.map(|udp| [udp.src_port, udp.dst_port]),
            esn: sa.esn,
            replay_window: window,
            key_len: sa.key.len(),
            key: show_keys.then(|| hex(sa.key.expose())),
        }
    }

    fn cells(&self) -> [String; 9] {
        let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "any".to_owned());
        let numbers = if self.esn { "64 bits" } else { "32 bits" };
        // Only its length: even a short fingerprint would let someone who holds a guess be sure of it.
        let masked = || format!("{} bytes, masked", self.key_len);
        [
            self.name.clone().unwrap_or_else(|| "-".to_owned()),
            self.direction.unwrap_or("-").to_owned(),
            format!("{:#010x}", self.spi),
            self.transform.to_owned(),
            self.mode.to_owned(),
            format!("{} -> {}", text(&self.src), text(&self.dst)),
            self.udp.map_or_else(|| "-".to_owned(), |[src, dst]| format!("{src} -> {dst}")),
            self.replay_window.map_or_else(|| numbers.to_owned(), |bits| format!("{numbers}, window {bits}")),
            self.key.clone().unwrap_or_else(masked),
        ]
    }
}

impl Report {
    fn text(&self) -> String {
        let left = Align::Left;
        let mut table = Table::new(&[
            ("name", left),
            ("direction", left),
            ("SPI", left),
            ("transform", left),
            ("mode", left),
            ("src -> dst", left),
            ("UDP", left),
            ("numbers", left),
            ("key", left),
        ]);
        for row in &self.sas {
            table.row(row.cells());
        }
        table.render()
    }
}

/// Only for someone who asked to see it.
fn hex(key: &[u8]) -> String {
    let mut text = String::with_capacity(key.len() * 2);
    for byte in key {
        let digits = [byte >> 4, byte & 0xf].map(|digit| char::from_digit(digit.into(), 16));
        text.extend(digits.into_iter().flatten());
    }
    text
}

const HELP: &str = "\
Keys are masked: only their length is shown. --show-keys prints them.

Exit codes: 0 done; 2 the file could not be read or is wrong.

Examples:
  esp sa show west.toml
  esp sa show --json ~/.config/wireshark/esp_sa | jq '.sas[].spi'
  ip xfrm state | esp sa show -

JSON: file, format, sas[]: line, name, direction (null if the file does not say), spi, transform, mode, src, dst,
  udp ([source, destination] port), esn, replay_window (bits), key_len (bytes), key (with --show-keys)";
