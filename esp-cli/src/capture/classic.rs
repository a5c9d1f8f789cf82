//! Classic pcap files: a header of 24 bytes, and 16 in front of each frame.

use anyhow::{Result, bail, ensure};

use super::MAX_FRAME_LEN;
use super::input::{Got, Input};
use super::link::Link;
use super::record::{Form, HEAD_LEN, Record};

/// What the header says.
#[derive(Debug)]
pub(super) struct Classic {
    big_endian: bool,
    /// Fractions of a second that a stamp counts are this many nanoseconds.
    nanos: u32,
    link: Link,
    header: [u8; HEADER_LEN],
    record: Vec<u8>,
}

impl Classic {
    /// Reads the header behind its first four bytes.
    ///
    /// # Errors
    ///
    /// No pcap file of version 2.4, or a link type that we do not read.
    pub(super) fn start(input: &mut Input, magic: [u8; 4]) -> Result<Self> {
        let (big_endian, nanos) = match u32::from_be_bytes(magic) {
            0xa1b2_c3d4 => (true, 1000),
            0xa1b2_3c4d => (true, 1),
            0xd4c3_b2a1 => (false, 1000),
            0x4d3c_b2a1 => (false, 1),
            other => bail!("no pcap or pcapng file: it starts with {other:#010x}"),
        };
        let mut header = magic.to_vec();
        ensure!(
            input.append(&mut header, HEADER_LEN - magic.len())? == Got::Whole,
            "no pcap file: shorter than the {HEADER_LEN} bytes of its header"
        );
        let word = |at| u32::from_be_bytes(ordered(&header, at, big_endian));
        let version = word(4);
        // Two 16-bit numbers: the order of the bytes turned them round as well.
        let (major, minor) =
            if big_endian { (version >> 16, version & 0xffff) } else { (version & 0xffff, version >> 16) };
        ensure!((major, minor) == VERSION, "pcap version {major}.{minor}; legal: 2.4");
        let link = Link::from_field(word(20))?;
        let mut bytes = [0; HEADER_LEN];
        bytes.copy_from_slice(&header);
        Ok(Self { big_endian, nanos, link, header: bytes, record: Vec::new() })
    }

    /// The header of a file with these frames after some were sealed or opened: they may be longer, they have no frame
    /// check sequence, and perhaps another IP version.
    pub(super) fn header_after(&self) -> Vec<u8> {
        let order = |word: u32| if self.big_endian { word.to_be_bytes() } else { word.to_le_bytes() };
        let snaplen = u32::from_be_bytes(ordered(&self.header, 16, self.big_endian));
        let least = u32::try_from(MAX_FRAME_LEN).unwrap_or(u32::MAX);
        let (start, _) = self.header.split_at(16);
        [start, &order(snaplen.max(least)), &order(self.link.after())].concat()
    }

    pub(super) fn link(&self) -> Link {
        self.link
    }

    pub(super) fn big_endian(&self) -> bool {
        self.big_endian
    }

    /// Reads the next record.
    ///
    /// # Errors
    ///
    /// The input cannot be read, or the record claims a length that no frame has.
    pub(super) fn advance(&mut self, input: &mut Input) -> Result<Got> {
        self.record.clear();
        let got = input.append(&mut self.record, RECORD_HEADER_LEN)?;
        if got != Got::Whole {
            return Ok(got);
        }
        let captured = self.word(8) as usize;
        ensure!(captured <= MAX_FRAME_LEN, "{captured} bytes; legal: 0 to {MAX_FRAME_LEN}");
        match input.append(&mut self.record, captured)? {
            Got::Whole => Ok(Got::Whole),
            Got::End | Got::Cut => Ok(Got::Cut),
        }
    }

    /// The record that was read last, as packet `number`.
    pub(super) fn record(&self, number: u64) -> Record<'_> {
        let (sec, frac, wire_len) = (self.word(0), self.word(4), self.word(12) as usize);
        let (head, whole) = self.record.split_at_checked(RECORD_HEADER_LEN).unwrap_or_default();
        let frame = self.link.without_fcs(whole);
        let mut stamp = [0; HEAD_LEN];
        for (to, from) in stamp.iter_mut().zip(head.iter().take(8)) {
            *to = *from;
        }
        Record {
            number,
            interface: None,
            nanos: u64::from(sec) * 1_000_000_000 + u64::from(frac) * u64::from(self.nanos),
            link: self.link,
            wire_len: wire_len.saturating_sub(whole.len() - frame.len()),
            frame,
            form: Form::Classic,
            head: stamp,
            options: &[],
        }
    }

    fn word(&self, at: usize) -> u32 {
        u32::from_be_bytes(ordered(&self.record, at, self.big_endian))
    }
}

/// The four bytes at `at`, most significant first.
pub(super) fn ordered(bytes: &[u8], at: usize, big_endian: bool) -> [u8; 4] {
    let mut word = bytes.get(at..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
    if !big_endian {
        word.reverse();
    }
    word
}

const HEADER_LEN: usize = 24;
const RECORD_HEADER_LEN: usize = 16;
/// The only version in use for decades; older ones disagree on the order of the lengths.
const VERSION: (u32, u32) = (2, 4);
