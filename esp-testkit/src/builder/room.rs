//! A packet in a buffer with room in front and behind.

use std::ops::Range;

/// A packet with headroom and tailroom. The room is filled with canary bytes, each telling its place, and all
/// bytes are remembered as they were, so that any write out of bounds can be shown.
#[derive(Clone, Debug)]
pub struct Room {
    bytes: Vec<u8>,
    before: Vec<u8>,
    data: Range<usize>,
}

impl Room {
    /// A buffer of `headroom`, `packet` and `tailroom` bytes.
    pub fn new(headroom: usize, packet: &[u8], tailroom: usize) -> Room {
        let data = headroom..headroom + packet.len();
        let mut bytes: Vec<u8> = (0..data.end + tailroom).map(canary).collect();
        bytes[data.clone()].copy_from_slice(packet);
        Room { before: bytes.clone(), bytes, data }
    }

    /// The whole buffer.
    pub fn buf(&self) -> &[u8] {
        &self.bytes
    }

    /// The whole buffer, to be written.
    pub fn buf_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Offset in bytes of the packet within the buffer.
    pub fn data_off(&self) -> usize {
        self.data.start
    }

    /// Length in bytes of the packet as it was given.
    pub fn data_len(&self) -> usize {
        self.data.len()
    }

    /// Panics, naming the place, unless every byte outside `range` (offsets into the buffer) is as it was at
    /// first.
    #[track_caller]
    pub fn assert_untouched_outside(&self, range: Range<usize>) {
        let places = (0..self.bytes.len()).filter(|place| !range.contains(place));
        let Some(place) = { places }.find(|&place| self.bytes[place] != self.before[place]) else { return };
        panic!(
            "byte {place} outside {range:?} was {:#04x} and is {:#04x} (packet at {:?}, buffer of {})",
            self.before[place],
            self.bytes[place],
            self.data,
            self.bytes.len()
        );
    }

    /// Panics, naming the place, unless every byte is as it was at first.
    #[track_caller]
    pub fn assert_untouched(&self) {
        self.assert_untouched_outside(0..0);
    }
}

/// Differs between neighbours and from one row of 256 to the next.
fn canary(place: usize) -> u8 {
    let [low, high, ..] = place.to_le_bytes();
    0xa5 ^ low.wrapping_mul(31) ^ high
}
