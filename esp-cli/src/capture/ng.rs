//! pcapng files: a sequence of blocks, packets among them.

mod interface;
mod options;

use anyhow::{Context, Result, bail, ensure};

use super::MAX_BLOCK_LEN;
use super::MAX_FRAME_LEN;
use super::classic::ordered;
use super::input::{Got, Input};
use super::link::Link;
use super::record::{Form, HEAD_LEN, Record};
use interface::Interface;
use options::fcs_len_of;
pub(super) use options::true_after;

/// A pcapng file being read.
#[derive(Debug, Default)]
pub(super) struct Ng {
    big_endian: bool,
    interfaces: Vec<Interface>,
    block: Vec<u8>,
    blocks: u64,
}

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A packet.
    Packet,
    /// Another block of a pcapng file.
    Block,
    /// Nothing: the input had ended, or ends inside what would be next.
    End(Got),
}

/// A packet block taken apart.
struct Parts<'a> {
    form: Form,
    interface: u32,
    ticks: u64,
    wire_len: usize,
    head: [u8; HEAD_LEN],
    whole: &'a [u8],
    options: &'a [u8],
}

impl Ng {
    pub(super) fn big_endian(&self) -> bool {
        self.big_endian
    }

    /// The interfaces of the present section.
    pub(super) fn links(&self) -> impl Iterator<Item = Link> {
        self.interfaces.iter().map(|interface| interface.link)
    }

    /// Reads one block; `begun` holds its first bytes if some were read.
    ///
    /// # Errors
    ///
    /// The input cannot be read, or the block contradicts itself; the message names it by its number, from 1.
    pub(super) fn advance(&mut self, input: &mut Input, begun: &[u8]) -> Result<Step> {
        self.blocks += 1;
        let step = match self.fill(input, begun) {
            Ok(Got::Whole) => self.take(),
            Ok(short) => Ok(Step::End(short)),
            Err(error) => Err(error),
        };
        step.with_context(|| self.place())
    }

    /// The block that was read last, as it is to be written.
    pub(super) fn block(&self) -> &[u8] {
        &self.block
    }

    fn place(&self) -> String {
        format!("block {}", self.blocks)
    }

    /// Reads a whole block into `block`, and checks its lengths.
    fn fill(&mut self, input: &mut Input, begun: &[u8]) -> Result<Got> {
        self.block.clear();
        self.block.extend_from_slice(begun);
        let got = input.append(&mut self.block, LEAST_LEN - begun.len())?;
        if got != Got::Whole {
            return Ok(if begun.is_empty() { got } else { Got::Cut });
        }
        if self.block.starts_with(&SECTION.to_be_bytes()) {
            self.big_endian = match self.block.get(8..12) {
                Some([0x1a, 0x2b, 0x3c, 0x4d]) => true,
                Some([0x4d, 0x3c, 0x2b, 0x1a]) => false,
                _ => bail!("a section header without byte-order magic"),
            };
        }
        let len = self.word(4) as usize;
        ensure!(
            len.is_multiple_of(4) && (LEAST_LEN..=MAX_BLOCK_LEN).contains(&len),
            "length {len}; legal: {LEAST_LEN} to {MAX_BLOCK_LEN}, a multiple of 4"
        );
        let rest = len - LEAST_LEN;
        if rest > 0 && input.append(&mut self.block, rest)? != Got::Whole {
            return Ok(Got::Cut);
        }
        let again = self.word(len - 4) as usize;
        ensure!(again == len, "length {len} at its start and {again} at its end");
        Ok(Got::Whole)
    }

    fn take(&mut self) -> Result<Step> {
        match self.word(0) {
            SECTION => self.section()?,
            INTERFACE => self.interface()?,
            ENHANCED | SIMPLE | OBSOLETE => return Ok(Step::Packet),
            _ => {}
        }
        Ok(Step::Block)
    }

    /// A section's length is no longer what it was; "unknown" is always true.
    fn section(&mut self) -> Result<()> {
        ensure!(self.block.len() >= SECTION_LEN, "a section header of {} bytes", self.block.len());
        self.interfaces.clear();
        self.block[16..24].fill(0xff);
        Ok(())
    }

    fn interface(&mut self) -> Result<()> {
        ensure!(self.block.len() >= INTERFACE_LEN, "an interface description of {} bytes", self.block.len());
        let interface = Interface::read(&self.block, self.big_endian);
        interface.rewrite(&mut self.block, self.big_endian);
        self.interfaces.push(interface);
        Ok(())
    }

