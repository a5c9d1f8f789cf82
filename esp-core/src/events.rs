//! Audit events (RFC 4303 sections 3.3.3, 3.4.1 to 3.4.4): a bounded queue that never blocks a worker.

use std::net::IpAddr;

use crossbeam_queue::ArrayQueue;

use crate::time::Millis;
use crate::verdict::DropReason;

/// Most events that a worker queues from one burst; the rest is counted. So a flood of forged packets cannot become
/// a flood of shared writes.
pub(crate) const MAX_PER_BURST: usize = 4;

/// A packet that was discarded in a way the RFC calls auditable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Why it was discarded.
    pub reason: DropReason,
    /// The `now` of the call.
    pub at: Millis,
    /// SPI as it came, or of the outbound SA, host byte order; 0 for a fragment without an ESP header.
    pub spi: u32,
    /// Low half of the sequence number as it came; outbound the last that the SA has given.
    pub seq: u32,
    /// Outer source address.
    pub src: IpAddr,
    /// Outer destination address.
    pub dst: IpAddr,
    /// Flow label of an IPv6 header: the outer one, or of the packet that was to be sealed.
    pub flow_label: Option<u32>,
}

/// Many workers push, any control thread polls. Lock-free.
#[derive(Debug)]
pub(crate) struct EventQueue {
    queue: Option<ArrayQueue<Event>>,
}

impl EventQueue {
    /// A queue of `size` events; with 0 every event is only counted.
    pub(crate) fn new(size: usize) -> Self {
        Self { queue: (size > 0).then(|| ArrayQueue::new(size)) }
    }

    /// Queues an event; false if there is no room.
    pub(crate) fn push(&self, event: Event) -> bool {
        self.queue.as_ref().is_some_and(|queue| !queue.is_full() && queue.push(event).is_ok())
    }

    /// The oldest event.
    pub(crate) fn pop(&self) -> Option<Event> {
        self.queue.as_ref().and_then(ArrayQueue::pop)
    }
}
