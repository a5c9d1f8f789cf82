//! A packet: memory of the caller's, and where in it the IP packet lies.

use thiserror::Error;

use crate::lanes::Step;
use crate::verdict::DropReason;

/// What the caller's driver knows of a packet and the engine must be told.
///
/// The first four are refused with a drop reason of their own: the engine seals and opens only whole, linear,
/// unshared packets whose checksums are final.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketFlags(u8);

impl PacketFlags {
    /// Nothing to say.
    pub const NONE: Self = Self(0);
    /// The TCP or UDP checksum is not final: the NIC was to complete it.
    pub const PARTIAL_CHECKSUM: Self = Self(1);
    /// A GSO or TSO super-packet, to be cut up later.
    pub const GSO: Self = Self(1 << 1);
    /// The packet goes on in another buffer (a chained mbuf).
    pub const SEGMENTED: Self = Self(1 << 2);
    /// Somebody else also reads this memory (a reference count above one): it must not be written.
    pub const SHARED: Self = Self(1 << 3);
    /// Outbound: make a dummy packet of it (RFC 4303 section 2.6). In tunnel mode the data is any bytes, sent as
    /// the plaintext; in transport mode it is an IP packet, whose upper-layer protocol is replaced by 59.
    pub const DUMMY: Self = Self(1 << 4);

    /// Whether every flag of `other` is set.
    #[inline]
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[inline]
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Goes on unless a flag is set that the engine refuses.
    #[inline]
    pub(crate) fn admit(self) -> Step {
        let refused = Self::PARTIAL_CHECKSUM.0 | Self::GSO.0 | Self::SEGMENTED.0 | Self::SHARED.0;
        if self.0 & refused == 0 { Ok(()) } else { Err(self.reason().into()) }
    }

    /// The reason that weighs most: memory of somebody else's first.
    #[cold]
    const fn reason(self) -> DropReason {
        if self.contains(Self::SHARED) {
            DropReason::Shared
        } else if self.contains(Self::SEGMENTED) {
            DropReason::Segmented
        } else if self.contains(Self::GSO) {
            DropReason::Gso
        } else {
            DropReason::PartialChecksum
        }
    }
}

/// The data does not lie inside the buffer.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error(
    "data_off {data_off} + data_len {data_len} must be at most the buffer's {buf_len} bytes (and that at most 2^31)"
)]
pub struct PacketError {
    /// First byte of the data, from the start of the buffer.
    pub data_off: usize,
    /// Length of the data in bytes.
    pub data_len: usize,
    /// Length of the buffer in bytes.
    pub buf_len: usize,
}

/// One packet in memory that the caller owns.
///
/// ```text
///   buf: | headroom | data: IP packet (+ L2 padding) | tailroom |
///                   ^ data_off    <---- data_len --->
/// ```
///
/// Data starts at the IP header; layer 2 is the caller's. Sealing grows the data into the headroom and the
/// tailroom, opening shrinks it; both happen in place. Bytes behind the IP packet's own length are not payload.
#[derive(Debug)]
pub struct Packet<'a> {
    buf: &'a mut [u8],
    data_off: usize,
    data_len: usize,
    flags: PacketFlags,
}

impl<'a> Packet<'a> {
    const MAX_BUF: usize = 1 << 31;

    /// A packet whose data is `data_len` bytes at `data_off` of `buf`.
    ///
    /// # Errors
    ///
    /// [`PacketError`] if the data does not lie inside the buffer.
    #[inline]
    pub const fn new(buf: &'a mut [u8], data_off: usize, data_len: usize) -> Result<Self, PacketError> {
        let buf_len = buf.len();
        if buf_len <= Self::MAX_BUF && data_off <= buf_len && data_len <= buf_len - data_off {
            Ok(Self { buf, data_off, data_len, flags: PacketFlags::NONE })
        } else {
            Err(PacketError { data_off, data_len, buf_len })
        }
    }

    /// The same packet with `flags` set.
    #[inline]
    #[must_use]
    pub const fn with_flags(mut self, flags: PacketFlags) -> Self {
        self.flags = flags;
        self
    }

    /// What the caller said of the packet.
    #[inline]
    #[must_use]
    pub const fn flags(&self) -> PacketFlags {
        self.flags
    }

