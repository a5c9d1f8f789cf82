//! Rows, and the three forms in which they leave.

use std::fmt::Write as _;

use anyhow::Result;
use esp_core::config::Mode;
use serde::Serialize;

use crate::axes::{Axes, Op};
use crate::bench::Bench;
use crate::machine::Machine;
use crate::rounds::Timing;
use crate::summary::Summary;

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A table for people.
    Text,
    /// One object with the machine, the timing and the rows.
    Json,
    /// A line a row, with the machine in `#` lines in front.
    Csv,
}

/// What a run has to say, in each form.
pub trait Render: Serialize {
    /// Lines of numbers, with the machine in `#` lines in front.
    ///
    /// # Errors
    ///
    /// If a line cannot be written.
    fn csv(&self) -> Result<String, std::fmt::Error>;

    /// A table for people.
    ///
    /// # Errors
    ///
    /// If a line cannot be written.
    fn text(&self) -> Result<String, std::fmt::Error>;

    /// The report in one form.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    fn render(&self, format: Format) -> Result<String> {
        match format {
            Format::Json => Ok(serde_json::to_string_pretty(self)? + "\n"),
            Format::Csv => Ok(self.csv()?),
            Format::Text => Ok(self.text()?),
        }
    }
}

/// One row of the output.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Which walk.
    pub op: Op,
    /// The transform; with `null-twin:` in front, the one whose lengths the null twin has.
    pub transform: String,
    /// The tier that served it.
    pub tier: &'static str,
    /// `tunnel` or `transport`.
    pub mode: &'static str,
    /// What counted: `engine`, or another form in the counters experiment.
    pub counting: &'static str,
    /// Inner packet in bytes.
    pub size: usize,
    /// SAs of each thread, or of all if `shared`.
    pub sas: u32,
    /// Whether all threads used the same SAs.
    pub shared: bool,
    /// Threads.
    pub threads: usize,
    /// Packets a call.
    pub burst: usize,
    /// Millions of packets a second, all threads together, at the median.
    pub mpps: f64,
    /// Gigabits of inner packets a second, at the median.
    pub inner_gbit_s: f64,
    /// Nanoseconds a packet and thread.
    pub ns: Summary,
    /// Packets dropped. A row with one is an error and never printed.
    pub drops: u64,
    /// How much of the median is not the cipher: the null twin's over this row's. Absent without `--null`.
    pub not_cipher: Option<f64>,
}

impl Row {
    fn new(bench: &Bench, counting: &'static str, ns: Summary, not_cipher: Option<f64>) -> Self {
        let axes = bench.axes();
        let mpps = axes.threads as f64 * 1e3 / ns.median;
        Self {
            op: axes.op,
            transform: format!("{}{}", if axes.null { "null-twin:" } else { "" }, axes.transform),
            tier: bench.tier(),
            mode: if axes.mode == Mode::Tunnel { "tunnel" } else { "transport" },
            counting,
            size: axes.size,
            sas: axes.sas,
            shared: axes.shared,
            threads: axes.threads,
            burst: axes.burst,
            mpps,
            inner_gbit_s: mpps * axes.size as f64 * 8e-3,
            ns,
            drops: 0,
            not_cipher,
        }
    }
}

