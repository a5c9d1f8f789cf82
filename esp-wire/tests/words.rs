//! SPI, sequence number, ESP header, DSCP: values and the bytes they stand for.

use std::collections::HashSet;

use esp_wire::{EspHeader, InvalidSpi, Seq64, SeqLow, Spi, dscp, esp};
use proptest::prelude::*;

#[test]
fn b56_spi_ranges() {
    for refused in [0, 1, 2, 127, 128, 254, 255] {
        assert_eq!(Spi::new(refused), Err(InvalidSpi(refused)));
        assert_eq!(Spi::try_from(refused), Err(InvalidSpi(refused)));
    }
    for legal in [256, 257, 0x0100_0000, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
        assert_eq!(Spi::new(legal).map(Spi::get), Ok(legal));
    }
    assert_eq!(Spi::MIN, 256);
    let text = InvalidSpi(255).to_string();
    assert!(text.contains("0x000000ff") && text.contains("0x00000100..=0xffffffff"), "{text}");
}

#[test]
fn b56_one_byte_order() {
    let header = EspHeader { spi: 0x0102_0304, seq: SeqLow(0x0a0b_0c0d) };
    assert_eq!(header.write(), [1, 2, 3, 4, 0x0a, 0x0b, 0x0c, 0x0d]);
    assert_eq!(Spi::new(header.spi).unwrap().to_string(), "0x01020304");
    assert_eq!(Spi::new(256).unwrap().to_string(), "0x00000100");
}

/// A key is compared and hashed by its value alone: there are no bytes besides it.
#[test]
fn b88_no_padding_in_keys() {
    assert_eq!((size_of::<Spi>(), align_of::<Spi>()), (4, 4));
    assert_eq!((size_of::<Option<Spi>>(), size_of::<SeqLow>(), size_of::<Seq64>()), (4, 4, 8));
    assert_eq!(size_of::<EspHeader>(), esp::HEADER_LEN);
    let keys: HashSet<Spi> = (0..1000).filter_map(|raw| Spi::new(raw % 500).ok()).collect();
    assert_eq!(keys.len(), 500 - 256);
}

#[test]
fn b22_short_esp_header() {
    let bytes = [0xff; 9];
    for len in 0..8 {
        assert_eq!(EspHeader::read(&bytes[..len]), None, "{len} bytes");
    }
    let all_ones = Some(EspHeader { spi: u32::MAX, seq: SeqLow(u32::MAX) });
    assert_eq!(EspHeader::read(&bytes[..8]), all_ones);
    assert_eq!(EspHeader::read(&bytes), all_ones);
}

#[test]
fn a_header_with_a_reserved_spi_is_read_as_it_is() {
    let header = EspHeader::read(&[0, 0, 0, 7, 0, 0, 0, 0]);
    assert_eq!(header, Some(EspHeader { spi: 7, seq: SeqLow(0) }));
}

#[test]
fn sequence_number_order_and_text() {
    let last = Seq64::from_parts(0, SeqLow(u32::MAX));
    let next = Seq64::from_parts(1, SeqLow(0));
    assert!(last < next);
    assert_eq!(next.0, 1 << 32);
    assert_eq!((last.to_string(), next.low().to_string()), ("4294967295".into(), "0".into()));
}

proptest! {
    #[test]
    fn sequence_number_halves(number: u64) {
        let seq = Seq64(number);
        prop_assert_eq!(u64::from(seq.high()) * (1 << 32) + u64::from(seq.low().0), number);
        prop_assert_eq!(Seq64::from_parts(seq.high(), seq.low()), seq);
    }

    #[test]
    fn esp_header_round_trip(spi: u32, seq: u32) {
        let header = EspHeader { spi, seq: SeqLow(seq) };
        prop_assert_eq!(EspHeader::read(&header.write()), Some(header));
    }
}

#[test]
fn b64_dscp_leaves_ecn_alone() {
    for tos in 0..=255_u8 {
        assert_eq!(dscp::dscp(tos), tos / 4);
        for code_point in 0..64_u8 {
            let marked = dscp::with_dscp(tos, code_point);
            assert_eq!((dscp::dscp(marked), marked % 4), (code_point, tos % 4));
        }
        assert_eq!(dscp::with_dscp(tos, 0xc1), dscp::with_dscp(tos, 1), "bits above the field");
    }
}
