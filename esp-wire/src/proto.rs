//! Protocol and next header numbers, as IANA assigns them. IPv4's protocol field, IPv6's next header and the ESP
//! trailer share the one registry.

/// IPv6 hop-by-hop options (RFC 8200 section 4.3). As an IPv4 protocol it is not used.
pub const HOP_BY_HOP: u8 = 0;
/// ICMP for IPv4 (RFC 792).
pub const ICMP: u8 = 1;
/// An IPv4 packet (RFC 2003): the next header of a tunnel mode ESP packet that holds one.
pub const IPV4: u8 = 4;
/// TCP (RFC 9293).
pub const TCP: u8 = 6;
/// UDP (RFC 768).
pub const UDP: u8 = 17;
/// An IPv6 packet (RFC 2473): the next header of a tunnel mode ESP packet that holds one.
pub const IPV6: u8 = 41;
/// IPv6 routing header (RFC 8200 section 4.4).
pub const ROUTING: u8 = 43;
/// IPv6 fragment header (RFC 8200 section 4.5).
pub const FRAGMENT: u8 = 44;
/// Generic routing encapsulation (RFC 2784).
pub const GRE: u8 = 47;
/// Encapsulating Security Payload (RFC 4303).
pub const ESP: u8 = 50;
/// Authentication Header (RFC 4302).
pub const AH: u8 = 51;
/// ICMP for IPv6 (RFC 4443).
pub const ICMPV6: u8 = 58;
/// Nothing follows. In an ESP trailer: a dummy packet (RFC 4303 section 2.6).
pub const NO_NEXT: u8 = 59;
/// IPv6 destination options (RFC 8200 section 4.6).
pub const DEST_OPTS: u8 = 60;
/// SCTP (RFC 9260).
pub const SCTP: u8 = 132;
/// IPv6 mobility header (RFC 6275).
pub const MOBILITY: u8 = 135;
/// UDP-Lite (RFC 3828).
pub const UDP_LITE: u8 = 136;
/// Host Identity Protocol (RFC 7401).
pub const HIP: u8 = 139;
/// Shim6 (RFC 5533).
pub const SHIM6: u8 = 140;
