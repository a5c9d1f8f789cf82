//! The report: what is printed as JSON, and what the text is made of.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use serde::Serialize;

use super::cause::{Conclusion, Known, conclude};
use super::dump::dump;
use super::mistakes::{Fit, Search};
use super::spis::Seen;
use super::story::{Fate, Story};
use super::walk::{Count, Kept, Walked};
use crate::output::counted;

/// Everything that is said of a packet and its capture.
#[derive(Serialize)]
pub(crate) struct Report {
    version: &'static str,
    pub(crate) capture: String,
    pub(crate) sa_file: Option<String>,
    pub(crate) overview: Overview,
    pub(crate) packet: Told,
    pub(crate) cause: Option<Cause>,
    #[serde(skip)]
    pub(crate) conclusion: Conclusion,
    #[serde(skip)]
    pub(crate) search: Option<Search>,
    #[serde(skip)]
    pub(crate) dump: String,
    pub(crate) ok: bool,
}

/// The capture as a whole.
#[derive(Serialize)]
pub(crate) struct Overview {
    pub(crate) packets: u64,
    pub(crate) esp: u64,
    /// Packets of each verdict.
    verdicts: BTreeMap<String, u64>,
    /// The first packet of each, by number.
    first: BTreeMap<String, u64>,
    /// Packets that this program judges otherwise than the engine.
    pub(crate) defects: Count,
    /// Most packets first.
    pub(crate) spis: Vec<Seen>,
    #[serde(skip)]
    pub(crate) uncounted: u64,
    /// Packet in which the capture ends.
    pub(crate) cut_short: Option<u64>,
}

/// The packet.
#[derive(Serialize)]
pub(crate) struct Told {
    pub(crate) number: u64,
    /// Since 1970.
    pub(crate) nanos: u64,
    pub(crate) why: &'static str,
    /// Whether nothing is wrong: delivered, consumed, or not ours.
    delivered: bool,
    /// The engine's, or this program's own where the engine is not asked.
    verdict: Fate,
    #[serde(flatten)]
    pub(crate) story: Story,
}

/// What is wrong; of what was found.
#[derive(Serialize)]
pub(crate) struct Cause {
    found: Vec<Found>,
    tried: u64,
    bound_reached: bool,
    /// The conclusion, when no mistake fits.
    text: Option<String>,
    rule: Option<&'static str>,
}

/// One mistake, or two together.
#[derive(Serialize)]
struct Found {
    id: String,
    cause: String,
    todo: Option<String>,
    /// Packets of the SPI that it makes authentic, this one among them, of so many that were tried.
    fits: usize,
    of: usize,
    #[serde(flatten)]
    fit: Option<Fit>,
}

/// The mistake, on other packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Also {
    pub(crate) tried: usize,
    pub(crate) fits: usize,
}

impl Report {
    /// The report of a capture of this name.
    ///
    /// # Errors
    ///
    /// It has no packet to explain; the message says how many it has.
    pub(crate) fn new(capture: &str, asked: Option<u64>, mut walked: Walked) -> Result<Self> {
        let Some(Kept { story, frame }) = walked.picked.take() else {
            return missing(capture, asked, &walked);
        };
        let known = Known { story: &story, search: walked.search.as_ref(), sas: walked.sas.as_ref() };
        let conclusion = conclude(&known);
        let also = also(&walked, &story);
        let overview = Overview::new(&walked);
        let ok = !story.fails() && overview.defects.packets == 0;
        Ok(Self {
            version: env!("CARGO_PKG_VERSION"),
            capture: capture.to_owned(),
            sa_file: walked.sas.as_ref().map(|sas| sas.file.clone()),
            overview,
            cause: (!conclusion.fine).then(|| Cause::new(&conclusion, walked.search.as_ref(), also)),
            conclusion,
            search: walked.search,
            dump: dump(&story, &frame),
            ok,
            packet: Told::new(story, asked),
        })
    }

    /// On how many other packets of the SPI the mistake was tried, and how many it fits.
    pub(crate) fn also(&self) -> Option<Also> {
        let found = self.cause.as_ref()?.found.first()?;
        found.fit.as_ref()?;
        Some(Also { tried: found.of - 1, fits: found.fits - 1 })
    }
}

/// Why there is nothing to explain.
fn missing(capture: &str, asked: Option<u64>, walked: &Walked) -> Result<Report> {
    match (asked, walked.records) {
        (_, 0) => bail!("{capture}: no packet in it"),
        (Some(number), records) => bail!("{capture}: no packet {number}; legal: 1..={records}"),
        (None, records) => {
            let verdicts =
                walked.verdicts.iter().map(|(verdict, count)| format!("{verdict} {}", count.packets));
            let verdicts = verdicts.collect::<Vec<_>>().join(", ");
            bail!(
                "{capture}: no ESP packet among {} ({verdicts}); --packet N explains any",
                counted(records, "packet")
            )
        }
    }
}

fn also(walked: &Walked, story: &Story) -> Option<Also> {
    let fit = walked.search.as_ref()?.fit.as_ref()?;
    let others: Vec<_> = walked.neighbours.iter().collect();
    let fits = fit.also_fits(&others, walked.sas.as_ref()?, story.esp.as_ref()?.packet.end());
    Some(Also { tried: others.len(), fits })
}

impl Overview {
    fn new(walked: &Walked) -> Self {
        let each = |pick: fn(&Count) -> u64| {
            walked.verdicts.iter().map(|(verdict, count)| (verdict.clone(), pick(count))).collect()
        };
        Self {
            packets: walked.records,
            esp: walked.esp_packets,
            verdicts: each(|count| count.packets),
            first: each(|count| count.first),
            defects: walked.defects,
            spis: walked.spis.sorted(),
            uncounted: walked.spis.uncounted,
            cut_short: walked.cut_short,
        }
    }

    /// Verdict, packets, and the first of them; most packets first.
    pub(crate) fn rows(&self) -> Vec<(&str, u64, u64)> {
        let firsts = self.verdicts.iter().zip(self.first.values());
        let mut rows: Vec<_> =
            firsts.map(|((verdict, packets), first)| (verdict.as_str(), *packets, *first)).collect();
        rows.sort_by_key(|(_, packets, _)| std::cmp::Reverse(*packets));
        rows
    }
}

impl Told {
    fn new(story: Story, asked: Option<u64>) -> Self {
        let why = match (asked, story.is_esp(), story.fails()) {
            (Some(_), _, _) => "asked for",
            (None, true, true) => "the first ESP packet that is not delivered",
            (None, true, false) => "the first ESP packet",
            (None, false, _) => "the first packet that is dropped",
        };
        Self {
            number: story.number,
            nanos: story.nanos,
            why,
            delivered: !story.fails(),
            verdict: story.engine.unwrap_or(story.fate),
            story,
        }
    }
}

impl Cause {
    fn new(conclusion: &Conclusion, search: Option<&Search>, also: Option<Also>) -> Self {
        let also = also.unwrap_or(Also { tried: 0, fits: 0 });
        let fit = search.and_then(|search| search.fit.clone());
        let found = conclusion.id.clone().map(|id| Found {
            id,
            cause: conclusion.cause.clone(),
            todo: conclusion.remedy.clone(),
            fits: also.fits + 1,
            of: also.tried + 1,
            fit,
        });
        Self {
            text: found.is_none().then(|| conclusion.cause.clone()),
            found: Vec::from_iter(found),
            tried: search.map_or(0, |search| search.tried),
            bound_reached: search.is_some_and(|search| search.bound_reached),
            rule: conclusion.rule,
        }
    }
}
