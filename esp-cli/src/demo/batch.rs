//! A set of packets that goes from worker to worker in its own memory.

use anyhow::Result;
use arrayvec::ArrayVec;
use esp_core::{Packet, Verdict};

use super::plan::BATCH;
use super::traffic::{Serial, Traffic, fill};

/// The descriptors of a set, for as long as a worker works on it.
pub(crate) type Packets<'a> = ArrayVec<Packet<'a>, BATCH>;

/// [`BATCH`] packets: their memory, where each lies in it, and which they are.
#[derive(Debug)]
pub(crate) struct Batch {
    memory: Box<[u8]>,
    stride: usize,
    headroom: usize,
    spans: Box<[Span; BATCH]>,
    first: Serial,
    /// Where in the round of SAs the first packet stands.
    pub(crate) turn: usize,
}

/// Where a packet lies in its buffer, in bytes. No packet has length 0: that is one that was not sealed.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    off: u32,
    len: u32,
}

impl Batch {
    /// Memory for [`BATCH`] packets of `stride` bytes each, of which `headroom` are in front.
    pub(crate) fn new(stride: usize, headroom: usize) -> Self {
        // Written once, so that the first round does not pay for the pages.
        let mut memory = vec![0; stride * BATCH].into_boxed_slice();
        memory.fill(0xa5);
        let first = Serial { worker: 0, number: 0 };
        Self { memory, stride, headroom, spans: Box::new([Span::default(); BATCH]), first, turn: 0 }
    }

    /// Writes the packets from `first` on, and hands them to `work` to be sealed; notes where each delivered packet
    /// lies then.
    ///
    /// # Errors
    ///
    /// Those of `work`.
    pub(crate) fn seal(
        &mut self,
        traffic: &Traffic,
        first: Serial,
        work: impl FnOnce(&mut Packets<'_>, &mut [Verdict]) -> Result<()>,
    ) -> Result<[Verdict; BATCH]> {
        self.first = first;
        let mut packets = Packets::new();
        for (n, buf) in self.memory.chunks_exact_mut(self.stride).enumerate() {
            let serial = nth(first, n);
            let mut packet = Packet::new(buf, self.headroom, traffic.len(serial))?;
            fill(traffic, serial, &mut packet);
            packets.push(packet);
        }
        let mut verdicts = [Verdict::default(); BATCH];
        work(&mut packets, &mut verdicts)?;
        for (span, verdict) in self.spans.iter_mut().zip(&verdicts) {
            *span =
                verdict.delivered().map_or_else(Span::default, |got| Span { off: got.offset, len: got.len });
        }
        Ok(verdicts)
    }

    /// Hands the sealed packets to `work` to be opened, then each to `compare` with its verdict, its place in the set
    /// and which packet it must be.
    ///
    /// # Errors
    ///
    /// Those of `work`.
    pub(crate) fn open(
        &mut self,
        work: impl FnOnce(&mut Packets<'_>, &mut [Verdict]) -> Result<()>,
        mut compare: impl FnMut(&Verdict, usize, Serial, &[u8]),
    ) -> Result<()> {
        let mut packets = Packets::new();
        let mut places = ArrayVec::<usize, BATCH>::new();
        for (n, (buf, span)) in self.memory.chunks_exact_mut(self.stride).zip(self.spans.iter()).enumerate() {
            if span.len > 0 {
                packets.push(Packet::new(buf, span.off as usize, span.len as usize)?);
                places.push(n);
            }
        }
        let mut verdicts = [Verdict::default(); BATCH];
        let verdicts = &mut verdicts[..packets.len()];
        work(&mut packets, verdicts)?;
        for ((packet, verdict), n) in packets.iter().zip(verdicts).zip(places) {
            compare(verdict, n, nth(self.first, n), packet.data());
        }
        Ok(())
    }
}

fn nth(first: Serial, n: usize) -> Serial {
    Serial { number: first.number + n, ..first }
}
