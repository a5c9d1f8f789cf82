//! The outbound walk: what becomes of a burst that is to be sealed.
//!
//! ```text
//!   ready    SA usable, packet fit, room      (RFC 4303 3.3, RFC 4301 8)
//!   number   one atomic add an SA             (3.3.3)
//!   pad      TFC, padding, trailer            (2.4, 2.6, 2.7)
//!   encap    ESP header, IV, outer headers    (3.1, RFC 3948, RFC 6040)
//!   seal     encryption and ICV               (3.3.2)
//!   count    once
//! ```
//!
//! The order is a type: each stage takes the burst from the one before and only it makes what the next one takes.

mod count;
mod encap;
mod number;
mod outer;
mod pad;
mod ready;
mod seal;

use std::marker::PhantomData;

use crate::iv::IvSource;
use crate::lanes::{BURST, Lanes};
use crate::runs::Runs;
use crate::sa::OutboundSa;
use crate::stats::Counters;
use crate::tally::Tally;

/// What the stages pass on about one packet. Offsets are from the start of the packet's buffer, lengths in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slot {
    /// Which run, and so which SA.
    run: u8,
    /// Next header of the ESP trailer.
    next_header: u8,
    /// Traffic class of the inner packet, for the outer header.
    tos: u8,
    /// DF of the inner packet, or that it is IPv6.
    dont_fragment: bool,
    /// Padding bytes.
    pad_len: u8,
    /// Transport mode: the byte of the packet that names the protocol behind the headers.
    field: u16,
    /// Transport mode: bytes of the IP header and the extension headers that stay in front of ESP.
    header_len: u16,
    /// Flow label of the inner packet.
    flow_label: u32,
    /// Bytes of TFC padding.
    tfc_len: u32,
    /// The plaintext content, TFC padding included.
    content_off: u32,
    content_len: u32,
    /// The ESP packet, from the SPI to the end of the ICV.
    esp_off: u32,
    esp_len: u32,
    /// Sequence number.
    seq: u64,
}

/// A burst between two stages. `Stage` says which one it comes from.
pub(crate) struct Burst<'c, 'p, 'g, Stage> {
    lanes: Lanes<'c, 'p, Slot>,
    runs: &'c Runs<'g, OutboundSa>,
    tally: &'c mut Tally,
    ivs: &'c mut IvSource,
    stage: PhantomData<Stage>,
}

/// Fresh from the caller, ordered by SA.
pub(crate) struct Given;

impl<'c, 'p, 'g> Burst<'c, 'p, 'g, Given> {
    /// Packets that no run names are not this walk's: the caller gave them a verdict.
    pub(crate) fn new(
        lanes: Lanes<'c, 'p, Slot>,
        runs: &'c Runs<'g, OutboundSa>,
        tally: &'c mut Tally,
        ivs: &'c mut IvSource,
    ) -> Self {
        Self { lanes, runs, tally, ivs, stage: PhantomData }
    }

    /// Walks a burst from the caller's packets to their verdicts.
    #[inline]
    pub(crate) fn walk(self, counters: Counters<'_>) {
        self.ready() //      RFC 4303 3.3: is this SA's, fits, has room; nothing is spent yet
            .number() //     3.3.3  sequence numbers
            .pad() //        2.4    trailer
            .encap() //      3.1    headers
            .seal() //       3.3.2  encryption, ICV
            .count(counters);
    }
}

impl<'c, 'p, 'g, Stage> Burst<'c, 'p, 'g, Stage> {
    /// The burst, one stage further. Only the stage that made `Next` can name it.
    #[inline]
    fn passed<Next>(self, _proof: Next) -> Burst<'c, 'p, 'g, Next> {
        Burst { lanes: self.lanes, runs: self.runs, tally: self.tally, ivs: self.ivs, stage: PhantomData }
    }
}

/// Scratch for one burst: plain data that a worker keeps.
pub(crate) type Scratch = [Slot; BURST];
