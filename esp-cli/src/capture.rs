//! Capture files in the classic pcap format, and where the IP packet lies in each of their frames.
//!
//! Little and big endian, microseconds and nanoseconds, are read and written as they come: the header's words of a
//! record go from one file to the other without being converted.

mod link;
mod reader;
mod writer;

pub(crate) use link::{Content, set_ether_type};
pub(crate) use reader::{Reader, Record};
pub(crate) use writer::Writer;

/// Longest record that is read, in bytes: libpcap's own limit.
pub(crate) const MAX_RECORD_LEN: usize = 262_144;
