//! Writing a capture file, packet by packet.

use std::io::Write;

use anyhow::{Context, Result};

use super::ng::{ENHANCED, OBSOLETE, SIMPLE, true_after};
use super::reader::Reader;
use super::record::{Form, Stamp};

/// A capture file being written, in the format and byte order of the one that is read.
pub(crate) struct Writer<W: Write> {
    file: W,
    big_endian: bool,
}

impl<W: Write> Writer<W> {
    /// Writes what stands in front of the packets of `reader`.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn start(mut file: W, reader: &Reader) -> Result<Self> {
        file.write_all(&reader.header_after())?;
        Ok(Self { file, big_endian: reader.big_endian() })
    }

    /// Writes a block of a pcapng file as it is; `big_endian` is the byte order from here on.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn block(&mut self, block: &[u8], big_endian: bool) -> Result<()> {
        self.big_endian = big_endian;
        Ok(self.file.write_all(block)?)
    }

    /// Writes a whole frame, with its time and options. Options that stop being true are left out: those of an unchanged
    /// packet stay, as long as it had no frame check sequence.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn packet(&mut self, stamp: &Stamp, frame: &[u8], unchanged: bool) -> Result<()> {
        let len = u32::try_from(frame.len()).context("a frame of 4 GB or more")?;
        let [a, b, c, d] = self.order(len);
        let len_twice = [a, b, c, d, a, b, c, d];
        match stamp.form {
            Form::Classic => {
                let (sec_frac, _) = stamp.head.split_at(8);
                self.put(&[sec_frac, &len_twice, frame])
            }
            Form::Simple => self.packet_block(SIMPLE, &[&self.order(len)], frame, &[]),
            form => {
                let block_type = if form == Form::Enhanced { ENHANCED } else { OBSOLETE };
                let options = match unchanged || stamp.options.is_empty() {
                    true => &stamp.options,
                    false => &true_after(&stamp.options, self.big_endian),
                };
                self.packet_block(block_type, &[&stamp.head, &len_twice], frame, options)
            }
        }
    }

    /// The file, all of it handed over but perhaps not flushed.
    pub(crate) fn into_inner(self) -> W {
        self.file
    }

    fn packet_block(&mut self, block_type: u32, head: &[&[u8]], frame: &[u8], options: &[u8]) -> Result<()> {
        let padding = frame.len().next_multiple_of(4) - frame.len();
        let head_len = head.iter().map(|part| part.len()).sum::<usize>();
        let len = FRAMING_LEN + head_len + frame.len() + padding + options.len();
        let len = self.order(u32::try_from(len).context("a block of 4 GB or more")?);
        self.put(&[&self.order(block_type), &len])?;
        self.put(head)?;
        self.put(&[frame, &[0; 3][..padding], options, &len])
    }

    fn put(&mut self, parts: &[&[u8]]) -> Result<()> {
        parts.iter().try_for_each(|part| self.file.write_all(part))?;
        Ok(())
    }

    fn order(&self, word: u32) -> [u8; 4] {
        if self.big_endian { word.to_be_bytes() } else { word.to_le_bytes() }
    }
}

/// Type and two lengths of a block.
const FRAMING_LEN: usize = 12;
