//! Reading a capture file, record by record.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Chain, Cursor, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use pcap_file::pcap::{PcapHeader, PcapReader};
use pcap_file::{Endianness, PcapError, TsResolution};

use super::MAX_RECORD_LEN;
use super::link::Link;

/// One record: a frame and when it was captured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    /// Seconds since 1970.
    pub(crate) sec: u32,
    /// Microseconds or nanoseconds, as the file counts.
    pub(crate) frac: u32,
    /// Length of the frame on the wire, in bytes.
    pub(crate) wire_len: usize,
    /// The captured bytes.
    pub(crate) frame: &'a [u8],
}

impl Record<'_> {
    /// Whether the capture holds less than what was on the wire.
    pub(crate) fn is_truncated(&self) -> bool {
        self.frame.len() < self.wire_len
    }

    /// Milliseconds since 1970.
    pub(crate) fn millis(&self, resolution: TsResolution) -> u64 {
        let fractions = match resolution {
            TsResolution::MicroSecond => 1_000,
            TsResolution::NanoSecond => 1_000_000,
        };
        u64::from(self.sec) * 1000 + u64::from(self.frac / fractions)
    }
}

/// A capture file being read. Holds one buffer of 8 MB, however long the file is.
#[derive(Debug)]
pub(crate) struct Reader {
    records: PcapReader<Chain<Cursor<[u8; HEADER_LEN]>, File>>,
    link: Link,
    path: PathBuf,
    read: u64,
}

impl Reader {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is no classic pcap file of version 2.4, or its link type is not supported. Messages
    /// name the file.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Self::start(path).with_context(|| path.display().to_string())
    }

    /// The file's header as it was read; the link type is [`Reader::link`]'s.
    pub(crate) fn header(&self) -> PcapHeader {
        self.records.header()
    }

    /// What the frames start with.
    pub(crate) fn link(&self) -> Link {
        self.link
    }

    /// The next record, without frame check sequence.
    ///
    /// # Errors
    ///
    /// The file cannot be read, ends inside a record, or a record is longer than [`MAX_RECORD_LEN`]. Messages name the
    /// file and the record.
    pub(crate) fn next(&mut self) -> Result<Option<Record<'_>>> {
        let Some(record) = self.records.next_raw_packet() else { return Ok(None) };
        self.read += 1;
        let place = || format!("{}: record {}", self.path.display(), self.read);
        let record = record.map_err(record_error).with_context(place)?;
        let Cow::Borrowed(frame) = record.data else {
            bail!("{}: not borrowed from the file's buffer", place())
        };
        ensure!(
            frame.len() <= MAX_RECORD_LEN,
            "{}: {} bytes; legal: 0 to {MAX_RECORD_LEN}",
            place(),
            frame.len()
        );
        let captured = frame.len();
        let frame = self.link.without_fcs(frame);
        let wire_len = (record.orig_len as usize).saturating_sub(captured - frame.len());
        Ok(Some(Record { sec: record.ts_sec, frac: record.ts_frac, wire_len, frame }))
    }

    fn start(path: &Path) -> Result<Self> {
        let mut file = File::open(path)?;
        let mut header = [0; HEADER_LEN];
        file.read_exact(&mut header).map_err(header_error)?;
        let parsed = understand(&header)?;
        let link = Link::from_field(link_field(&header, parsed.endianness))?;
        let records = PcapReader::new(Cursor::new(header).chain(file))?;
        Ok(Self { records, link, path: path.to_owned(), read: 0 })
    }
}

/// Checks magic number and version.
fn understand(header: &[u8; HEADER_LEN]) -> Result<PcapHeader> {
    if header.starts_with(&PCAPNG_MAGIC) {
        bail!("a pcapng file, not classic pcap; convert it with `editcap -F pcap`");
    }
    let Ok((_, parsed)) = PcapHeader::from_slice(header) else {
        let magic = u32::from_be_bytes([header[0], header[1], header[2], header[3]]);
        bail!(
            "no classic pcap file: it starts with {magic:#010x}; legal: a1b2c3d4, a1b23c4d, in either byte order"
        );
    };
    let (major, minor) = (parsed.version_major, parsed.version_minor);
    ensure!((major, minor) == VERSION, "pcap version {major}.{minor}; legal: 2.4");
    Ok(parsed)
}

/// The link-type field whole: its upper bits say more than the type.
fn link_field(header: &[u8; HEADER_LEN], endianness: Endianness) -> u32 {
    let field = [header[20], header[21], header[22], header[23]];
    match endianness {
        Endianness::Big => u32::from_be_bytes(field),
        Endianness::Little => u32::from_le_bytes(field),
    }
}

fn header_error(error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            anyhow::anyhow!("no pcap file: shorter than the {HEADER_LEN} bytes of its header")
        }
        _ => error.into(),
    }
}

fn record_error(error: PcapError) -> anyhow::Error {
    match error {
        PcapError::IoError(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            anyhow::anyhow!("the file ends inside the record, or the record claims an absurd length")
        }
        PcapError::IoError(error) => error.into(),
        other => other.into(),
    }
}

const HEADER_LEN: usize = 24;
const PCAPNG_MAGIC: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
/// The only version in use for decades; older ones disagree on the order of the lengths.
const VERSION: (u16, u16) = (2, 4);
