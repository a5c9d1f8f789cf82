//! The memory of a lane's packets.

use esp_core::Packet;

/// Buffers as a driver's pool has them: all of one size, an odd number of cache lines apart, so that the same field of
/// all packets does not fall into the same few cache sets.
#[derive(Debug)]
pub(crate) struct Arena {
    memory: Vec<u8>,
    inner: Vec<u8>,
    stride: usize,
}

impl Arena {
    pub(crate) fn new(packets: usize, inner: Vec<u8>) -> Self {
        let lines = (HEADROOM + inner.len() + TAILROOM).div_ceil(LINE).max(LEAST_LINES) | 1;
        let stride = lines * LINE;
        Self { memory: vec![0; packets * stride], inner, stride }
    }

    /// The packets as they come from the plain port.
    pub(crate) fn refill(&mut self) -> Vec<Packet<'_>> {
        let packets = self.memory.chunks_exact_mut(self.stride).map(|buf| {
            let end = HEADROOM + self.inner.len();
            buf[HEADROOM..end].copy_from_slice(&self.inner);
            Packet::new(buf, HEADROOM, self.inner.len()).expect("the data lies inside the buffer")
        });
        packets.collect()
    }
}

/// Bytes in front of each packet: those of a DPDK buffer (`RTE_PKTMBUF_HEADROOM`).
const HEADROOM: usize = 128;
/// Bytes behind each packet, enough for any trailer and ICV.
const TAILROOM: usize = 128;
/// Bytes of a cache line.
const LINE: usize = 64;
/// The least distance of two packets: 2,240 bytes, that of a driver's buffer for 1,500-byte frames.
const LEAST_LINES: usize = 35;
