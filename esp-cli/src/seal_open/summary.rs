//! What became of every packet: counted, added up, and shown.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anyhow::{Result, ensure};
use esp_core::config::SaConfig;
use esp_core::{Consumed, DropReason, Engine, SaId, Stats};
use esp_wire::Ip;
use serde::Serialize;

use super::Others;
use super::burst::{Fate, OtherKind};
use crate::capture::{Format, Link, Reader, Record};
use crate::output::{counted, grouped};
use crate::table::{Align, Table};
use crate::{locate, sa};

/// Packets of one run. Every packet read is in exactly one of `done`, `passed`, `left_out`, `consumed`, `dropped` and
/// `truncated`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) read: u64,
    pub(crate) truncated: u64,
    pub(crate) written: u64,
    done: u64,
    passed: u64,
    left_out: u64,
    /// Those passed and left out, by kind.
    others: BTreeMap<&'static str, u64>,
    consumed: BTreeMap<&'static str, u64>,
    dropped: BTreeMap<DropReason, u64>,
    /// The smallest usable inner MTU that a packet was too big for, in bytes.
    inner_mtu: Option<u32>,
    /// SPIs that no SA has, as many as fit.
    unknown_spis: BTreeMap<u32, u64>,
    /// The first truncated packets, by number.
    truncated_at: Vec<u64>,
    /// Number of the packet in which the capture ends, if it was cut short.
    pub(crate) cut_short: Option<u64>,
}

impl Counts {
    /// Counts one packet of the capture.
    pub(crate) fn read(&mut self, record: &Record<'_>) {
        self.read += 1;
        if record.is_truncated() {
            self.truncated += 1;
            if self.truncated_at.len() < SHOWN {
                self.truncated_at.push(record.number);
            }
        }
    }

    /// Counts one packet that reached the engine or passed by it.
    pub(crate) fn count(&mut self, fate: Fate, others: Others, packet: &[u8]) {
        match fate {
            Fate::Done => self.done += 1,
            Fate::Other(kind) => {
                *self.others.entry(other_name(kind)).or_default() += 1;
                match others {
                    Others::Pass => self.passed += 1,
                    Others::Drop => self.left_out += 1,
                }
            }
            Fate::Consumed(how) => *self.consumed.entry(consumed_name(how)).or_default() += 1,
            Fate::Dropped(reason, detail) => {
                *self.dropped.entry(reason).or_default() += 1;
                if reason == DropReason::NoSa {
                    self.note_spi(packet);
                }
                if reason == DropReason::TooBig {
                    self.inner_mtu = Some(self.inner_mtu.map_or(detail, |mtu| mtu.min(detail)));
                }
            }
        }
    }

    /// Whether the capture was whole and no packet was dropped for a fault or found truncated.
    pub(crate) fn is_clean(&self) -> bool {
        self.dropped() == 0 && self.truncated == 0 && self.cut_short.is_none()
    }

    fn note_spi(&mut self, packet: &[u8]) {
        let spi = Ip::parse(packet).ok().and_then(|ip| locate::esp(&ip, |_| true)).map(|esp| esp.header.spi);
        if let Some(spi) = spi
            && (self.unknown_spis.len() < MOST_SPIS || self.unknown_spis.contains_key(&spi))
        {
            *self.unknown_spis.entry(spi).or_default() += 1;
        }
    }

    /// The most frequent SPIs that no SA has.
    fn unknown_spis(&self) -> Vec<UnknownSpi> {
        let mut spis: Vec<_> =
            self.unknown_spis.iter().map(|(&spi, &packets)| UnknownSpi { spi, packets }).collect();
        spis.sort_by_key(|spi| std::cmp::Reverse(spi.packets));
        spis.truncate(SHOWN);
        spis
    }

