//! UDP header and checksum against etherparse, and the Internet checksum against its definition.

use esp_wire::checksum::{self, Sum};
use esp_wire::{UdpHeader, udp};
use proptest::prelude::*;

/// RFC 1071 by the remainder: big-endian words, summed as integers modulo 65535.
fn by_definition(bytes: &[u8]) -> u16 {
    let words =
        bytes.chunks(2).map(|word| u64::from(word[0]) * 256 + word.get(1).copied().map_or(0, u64::from));
    let total: u64 = words.sum();
    let sum = if total == 0 { 0 } else { (total - 1) % 0xffff + 1 };
    !u16::try_from(sum).unwrap_or(0)
}

fn datagram(header: UdpHeader, payload: &[u8]) -> Vec<u8> {
    let mut bytes = header.write().to_vec();
    bytes.extend(payload);
    bytes
}

fn header(payload_len: usize) -> UdpHeader {
    let length = u16::try_from(payload_len + udp::HEADER_LEN).unwrap_or(0);
    UdpHeader { src_port: 4500, dst_port: 4501, length, checksum: 0 }
}

#[test]
fn b22_short_udp_header() {
    let bytes = [0x11, 0x94, 0x11, 0x95, 0x00, 0x08, 0xab, 0xcd, 0xff];
    for len in 0..8 {
        assert_eq!(UdpHeader::read(&bytes[..len]), None, "{len} bytes");
    }
    let want = UdpHeader { src_port: 4500, dst_port: 4501, length: 8, checksum: 0xabcd };
    assert_eq!(UdpHeader::read(&bytes), Some(want));
    assert_eq!(want.write(), bytes[..8]);
}

#[test]
fn ports_need_four_bytes() {
    let bytes = [0x11, 0x94, 0x01, 0xf4, 0xff];
    for len in 0..4 {
        assert_eq!(UdpHeader::read_ports(&bytes[..len]), None, "{len} bytes");
    }
    assert_eq!(UdpHeader::read_ports(&bytes), Some((4500, 500)));
}

#[test]
fn b35_a_computed_zero_is_sent_as_ones() {
    let (src, dst) = ([0xfd; 16], [0xfe; 16]);
    let mut bytes = datagram(header(2), &[0, 0]);
    let rest = udp::checksum_v6(src, dst, &bytes);
    bytes[8..].copy_from_slice(&rest.to_be_bytes()); // now the words sum to 0xffff, whose complement is zero
    assert_eq!(udp::checksum_v6(src, dst, &bytes), 0xffff);

    let (src, dst) = ([10, 0, 0, 1], [10, 0, 0, 2]);
    let mut bytes = datagram(header(2), &[0, 0]);
    let rest = udp::checksum_v4(src, dst, &bytes);
    bytes[8..].copy_from_slice(&rest.to_be_bytes());
    assert_eq!(udp::checksum_v4(src, dst, &bytes), 0xffff);
}

#[test]
fn b35_the_checksum_field_is_left_out() {
    let mut bytes = datagram(header(5), b"hello");
    let want = (udp::checksum_v4([1; 4], [2; 4], &bytes), udp::checksum_v6([1; 16], [2; 16], &bytes));
    for stored in [1, 0x00ff, 0x1234, want.0, want.1, 0xfffe, 0xffff_u16] {
        bytes[6..8].copy_from_slice(&stored.to_be_bytes());
        let got = (udp::checksum_v4([1; 4], [2; 4], &bytes), udp::checksum_v6([1; 16], [2; 16], &bytes));
        assert_eq!(got, want, "stored {stored:#06x}");
    }
}

#[test]
fn a_datagram_shorter_than_a_header_is_summed_as_it_is() {
    for len in 0..8 {
        assert_ne!(udp::checksum_v4([0; 4], [0; 4], &[0; 8][..len]), 0);
    }
}

#[test]
fn the_largest_datagram_of_ones() {
    let bytes = vec![0xff; 65_535];
    assert_eq!(checksum::of(&bytes), by_definition(&bytes));
    assert_eq!(checksum::of(&[]), 0xffff);
}

proptest! {
    #[test]
    fn udp_checksum_agrees_with_etherparse(
        src: [u8; 16], dst: [u8; 16], src_port: u16, dst_port: u16,
        payload in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let ours = UdpHeader { src_port, dst_port, ..header(payload.len()) };
        let bytes = datagram(ours, &payload);
        let (theirs, rest) = etherparse::UdpHeader::from_slice(&bytes).unwrap();
        prop_assert_eq!(rest, &payload);
        prop_assert_eq!((theirs.source_port, theirs.destination_port), (src_port, dst_port));
        prop_assert_eq!(theirs.length, ours.length);
        prop_assert_eq!(udp::checksum_v6(src, dst, &bytes), theirs.calc_checksum_ipv6_raw(src, dst, &payload).unwrap());
        let (src4, dst4) = ([src[0], src[1], src[2], src[3]], [dst[0], dst[1], dst[2], dst[3]]);
        prop_assert_eq!(
            udp::checksum_v4(src4, dst4, &bytes),
            theirs.calc_checksum_ipv4_raw(src4, dst4, &payload).unwrap()
        );
    }

    #[test]
    fn checksum_agrees_with_the_definition(bytes in prop::collection::vec(any::<u8>(), 0..300), skip in 0..8_usize) {
        let bytes = bytes.get(skip..).unwrap_or_default();
        prop_assert_eq!(checksum::of(bytes), by_definition(bytes));
    }

    #[test]
    fn a_sum_may_be_taken_in_parts(bytes in prop::collection::vec(any::<u8>(), 0..300), cut in 0..150_usize) {
        let (first, second) = bytes.split_at((2 * cut).min(bytes.len() / 2 * 2));
        prop_assert_eq!(Sum::of(first).plus(Sum::of(second)).checksum(), by_definition(&bytes));
    }

    #[test]
    fn one_field_added_and_taken_away(bytes in prop::collection::vec(any::<u8>(), 1..40), field: u16) {
        let mut with = field.to_be_bytes().to_vec();
        with.extend(&bytes);
        let sum = Sum::of(&bytes).plus(Sum::of_u16(field));
        prop_assert_eq!(sum.checksum(), by_definition(&with));
        let back = sum.minus_u16(field).checksum();
        prop_assert_eq!(back % 0xffff, by_definition(&bytes) % 0xffff); // zero has two forms
    }
}
