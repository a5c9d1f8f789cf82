//! Capture files, pcap and pcapng, and where the IP packet lies in each of their frames.
//!
//! What is not a packet goes from one file to the other byte for byte, and so do the stamps and options of packets: the
//! words of a file are never converted. That is why the two formats are read here and not by a library, which would
//! write what it understood; libraries and other programs judge the result in the tests.

mod classic;
mod fresh;
mod input;
mod link;
mod ng;
mod reader;
mod record;
mod round_trip;
mod writer;

pub(crate) use fresh::Fresh;
pub(crate) use link::{Content, Link};
pub(crate) use reader::{Entry, Format, Reader};
pub(crate) use record::{Record, Stamp};
#[doc(hidden)]
pub use round_trip::round_trip;
pub(crate) use writer::Writer;

/// Longest frame that is read, in bytes: libpcap's own limit.
pub(crate) const MAX_FRAME_LEN: usize = 262_144;
/// Longest block of a pcapng file that is read, in bytes.
const MAX_BLOCK_LEN: usize = 16 << 20;