    /// Checks that every packet ended in exactly one place, here and in the engine.
    ///
    /// # Errors
    ///
    /// The sums differ: a defect of this program.
    pub(crate) fn check(&self, engine: &Stats) -> Result<()> {
        let ended = self.written + self.left_out + self.consumed() + self.dropped() + self.truncated;
        ensure!(self.read == ended, "{} packets were read but {ended} accounted for: {self:?}", self.read);
        ensure!(self.written == self.done + self.passed, "written is not what was done and passed: {self:?}");
        let delivered = engine.outbound.delivered + engine.inbound.delivered;
        let unaccounted = engine.unaccounted();
        ensure!(
            delivered == self.done && unaccounted == 0,
            "the engine delivered {delivered} packets, {} were written; {unaccounted} are unaccounted for",
            self.done
        );
        Ok(())
    }

    fn consumed(&self) -> u64 {
        self.consumed.values().sum()
    }

    fn dropped(&self) -> u64 {
        self.dropped.values().sum()
    }
}

/// Which command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Command {
    Seal,
    Open,
}

/// A run as it is shown: on standard error for people, or as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    command: Command,
    version: &'static str,
    input: String,
    output: String,
    format: &'static str,
    link_types: Vec<&'static str>,
    sas: Vec<SaRow>,
    read: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sealed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opened: Option<u64>,
    passed: u64,
    left_out: u64,
    consumed: u64,
    dropped: u64,
    truncated: u64,
    written: u64,
    others_by_kind: BTreeMap<&'static str, u64>,
    consumed_by_kind: BTreeMap<&'static str, u64>,
    dropped_by_reason: BTreeMap<&'static str, u64>,
    usable_inner_mtu: Option<u32>,
    unknown_spis: Vec<UnknownSpi>,
    truncated_at: Vec<u64>,
    cut_short: Option<u64>,
    ok: bool,
}

#[derive(Debug, Serialize)]
struct UnknownSpi {
    spi: u32,
    packets: u64,
}

#[derive(Debug, Serialize)]
struct SaRow {
    name: Option<String>,
    spi: u32,
    transform: &'static str,
    tier: &'static str,
    packets: u64,
    dropped: u64,
    #[serde(skip)]
    shown: String,
}

impl Summary {
    /// The run from `input` to `output`, with what each of the SAs did.
    ///
    /// # Errors
    ///
    /// An SA that the engine does not know.
    pub(crate) fn new(
        command: Command,
        (input, output): (&Path, &Path),
        reader: &Reader,
        engine: &Engine,
        installed: &[(&SaConfig, SaId)],
        counts: &Counts,
    ) -> Result<Self> {
        let sas = installed.iter().map(|(sa, id)| SaRow::new(engine, sa, *id)).collect::<Result<_>>()?;
        Ok(Self {
            command,
            version: env!("CARGO_PKG_VERSION"),
            input: input.display().to_string(),
            output: output.display().to_string(),
            format: match reader.format() {
                Format::Pcap => "pcap",
                Format::PcapNg => "pcapng",
            },
            link_types: reader.links().into_iter().map(Link::name).collect(),
            sas,
            read: counts.read,
            sealed: (command == Command::Seal).then_some(counts.done),
            opened: (command == Command::Open).then_some(counts.done),
            passed: counts.passed,
            left_out: counts.left_out,
            consumed: counts.consumed(),
            dropped: counts.dropped(),
            truncated: counts.truncated,
            written: counts.written,
            others_by_kind: counts.others.clone(),
            consumed_by_kind: counts.consumed.clone(),
            dropped_by_reason: counts.dropped.iter().map(|(reason, count)| (reason.name(), *count)).collect(),
            usable_inner_mtu: counts.inner_mtu,
            unknown_spis: counts.unknown_spis(),
            truncated_at: counts.truncated_at.clone(),
            cut_short: counts.cut_short,
            ok: counts.is_clean(),
        })
    }