    /// Where the data starts, in bytes from the start of the buffer.
    #[inline]
    #[must_use]
    pub const fn data_off(&self) -> usize {
        self.data_off
    }

    /// Length of the data in bytes.
    #[inline]
    #[must_use]
    pub const fn data_len(&self) -> usize {
        self.data_len
    }

    /// Bytes in front of the data.
    #[inline]
    #[must_use]
    pub const fn headroom(&self) -> usize {
        self.data_off
    }

    /// The data: an IP packet, perhaps with layer-2 padding behind it.
    #[inline]
    #[must_use]
    pub fn data(&self) -> &[u8] {
        self.range(self.data_off, self.data_len)
    }

    /// The data, to write.
    #[inline]
    #[must_use]
    pub fn data_mut(&mut self) -> &mut [u8] {
        self.range_mut(self.data_off, self.data_len)
    }

    /// Bytes behind the data's first `used` bytes: room to grow.
    #[inline]
    pub(crate) const fn tailroom_behind(&self, used: usize) -> usize {
        self.buf.len() - self.data_off - used
    }

    /// `len` bytes of the buffer at `off`, or nothing if they are not all there.
    #[inline]
    pub(crate) fn range(&self, off: usize, len: usize) -> &[u8] {
        self.buf.get(off..).and_then(|rest| rest.get(..len)).unwrap_or_default()
    }

    /// `len` bytes of the buffer at `off` to write, or nothing if they are not all there.
    #[inline]
    pub(crate) fn range_mut(&mut self, off: usize, len: usize) -> &mut [u8] {
        self.buf.get_mut(off..).and_then(|rest| rest.get_mut(..len)).unwrap_or_default()
    }

    /// Copies `bytes` into the buffer at `off`; nothing is written if they do not fit.
    #[inline]
    pub(crate) fn put<const N: usize>(&mut self, off: usize, bytes: &[u8; N]) {
        if let Some(dest) = self.buf.get_mut(off..).and_then(<[u8]>::first_chunk_mut) {
            *dest = *bytes;
        }
    }

    /// Moves `len` bytes from `from` to `to`; nothing happens if either is not all there.
    #[inline]
    pub(crate) fn shift(&mut self, from: usize, len: usize, to: usize) {
        let end = self.buf.len();
        if from <= end && to <= end && len <= end - from && len <= end - to {
            self.buf.copy_within(from..from + len, to);
        }
    }

    /// Says anew where the data lies; a range outside of the buffer is cut to it.
    #[inline]
    pub(crate) fn set_data(&mut self, off: usize, len: usize) {
        self.data_off = off.min(self.buf.len());
        self.data_len = len.min(self.buf.len() - self.data_off);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_must_lie_inside_the_buffer() {
        let mut buf = [0; 64];
        assert!(Packet::new(&mut buf, 64, 0).is_ok());
        assert!(Packet::new(&mut buf, 0, 64).is_ok());
        for (off, len) in [(65, 0), (0, 65), (60, 5), (usize::MAX, 1), (1, usize::MAX)] {
            let refused = Packet::new(&mut buf, off, len).expect_err("outside");
            assert_eq!(refused, PacketError { data_off: off, data_len: len, buf_len: 64 });
        }
    }

    #[test]
    fn writes_outside_the_buffer_do_nothing() {
        let mut buf = [7; 16];
        let mut packet = Packet::new(&mut buf, 4, 8).expect("inside");
        packet.put(15, &[1, 2]);
        packet.shift(0, 10, 8);
        packet.set_data(12, 100);
        assert_eq!((packet.data_off(), packet.data_len()), (12, 4));
        assert!(packet.range(10, 7).is_empty());
        assert_eq!(buf, [7; 16]);
    }

    #[test]
    fn flags_add_up() {
        let both = PacketFlags::GSO.with(PacketFlags::SHARED);
        assert!(both.contains(PacketFlags::GSO) && both.contains(PacketFlags::SHARED));
        assert!(!both.contains(PacketFlags::SEGMENTED));
        assert_eq!(both.admit(), Err(DropReason::Shared.into()));
        assert_eq!(PacketFlags::PARTIAL_CHECKSUM.admit(), Err(DropReason::PartialChecksum.into()));
        assert!(PacketFlags::DUMMY.admit().is_ok() && PacketFlags::NONE.admit().is_ok());
    }
}
