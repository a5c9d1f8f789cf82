//! The ESP header (RFC 4303 section 2).

use esp_core::DropReason;
use esp_wire::{EspHeader, SeqLow};
use serde::Serialize;

use super::{Mark, Said};
use crate::explain::names;
use crate::explain::span::{Span, hex};
use crate::explain::story::Fate;

/// An ESP header, and how long the packet is.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Esp {
    /// From the SPI to the end that IP, or UDP, says.
    pub(crate) packet: Span,
    pub(crate) spi: u32,
    spi_hex: String,
    /// The low 32 bits, which are all that is sent.
    pub(crate) seq_low: u32,
    pub(crate) in_udp: bool,
    /// Whether it came to a UDP port of which no SA knows; the SPI is one of the file's all the same.
    pub(crate) misplaced: bool,
}

/// Reads the header of the packet that lies at `packet`.
///
/// # Errors
///
/// There is less than a header.
pub(crate) fn read(frame: &[u8], packet: Span, in_udp: bool) -> Result<Esp, Fate> {
    let header = EspHeader::read(packet.of(frame)).ok_or(DropReason::TooShort)?;
    let spi_hex = format!("0x{}", hex(&header.spi.to_be_bytes()));
    Ok(Esp { packet, spi: header.spi, spi_hex, seq_low: header.seq.0, in_udp, misplaced: false })
}

impl Esp {
    /// The low half as it came.
    pub(crate) fn low(&self) -> SeqLow {
        SeqLow(self.seq_low)
    }

    /// The stage in words.
    pub(crate) fn said(&self) -> Said {
        let line = format!(
            "{}: SPI {}, sequence number (low 32 bits) {} ({:#010x})",
            self.packet,
            names::spi(self.spi),
            self.seq_low,
            self.seq_low
        );
        let how = match (self.in_udp, self.misplaced) {
            (_, true) => {
                Some("in UDP to a port of which no SA knows; read as ESP because the file has this SPI")
            }
            (true, false) => Some("in UDP"),
            (false, false) => None,
        };
        let mark = if self.misplaced { Mark::Fail } else { Mark::Ok };
        Said::new("ESP", mark, line).and_if(how.map(str::to_owned))
    }
}