    fn rows(&self) -> Table {
        let mut table = Table::new(&[("", Align::Left), ("packets", Align::Right), ("", Align::Left)]);
        let mut row = |what: &str, count: u64, note: &str| {
            table.row([what.to_owned(), grouped(count), note.to_owned()]);
        };
        row("read", self.read, "");
        match self.command {
            Command::Seal => row("sealed", self.sealed.unwrap_or_default(), ""),
            Command::Open => row("opened", self.opened.unwrap_or_default(), ""),
        }
        row("passed unchanged", self.passed, &kinds_if(self.passed, &self.others_by_kind));
        row("left out", self.left_out, &kinds_if(self.left_out, &self.others_by_kind));
        row("consumed", self.consumed, &kinds(&self.consumed_by_kind));
        row("dropped", self.dropped, &kinds(&self.dropped_by_reason));
        row("truncated", self.truncated, &self.truncated_note());
        row("written", self.written, "");
        table
    }

    /// Which packets are truncated, the first few by number.
    fn truncated_note(&self) -> String {
        if self.truncated == 0 {
            return String::new();
        }
        let numbers = self.truncated_at.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let more = if self.truncated > self.truncated_at.len() as u64 { ", .." } else { "" };
        format!("captured shorter than on the wire: number {numbers}{more}")
    }

    /// Why packets found no SA: what was seen, and what was to be found.
    fn write_unknown(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.unknown_spis.is_empty() {
            return Ok(());
        }
        let seen = self
            .unknown_spis
            .iter()
            .map(|spi| format!("{:#010x} ({})", spi.spi, counted(spi.packets, "packet")));
        writeln!(f, "no_sa: SPIs in the capture: {}", seen.collect::<Vec<_>>().join(", "))?;
        let known =
            self.sas.iter().take(SHOWN).map(|sa| format!("{:#010x}", sa.spi)).collect::<Vec<_>>().join(", ");
        let more = if self.sas.len() > SHOWN { ", .." } else { "" };
        writeln!(f, "       inbound SPIs in the SA file: {known}{more}")
    }
}

impl SaRow {
    fn new(engine: &Engine, sa: &SaConfig, id: SaId) -> Result<Self> {
        let stats = engine.sa_stats(id)?;
        Ok(Self {
            name: sa.name.clone(),
            spi: sa.spi,
            transform: sa.transform.name(),
            tier: engine.tiers().best(sa.transform).name(),
            packets: stats.packets,
            dropped: stats.drops,
            shown: sa::shown(sa),
        })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} -> {}", self.input, self.output)?;
        for sa in self.sas.iter().filter(|sa| sa.packets + sa.dropped > 0) {
            let packets = counted(sa.packets, "packet");
            write!(f, "SA {}: {packets}, {} ({})", sa.shown, sa.transform, sa.tier)?;
            if sa.dropped > 0 {
                write!(f, "; {} dropped", grouped(sa.dropped))?;
            }
            writeln!(f)?;
        }
        write!(f, "{}", self.rows().render())?;
        if let Some(mtu) = self.usable_inner_mtu {
            writeln!(f, "too_big: the SA's MTU leaves {mtu} bytes for an IP packet")?;
        }
        if let Some(number) = self.cut_short {
            writeln!(f, "the capture ends inside packet {number}; those before it are done")?;
        }
        self.write_unknown(f)
    }
}

fn kinds_if(count: u64, by_kind: &BTreeMap<&'static str, u64>) -> String {
    if count > 0 { kinds(by_kind) } else { String::new() }
}

/// `not_esp 3, not_ip 1`.
fn kinds(by_kind: &BTreeMap<&'static str, u64>) -> String {
    by_kind.iter().map(|(name, count)| format!("{name} {}", grouped(*count))).collect::<Vec<_>>().join(", ")
}

fn other_name(kind: OtherKind) -> &'static str {
    match kind {
        OtherKind::NotIp => "not_ip",
        OtherKind::NoSaSelects => "no_sa_selects",
        OtherKind::NotEsp => "not_esp",
        OtherKind::Ike => "ike",
    }
}

fn consumed_name(how: Consumed) -> &'static str {
    match how {
        Consumed::Dummy => "dummy",
        Consumed::Keepalive => "keepalive",
    }
}

/// SPIs and numbers that are listed.
const SHOWN: usize = 5;
/// SPIs that are counted: a capture of noise has no end of them.
const MOST_SPIS: usize = 4096;
