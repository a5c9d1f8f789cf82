//! Numbers of the field, with their names.

use esp_wire::proto;

pub(crate) use crate::output::{counted, grouped};

/// A protocol or next header number with its name: `50 (ESP)`.
pub(crate) fn protocol(number: u8) -> String {
    match PROTOCOLS.iter().find(|(known, _)| *known == number) {
        Some((_, name)) => format!("{number} ({name})"),
        None => number.to_string(),
    }
}

/// An SPI as both hexadecimal and decimal: `0x00001001 (4097)`.
pub(crate) fn spi(spi: u32) -> String {
    format!("{spi:#010x} ({spi})")
}

/// `1 byte`, `2 bytes`.
pub(crate) fn bytes(count: usize) -> String {
    format!("{count} byte{}", if count == 1 { "" } else { "s" })
}

/// The first few of a list, and how many more there are.
pub(crate) fn first_few(mut all: Vec<String>) -> String {
    let more = all.len().saturating_sub(FEW);
    all.truncate(FEW);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    all.join(", ") + &rest
}

const FEW: usize = 8;

const PROTOCOLS: &[(u8, &str)] = &[
    (proto::HOP_BY_HOP, "hop-by-hop options"),
    (proto::ICMP, "ICMP"),
    (2, "IGMP"),
    (proto::IPV4, "IPv4"),
    (proto::TCP, "TCP"),
    (proto::UDP, "UDP"),
    (proto::IPV6, "IPv6"),
    (proto::ROUTING, "routing header"),
    (proto::FRAGMENT, "fragment header"),
    (proto::GRE, "GRE"),
    (proto::ESP, "ESP"),
    (proto::AH, "AH"),
    (proto::ICMPV6, "ICMPv6"),
    (proto::NO_NEXT, "no next header: a dummy packet"),
    (proto::DEST_OPTS, "destination options"),
    (89, "OSPF"),
    (proto::SCTP, "SCTP"),
    (143, "Ethernet"),
];
