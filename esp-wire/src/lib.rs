//! ESP, UDP and IP on the wire: header views, the ESP trailer, checksums, DSCP and ECN.
//!
//! Bytes are in network order in a packet and in host order in every value this crate returns or takes; no other crate
//! of the workspace swaps. A view is made by one `parse` or `read`, which checks every length once; its accessors
//! cannot fail. Nothing here allocates, panics or reads past a slice, whatever the bytes are.
//!
//! | module       | what                                                                  | source               |
//! |--------------|-----------------------------------------------------------------------|----------------------|
//! | [`spi`]      | [`Spi`], the legal SPIs                                               | RFC 4303 2.1         |
//! | [`seq`]      | [`Seq64`], [`SeqLow`]                                                 | RFC 4303 2.2         |
//! | [`esp`]      | SPI and sequence number before the payload                            | RFC 4303 2           |
//! | [`trailer`]  | padding, pad length, next header                                      | RFC 4303 2.4 to 2.6  |
//! | [`ip`]       | [`Ip`], either version, by the version nibble                         |                      |
//! | [`ipv4`]     | view, new headers, changes in place                                   | RFC 791              |
//! | [`ipv6`]     | the same, and the extension headers around ESP                        | RFC 8200             |
//! | [`udp`]      | header and checksum of UDP encapsulation                              | RFC 768, RFC 3948    |
//! | [`checksum`] | ones-complement sum                                                   | RFC 1071             |
//! | [`ecn`]      | ECN through a tunnel                                                  | RFC 6040             |
//! | [`dscp`]     | the upper six bits of the TOS or traffic class byte                   | RFC 2474             |
//! | [`proto`]    | protocol and next header numbers                                      | IANA                 |
#![no_std]
#![forbid(unsafe_code)]
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

pub mod checksum;
pub mod dscp;
pub mod ecn;
pub mod esp;
pub mod ip;
pub mod ipv4;
pub mod ipv6;
pub mod proto;
pub mod seq;
pub mod spi;
pub mod trailer;
pub mod udp;

pub use ecn::Ecn;
pub use esp::EspHeader;
pub use ip::{Ip, IpError};
pub use ipv4::{Ipv4, Ipv4Fields};
pub use ipv6::{ExtError, Ipv6, Ipv6Fields, UpperLayer};
pub use seq::{Seq64, SeqLow};
pub use spi::{InvalidSpi, Spi};
pub use trailer::{Trailer, TrailerError};
pub use udp::UdpHeader;
