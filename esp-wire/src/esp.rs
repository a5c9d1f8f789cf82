//! The ESP header: SPI and sequence number (RFC 4303 sections 2.1 and 2.2).

use crate::seq::SeqLow;

/// Bytes of the ESP header; the IV, if there is one, follows it.
pub const HEADER_LEN: usize = 8;

/// The two words in front of every ESP payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EspHeader {
    /// As received, in host byte order: 0 and the reserved values are not refused here, so that a drop can name them.
    pub spi: u32,
    /// The low 32 bits of the sequence number.
    pub seq: SeqLow,
}

impl EspHeader {
    /// Reads the header at the start of `bytes`; `None` if there are fewer than [`HEADER_LEN`].
    #[inline]
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let &[s0, s1, s2, s3, n0, n1, n2, n3] = bytes.first_chunk::<HEADER_LEN>()?;
        Some(Self {
            spi: u32::from_be_bytes([s0, s1, s2, s3]),
            seq: SeqLow(u32::from_be_bytes([n0, n1, n2, n3])),
        })
    }

    /// The header as it goes on the wire.
    #[inline]
    #[must_use]
    pub const fn write(self) -> [u8; HEADER_LEN] {
        let [s0, s1, s2, s3] = self.spi.to_be_bytes();
        let [n0, n1, n2, n3] = self.seq.0.to_be_bytes();
        [s0, s1, s2, s3, n0, n1, n2, n3]
    }
}
