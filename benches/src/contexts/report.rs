//! What was found, in the forms in which it leaves.

use std::fmt::Write as _;

use anyhow::Result;
use serde::Serialize;

use super::{Algorithm, Cell, Form};
use crate::machine::Machine;
use crate::report::Render;
use crate::rounds::Timing;
use crate::summary::Summary;

/// One form of one algorithm at one size on so many threads.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What is computed.
    pub algorithm: Algorithm,
    /// Bytes that the MAC covers or the cipher encrypts.
    pub bytes: usize,
    /// Threads that worked at once.
    pub threads: usize,
    /// Where a packet's key came from.
    pub form: Form,
    /// Nanoseconds a packet and thread, while the thread had its core.
    pub ns: Summary,
    /// Of a key made once: packets a second gained over copying it for each packet. 1.235 is +123.5 %.
    pub over_cloned: Option<f64>,
    /// The same over making it for each packet.
    pub over_keyed: Option<f64>,
    /// What the original gained, where it says so: see [`Algorithm::original`].
    pub original: Option<f64>,
}

/// All that a run has to say.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Where.
    pub machine: Machine,
    /// The OpenSSL that was linked, if any.
    pub openssl: Option<String>,
    /// How long and how often.
    pub timing: Timing,
    /// Whether every thread stayed on one CPU; threads beyond the cores share them.
    pub pinned: bool,
    /// Packets a call of the burst form.
    pub burst: usize,
    /// What was found.
    pub rows: Vec<Row>,
}

impl Report {
    pub(crate) fn new(
        machine: Machine,
        timing: Timing,
        pinned: bool,
        burst: usize,
        cells: &[Cell],
        summaries: &[Summary],
    ) -> Self {
        let row = |(cell, ns): (&Cell, &Summary)| {
            let of = |form: Form| {
                let same = |(other, _): &(&Cell, &Summary)| {
                    (other.algorithm, other.bytes, other.threads, other.form)
                        == (cell.algorithm, cell.bytes, cell.threads, form)
                };
                cells.iter().zip(summaries).find(same).map(|(_, other)| other.median / ns.median - 1.0)
            };
            let instead_of = cell.form.instead_of();
            let original = instead_of.and_then(|_| cell.algorithm.original(cell.bytes, cell.threads));
            Row {
                algorithm: cell.algorithm,
                bytes: cell.bytes,
                threads: cell.threads,
                form: cell.form,
                ns: *ns,
                over_cloned: instead_of.and_then(|(cloned, _)| of(cloned)),
                over_keyed: instead_of.and_then(|(_, keyed)| of(keyed)),
                original,
            }
        };
        let rows = cells.iter().zip(summaries).map(row).collect();
        Self { machine, openssl: openssl(), timing, pinned, burst, rows }
    }

    /// Rows that say more about the machine than about the forms, and why: the rounds differ by more than `spread`, or
    /// several threads had their cores for less than `presence` of the time that they could have.
    #[must_use]
    pub fn noisy(&self, spread: f64, presence: f64) -> Vec<String> {
        let mut noisy = Vec::new();
        for row in &self.rows {
            let Row { algorithm, bytes, threads, form, ns, .. } = row;
            let name = format!("{algorithm} {form} {bytes} B, {threads} thr");
            if ns.spread > spread {
                noisy.push(format!("{name}: spread {:.0} %", ns.spread * 100.0));
            }
            if let Some(share) = ns.presence.filter(|share| *threads > 1 && *share < presence) {
                noisy.push(format!("{name}: threads had the cores for {:.0} %", share * 100.0));
            }
        }
        noisy
    }

    fn head(&self) -> [String; 3] {
        let Timing { rounds, millis } = self.timing;
        let pinned = if self.pinned { "pinned" } else { "not pinned" };
        let openssl = self.openssl.as_deref().unwrap_or("no OpenSSL, see --features openssl");
        let burst = self.burst;
        [
            format!("{}; {openssl}", self.machine),
            format!(
                "{rounds} interleaved rounds of {millis} ms a figure, threads {pinned}, bursts of {burst}"
            ),
            "ns a packet and thread, median; gains in packets a second".to_owned(),
        ]
    }

