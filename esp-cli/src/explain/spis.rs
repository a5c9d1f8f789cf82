//! What can be seen of each SPI without keys.

use std::collections::HashMap;
use std::net::IpAddr;

use serde::Serialize;

use super::story::Story;
use crate::table::{Align, Table};

/// Every SPI of a capture, as many as [`MOST`].
#[derive(Default)]
pub(crate) struct Spis {
    seen: HashMap<(u32, Option<IpAddr>, Option<IpAddr>), Seen>,
    /// Packets of SPIs beyond those.
    pub(crate) uncounted: u64,
}

/// One SPI between two addresses.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Seen {
    spi: u32,
    spi_hex: String,
    src: Option<IpAddr>,
    dst: Option<IpAddr>,
    udp: bool,
    packets: u64,
    first_packet: u64,
    /// Sequence numbers, low halves.
    first_seq: u32,
    last_seq: u32,
    highest: u32,
    /// Times that the number went up by more than one, and the numbers left out.
    gaps: u64,
    missing: u64,
    /// Packets whose number was not above all before.
    late: u64,
    /// Whether the ESP lengths are alike modulo 16, as a cipher with 16-byte blocks makes them; null of one packet.
    fits_16_byte_blocks: Option<bool>,
    /// The lengths modulo 16 that there are, a bit each.
    #[serde(skip)]
    remainders: u16,
}

impl Spis {
    /// Adds an ESP packet.
    pub(crate) fn add(&mut self, story: &Story) {
        let Some(esp) = &story.esp else { return };
        let (src, dst) = story.ip.as_ref().map_or((None, None), |ip| (ip.src, ip.dst));
        let key = (esp.spi, src, dst);
        if self.seen.len() >= MOST && !self.seen.contains_key(&key) {
            self.uncounted += 1;
            return;
        }
        let seen = self.seen.entry(key).or_insert_with(|| Seen {
            spi: esp.spi,
            spi_hex: format!("{:#010x}", esp.spi),
            src,
            dst,
            udp: esp.in_udp,
            packets: 0,
            first_packet: story.number,
            first_seq: esp.seq_low,
            last_seq: esp.seq_low,
            highest: esp.seq_low,
            gaps: 0,
            missing: 0,
            late: 0,
            fits_16_byte_blocks: None,
            remainders: 0,
        });
        seen.add(esp.seq_low, esp.packet.len);
    }

    /// The SPIs, most packets first.
    pub(crate) fn sorted(&self) -> Vec<Seen> {
        let mut all: Vec<_> = self.seen.values().cloned().collect();
        all.sort_by_key(|seen| (std::cmp::Reverse(seen.packets), seen.first_packet));
        all
    }
}

impl Seen {
    fn add(&mut self, seq: u32, esp_len: usize) {
        if self.packets > 0 {
            match seq.checked_sub(self.highest) {
                None | Some(0) => self.late += 1,
                Some(1) => {}
                Some(step) => {
                    self.gaps += 1;
                    self.missing += u64::from(step - 1);
                }
            }
        }
        self.packets += 1;
        self.last_seq = seq;
        self.highest = self.highest.max(seq);
        self.remainders |= 1 << (esp_len % 16);
        self.fits_16_byte_blocks = (self.packets > 1).then_some(self.remainders.is_power_of_two());
    }

    /// Addresses, which with IPv6 are too long for a column.
    fn between(&self) -> String {
        let address =
            |address: Option<IpAddr>| address.map_or_else(|| "?".to_owned(), |addr| addr.to_string());
        format!("{} -> {}{}", address(self.src), address(self.dst), if self.udp { ", UDP" } else { "" })
    }

    fn row(&self) -> [String; 5] {
        let order = match (self.gaps, self.late) {
            (0, 0) => "none".to_owned(),
            (0, late) => format!("none, {late} late"),
            (_, 0) => format!("{} ({} missing)", self.gaps, self.missing),
            (_, late) => format!("{} ({} missing), {late} late", self.gaps, self.missing),
        };
        let blocks = match self.fits_16_byte_blocks {
            None => "one only",
            Some(true) => "yes",
            Some(false) => "no",
        };
        [
            self.spi_hex.clone(),
            self.packets.to_string(),
            format!("{}..{}", self.first_seq, self.last_seq),
            order,
            blocks.to_owned(),
        ]
    }
}

/// The table for people, of the SPIs with most packets.
pub(crate) fn table(spis: &[Seen], uncounted: u64) -> String {
    let (left, right) = (Align::Left, Align::Right);
    let mut table = Table::new(&[
        ("SPI", left),
        ("packets", right),
        ("numbers", left),
        ("gaps", left),
        ("16-byte blocks", left),
    ]);
    spis.iter().take(SHOWN).for_each(|seen| table.row(seen.row()));
    let rendered = table.render();
    let mut lines = rendered.lines();
    let mut text: String = lines.by_ref().take(2).map(|line| format!("{line}\n")).collect();
    for (line, seen) in lines.zip(spis) {
        text += &format!("{line}\n    {}\n", seen.between());
    }
    let more = spis.len().saturating_sub(SHOWN);
    if more > 0 {
        text += &format!("and {more} SPIs more\n");
    }
    if uncounted > 0 {
        text += &format!("{uncounted} packets of further SPIs are not in the table\n");
    }
    text + BLOCKS
}

/// SPIs that are shown and that are counted: a capture of noise has no end of them.
const SHOWN: usize = 12;
const MOST: usize = 4096;

const BLOCKS: &str = "\
16-byte blocks: whether all ESP lengths are alike modulo 16. If so, AES-CBC or another cipher of
such blocks is likely; if not, it is a counter mode (GCM, CCM, CTR), ChaCha20 or no encryption,
whose lengths are multiples of 4.
";
