//! The inbound walk: what becomes of a burst that came from the network.
//!
//! ```text
//!   parse    ESP, keepalive, IKE or not ours; SPI, sequence number      (RFC 4303 2, RFC 3948 2)
//!   find     the SA of each packet, then the burst ordered by SA        (3.4.2)
//!   check    replay check before any cryptography, one lock an SA       (3.4.3)
//!   open     ICV and decryption                                         (3.4.4)
//!   commit   the window moves, one lock an SA                           (3.4.3)
//!   strip    trailer, dummy, decapsulation                              (2.4-2.7, RFC 6040)
//!   policy   outer addresses, encapsulation, selectors                  (RFC 4301 5.2)
//!   count    once
//! ```
//!
//! The order is a type: each stage takes the burst from the one before and only it makes what the next one takes. So
//! a window that moves before the ICV was good does not compile.

mod check;
mod commit;
mod count;
mod find;
mod nat;
mod open;
mod parse;
mod policy;
mod strip;

use std::borrow::Borrow;
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr};

use esp_sad::{Guard, InboundSad, Query};
use esp_wire::{Seq64, SeqLow};

use crate::lanes::{BURST, Lanes};
use crate::runs::Runs;
use crate::sa::InboundSa;
use crate::stats::Counters;
use crate::tally::Tally;

/// What the stages pass on about one packet. Offsets are from the start of the packet's data, lengths in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// What finds the SA: SPI and outer addresses.
    query: Query,
    /// Which run, and so which SA.
    run: u8,
    /// Traffic class of the outer header.
    tos: u8,
    /// Next header of the ESP trailer.
    next_header: u8,
    /// Whether ESP came in UDP.
    udp: bool,
    /// Whether the outer packet is a part of one that was fragmented.
    fragment: bool,
    /// The byte of the packet that names ESP, or the UDP around it.
    field: u16,
    /// Bytes of the IP header and the extension headers in front of ESP or UDP.
    header_len: u16,
    /// The ESP packet, from the SPI to the end of the ICV.
    esp_off: u32,
    esp_len: u32,
    /// The sequence number as it came.
    low: SeqLow,
    /// The sequence number with the high half that this packet was judged by.
    seq: Seq64,
    /// Flow label of an outer IPv6 header.
    flow_label: u32,
}

/// What a walk reads besides the packets.
#[derive(Clone, Copy)]
pub(crate) struct Context<'g> {
    pub(crate) sad: &'g InboundSad<InboundSa>,
    pub(crate) guard: &'g Guard<'g>,
    /// UDP destination ports that carry ESP.
    pub(crate) udp_ports: &'g [u16],
}

/// A burst between two stages. `Stage` says which one it comes from.
pub(crate) struct Burst<'c, 'p, 'g, Stage> {
    lanes: Lanes<'c, 'p, Slot>,
    runs: &'c mut Runs<'g, InboundSa>,
    tally: &'c mut Tally,
    context: Context<'g>,
    stage: PhantomData<Stage>,
}

/// Fresh from the caller.
pub(crate) struct Given;

impl<'c, 'p, 'g> Burst<'c, 'p, 'g, Given> {
    /// `runs` is empty; it lies with the caller so that no stage moves it.
    pub(crate) fn new(
        lanes: Lanes<'c, 'p, Slot>,
        runs: &'c mut Runs<'g, InboundSa>,
        tally: &'c mut Tally,
        context: Context<'g>,
    ) -> Self {
        Self { lanes, runs, tally, context, stage: PhantomData }
    }

    /// Walks a burst from the caller's packets to their verdicts.
    #[inline]
    pub(crate) fn walk(self, counters: Counters<'_>) {
        self.parse() //      RFC 4303 2: SPI, sequence number; not ours goes back
            .find() //       3.4.2  security association lookup
            .check() //      3.4.3  sequence number, before the cipher
            .open() //       3.4.4  ICV, decryption
            .commit() //     3.4.3  the window moves only now
            .strip() //      2.4-2.7  padding, next header, inner packet
            .policy() //     RFC 4301 5.2
            .count(counters);
    }
}

impl<'c, 'p, 'g, Stage> Burst<'c, 'p, 'g, Stage> {
    /// The burst, one stage further. Only the stage that made `Next` can name it.
    #[inline]
    fn passed<Next>(self, _proof: Next) -> Burst<'c, 'p, 'g, Next> {
        let Self { lanes, runs, tally, context, .. } = self;
        Burst { lanes, runs, tally, context, stage: PhantomData }
    }
}

/// Scratch for one burst: plain data that a worker keeps.
pub(crate) type Scratch = [Slot; BURST];

impl Borrow<Query> for Slot {
    #[inline]
    fn borrow(&self) -> &Query {
        &self.query
    }
}

impl Default for Slot {
    fn default() -> Self {
        let none = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        Self {
            query: Query { spi: 0, dst: none, src: none },
            run: 0,
            tos: 0,
            next_header: 0,
            udp: false,
            fragment: false,
            field: 0,
            header_len: 0,
            esp_off: 0,
            esp_len: 0,
            low: SeqLow(0),
            seq: Seq64(0),
            flow_label: 0,
        }
    }
}
