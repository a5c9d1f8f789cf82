//! The bytes of a file, a pipe or a buffer, in order.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

/// A buffered source that knows how far it is.
pub(super) struct Input {
    from: BufReader<Box<dyn Read>>,
    offset: u64,
}

/// How a read of a wanted number of bytes ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Got {
    /// All of them.
    Whole,
    /// None: the input had ended.
    End,
    /// Some: the input ends inside.
    Cut,
}

impl Input {
    pub(super) fn new(from: Box<dyn Read>) -> Self {
        Self { from: BufReader::with_capacity(BUFFER_LEN, from), offset: 0 }
    }

    /// Bytes taken so far.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Appends `len` bytes to `into`.
    pub(super) fn append(&mut self, into: &mut Vec<u8>, len: usize) -> io::Result<Got> {
        let mut left = len;
        while left > 0 {
            let ready = match self.from.fill_buf() {
                Ok(ready) => ready,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let taken = ready.len().min(left);
            if taken == 0 {
                return Ok(if left == len { Got::End } else { Got::Cut });
            }
            into.extend_from_slice(&ready[..taken]);
            self.from.consume(taken);
            self.offset += taken as u64;
            left -= taken;
        }
        Ok(Got::Whole)
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Input(at {})", self.offset)
    }
}

const BUFFER_LEN: usize = 1 << 20;
