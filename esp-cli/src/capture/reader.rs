//! Reading a capture file, packet by packet.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::classic::Classic;
use super::input::{Got, Input};
use super::link::Link;
use super::ng::{Ng, SECTION, Step};
use super::record::Record;

/// A capture being read. Holds one buffer of 1 MB and one block, however long the file is.
#[derive(Debug)]
pub(crate) struct Reader {
    input: Input,
    format: Body,
    name: String,
    packets: u64,
    cut: bool,
    /// Bytes of the first block of a pcapng file that were read to tell it from a pcap file.
    begun: &'static [u8],
}

#[derive(Debug)]
enum Body {
    Classic(Classic),
    Ng(Ng),
}

/// Which of the formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Classic pcap.
    Pcap,
    /// pcapng.
    PcapNg,
}

/// What comes next in a file.
#[derive(Debug)]
pub(crate) enum Entry<'a> {
    /// A packet.
    Packet(Record<'a>),
    /// A block of a pcapng file that is none, as it is to be written.
    Block(&'a [u8]),
}

impl Reader {
    /// Opens a file; `-` is standard input.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is no capture, or its link type is not supported. Messages name the file.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Self::from_read(Box::new(io::stdin()), "standard input");
        }
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| name.clone())?;
        Self::from_read(Box::new(file), &name)
    }

    /// Reads from anything; messages call it `name`.
    ///
    /// # Errors
    ///
    /// As [`Reader::open`].
    pub(crate) fn from_read(from: Box<dyn Read>, name: &str) -> Result<Self> {
        let mut input = Input::new(from);
        let (format, begun) = begin(&mut input).with_context(|| name.to_owned())?;
        Ok(Self { input, format, name: name.to_owned(), packets: 0, cut: false, begun })
    }

    /// What comes next; `None` at the end, whole or not ([`Reader::cut_short`]).
    ///
    /// # Errors
    ///
    /// The file cannot be read, or contradicts itself. Messages name the file and the place.
    pub(crate) fn next(&mut self) -> Result<Option<Entry<'_>>> {
        match (self.advance()?, &self.format) {
            (Step::Packet, _) => Ok(Some(Entry::Packet(self.packet()?))),
            (Step::Block, Body::Ng(ng)) => Ok(Some(Entry::Block(ng.block()))),
            _ => Ok(None),
        }
    }

    /// The next packet, whatever stands before it.
    ///
    /// # Errors
    ///
    /// As [`Reader::next`].
    pub(crate) fn next_packet(&mut self) -> Result<Option<Record<'_>>> {
        loop {
            match self.advance()? {
                Step::Packet => return self.packet().map(Some),
                Step::Block => {}
                Step::End(_) => return Ok(None),
            }
        }
    }

    fn advance(&mut self) -> Result<Step> {
        let step = match &mut self.format {
            Body::Classic(classic) => match classic.advance(&mut self.input) {
                Ok(Got::Whole) => Ok(Step::Packet),
                Ok(short) => Ok(Step::End(short)),
                Err(error) => Err(error.context(format!("record {}", self.packets + 1))),
            },
            Body::Ng(ng) => ng.advance(&mut self.input, std::mem::take(&mut self.begun)),
        };
        let step = step.with_context(|| self.name.clone())?;
        match step {
            Step::Packet => self.packets += 1,
            Step::Block => {}
            Step::End(got) => self.cut = got == Got::Cut,
        }
        Ok(step)
    }

    fn packet(&self) -> Result<Record<'_>> {
        match &self.format {
            Body::Classic(classic) => Ok(classic.record(self.packets)),
            Body::Ng(ng) => ng.record(self.packets).with_context(|| self.name.clone()),
        }
    }

    /// Number of the packet in which the file ends, if it was cut short.
    pub(crate) fn cut_short(&self) -> Option<u64> {
        self.cut.then_some(self.packets + 1)
    }

    /// Bytes read so far.
    pub(crate) fn offset(&self) -> u64 {
        self.input.offset()
    }

    pub(crate) fn format(&self) -> Format {
        match self.format {
            Body::Classic(_) => Format::Pcap,
            Body::Ng(_) => Format::PcapNg,
        }
    }

    /// What stands at the start of a file that holds these packets after some were sealed or opened; what a pcapng file
    /// starts with is a block like others.
    pub(crate) fn header_after(&self) -> Vec<u8> {
        match &self.format {
            Body::Classic(classic) => classic.header_after(),
            Body::Ng(_) => Vec::new(),
        }
    }

    /// The byte order of what was read last.
    pub(crate) fn big_endian(&self) -> bool {
        match &self.format {
            Body::Classic(classic) => classic.big_endian(),
            Body::Ng(ng) => ng.big_endian(),
        }
    }

    /// The link types of the file, as far as it was read.
    pub(crate) fn links(&self) -> Vec<Link> {
        match &self.format {
            Body::Classic(classic) => vec![classic.link()],
            Body::Ng(ng) => ng.links().collect(),
        }
    }
}

/// Tells the formats apart by their first four bytes.
fn begin(input: &mut Input) -> Result<(Body, &'static [u8])> {
    let mut magic = Vec::new();
    if input.append(&mut magic, 4)? != Got::Whole {
        bail!("no capture file: it has {} bytes", magic.len());
    }
    let magic = [magic[0], magic[1], magic[2], magic[3]];
    if magic == SECTION.to_be_bytes() {
        return Ok((Body::Ng(Ng::default()), &SECTION_BYTES));
    }
    Ok((Body::Classic(Classic::start(input, magic)?), &[]))
}

const SECTION_BYTES: [u8; 4] = SECTION.to_be_bytes();
