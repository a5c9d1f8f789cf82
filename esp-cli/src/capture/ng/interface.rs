//! Interface description blocks.

use super::options::{Options, rewritten};
use crate::capture::classic::ordered;
use crate::capture::link::Link;

/// What an interface says of its packets.
#[derive(Debug)]
pub(super) struct Interface {
    pub(super) link: Link,
    /// Bytes captured of each packet at most; 0: no limit.
    pub(super) snaplen: u32,
    /// Ticks of a stamp in a second; 0 if it cannot be said in 64 bits.
    per_second: u64,
    /// Seconds to add to a stamp.
    offset: i64,
}

impl Interface {
    /// Reads a block of at least 20 bytes.
    pub(super) fn read(block: &[u8], big_endian: bool) -> Self {
        let word = |at| u32::from_be_bytes(ordered(block, at, big_endian));
        let number = if big_endian { word(8) >> 16 } else { word(8) & 0xffff };
        let (mut per_second, mut offset, mut fcs_len) = (1_000_000, 0, 0);
        for option in Options::new(options_of(block), big_endian) {
            match (option.code, option.value) {
                (IF_TSRESOL, [resolution]) => per_second = ticks_per_second(*resolution),
                (IF_TSOFFSET, value) if value.len() == 8 => {
                    let (first, second) = (ordered(value, 0, big_endian), ordered(value, 4, big_endian));
                    let (high, low) = if big_endian { (first, second) } else { (second, first) };
                    offset = i64::from_be_bytes([high, low].concat().try_into().unwrap_or_default());
                }
                // In bits says the format, in bytes says its example.
                (IF_FCSLEN, [len]) => fcs_len = usize::from(if *len >= 8 { len / 8 } else { *len }),
                _ => {}
            }
        }
        let link = Link::of_interface(u16::try_from(number).unwrap_or(u16::MAX), fcs_len);
        Self { link, snaplen: word(12), per_second, offset }
    }

    /// Makes the block true of frames some of which were sealed or opened: any length, no frame check sequence, and
    /// perhaps another IP version.
    pub(super) fn rewrite(&self, block: &mut Vec<u8>, big_endian: bool) {
        let number = u16::try_from(self.link.after()).unwrap_or(u16::MAX);
        let number = if big_endian { number.to_be_bytes() } else { number.to_le_bytes() };
        block[8..10].copy_from_slice(&number);
        block[12..16].fill(0);
        let options = rewritten(options_of(block), big_endian, |option| {
            (option.code != IF_FCSLEN).then(|| option.value.to_vec())
        });
        let len = FIXED_LEN + options.len() + 4;
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        let len = if big_endian { len.to_be_bytes() } else { len.to_le_bytes() };
        block.truncate(FIXED_LEN);
        block[4..8].copy_from_slice(&len);
        block.extend(options);
        block.extend(len);
    }

    /// Nanoseconds since 1970; 0 if they cannot be said in 64 bits.
    pub(super) fn nanos(&self, ticks: u64) -> u64 {
        let nanos = (u128::from(ticks) * 1_000_000_000).checked_div(u128::from(self.per_second));
        let nanos = nanos.and_then(|nanos| i128::try_from(nanos).ok());
        let nanos = nanos.map(|nanos| nanos + i128::from(self.offset) * 1_000_000_000);
        nanos.and_then(|nanos| u64::try_from(nanos).ok()).unwrap_or_default()
    }
}

fn options_of(block: &[u8]) -> &[u8] {
    block.get(FIXED_LEN..block.len() - 4).unwrap_or_default()
}

/// The upper bit chooses powers of two over powers of ten.
fn ticks_per_second(resolution: u8) -> u64 {
    let power = u32::from(resolution & 0x7f);
    let base: u64 = if resolution & 0x80 == 0 { 10 } else { 2 };
    base.checked_pow(power).unwrap_or_default()
}

/// Type, length, link type, reserved, snap length.
const FIXED_LEN: usize = 16;
const IF_TSRESOL: u16 = 9;
const IF_FCSLEN: u16 = 13;
const IF_TSOFFSET: u16 = 14;

#[cfg(test)]
mod tests {
    use super::*;

    fn interface(resolution: u8, offset: i64) -> Interface {
        Interface { link: Link::RAW, snaplen: 0, per_second: ticks_per_second(resolution), offset }
    }

    #[test]
    fn stamps_of_any_resolution_are_nanoseconds() {
        assert_eq!(interface(6, 0).nanos(1_700_000_000_123_456), 1_700_000_000_123_456_000);
        assert_eq!(interface(9, 0).nanos(1_700_000_000_123_456_789), 1_700_000_000_123_456_789);
        assert_eq!(interface(0x80 | 10, 0).nanos(1024 + 512), 1_500_000_000);
        assert_eq!(interface(0, 5).nanos(1), 6_000_000_000);
        assert_eq!(interface(0, -5).nanos(1), 0, "before 1970");
        assert_eq!(interface(0, i64::MAX).nanos(u64::MAX), 0);
        assert_eq!(interface(100, 0).nanos(1), 0, "a resolution beyond sense");
        assert_eq!(interface(0xff, 0).nanos(1), 0);
    }
}