/// A row for each bench; `labels` names what counted in each.
#[must_use]
pub fn rows(benches: &[Bench], labels: &[&'static str], summaries: &[Summary]) -> Vec<Row> {
    let twin_of = |bench: &Bench, label: &str| {
        let wanted = Axes { null: true, ..bench.axes().clone() };
        let is_twin = |(other, counts): (&Bench, &&str)| *other.axes() == wanted && *counts == label;
        let at = benches.iter().zip(labels).position(is_twin)?;
        (!bench.axes().null).then(|| summaries[at].median)
    };
    let all = benches.iter().zip(labels).zip(summaries);
    let row = |((bench, label), ns): ((&Bench, &&'static str), &Summary)| {
        Row::new(bench, label, *ns, twin_of(bench, label).map(|twin| twin / ns.median))
    };
    all.map(row).collect()
}

/// All that a run has to say.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Where.
    pub machine: Machine,
    /// How long and how often.
    pub timing: Timing,
    /// Whether every thread had a CPU to itself.
    pub pinned: bool,
    /// What was found.
    pub rows: Vec<Row>,
}

impl Report {
    /// Rows that say more about the machine than about the engine, and why: the rounds differ by more than `spread`, or
    /// several threads had their cores for less than `presence` of the time.
    #[must_use]
    pub fn noisy(&self, spread: f64, presence: f64) -> Vec<String> {
        let mut noisy = Vec::new();
        for row in &self.rows {
            if row.ns.spread > spread {
                noisy.push(format!("{}: spread {:.0} %", name(row), row.ns.spread * 100.0));
            }
            if let Some(share) = row.ns.presence.filter(|share| row.threads > 1 && *share < presence) {
                noisy.push(format!("{}: threads had their cores for {:.0} %", name(row), share * 100.0));
            }
        }
        noisy
    }

    fn head(&self) -> [String; 2] {
        let Timing { rounds, millis } = self.timing;
        let pinned = if self.pinned { "pinned" } else { "not pinned" };
        let how = format!(
            "{rounds} interleaved rounds of {millis} ms a row, threads {pinned}; Gbit/s of inner packets"
        );
        [self.machine.to_string(), how]
    }
}

impl Render for Report {
    fn csv(&self) -> Result<String, std::fmt::Error> {
        let mut out = String::new();
        for line in self.head() {
            writeln!(out, "# {line}")?;
        }
        writeln!(
            out,
            "op,transform,tier,mode,counting,size,sas,shared,threads,burst,mpps,inner_gbit_s,ns_median,ns_min,spread,presence,drops,not_cipher"
        )?;
        for row in &self.rows {
            let Row { transform, tier, mode, counting, size, sas, shared, threads, burst, .. } = row;
            write!(out, "{},{transform},{tier},{mode},{counting},", op(row))?;
            write!(out, "{size},{sas},{shared},{threads},{burst},")?;
            write!(out, "{:.3},{:.3},{:.2},{:.2},", row.mpps, row.inner_gbit_s, row.ns.median, row.ns.min)?;
            let share = row.not_cipher.map(|share| format!("{share:.3}")).unwrap_or_default();
            let presence = row.ns.presence.map(|share| format!("{share:.2}")).unwrap_or_default();
            writeln!(out, "{:.3},{presence},{},{share}", row.ns.spread, row.drops)?;
        }
        Ok(out)
    }

    fn text(&self) -> Result<String, std::fmt::Error> {
        let mut out = String::new();
        for line in self.head() {
            writeln!(out, "{line}")?;
        }
        writeln!(
            out,
            "\n{:80} {:>7} {:>7} {:>7} {:>7} {:>7} {:>8} {:>5} {:>10}",
            "row", "Mpps", "Gbit/s", "ns", "min ns", "spread", "presence", "drops", "not cipher"
        )?;
        for row in &self.rows {
            let share = row.not_cipher.map(|share| format!("{:.0} %", share * 100.0)).unwrap_or_default();
            write!(out, "{:80} {:7.2} {:7.2} ", name(row), row.mpps, row.inner_gbit_s)?;
            write!(out, "{:7.1} {:7.1} {:5.0} % ", row.ns.median, row.ns.min, row.ns.spread * 100.0)?;
            let presence = row.ns.presence.map(|share| format!("{:.0} %", share * 100.0)).unwrap_or_default();
            write!(out, "{presence:>8} ")?;
            writeln!(out, "{:5} {share:>10}", row.drops)?;
        }
        Ok(out)
    }
}

const fn op(row: &Row) -> &'static str {
    match row.op {
        Op::Seal => "seal",
        Op::Open => "open",
    }
}

/// The axes of a row, those first that most runs vary.
fn name(row: &Row) -> String {
    let Row { transform, tier, mode, size, sas, threads, burst, counting, .. } = row;
    let shared = if row.shared { " shared" } else { "" };
    let counting = if *counting == "engine" { String::new() } else { format!(" {counting}") };
    format!(
        "{} {transform} ({tier}) {mode} {size} B, {sas}{shared} SAs, {threads} thr, {burst}{counting}",
        op(row)
    )
}