    /// The packet block that was read last, as packet `number`.
    ///
    /// # Errors
    ///
    /// As [`Ng::advance`].
    pub(super) fn record(&self, number: u64) -> Result<Record<'_>> {
        self.packet(number).with_context(|| self.place())
    }

    fn packet(&self, number: u64) -> Result<Record<'_>> {
        let parts = self.parts()?;
        let Some(interface) = self.interfaces.get(parts.interface as usize) else {
            bail!("interface {}; the section describes {}", parts.interface, self.interfaces.len());
        };
        let fcs_len = fcs_len_of(parts.options, self.big_endian).unwrap_or(interface.link.fcs_len());
        let link = interface.link.with_fcs(fcs_len);
        let frame = link.without_fcs(parts.whole);
        Ok(Record {
            number,
            interface: Some(parts.interface),
            nanos: interface.nanos(parts.ticks),
            link,
            wire_len: parts.wire_len.saturating_sub(parts.whole.len() - frame.len()),
            frame,
            form: parts.form,
            head: parts.head,
            options: parts.options,
        })
    }

    fn parts(&self) -> Result<Parts<'_>> {
        let body = &self.block[8..self.block.len() - 4];
        if self.word(0) == SIMPLE {
            return self.simple(body);
        }
        ensure!(body.len() >= PACKET_HEADER_LEN, "a packet block of {} bytes", self.block.len());
        let (captured, wire_len) = (self.word(8 + 12) as usize, self.word(8 + 16) as usize);
        let behind = &body[PACKET_HEADER_LEN..];
        let (form, interface) = if self.word(0) == ENHANCED {
            (Form::Enhanced, self.word(8))
        } else {
            // Two 16-bit numbers, the interface first.
            (Form::Obsolete, if self.big_endian { self.word(8) >> 16 } else { self.word(8) & 0xffff })
        };
        let whole = captured_bytes(behind, captured)?;
        let mut head = [0; HEAD_LEN];
        head.copy_from_slice(&body[..HEAD_LEN]);
        let ticks = u64::from(self.word(8 + 4)) << 32 | u64::from(self.word(8 + 8));
        let options = behind.get(captured.next_multiple_of(4)..).unwrap_or_default();
        Ok(Parts { form, interface, ticks, wire_len, head, whole, options })
    }

    /// Only the length on the wire stands there: what was captured is as much of it as there is, up to the snap length.
    fn simple<'a>(&'a self, body: &'a [u8]) -> Result<Parts<'a>> {
        ensure!(body.len() >= 4, "a simple packet block of {} bytes", self.block.len());
        let wire_len = self.word(8) as usize;
        let snaplen = self.interfaces.first().map_or(0, |interface| interface.snaplen) as usize;
        let captured = if snaplen == 0 { wire_len } else { wire_len.min(snaplen) };
        let whole = captured_bytes(&body[4..], captured)?;
        let (form, head) = (Form::Simple, [0; HEAD_LEN]);
        Ok(Parts { form, interface: 0, ticks: 0, wire_len, head, whole, options: &[] })
    }

    fn word(&self, at: usize) -> u32 {
        u32::from_be_bytes(ordered(&self.block, at, self.big_endian))
    }
}

fn captured_bytes(behind: &[u8], captured: usize) -> Result<&[u8]> {
    ensure!(captured <= MAX_FRAME_LEN, "{captured} captured bytes; legal: 0 to {MAX_FRAME_LEN}");
    match behind.get(..captured) {
        Some(whole) => Ok(whole),
        None => bail!("{captured} captured bytes, and the block has room for {}", behind.len()),
    }
}

pub(super) const SECTION: u32 = 0x0a0d_0d0a;
pub(super) const INTERFACE: u32 = 1;
pub(super) const OBSOLETE: u32 = 2;
pub(super) const SIMPLE: u32 = 3;
pub(super) const ENHANCED: u32 = 6;
/// Type, two lengths; and the first word behind, which a section header has as well.
const LEAST_LEN: usize = 12;
const SECTION_LEN: usize = 28;
const INTERFACE_LEN: usize = 20;
/// Interface, time, two lengths.
const PACKET_HEADER_LEN: usize = 20;
