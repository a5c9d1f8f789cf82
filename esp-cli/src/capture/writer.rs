//! Writing a capture file, record by record.

use std::borrow::Cow;
use std::io::Write;

use anyhow::{Context, Result};
use pcap_file::pcap::{PcapHeader, PcapWriter, RawPcapPacket};

use super::MAX_RECORD_LEN;
use super::link::Link;

/// A capture file being written.
pub(crate) struct Writer<W: Write> {
    records: PcapWriter<W>,
}

impl<W: Write> Writer<W> {
    /// Writes a file header like `header`, for the frames of `link` after some were sealed or opened.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn start(file: W, header: PcapHeader, link: Link) -> Result<Self> {
        let snaplen = header.snaplen.max(u32::try_from(MAX_RECORD_LEN)?); // sealed frames are longer than they were
        let header = PcapHeader { snaplen, datalink: link.after(), ..header };
        Ok(Self { records: PcapWriter::with_header(file, header)? })
    }

    /// Writes a whole frame, with its time as the capture counts it.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn write(&mut self, sec: u32, frac: u32, frame: &[u8]) -> Result<()> {
        let len = u32::try_from(frame.len()).context("a frame of 4 GB or more")?;
        let data = Cow::Borrowed(frame);
        let record = RawPcapPacket { ts_sec: sec, ts_frac: frac, incl_len: len, orig_len: len, data };
        self.records.write_raw_packet(&record)?;
        Ok(())
    }

    /// The file, all of it handed over but perhaps not flushed.
    pub(crate) fn into_inner(self) -> W {
        self.records.into_writer()
    }
}
