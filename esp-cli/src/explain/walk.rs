//! The whole capture, packet by packet, and the one packet that is to be explained.
//!
//! What is kept does not grow with the capture: the stories and frames of the few packets that may be the one, some
//! neighbours of it, and counts.

use std::collections::{BTreeMap, VecDeque};

use anyhow::Result;
use esp_core::{DropReason, Millis, Packet, Verdict, Worker};
use serde::Serialize;
use zeroize::Zeroize;

use super::judge::judge;
use super::mistakes::{Case, Search};
use super::sas::Sas;
use super::spis::Spis;
use super::story::{Fate, Story};
use crate::capture::{Content, Reader, Record};

/// A capture on its way.
pub(crate) struct Walk {
    worker: Option<Worker>,
    /// The packet asked for, by number.
    asked: Option<u64>,
    now: Millis,
    /// The engine's copy of a packet.
    buffer: Vec<u8>,
    picks: Picks,
    walked: Walked,
}

/// What a capture has left.
pub(crate) struct Walked {
    pub(crate) sas: Option<Sas>,
    pub(crate) records: u64,
    pub(crate) esp_packets: u64,
    pub(crate) verdicts: BTreeMap<String, Count>,
    /// Packets on which this program and the engine differ.
    pub(crate) defects: Count,
    pub(crate) spis: Spis,
    /// The packet to explain.
    pub(crate) picked: Option<Kept>,
    /// What its mistake may be, if something was to be found.
    pub(crate) search: Option<Search>,
    /// Other packets of its SPI that failed like it.
    pub(crate) neighbours: VecDeque<Kept>,
    /// Packet in which the capture ends.
    pub(crate) cut_short: Option<u64>,
}

/// How many packets, and the first of them.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Count {
    pub(crate) packets: u64,
    /// 0: there is none.
    pub(crate) first: u64,
}

/// A packet that is kept.
pub(crate) struct Kept {
    pub(crate) story: Story,
    pub(crate) frame: Vec<u8>,
}

/// The first packets of their kinds, best kind last.
#[derive(Default)]
struct Picks {
    dropped: Option<Kept>,
    esp: Option<Kept>,
    failing: Option<Kept>,
}

impl Walk {
    /// A walk that explains the packet of this number, or the one that needs it most.
    ///
    /// # Errors
    ///
    /// The engine has no worker.
    pub(crate) fn new(sas: Option<Sas>, asked: Option<u64>) -> Result<Self> {
        let worker = sas.as_ref().map(|sas| sas.engine.worker()).transpose()?;
        let walked = Walked {
            sas,
            records: 0,
            esp_packets: 0,
            verdicts: BTreeMap::new(),
            defects: Count::default(),
            spis: Spis::default(),
            picked: None,
            search: None,
            neighbours: VecDeque::new(),
            cut_short: None,
        };
        Ok(Self { worker, asked, now: Millis(0), buffer: Vec::new(), picks: Picks::default(), walked })
    }

    /// Walks to the end of the capture.
    ///
    /// # Errors
    ///
    /// A capture that cannot be read.
    pub(crate) fn run(mut self, reader: &mut Reader) -> Result<Walked> {
        let mut padded = Vec::new();
        while let Some(record) = reader.next_packet()? {
            self.step(&record, &mut padded)?;
        }
        let Self { picks, mut walked, .. } = self;
        walked.cut_short = reader.cut_short();
        walked.picked = walked.picked.or(picks.failing).or(picks.esp).or(picks.dropped);
        if let Some(picked) = &walked.picked {
            let (number, spi) = (picked.story.number, picked.spi());
            walked.neighbours.retain(|kept| kept.story.number != number && kept.spi() == spi);
        }
        Ok(walked)
    }

    fn step(&mut self, record: &Record<'_>, padded: &mut Vec<u8>) -> Result<()> {
        let engine = self.ask(record)?;
        let mut judged = judge(record, self.walked.sas.as_mut(), padded);
        judged.story.engine = engine;
        self.walked.count(&judged.story);
        self.keep(judged.story, judged.frame);
        Ok(())
    }

