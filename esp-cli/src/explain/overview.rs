//! The capture as a whole: verdicts, and the SPIs in it.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::Serialize;

/// What the capture holds.
#[derive(Debug, Default, Serialize)]
pub(super) struct Overview {
    pub(super) packets: u64,
    /// Packets that carry ESP.
    pub(super) esp: u64,
    pub(super) verdicts: BTreeMap<String, u64>,
    pub(super) spis: Vec<SpiRow>,
    /// Number of the packet in which the capture ends, if it was cut short.
    pub(super) cut_short: Option<u64>,
    #[serde(skip)]
    index: BTreeMap<u32, usize>,
}

/// One SPI.
#[derive(Clone, Debug, Serialize)]
pub(super) struct SpiRow {
    pub(super) spi: u32,
    /// Whether an SA of the file has it.
    pub(super) sa: bool,
    pub(super) src: IpAddr,
    pub(super) dst: IpAddr,
    pub(super) packets: u64,
    /// Low halves of the first and the highest number.
    pub(super) first: u32,
    pub(super) last: u32,
    /// Destination port, where it is in UDP.
    pub(super) udp: Option<u16>,
    /// Whether every payload with an ICV of 12 or 16 bytes and an IV of 16 would be whole blocks of 16: a hint at CBC.
    pub(super) blocks_of_16: bool,
    /// Some packets, for those who want to try something on them: ESP and what stands behind it in the frame.
    #[serde(skip)]
    pub(super) samples: Vec<Sample>,
}

/// An ESP packet.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) esp: Vec<u8>,
    /// What the frame holds behind the IP packet.
    pub(super) behind: Vec<u8>,
}

impl Overview {
    /// Notes an ESP packet.
    pub(super) fn note(
        &mut self,
        (spi, low, udp, known): (u32, u32, Option<u16>, bool),
        (src, dst): (IpAddr, IpAddr),
        sample: impl FnOnce() -> Sample,
    ) {
        self.esp += 1;
        let at = match self.index.get(&spi) {
            Some(at) => *at,
            None if self.spis.len() < MOST_SPIS => {
                let row = SpiRow {
                    spi,
                    sa: known,
                    src,
                    dst,
                    packets: 0,
                    first: low,
                    last: low,
                    udp,
                    blocks_of_16: true,
                    samples: Vec::new(),
                };
                self.spis.push(row);
                self.index.insert(spi, self.spis.len() - 1);
                self.spis.len() - 1
            }
            None => return,
        };
        let Some(row) = self.spis.get_mut(at) else { return };
        row.packets += 1;
        row.last = row.last.max(low);
        if row.samples.len() < MOST_SAMPLES && at < MOST_SAMPLED {
            row.samples.push(sample());
        }
    }

    /// The row of an SPI.
    pub(super) fn spi(&self, spi: u32) -> Option<&SpiRow> {
        self.index.get(&spi).and_then(|at| self.spis.get(*at))
    }

    /// Judges by the samples whether the lengths are those of a block mode.
    pub(super) fn end(&mut self) {
        for row in &mut self.spis {
            let whole =
                |len: usize| [12, 16].iter().any(|icv| len > 24 + icv && (len - 24 - icv).is_multiple_of(16));
            row.blocks_of_16 =
                row.samples.len() > 1 && row.samples.iter().all(|sample| whole(sample.esp.len()));
        }
    }
}

impl SpiRow {
    /// Numbers between the first and the highest that were not seen; 0 if some came twice.
    pub(super) fn missing(&self) -> u64 {
        let span = u64::from(self.last.saturating_sub(self.first)) + 1;
        span.saturating_sub(self.packets)
    }
}

/// SPIs that are kept apart: a capture of noise has no end of them.
const MOST_SPIS: usize = 4096;
/// SPIs of which packets are kept.
const MOST_SAMPLED: usize = 64;
/// Packets that are kept of one SPI.
const MOST_SAMPLES: usize = 16;
