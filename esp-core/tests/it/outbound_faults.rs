//! Faults that others had on the way out: numbers, ICV coverage, padding, room, MTU, bursts, handles, counters.

mod bursts;
mod counters;
mod handles;
mod icv;
mod ivs;
mod loops;
mod numbers;
mod padding;
mod room;
mod tfc;

use esp_testkit::builder::{Ipv4, Upper};

/// An IPv4 packet of exactly `len` bytes, at least 28.
fn packet_of(len: usize) -> Vec<u8> {
    let packet = Ipv4::default().packet(&Upper::udp(len - 28));
    assert_eq!(packet.len(), len);
    packet
}

/// `count` small packets that differ.
fn small(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|n| Ipv4 { id: n as u16, ..Ipv4::default() }.packet(&Upper::udp(n % 40))).collect()
}