    /// The engine's verdict, where it is asked.
    fn ask(&mut self, record: &Record<'_>) -> Result<Option<Fate>> {
        let Content::Ip { l2_len } = record.link.content(record.frame) else { return Ok(None) };
        let Some(worker) = self.worker.as_mut().filter(|_| !record.is_truncated()) else { return Ok(None) };
        self.now = self.now.max(Millis(record.millis()));
        self.buffer.clear();
        self.buffer.extend_from_slice(record.frame.get(l2_len..).unwrap_or_default());
        let len = self.buffer.len();
        let mut verdicts = [Verdict::default()];
        worker.open_burst(self.now, &mut [Packet::new(&mut self.buffer, 0, len)?], &mut verdicts)?;
        // What was opened is plaintext.
        self.buffer.zeroize();
        Ok(verdicts.first().map(Fate::from))
    }

    /// Keeps the packet if it may be the one, or a neighbour of it. A mistake is looked for at once: later, the windows
    /// are elsewhere.
    fn keep(&mut self, story: Story, frame: &[u8]) {
        let kept = |story| Kept { story, frame: frame.to_vec() };
        if self.asked == Some(story.number) {
            self.walked.search = self.search(&story, frame);
            self.walked.picked = Some(kept(story));
        } else if story.is_esp() && story.fails() && self.asked.is_none() && self.picks.failing.is_none() {
            self.walked.search = self.search(&story, frame);
            self.picks.failing = Some(kept(story));
        } else if is_unproved(&story) {
            self.neighbour(kept(story));
        } else if self.asked.is_none() && story.is_esp() && self.picks.esp.is_none() {
            self.picks.esp = Some(kept(story));
        } else if self.asked.is_none() && story.fails() && self.picks.dropped.is_none() {
            self.picks.dropped = Some(kept(story));
        }
    }

    fn search(&self, story: &Story, frame: &[u8]) -> Option<Search> {
        let sas = self.walked.sas.as_ref()?;
        Case::of(story, frame, sas).map(|case| case.search())
    }

    /// Of packets before the one that is to be explained the last few, of those behind it the first few of its SPI.
    fn neighbour(&mut self, kept: Kept) {
        let one = self.walked.picked.as_ref().or(self.picks.failing.as_ref());
        let (full, others) = (self.walked.neighbours.len() >= NEIGHBOURS, &mut self.walked.neighbours);
        match one {
            Some(one) if one.spi() != kept.spi() => return,
            Some(one) if full => {
                // What came before and is of another SPI gives way.
                let spi = one.spi();
                let Some(stranger) = others.iter().position(|other| other.spi() != spi) else { return };
                others.remove(stranger);
            }
            None if full => {
                others.pop_front();
            }
            _ => {}
        }
        others.push_back(kept);
    }
}

impl Walked {
    fn count(&mut self, story: &Story) {
        self.records += 1;
        self.verdicts.entry(story.fate.to_string()).or_default().add(story.number);
        if story.is_esp() {
            self.esp_packets += 1;
        }
        if story.is_defect() {
            self.defects.add(story.number);
        }
        self.spis.add(story);
    }
}

impl Count {
    fn add(&mut self, number: u64) {
        if self.packets == 0 {
            self.first = number;
        }
        self.packets += 1;
    }
}

impl Kept {
    fn spi(&self) -> Option<u32> {
        self.story.esp.as_ref().map(|esp| esp.spi)
    }
}

/// Whether the packet is ESP that no key has opened.
fn is_unproved(story: &Story) -> bool {
    let refused =
        matches!(story.fate, Fate::Dropped(DropReason::AuthFailed | DropReason::NoSa | DropReason::TooShort));
    refused && story.esp.is_some()
}

/// Packets on which a mistake that fits one is tried again.
const NEIGHBOURS: usize = 16;
