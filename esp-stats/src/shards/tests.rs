use std::collections::BTreeMap;

use super::*;

#[test]
fn lowest_free_index_is_claimed_and_dropping_frees_it() {
    let shards = Shards::<Colour, 2>::new(2);
    let first = shards.claim().unwrap();
    let second = shards.claim().unwrap();
    assert_eq!((first.index(), second.index(), shards.live_workers()), (0, 1, 2));
    assert!(shards.claim().is_none());
    drop(first);
    assert_eq!(shards.live_workers(), 1);
    assert_eq!(shards.claim().unwrap().index(), 0);
}

#[test]
fn counts_stay_when_the_writer_goes_and_the_next_one_adds_to_them() {
    let shards = Shards::<Colour, 2>::new(1);
    for round in 1..=3 {
        let mut writer = shards.claim().unwrap();
        writer.add_hot([5, 7]);
        writer.add(Colour(16), 2);
        assert_eq!(shards.totals().hot, [5 * round, 7 * round]);
        assert_eq!(shards.totals().of(Colour(16)), 2 * round);
    }
    assert_eq!(shards.per_worker(), [shards.totals()]);
}

/// A burst with drops in the middle: passed packets and drops add up to what came in.
#[test]
fn b67_drops_and_passes_add_up() {
    let shards = Shards::<Colour, 2>::new(3);
    let mut writers: Vec<_> = (0..3).map(|_| shards.claim().unwrap()).collect();
    for (packet, index) in (0..96).zip([0, 1, 2].into_iter().cycle()) {
        match packet % 5 {
            reason @ 3..5 => writers[index].add(Colour(reason), 1),
            _ => writers[index].add_hot([1, 100]),
        }
    }
    let totals = shards.totals();
    assert_eq!(totals.hot[0] + totals.labels.iter().sum::<u64>(), 96);
    assert_eq!((totals.of(Colour(3)), totals.of(Colour(4)), totals.of(Colour(0))), (19, 19, 0));
    assert_eq!(totals.hot[1], totals.hot[0] * 100);
    assert_eq!(shards.per_worker().iter().map(|row| row.hot[0]).sum::<u64>(), totals.hot[0]);
}

#[test]
#[cfg_attr(debug_assertions, should_panic(expected = "label index 20 of 20"))]
fn label_beyond_its_count_touches_no_cell() {
    let shards = Shards::<Colour, 2>::new(1);
    shards.claim().unwrap().add(Colour(20), 1);
    assert!(shards.totals().labels.iter().all(|cell| *cell == 0));
}

#[test]
fn b91_workers_share_no_line() {
    let shards = Shards::<Colour, MAX_HOT>::new(4);
    let mut owner = BTreeMap::new();
    for (worker, shard) in shards.shards.iter().enumerate() {
        let hot = shard.hot.iter().map(|cell| (cell, "hot"));
        let cold = (0..Colour::COUNT).map(|index| (shard.cold(index).unwrap(), "cold"));
        for (cell, kind) in hot.chain(cold) {
            let line = std::ptr::from_ref(cell).addr() / LINE;
            assert_eq!(*owner.entry(line).or_insert((worker, kind)), (worker, kind), "line of another");
        }
    }
    let hot_lines = owner.values().filter(|(_, kind)| *kind == "hot").count();
    assert_eq!(hot_lines, 4, "one hot line a worker");
}

#[test]
fn writer_is_send() {
    fn send<T: Send>() {}
    send::<ShardWriter<Colour, 4>>();
}

const LINE: usize = 64;

#[derive(Clone, Copy)]
struct Colour(usize);

impl Label for Colour {
    const COUNT: usize = 20;

    fn index(self) -> usize {
        self.0
    }
}
