//! Through the capture: every packet through the engine, the story of one kept.

use anyhow::Result;
use esp_core::{Millis, Packet, Verdict};
use esp_wire::Ip;

use super::known::Known;
use super::overview::{Overview, Sample};
use super::stages;
use super::story::{Mark, Story};
use super::words;
use crate::capture::{Content, Record};
use crate::locate::{self, Located};

/// A capture being looked through.
pub(super) struct Scan {
    known: Known,
    wanted: Option<u64>,
    overview: Overview,
    /// The first packet that fails, and the first that is ESP; or the one that is wanted.
    failed: Option<Told>,
    first: Option<Told>,
    now: Millis,
    buffer: Vec<u8>,
}

/// A story, and what a search for the mistake needs.
pub(super) struct Told {
    pub(super) story: Story,
    pub(super) evidence: Option<Evidence>,
}

/// An ESP packet and what its receiver makes of it.
pub(super) struct Evidence {
    pub(super) spi: u32,
    pub(super) sample: Sample,
    /// The SA that was found.
    pub(super) sa: Option<usize>,
    /// High half of its number as inferred, with ESN.
    pub(super) seq_hi: Option<u32>,
    /// UDP ports, where it is in UDP.
    pub(super) udp: Option<(u16, u16)>,
    pub(super) verdict: Verdict,
    /// Whether the ICV was right.
    pub(super) authentic: bool,
    /// The highest number before this packet.
    pub(super) top: u64,
    /// How far left of the window, or how long ago the number came: in packets.
    pub(super) behind_top: u64,
}

impl Scan {
    /// Looks for packet `wanted`, or for the first that fails.
    pub(super) fn new(known: Known, wanted: Option<u64>) -> Self {
        let overview = Overview::default();
        Self { known, wanted, overview, failed: None, first: None, now: Millis(0), buffer: Vec::new() }
    }

    /// Takes the next packet.
    ///
    /// # Errors
    ///
    /// The engine cannot take it: a defect.
    pub(super) fn packet(&mut self, record: &Record<'_>) -> Result<()> {
        self.overview.packets += 1;
        let told = self.tell(record)?;
        *self.overview.verdicts.entry(told.story.verdict.clone()).or_default() += 1;
        match self.wanted {
            Some(number) if number == record.number => self.first = Some(told),
            Some(_) => {}
            None if !told.story.delivered && self.failed.is_none() => self.failed = Some(told),
            None if told.evidence.is_some() && self.first.is_none() => self.first = Some(told),
            None => {}
        }
        Ok(())
    }

    /// The whole capture, the story to tell, and the SAs again.
    pub(super) fn end(mut self, cut_short: Option<u64>) -> (Overview, Option<Told>, Known) {
        self.overview.cut_short = cut_short;
        self.overview.end();
        (self.overview, self.failed.or(self.first), self.known)
    }

    fn tell(&mut self, record: &Record<'_>) -> Result<Told> {
        let mut story = Story { number: record.number, frame: record.frame.to_vec(), ..Story::default() };
        stages::frame(&mut story, record);
        if record.is_truncated() {
            let missing = record.wire_len - record.frame.len();
            let remark = format!("{} are missing: nothing can be verified", words::bytes(missing));
            return Ok(end(story, Mark::Fail, "truncated", remark));
        }
        let l2_len = match record.link.content(record.frame) {
            Content::Ip { l2_len } => l2_len,
            Content::Other => return Ok(end(story, Mark::Note, "not ours: not_ip", "no IP packet")),
            Content::Contradiction => {
                return Ok(end(
                    story,
                    Mark::Fail,
                    "dropped: malformed",
                    "layer 2 and the packet name different IP versions",
                ));
            }
        };
        self.now = self.now.max(Millis(record.millis()));
        let packet = record.frame.get(l2_len..).unwrap_or_default();
        let verdict = self.engine(packet)?;
        story.verdict = words::verdict(&verdict);
        story.delivered = !matches!(verdict, Verdict::Dropped { .. });
        let ip = match Ip::parse(packet) {
            Ok(ip) => ip,
            Err(why) => {
                story.stage("IP").mark(Mark::Fail, why.to_string());
                return Ok(Told { story, evidence: None });
            }
        };
        stages::ip(&mut story, &ip, l2_len, packet);
        let evidence = self.esp(&mut story, l2_len, &ip, packet, verdict);
        stages::verdict(&mut story, &verdict);
        Ok(Told { story, evidence })
    }

    /// The stages from ESP on, if the packet carries it; on a port of no SA too, if the SPI is one's.
    fn esp(
        &mut self,
        story: &mut Story,
        l2_len: usize,
        ip: &Ip<'_>,
        packet: &[u8],
        verdict: Verdict,
    ) -> Option<Evidence> {
        let ports = &self.known.ports;
        let own = |header: &esp_wire::UdpHeader| ports.contains(&header.dst_port);
        let spis: Vec<u32> = self.known.sas.iter().map(|sa| sa.config.spi).collect();
        let located = locate::esp(ip, own)
            .or_else(|| locate::esp(ip, |_| true).filter(|esp| spis.contains(&esp.header.spi)));
        stages::wrapping(story, ip, l2_len, located.as_ref(), &self.known);
        let esp = located?;
        let behind = packet.get(ip.total_len()..).unwrap_or_default();
        let sample = Sample { esp: esp.esp.to_vec(), behind: behind.to_vec() };
        let sa = self.known.find(esp.header.spi, ip.src(), ip.dst());
        self.note(ip, &esp, sa, &sample);
        Some(stages::esp(story, &mut self.known, sa, &esp, l2_len, sample, verdict))
    }

    fn note(&mut self, ip: &Ip<'_>, esp: &Located<'_>, sa: Option<usize>, sample: &Sample) {
        let udp = esp.udp.map(|(header, _)| header.dst_port);
        let row = (esp.header.spi, esp.header.seq.0, udp, sa.is_some());
        self.overview.note(row, (ip.src(), ip.dst()), || sample.clone());
    }

    /// What the engine makes of the packet, in a buffer of its own.
    fn engine(&mut self, packet: &[u8]) -> Result<Verdict> {
        self.buffer.clear();
        self.buffer.extend_from_slice(packet);
        let mut verdicts = [Verdict::default()];
        let mut packets = [Packet::new(&mut self.buffer, 0, packet.len())?];
        self.known.worker.open_burst(self.now, &mut packets, &mut verdicts)?;
        // What was opened is plaintext.
        zeroize::Zeroize::zeroize(&mut self.buffer);
        Ok(verdicts[0])
    }
}

/// A story that ends before the engine.
fn end(mut story: Story, mark: Mark, verdict: &str, remark: impl Into<String>) -> Told {
    story.verdict = verdict.to_owned();
    story.delivered = mark != Mark::Fail;
    story.stage("verdict").mark(mark, format!("{verdict}: {}", remark.into()));
    Told { story, evidence: None }
}
