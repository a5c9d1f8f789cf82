//! How SPIs are put together.

#![cfg(not(loom))]

use super::Pattern;
use crate::slab::SlotId;

#[test]
fn the_width_fits_the_largest_index_and_no_more() {
    for (capacity, width) in
        [(1, 8), (255, 8), (256, 8), (257, 9), (1 << 20, 20), ((1 << 20) + 1, 21), (1 << 24, 24)]
    {
        assert_eq!(Pattern::new(capacity).width, width, "capacity {capacity}");
    }
}

#[test]
fn an_spi_leads_back_to_its_slot_and_is_never_reserved_by_iana() {
    for capacity in [1_u32, 256, 1000, 1 << 24] {
        let pattern = Pattern::new(capacity);
        for index in [0, capacity / 2, capacity - 1] {
            for generation in [1, 2, 254, 255, 256, 257, 1 << 24, (1 << 24) - 1, (1 << 31) - 1] {
                let spi = pattern.spi(SlotId::new(index, generation)).unwrap();
                assert!(spi.get() >= 256);
                assert_eq!(pattern.index(spi.get()), index);
            }
        }
    }
}

#[test]
fn an_spi_comes_round_only_after_every_other_of_its_slot() {
    let pattern = Pattern::new(1 << 24);
    let mut seen = std::collections::HashSet::new();
    for generation in 1..=255 {
        assert!(seen.insert(pattern.spi(SlotId::new(7, generation)).unwrap()));
    }
    assert!(!seen.insert(pattern.spi(SlotId::new(7, 256)).unwrap()), "255 generations fit above 24 bits");
}
