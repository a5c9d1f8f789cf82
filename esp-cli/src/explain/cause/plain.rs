//! Drops of which there is but one thing to say.

use esp_core::DropReason;

use super::Conclusion;
use crate::explain::story::Story;

/// Concludes.
pub(super) fn conclude(reason: DropReason, story: &Story) -> Conclusion {
    let (cause, remedy, rule) = match reason {
        DropReason::Malformed => (
            "no whole IP packet, or a UDP length that does not fit it",
            "look at what made or cut the packet; the IP length must not exceed the frame",
            None,
        ),
        DropReason::ExtensionHeaders => (
            "the IPv6 extension headers are cut short, or more than are followed",
            "look at the sender",
            Some("RFC 8200 section 4"),
        ),
        DropReason::Fragment => (
            "a fragment of an ESP packet: only whole packets can be opened",
            "reassemble before ESP; better, lower the sender's MTU (mtu in its SA) so that nothing is fragmented",
            Some("RFC 4303 section 3.4.1"),
        ),
        DropReason::TooShort if story.esp.is_none() => {
            ("less than an ESP header", "look at what made or cut the packet", Some("RFC 4303 section 2"))
        }
        DropReason::TooShort => (
            "shorter than header, IV, trailer and ICV of its SA together",
            "look at what cut the packet, or for a transform with a shorter IV or ICV at the peer",
            Some("RFC 4303 section 2"),
        ),
        DropReason::SeqZero => (
            "sequence number zero, which no sender uses: the first packet has 1",
            "look at the sender's counter; it must count before it sends",
            Some("RFC 4303 section 3.3.3"),
        ),
        DropReason::PadLength => (
            "authentic, but the pad length is more than there is: a fault of the sender",
            "look at how the sender makes the trailer: padding, pad length, next header, in this order",
            Some("RFC 4303 section 2.4"),
        ),
        DropReason::PadContent => (
            "authentic, but the padding is not 1, 2, 3, ..: a fault of the sender, or another padding scheme",
            "have the sender pad as the RFC says",
            Some("RFC 4303 section 2.4"),
        ),
        DropReason::EcnIllegal => (
            "the outer header says that there was congestion (CE) and the packet inside cannot be told (Not-ECT)",
            "the ingress must not mark the outer header as ECN-capable for such packets: look at the peer's ECN mode, or for a \
             device that sets the field",
            Some("RFC 6040 section 4.2"),
        ),
        _ => ("the engine dropped it", "see the reason", None),
    };
    Conclusion::wrong(cause, remedy, rule)
}