    /// The line of one size: every form of which `row` is one.
    fn line(&self, row: &Row) -> String {
        let of = |form: Form| {
            self.rows.iter().find(|other| {
                (other.algorithm, other.bytes, other.threads, other.form)
                    == (row.algorithm, row.bytes, row.threads, form)
            })
        };
        let columns = COLUMNS.map(|(.., column)| match column {
            Column::Bytes => row.bytes.to_string(),
            Column::Ns(form) => of(form).map(|row| format!("{:.1}", row.ns.median)).unwrap_or_default(),
            Column::OverCloned(form) => percent(of(form).and_then(|row| row.over_cloned)),
            Column::OverKeyed(form) => percent(of(form).and_then(|row| row.over_keyed)),
            Column::Original => percent(row.original),
        });
        joined(&columns)
    }
}

impl Render for Report {
    fn csv(&self) -> Result<String, std::fmt::Error> {
        let mut out = String::new();
        for line in self.head() {
            writeln!(out, "# {line}")?;
        }
        out +=
            "algorithm,bytes,threads,form,ns_median,ns_min,spread,presence,over_cloned,over_keyed,original\n";
        for row in &self.rows {
            let Row { algorithm, bytes, threads, form, ns, over_cloned, over_keyed, original } = row;
            let number = |value: &Option<f64>| value.map(|value| format!("{value:.3}")).unwrap_or_default();
            write!(out, "{algorithm},{bytes},{threads},{form},{:.2},{:.2},", ns.median, ns.min)?;
            write!(out, "{:.3},{},", ns.spread, number(&ns.presence))?;
            writeln!(out, "{},{},{}", number(over_cloned), number(over_keyed), number(original))?;
        }
        Ok(out)
    }

    fn text(&self) -> Result<String, std::fmt::Error> {
        let mut out = self.head().join("\n") + "\n";
        let mut section = None;
        for row in self.rows.iter().filter(|row| row.form == Form::Single) {
            if section.replace((row.algorithm, row.threads)) != Some((row.algorithm, row.threads)) {
                let workers = if row.threads == 1 { "worker" } else { "workers" };
                let cores = if self.machine.cores == 1 { "core" } else { "cores" };
                let by = row.algorithm.transform().map(|name| format!(" by {name}")).unwrap_or_default();
                writeln!(
                    out,
                    "\n{}{by}, {} {workers} on {} {cores}",
                    row.algorithm, row.threads, self.machine.cores
                )?;
                out += &joined(&COLUMNS.map(|(above, ..)| above.to_owned()));
                out += &joined(&COLUMNS.map(|(_, name, _)| name.to_owned()));
            }
            out += &self.line(row);
        }
        out += "\noriginal: gain of MACs over cloned, 3des-ctr over keyed, by OpenSSL on the original's machine\n";
        Ok(out)
    }
}

/// The columns of the text.
#[derive(Clone, Copy)]
enum Column {
    Bytes,
    Ns(Form),
    OverCloned(Form),
    OverKeyed(Form),
    Original,
}

/// The two lines of a column's head, and the column.
const COLUMNS: [(&str, &str, Column); 16] = [
    ("", "bytes", Column::Bytes),
    ("", "null twin", Column::Ns(Form::NullTwin)),
    ("", "keyed", Column::Ns(Form::Keyed)),
    ("", "cloned", Column::Ns(Form::Cloned)),
    ("", "single", Column::Ns(Form::Single)),
    ("", "burst", Column::Ns(Form::Burst)),
    ("single /", "cloned", Column::OverCloned(Form::Single)),
    ("single /", "keyed", Column::OverKeyed(Form::Single)),
    ("burst /", "cloned", Column::OverCloned(Form::Burst)),
    ("burst /", "keyed", Column::OverKeyed(Form::Burst)),
    ("OpenSSL", "keyed", Column::Ns(Form::OpensslKeyed)),
    ("OpenSSL", "cloned", Column::Ns(Form::OpensslCloned)),
    ("OpenSSL", "once", Column::Ns(Form::OpensslOnce)),
    ("once /", "cloned", Column::OverCloned(Form::OpensslOnce)),
    ("once /", "keyed", Column::OverKeyed(Form::OpensslOnce)),
    ("", "original", Column::Original),
];

fn joined(columns: &[String]) -> String {
    let line: String = columns.iter().map(|column| format!("{column:>WIDTH$}")).collect();
    line.trim_end().to_owned() + "\n"
}

fn percent(gain: Option<f64>) -> String {
    gain.map(|gain| format!("{:+.1} %", gain * 100.0)).unwrap_or_default()
}

#[cfg(feature = "openssl")]
fn openssl() -> Option<String> {
    Some(crate::openssl::version())
}

#[cfg(not(feature = "openssl"))]
const fn openssl() -> Option<String> {
    None
}

/// Characters of a column.
const WIDTH: usize = 10;
