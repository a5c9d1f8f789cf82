//! Properties of the whole engine, on any input. The fuzz targets call the same functions.
#![expect(clippy::cast_possible_truncation, reason = "test values are small, or cut on purpose")]

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
    fn hostile_packets_get_nowhere(data in prop::collection::vec(any::<u8>(), 0..1500)) {
        hostile::holds(&data);
    }

    #[test]
    fn what_is_sealed_opens(data in prop::collection::vec(any::<u8>(), 0..600)) {
        seal_open::holds(&data);
    }
}
