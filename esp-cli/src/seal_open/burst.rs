//! A burst of frames: as they come from a capture, through the engine in place, and as they are written.

use std::array;

use anyhow::Result;
use arrayvec::ArrayVec;
use esp_core::{
    BURST, BurstError, Consumed, Delivered, DropReason, HandedBack, Packet, Room, TunnelId, Verdict,
};

use crate::capture::{Content, Link, Record, Stamp};

use super::route::Route;

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Sealed or opened.
    Done,
    /// Not ours, and unchanged.
    Other(OtherKind),
    /// It did its work in the engine.
    Consumed(Consumed),
    /// Dropped; the number is the usable inner MTU for [`DropReason::TooBig`].
    Dropped(DropReason, u32),
}

/// Why a frame is not ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherKind {
    /// Layer 2 carries something else.
    NotIp,
    /// No outbound SA is for it.
    NoSaSelects,
    /// An IP packet without ESP.
    NotEsp,
    /// IKE on the UDP encapsulation port.
    Ike,
}

/// Up to [`BURST`] frames in the order of the capture. Its buffers are kept from burst to burst.
///
/// ```text
///   buffer of a frame: | layer 2 | headroom | IP packet, L2 padding | tailroom |
///   the engine's part:           |<--------------------------------------------|
/// ```
#[derive(Debug)]
pub(crate) struct Burst {
    slots: Box<[Slot; BURST]>,
    used: usize,
    room: Room,
}

impl Burst {
    /// An empty burst whose frames get this much room.
    pub(crate) fn new(room: Room) -> Self {
        Self { slots: Box::new(array::from_fn(|_| Slot::default())), used: 0, room }
    }

    /// Whether the next frame must wait.
    pub(crate) fn is_full(&self) -> bool {
        self.used == BURST
    }

    /// Takes a copy of a frame. A full burst takes nothing.
    pub(crate) fn push(&mut self, record: &Record<'_>, route: &Route) {
        if let Some(slot) = self.slots.get_mut(self.used) {
            slot.fill(record, self.room);
            slot.tunnel = route.tunnel(slot.content, slot.packet_bytes());
            slot.to_engine = slot.tunnel.is_some() || route.opens() && slot.is_ip();
            self.used += 1;
        }
    }

