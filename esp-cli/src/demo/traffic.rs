//! The inner packets: each can be told from its number alone, every byte of it.
//!
//! ```text
//!   | IPv4 20 | UDP 8 | number 8 | who sealed it 8 | pattern, from a place that the number chooses |
//! ```

use esp_core::Packet;
use esp_wire::ipv4::Ipv4Fields;
use esp_wire::udp::UdpHeader;
use esp_wire::{proto, udp};

/// A mix of packet lengths. All are lengths of the inner IP packet, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mix {
    /// Simple IMIX: 64, 576 and 1420 bytes, 7:4:1.
    Imix,
    /// 64 bytes each.
    Small,
}

impl Mix {
    /// The name in reports.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Imix => "IMIX",
            Self::Small => "64 B",
        }
    }

    /// The lengths of consecutive packets, over and over.
    pub(crate) const fn lens(self) -> &'static [u16] {
        match self {
            Self::Imix => &[64, 576, 64, 64, 576, 64, 1420, 64, 576, 64, 576, 64],
            Self::Small => &[64],
        }
    }
}

/// Which packet: the `number`-th that a worker sealed in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Serial {
    pub(crate) worker: usize,
    pub(crate) number: usize,
}

/// Makes packets, and knows them again.
#[derive(Debug)]
pub(crate) struct Traffic {
    lens: &'static [u16],
    fronts: Vec<[u8; FRONT]>,
    pattern: Vec<u8>,
}

impl Traffic {
    /// Traffic of one mix.
    pub(crate) fn new(mix: Mix) -> Self {
        let lens = mix.lens();
        let fronts = lens.iter().map(|len| front(*len)).collect();
        Self { lens, fronts, pattern: pattern(SHIFTS + mix.largest()) }
    }

    /// Length of a packet in bytes.
    pub(crate) fn len(&self, serial: Serial) -> usize {
        usize::from(self.lens[self.class(serial)])
    }

    /// Writes a packet over `data`, which has its length.
    pub(crate) fn write(&self, serial: Serial, data: &mut [u8]) {
        let (front, rest) = data.split_at_mut(FRONT);
        let (stamp, rest) = rest.split_at_mut(STAMP);
        front.copy_from_slice(&self.fronts[self.class(serial)]);
        stamp.copy_from_slice(&stamp_of(serial));
        rest.copy_from_slice(self.pattern_of(serial, rest.len()));
    }

    /// Whether `data` is this packet, to the last byte.
    pub(crate) fn is(&self, serial: Serial, data: &[u8]) -> bool {
        let Some((front, rest)) = data.split_at_checked(FRONT) else { return false };
        let Some((stamp, rest)) = rest.split_at_checked(STAMP) else { return false };
        data.len() == self.len(serial)
            && *front == self.fronts[self.class(serial)]
            && *stamp == stamp_of(serial)
            && *rest == *self.pattern_of(serial, rest.len())
    }

    /// What is wrong with `data`, in words.
    pub(crate) fn difference(&self, serial: Serial, data: &[u8]) -> String {
        let mut expected = vec![0; self.len(serial)];
        self.write(serial, &mut expected);
        if data.len() != expected.len() {
            return format!("{} bytes long instead of {}", data.len(), expected.len());
        }
        match data.iter().zip(&expected).position(|(got, wanted)| got != wanted) {
            Some(at) => format!("byte {at} is {:#04x} instead of {:#04x}", data[at], expected[at]),
            None => "equal".to_owned(),
        }
    }

    fn class(&self, serial: Serial) -> usize {
        serial.number % self.lens.len()
    }

    fn pattern_of(&self, serial: Serial, len: usize) -> &[u8] {
        let from = serial.number % SHIFTS;
        &self.pattern[from..from + len]
    }
}

/// Buffer bytes for the largest packet of a mix with room around it, in whole cache lines.
pub(crate) fn stride(mix: Mix, room: esp_core::Room) -> usize {
    (room.headroom + mix.largest() + room.tailroom).next_multiple_of(64)
}

/// Writes the packet over the data of `packet`.
pub(crate) fn fill(traffic: &Traffic, serial: Serial, packet: &mut Packet<'_>) {
    traffic.write(serial, packet.data_mut());
}

impl Mix {
    fn largest(self) -> usize {
        self.lens().iter().copied().max().map_or(0, usize::from)
    }
}

fn front(len: u16) -> [u8; FRONT] {
    let ip = Ipv4Fields {
        tos: 0,
        total_len: len,
        id: 0,
        dont_fragment: true,
        ttl: 64,
        protocol: proto::UDP,
        src: [10, 1, 0, 1],
        dst: [10, 2, 0, 2],
    };
    let ip = ip.write();
    // A checksum of zero says that there is none (RFC 768).
    let udp = UdpHeader { src_port: 5001, dst_port: 5002, length: len - IP_HEADER_LEN, checksum: 0 };
    let mut front = [0; FRONT];
    front[..ip.len()].copy_from_slice(&ip);
    front[ip.len()..].copy_from_slice(&udp.write());
    front
}

fn stamp_of(serial: Serial) -> [u8; STAMP] {
    ((serial.number as u128) << 64 | serial.worker as u128).to_be_bytes()
}

/// Bytes without a period: the upper bits of a linear congruential generator (Knuth's MMIX constants).
fn pattern(len: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(len).collect()
}

const IP_HEADER_LEN: u16 = 20;
const FRONT: usize = IP_HEADER_LEN as usize + udp::HEADER_LEN;
const STAMP: usize = 16;
/// Places from which a packet can take its part of the pattern; prime, so that it does not go with the lengths.
const SHIFTS: usize = 1021;

#[cfg(test)]
mod tests;
