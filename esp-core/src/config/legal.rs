//! The legal values of each field, in one place: the checks and the file reader quote it.

use std::fmt::Display;

use crate::SaError;

/// What `field` may be; empty for a name that is no field.
pub(super) fn of(field: &str) -> &'static str {
    FIELDS.iter().find(|(name, _)| *name == field).map_or("", |(_, legal)| legal)
}

/// Refuses a value that is outside what [`of`] the field says.
pub(super) fn refuse(field: &'static str, value: &dyn Display) -> SaError {
    because(field, value, of(field))
}

/// Refuses a value that contradicts another field, and says what would be legal beside it.
pub(super) fn because(field: &'static str, value: &dyn Display, legal: impl Into<String>) -> SaError {
    SaError::Field { field, value: value.to_string(), legal: legal.into() }
}

/// Bytes. RFC 791: every IPv4 host takes a datagram of 576.
pub(super) const MIN_MTU_V4: u16 = 576;
/// Bytes. RFC 8200 section 5: every IPv6 link carries 1280.
pub(super) const MIN_MTU_V6: u16 = 1280;

const FIELDS: &[(&str, &str)] = &[
    ("name", "1 to 64 characters, no control characters, unique in the file"),
    ("direction", "outbound, inbound"),
    ("spi", "256..=4294967295 (0 is never on the wire, 1..=255 are reserved by IANA; RFC 4303 section 2.1)"),
    ("transform", TRANSFORMS),
    (
        "key",
        "hexadecimal digits, two a byte, as many bytes as the transform needs: cipher key, salt, integrity key",
    ),
    ("integrity_key", "hexadecimal digits, two a byte, as many bytes as the integrity algorithm needs"),
    ("keys", "static, negotiated"),
    ("allow_legacy", "true, false"),
    ("mode", "tunnel, transport"),
    ("src", "a unicast IP address"),
    ("dst", "an IP address of the family of src, not the unspecified one"),
    ("esn", "true, false"),
    ("udp", "a table of src_port, dst_port and zero_checksum"),
    ("udp.src_port", "1..=65535"),
    ("udp.dst_port", "1..=65535"),
    ("udp.zero_checksum", "true over IPv6 only (RFC 6935), or false"),
    ("replay_window", "32..=2097152 bits; to have no anti-replay, spell out \"off\""),
    ("lookup", "spi, spi-dst, spi-dst-src"),
    ("check_outer", "none, dst, src-dst"),
    ("selectors", "tables of src, dst, protocol, src_port and dst_port"),
    ("selectors.src", "an IP prefix such as 10.0.0.0/8"),
    ("selectors.dst", "an IP prefix such as 10.0.0.0/8, of the family of src"),
    ("selectors.protocol", "0..=255"),
    ("selectors.src_port", "0..=65535, or a range like \"1024-2047\""),
    ("selectors.dst_port", "0..=65535, or a range like \"1024-2047\""),
    ("mtu", "576..=65535 bytes, 1280..=65535 with IPv6 outside"),
    ("tfc_pad_to", "1..=65535 bytes, tunnel mode only"),
    ("dscp", "\"copy\", or 0..=63"),
    ("ecn", "normal, compatibility"),
    ("df", "copy, set, clear"),
    ("ttl", "1..=255"),
    ("flow_label", "\"copy\", or 0..=1048575"),
    ("tun_id", "0..=18446744073709551615"),
];

/// Every name, by families; a test spells them out.
pub(super) const TRANSFORMS: &str = "\
    aes-{128,192,256}-gcm-{16,12,8}, aes-{128,192,256}-ccm-{16,12,8}, aes-{128,192,256}-gmac, chacha20-poly1305, \
    aes-{128,192,256}-gcm-16-iiv, aes-{128,192,256}-ccm-8-iiv, chacha20-poly1305-iiv, \
    {aes-128-cbc,aes-192-cbc,aes-256-cbc,aes-128-ctr,aes-192-ctr,aes-256-ctr,null}-\
    {hmac-sha1-96,hmac-sha256-128,hmac-sha384-192,hmac-sha512-256,aes-xcbc-96,aes-cmac-96}";
