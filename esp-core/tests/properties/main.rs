//! Properties of the whole engine, on any input. The fuzz targets call the same functions.
#![expect(clippy::cast_possible_truncation, reason = "test values are small, or cut on purpose")]

mod agree;
mod attack;
mod bytes;
mod hostile;
mod inner;
mod judge;
mod lab;
mod outer;
mod parse;
mod sas;
mod seal_open;
mod seen;
mod targets;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// An authentic IPv6 packet in transport mode, empty but for next header 0: restored, it would be a jumbogram.
#[test]
fn an_empty_packet_of_hop_by_hop_options_is_no_packet() {
    hostile::holds(&[0x30, 0x79, 0x0c, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xfe, 0x05]);
}

#[test]
fn a_found_program_of_hostile_packets_gets_nowhere() {
    hostile::holds(&[0x2d, 0x0a, 0x05, 0x23, 0x00, 0xff, 0xcd, 0xff, 0xcd, 0xcd, 0x90, 0x40]);
}

proptest! {
    // The same cases each time, so that a failure is the change's own; the fuzz targets look for new ones.
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(4303),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_get_a_verdict(data in prop::collection::vec(any::<u8>(), 0..300)) {
        parse::holds(&data);
    }

    #[test]
    fn transforms_agree(data in prop::collection::vec(any::<u8>(), 0..400)) {
        agree::holds(&data);
    }

    #[test]
    fn hostile_packets_get_nowhere(data in prop::collection::vec(any::<u8>(), 0..1500)) {
        hostile::holds(&data);
    }

    #[test]
    fn what_is_sealed_opens(data in prop::collection::vec(any::<u8>(), 0..600)) {
        seal_open::holds(&data);
    }
}
