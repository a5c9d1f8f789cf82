use proptest::prelude::*;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn walk_with_edges_agrees(data in prop::collection::vec(any::<u8>(), 4..1500)) {
        run(&data);
    }
}

/// Every pair and triple of steps from the edges, for every size: what a random walk meets rarely.
#[test]
fn all_short_walks_over_edges_agree() {
    for size in [32, 33, 63, 64, 65, 100, 127, 128, 1000, 1024, 4096] {
        let size_64 = u64::from(size);
        let jumps = [
            1,
            2,
            63,
            64,
            65,
            size_64.saturating_sub(64),
            size_64.saturating_sub(63),
            size_64 - 1,
            size_64,
            size_64 + 1,
            size_64 + 63,
            size_64 + 64,
            size_64 + 65,
            2 * size_64,
            1 << 32,
            (1 << 32) - size_64,
            u64::MAX,
        ];
        for start in [Start::Fresh, Start::Top(0x1_0000_0068), Start::AllSeen(0x1_0000_0010)] {
            for (first, second) in pairs(&jumps) {
                let base = if let Start::Top(top) | Start::AllSeen(top) = start { top } else { 1 };
                let one = base.saturating_add(first);
                let two = one.saturating_add(second);
                let below =
                    [1, size_64 - 1, size_64, size_64 + 1, 64, 63].map(|back| two.saturating_sub(back));
                let steps = [&[base, one, one.saturating_sub(1), two, one], &below[..], &below[..]].concat();
                agrees_from(start, size, true, &steps);
                agrees_from(Start::Fresh, size, false, &steps);
            }
        }
    }
}

/// The whole window is filled, slid by a jump, and read back number by number.
#[test]
fn filled_window_forgets_exactly_what_it_leaves() {
    for size in [32, 64, 65, 100, 128, 1000] {
        let size_64 = u64::from(size);
        for jump in [
            1,
            2,
            63,
            64,
            65,
            size_64.saturating_sub(65),
            size_64.saturating_sub(64),
            size_64.saturating_sub(63),
            size_64 - 1,
            size_64,
            size_64 + 1,
        ]
        .into_iter()
        .filter(|jump| (1..4 * size_64).contains(jump))
        {
            for base in [1, 64, 1000, 1023, (1 << 32) - 40] {
                let top = base + 2 * size_64;
                let steps: Vec<u64> = (base..=top).chain([top + jump]).chain(base..=top + jump + 1).collect();
                agrees_with_the_definition(size, true, &steps);
            }
        }
    }
}

#[test]
fn largest_window_agrees() {
    let size = 1 << 21;
    let steps = [
        1,
        64,
        size,
        size + 1,
        1,
        2,
        size + 64,
        65,
        66,
        3 * size,
        2 * size,
        2 * size + 1,
        4 * size + 63,
        u64::MAX,
    ];
    agrees_with_the_definition(1 << 21, true, &steps);
}

fn pairs(of: &[u64]) -> impl Iterator<Item = (u64, u64)> + '_ {
    of.iter().flat_map(|&first| of.iter().map(move |&second| (first, second)))
}