    /// Puts the IP packets through the engine by `call`, then hands each frame with its fate to `each`, in order.
    /// Leaves the burst empty.
    ///
    /// # Errors
    ///
    /// Those of `each`.
    pub(crate) fn run(
        &mut self,
        call: impl FnOnce(&[TunnelId], &mut [Packet<'_>], &mut [Verdict]) -> Result<(), BurstError>,
        mut each: impl FnMut(Fate, Frame<'_>) -> Result<()>,
    ) -> Result<()> {
        let slots = self.slots.get_mut(..self.used).unwrap_or_default();
        self.used = 0;
        let mut verdicts = [Verdict::default(); BURST];
        let (mut packets, mut tunnels) = (ArrayVec::<_, BURST>::new(), ArrayVec::<_, BURST>::new());
        for slot in slots.iter_mut().filter(|slot| slot.to_engine) {
            tunnels.extend(slot.tunnel);
            packets.push(slot.packet()?);
        }
        let verdicts = verdicts.get_mut(..packets.len()).unwrap_or_default();
        call(&tunnels, &mut packets, verdicts)?;
        drop(packets);
        let mut verdicts = verdicts.iter();
        for slot in slots {
            let verdict = if slot.to_engine { verdicts.next() } else { None };
            let (fate, frame) = slot.end(verdict);
            each(fate, frame)?;
        }
        Ok(())
    }
}

/// A frame to write, with its time and options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) stamp: &'a Stamp,
    /// Layer 2 and the packet.
    pub(crate) bytes: &'a [u8],
    /// The packet.
    pub(crate) packet: &'a [u8],
    /// Whether the bytes are those of the capture, all of them.
    pub(crate) unchanged: bool,
}

#[derive(Debug)]
struct Slot {
    stamp: Stamp,
    link: Link,
    content: Content,
    /// Outbound: which SA's tunnel.
    tunnel: Option<TunnelId>,
    to_engine: bool,
    buf: Vec<u8>,
    l2_len: usize,
    headroom: usize,
    /// Bytes of the frame behind layer 2.
    len: usize,
    has_fcs: bool,
}

impl Default for Slot {
    fn default() -> Self {
        Self {
            stamp: Stamp::default(),
            link: Link::RAW,
            content: Content::Other,
            tunnel: None,
            to_engine: false,
            buf: Vec::new(),
            l2_len: 0,
            headroom: 0,
            len: 0,
            has_fcs: false,
        }
    }
}

impl Slot {
    fn fill(&mut self, record: &Record<'_>, room: Room) {
        let content = record.link.content(record.frame);
        let l2_len = if let Content::Ip { l2_len } = content { l2_len } else { 0 };
        let (l2, rest) = record.frame.split_at_checked(l2_len).unwrap_or((&[], record.frame));
        self.stamp.set(record);
        (self.link, self.content, self.has_fcs) = (record.link, content, record.link.has_fcs());
        (self.l2_len, self.headroom, self.len) = (l2.len(), room.headroom, rest.len());
        self.buf.clear();
        self.buf.extend_from_slice(l2);
        self.buf.resize(l2.len() + room.headroom, 0);
        self.buf.extend_from_slice(rest);
        self.buf.resize(self.buf.len() + room.tailroom, 0);
    }

    fn packet_bytes(&self) -> &[u8] {
        self.buf.get(self.l2_len + self.headroom..).and_then(|rest| rest.get(..self.len)).unwrap_or_default()
    }

    fn is_ip(&self) -> bool {
        matches!(self.content, Content::Ip { .. })
    }

    fn packet(&mut self) -> Result<Packet<'_>> {
        let buf = self.buf.get_mut(self.l2_len..).unwrap_or_default();
        Ok(Packet::new(buf, self.headroom, self.len)?)
    }

    fn end(&mut self, verdict: Option<&Verdict>) -> (Fate, Frame<'_>) {
        let unchanged = (self.headroom, self.len);
        let (fate, (offset, len)) = match (verdict, self.content) {
            (Some(Verdict::Delivered(got)), _) => (Fate::Done, range(got)),
            (Some(Verdict::Consumed(how)), _) => (Fate::Consumed(*how), unchanged),
            (Some(Verdict::HandedBack(HandedBack::Ike)), _) => (Fate::Other(OtherKind::Ike), unchanged),
            (Some(Verdict::HandedBack(HandedBack::NotEsp)), _) => (Fate::Other(OtherKind::NotEsp), unchanged),
            (Some(Verdict::Dropped { reason, detail }), _) => (Fate::Dropped(*reason, *detail), unchanged),
            (None, Content::Ip { .. }) => (Fate::Other(OtherKind::NoSaSelects), unchanged),
            (None, Content::Contradiction) => (Fate::Dropped(DropReason::Malformed, 0), unchanged),
            (None, _) => (Fate::Other(OtherKind::NotIp), unchanged),
        };
        // Layer 2 moves up against the packet: there is room, as the packet is `offset` bytes behind it.
        self.buf.copy_within(..self.l2_len, offset);
        let bytes = self.buf.get_mut(offset..).and_then(|rest| rest.get_mut(..self.l2_len + len));
        let bytes = bytes.unwrap_or_default();
        if fate == Fate::Done
            && let Some((l2, packet)) = bytes.split_at_mut_checked(self.l2_len)
        {
            self.link.set_version(l2, packet.first().map_or(0, |first| first >> 4));
        }
        let bytes = &*bytes;
        let packet = bytes.get(self.l2_len..).unwrap_or_default();
        let unchanged = fate != Fate::Done && !self.has_fcs;
        (fate, Frame { stamp: &self.stamp, bytes, packet, unchanged })
    }
}

/// Where the engine put the packet, in its part of the buffer.
fn range(got: &Delivered) -> (usize, usize) {
    (got.offset as usize, got.len as usize)
}
