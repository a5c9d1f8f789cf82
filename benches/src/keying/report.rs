//! What was found, in the forms in which it leaves.

use std::fmt::Write as _;

use anyhow::Result;
use serde::Serialize;

use super::{BURST, Figure, PAYLOADS, Subject};
use crate::machine::Machine;
use crate::report::Render;
use crate::rounds::Timing;
use crate::summary::Summary;

/// One transform. All figures are nanoseconds: of a key for `set_up`, else of a packet.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The transform, or `null-twin`.
    pub transform: String,
    /// The tier that served it.
    pub tier: &'static str,
    /// Making and dropping a key.
    pub set_up: Option<Summary>,
    /// Sealing 64 bytes of payload under a key made once. Absent if nobody seals by it.
    pub seal_64: Option<Summary>,
    /// Opening them.
    pub open_64: Option<Summary>,
    /// Sealing 1,420 bytes, rounded up to what the cipher takes.
    pub seal_1420: Option<Summary>,
    /// Opening them.
    pub open_1420: Option<Summary>,
    /// Sealing 64 bytes under a key that each packet has for itself.
    pub keyed_seal_64: Option<Summary>,
    /// The share of a set-up by which `keyed_seal_64` is above `seal_64`: 1 if the latter has none in it.
    pub explained: Option<f64>,
}

impl Row {
    fn new(subject: Subject, cells: &[(Subject, Figure)], summaries: &[Summary]) -> Self {
        let of = |figure| {
            let at = cells.iter().position(|cell| *cell == (subject, figure))?;
            summaries.get(at).copied()
        };
        let [small, large] = PAYLOADS;
        let (set_up, seal) = (of(Figure::SetUp), of(Figure::Seal(small)));
        let keyed = of(Figure::KeyedSeal(small));
        let explained = set_up
            .zip(seal)
            .zip(keyed)
            .map(|((set_up, seal), keyed)| (keyed.median - seal.median) / set_up.median);
        Self {
            transform: subject.name(),
            tier: subject.tier(),
            set_up,
            seal_64: seal,
            open_64: of(Figure::Open(small)),
            seal_1420: of(Figure::Seal(large)),
            open_1420: of(Figure::Open(large)),
            keyed_seal_64: keyed,
            explained: explained.filter(|_| subject != Subject::NullTwin),
        }
    }

    fn figures(&self) -> [(&'static str, Option<Summary>); 6] {
        [
            ("set-up", self.set_up),
            ("seal 64 B", self.seal_64),
            ("open 64 B", self.open_64),
            ("seal 1420 B", self.seal_1420),
            ("open 1420 B", self.open_1420),
            ("keyed seal 64 B", self.keyed_seal_64),
        ]
    }
}

/// All that a run has to say.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Where.
    pub machine: Machine,
    /// How long and how often.
    pub timing: Timing,
    /// Whether the thread stayed on one CPU.
    pub pinned: bool,
    /// What was found.
    pub rows: Vec<Row>,
}

impl Report {
    pub(crate) fn new(
        machine: Machine,
        timing: Timing,
        pinned: bool,
        cells: &[(Subject, Figure)],
        summaries: &[Summary],
    ) -> Self {
        let mut subjects: Vec<Subject> = cells.iter().map(|(subject, _)| *subject).collect();
        subjects.dedup();
        let rows = subjects.into_iter().map(|subject| Row::new(subject, cells, summaries));
        Self { machine, timing, pinned, rows: rows.collect() }
    }

    /// Figures that say more about the machine than about the transform: their rounds differ by more than `spread`.
    #[must_use]
    pub fn noisy(&self, spread: f64) -> Vec<String> {
        let mut noisy = Vec::new();
        for row in &self.rows {
            for (name, ns) in row.figures() {
                if let Some(ns) = ns.filter(|ns| ns.spread > spread) {
                    noisy.push(format!("{} {name}: spread {:.0} %", row.transform, ns.spread * 100.0));
                }
            }
        }
        noisy
    }

    fn head(&self) -> [String; 3] {
        let Timing { rounds, millis } = self.timing;
        let pinned = if self.pinned { "pinned" } else { "not pinned" };
        [
            self.machine.to_string(),
            format!(
                "{rounds} interleaved rounds of {millis} ms a figure, thread {pinned}, bursts of {BURST}"
            ),
            "ns a key (set-up) and ns a packet (the rest), median".to_owned(),
        ]
    }
}

impl Render for Report {
    fn csv(&self) -> Result<String, std::fmt::Error> {
        let mut out = String::new();
        for line in self.head() {
            writeln!(out, "# {line}")?;
        }
        out += "transform,tier,set_up,seal_64,open_64,seal_1420,open_1420,keyed_seal_64,explained\n";
        for row in &self.rows {
            write!(out, "{},{}", row.transform, row.tier)?;
            for (_, ns) in row.figures() {
                write!(out, ",{}", ns.map(|ns| format!("{:.2}", ns.median)).unwrap_or_default())?;
            }
            let explained = row.explained.map(|share| format!("{share:.3}")).unwrap_or_default();
            writeln!(out, ",{explained}")?;
        }
        Ok(out)
    }

    fn text(&self) -> Result<String, std::fmt::Error> {
        let mut out = self.head().join("\n") + "\n\n";
        write!(out, "{:28} {:9}", "transform", "tier")?;
        for name in ["set-up", "seal 64", "open 64", "seal 1420", "open 1420", "keyed 64", "explained"] {
            write!(out, " {name:>10}")?;
        }
        out.push('\n');
        for row in &self.rows {
            write!(out, "{:28} {:9}", row.transform, row.tier)?;
            for (_, ns) in row.figures() {
                write!(out, " {:>10}", ns.map_or_else(|| "-".to_owned(), |ns| format!("{:.1}", ns.median)))?;
            }
            let explained = row.explained.map_or_else(|| "-".to_owned(), |share| format!("{share:.2}"));
            writeln!(out, " {explained:>10}")?;
        }
        out += "\nexplained: (keyed 64 - seal 64) / set-up; 1: no set-up is in what a packet costs\n";
        Ok(out)
    }
}
