//! A new pcapng file: one interface, nanoseconds, a comment on packets that deserve one.

use std::io::Write;

use anyhow::{Context, Result};

use super::link::Link;
use super::ng::{ENHANCED, INTERFACE, SECTION};

/// A pcapng file that starts here.
pub(crate) struct Fresh<W: Write> {
    file: W,
}

impl<W: Write> Fresh<W> {
    /// Writes the section header, with `comment`, and the description of the interface.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn start(file: W, link: Link, comment: &str) -> Result<Self> {
        let mut fresh = Self { file };
        let version =
            [&0x1a2b_3c4d_u32.to_le_bytes()[..], &1_u16.to_le_bytes(), &0_u16.to_le_bytes()].concat();
        fresh.block(SECTION, &[&version, &[0xff; 8], &options(&[(COMMENT, comment.as_bytes())])])?;
        let number = u16::try_from(link.number()).context("link type")?.to_le_bytes();
        fresh.block(INTERFACE, &[&number, &[0; 6], &options(&[(IF_TSRESOL, &[9])])])?;
        Ok(fresh)
    }

    /// Writes a frame that was captured whole, `nanos` nanoseconds after 1970.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn packet(&mut self, nanos: u64, frame: &[u8], comment: Option<&str>) -> Result<()> {
        let words = [nanos >> 32, nanos & 0xffff_ffff, frame.len() as u64, frame.len() as u64];
        let mut head = vec![0; 4];
        for word in words {
            head.extend(u32::try_from(word).context("a frame of 4 GB or more")?.to_le_bytes());
        }
        let padding = frame.len().next_multiple_of(4) - frame.len();
        let comment = comment.map(|comment| options(&[(COMMENT, comment.as_bytes())])).unwrap_or_default();
        self.block(ENHANCED, &[&head, frame, &[0; 3][..padding], &comment])
    }

    /// The file, all of it handed over but perhaps not flushed.
    pub(crate) fn into_inner(self) -> W {
        self.file
    }

    fn block(&mut self, block_type: u32, parts: &[&[u8]]) -> Result<()> {
        let len = 12 + parts.iter().map(|part| part.len()).sum::<usize>();
        let len = u32::try_from(len).context("a block of 4 GB or more")?.to_le_bytes();
        self.file.write_all(&block_type.to_le_bytes())?;
        self.file.write_all(&len)?;
        parts.iter().try_for_each(|part| self.file.write_all(part))?;
        Ok(self.file.write_all(&len)?)
    }
}

fn options(options: &[(u16, &[u8])]) -> Vec<u8> {
    let mut written = Vec::new();
    for (code, value) in options {
        written.extend(code.to_le_bytes());
        written.extend(u16::try_from(value.len()).unwrap_or(u16::MAX).to_le_bytes());
        written.extend(value.iter().take(usize::from(u16::MAX)));
        written.resize(written.len().next_multiple_of(4), 0);
    }
    written.extend([0; 4]);
    written
}

const COMMENT: u16 = 1;
const IF_TSRESOL: u16 = 9;
