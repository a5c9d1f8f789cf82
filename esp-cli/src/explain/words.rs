//! Numbers and rules in words.

use esp_core::{Consumed, DropReason, HandedBack, Verdict};
use esp_wire::proto;

/// The name of a verdict: that of its counter.
pub(super) fn verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Delivered(_) => "delivered".to_owned(),
        Verdict::Consumed(Consumed::Dummy) => "consumed: dummy".to_owned(),
        Verdict::Consumed(Consumed::Keepalive) => "consumed: keepalive".to_owned(),
        Verdict::HandedBack(HandedBack::Ike) => "handed back: ike".to_owned(),
        Verdict::HandedBack(HandedBack::NotEsp) => "handed back: not_esp".to_owned(),
        Verdict::Dropped { reason, .. } => format!("dropped: {}", reason.name()),
    }
}

/// The rule that a drop follows.
pub(super) fn rule(reason: DropReason) -> &'static str {
    match reason {
        DropReason::Malformed => "the lengths of the IP or UDP header do not agree with the packet",
        DropReason::ExtensionHeaders => {
            "the IPv6 extension headers lead out of the packet (RFC 8200 section 4)"
        }
        DropReason::Fragment => "ESP is for whole packets: reassemble first (RFC 4303 section 3.4.1)",
        DropReason::TooShort => "shorter than header, IV, trailer and ICV of its SA (RFC 4303 section 2)",
        DropReason::NoSa => "no SA has this SPI and these addresses (RFC 4303 section 3.4.2)",
        DropReason::SeqZero => "number 0: the first packet of an SA carries 1 (RFC 4303 section 3.3.3)",
        DropReason::ReplayTooOld => "left of the replay window (RFC 4303 section 3.4.3)",
        DropReason::ReplayDuplicate => "its number was received before (RFC 4303 section 3.4.3)",
        DropReason::AuthFailed => "the ICV is wrong (RFC 4303 section 3.4.4)",
        DropReason::PadLength => "the pad length is more than there is (RFC 4303 section 2.4)",
        DropReason::PadContent => "the padding is not 1, 2, 3, .. (RFC 4303 section 2.4)",
        DropReason::BadInner => "next header and content do not suit the SA's mode (RFC 4301 section 5.2)",
        DropReason::EcnIllegal => "marked CE outside, not ECN-capable inside (RFC 6040 section 4.2)",
        DropReason::OuterAddress => "from or to other outer addresses than `check_outer` demands",
        DropReason::Encapsulation => "in UDP where the SA is not, or the other way round (RFC 3948)",
        DropReason::Selector => "no selector of the SA matches the packet inside (RFC 4301 section 5.2)",
        _ => "see the list of drop reasons",
    }
}

/// A protocol number with its name.
pub(super) fn protocol(number: u8) -> String {
    let name = match number {
        1 => "ICMP",
        proto::IPV4 => "IPv4",
        6 => "TCP",
        proto::UDP => "UDP",
        proto::IPV6 => "IPv6",
        proto::ESP => "ESP",
        51 => "AH",
        58 => "ICMPv6",
        proto::NO_NEXT => "no next header",
        132 => "SCTP",
        _ => return number.to_string(),
    };
    format!("{number} ({name})")
}

/// Bytes as hexadecimal, the middle of many left out.
pub(super) fn hex(bytes: &[u8]) -> String {
    let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match bytes.len() {
        0 => "none".to_owned(),
        1..=32 => digits(bytes),
        len => format!("{}..{}", digits(&bytes[..12]), digits(&bytes[len - 4..])),
    }
}

/// `8 bytes`.
pub(super) fn bytes(len: usize) -> String {
    crate::output::counted(len as u64, "byte")
}
