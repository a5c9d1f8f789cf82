//! One packet of a capture, and what must be written again with it.

use super::link::Link;

/// A packet as it was captured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    /// Number of the packet in the file, from 1.
    pub(crate) number: u64,
    /// Interface by number, from 0; `None` in a classic file.
    pub(crate) interface: Option<u32>,
    /// Nanoseconds since 1970; 0 if the file does not say.
    pub(crate) nanos: u64,
    /// What the frame starts with.
    pub(crate) link: Link,
    /// Length of the frame on the wire, in bytes.
    pub(crate) wire_len: usize,
    /// The captured bytes, without frame check sequence.
    pub(crate) frame: &'a [u8],
    /// What the file says of the packet beside its bytes.
    pub(super) form: Form,
    pub(super) head: [u8; HEAD_LEN],
    pub(super) options: &'a [u8],
}

impl Record<'_> {
    /// Whether the capture holds less than what was on the wire.
    pub(crate) fn is_truncated(&self) -> bool {
        self.frame.len() < self.wire_len
    }

    /// Milliseconds since 1970.
    pub(crate) fn millis(&self) -> u64 {
        self.nanos / 1_000_000
    }
}

/// How a packet stands in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// A record of a classic file. Head: seconds, fraction.
    #[default]
    Classic,
    /// An enhanced packet block. Head: interface, time.
    Enhanced,
    /// A simple packet block. Head: nothing.
    Simple,
    /// An obsolete packet block. Head: interface and drops count, time.
    Obsolete,
}

/// Time, interface and options of a packet, in the bytes of its file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stamp {
    pub(super) form: Form,
    pub(super) head: [u8; HEAD_LEN],
    pub(super) options: Vec<u8>,
}

impl Stamp {
    /// Takes over what `record` says, in memory that is kept.
    pub(crate) fn set(&mut self, record: &Record<'_>) {
        (self.form, self.head) = (record.form, record.head);
        self.options.clear();
        self.options.extend_from_slice(record.options);
    }
}

/// Bytes in front of the lengths of an enhanced packet block.
pub(super) const HEAD_LEN: usize = 12;
