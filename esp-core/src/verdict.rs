//! What became of a packet: exactly one verdict each.

mod reason;

pub use reason::DropReason;

use crate::handle::SaId;

/// What became of one packet of a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The packet was sealed or opened, and its data range now says where the result lies.
    Delivered(Delivered),
    /// The packet did its work here and there is nothing to forward.
    Consumed(Consumed),
    /// The packet is whole and unchanged, and somebody else's to handle.
    HandedBack(HandedBack),
    /// The packet ends here. Its bytes inside its own room are unspecified, but never the plaintext of a packet
    /// that failed authentication.
    Dropped {
        /// Why; also the counter it was counted in.
        reason: DropReason,
        /// For [`DropReason::TooBig`] the usable inner MTU in bytes, for [`DropReason::NoRoom`] the missing bytes,
        /// otherwise 0.
        detail: u32,
    },
}

/// Where the result lies, and what it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// First byte of the IP packet, from the start of the buffer.
    pub offset: u32,
    /// Length of the IP packet in bytes.
    pub len: u32,
    /// The SA that sealed or opened it.
    pub sa: SaId,
    /// Outbound: the protocol of the sealed packet, 50 (ESP) or 17 (UDP). Inbound: the next header of the ESP
    /// trailer: 4 or 41 for a tunnelled IP packet, else the upper-layer protocol.
    pub next_header: u8,
    /// The opaque number of the SA's configuration (OVS: the tunnel ID of the flow key).
    pub tun_id: u64,
}

/// Why a packet was consumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consumed {
    /// An authentic dummy packet, next header 59 (RFC 4303 section 2.6).
    Dummy,
    /// A NAT keepalive: one byte 0xff on the UDP encapsulation port (RFC 3948 section 2.3).
    Keepalive,
}

/// Whose packet it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandedBack {
    /// IKE behind a non-ESP marker on the UDP encapsulation port (RFC 3948 section 2.2).
    Ike,
    /// Neither ESP nor UDP-encapsulated ESP.
    NotEsp,
}

impl Verdict {
    /// The result, if there is one.
    #[inline]
    #[must_use]
    pub const fn delivered(&self) -> Option<&Delivered> {
        match self {
            Self::Delivered(delivered) => Some(delivered),
            _ => None,
        }
    }

    /// The drop reason, if it was dropped.
    #[inline]
    #[must_use]
    pub const fn reason(&self) -> Option<DropReason> {
        match self {
            Self::Dropped { reason, .. } => Some(*reason),
            _ => None,
        }
    }
}

impl From<DropReason> for Verdict {
    #[inline]
    fn from(reason: DropReason) -> Self {
        Self::Dropped { reason, detail: 0 }
    }
}

/// What a verdict slice holds before the call: a packet that was never looked at.
impl Default for Verdict {
    fn default() -> Self {
        Self::HandedBack(HandedBack::NotEsp)
    }
}
