use std::collections::BTreeMap;

use super::*;
use crate::shards::{Label, ShardWriter, Shards};

#[test]
fn either_order_of_prepare_and_open_makes_the_cell() {
    let shards = Shards::<Nothing, 0>::new(2);
    let cells = shards.sa_cells(2 * SaCells::BULK);
    let (mut early, mut late) = (shards.claim().unwrap(), shards.claim().unwrap());
    cells.prepare(early.token());
    cells.open_bulk(1).unwrap();
    cells.prepare(late.token());
    let slot = SaCells::BULK + 3;
    for writer in [&mut early, &mut late] {
        cells.add(writer.token_mut(), slot, delta(1, 100, 0, 5));
    }
    assert_eq!(cells.sum(slot), CellSum { packets: 2, bytes: 200, drops: 0, last_use: 5 });
    assert_eq!(cells.sum(slot - 1), CellSum::default());
    assert_eq!(cells.sum(3), CellSum::default(), "bulk 0 is not open");
}

#[test]
fn opening_twice_keeps_the_counts() {
    let (shards, cells, mut writer) = one_worker();
    cells.add(writer.token_mut(), 0, delta(1, 1, 0, 1));
    cells.open_bulk(0).unwrap();
    cells.prepare(writer.token());
    drop(writer);
    let mut next = shards.claim().unwrap();
    cells.prepare(next.token());
    cells.add(next.token_mut(), 0, delta(1, 1, 0, 2));
    assert_eq!(cells.sum(0), CellSum { packets: 2, bytes: 2, drops: 0, last_use: 2 });
}

#[test]
fn capacity_is_rounded_up_to_bulks_and_refused_beyond() {
    let shards = Shards::<Nothing, 0>::new(1);
    let cells = shards.sa_cells(SaCells::BULK + 1);
    assert_eq!(cells.open_bulk(1), Ok(()));
    assert_eq!(cells.open_bulk(2), Err(NoSuchBulk { bulk: 2, bulks: 2 }));
    assert_eq!(cells.sum(u32::MAX), CellSum::default());
    assert_eq!(SaCells::bulk_of(SaCells::BULK - 1), 0);
    assert_eq!(SaCells::bulk_of(SaCells::BULK), 1);
    let none = shards.sa_cells(0);
    assert!(none.open_bulk(0).is_err());
    assert_eq!(none.sum(0), CellSum::default());
}

#[test]
#[cfg_attr(debug_assertions, should_panic(expected = "not prepared"))]
fn counting_without_an_array_counts_nothing() {
    let shards = Shards::<Nothing, 0>::new(1);
    let cells = shards.sa_cells(1);
    cells.add(shards.claim().unwrap().token_mut(), 0, delta(1, 1, 0, 1));
    assert_eq!(cells.total(), CellSum::default());
}

#[test]
fn last_use_goes_forward_and_only_with_packets() {
    let (_shards, cells, mut writer) = one_worker();
    for (step, last_use) in [
        (delta(1, 9, 0, 50), 50),
        (delta(0, 7, 3, 90), 50),
        (delta(1, 1, 0, 40), 50),
        (delta(1, 0, 1, 60), 60),
    ] {
        cells.add(writer.token_mut(), 7, step);
        assert_eq!(cells.sum(7).last_use, last_use, "{step:?}");
    }
    assert_eq!(cells.sum(7), CellSum { packets: 3, bytes: 10, drops: 4, last_use: 60 });
}

#[test]
fn fold_moves_one_slot_of_every_worker_and_keeps_the_total() {
    let shards = Shards::<Nothing, 0>::new(3);
    let cells = shards.sa_cells(10);
    cells.open_bulk(0).unwrap();
    let mut writers: Vec<_> = (0..3).map(|_| shards.claim().unwrap()).collect();
    for (writer, now) in writers.iter_mut().zip(1..) {
        cells.prepare(writer.token());
        cells.add(writer.token_mut(), 4, delta(now, 10 * now, 1, now));
        cells.add(writer.token_mut(), 5, delta(1, 1, 0, 9));
    }
    let total = cells.total();
    assert_eq!(cells.fold(4), CellSum { packets: 6, bytes: 60, drops: 3, last_use: 3 });
    assert_eq!(cells.removed(), CellSum { packets: 6, bytes: 60, drops: 3, last_use: 3 });
    assert_eq!((cells.sum(4), cells.sum(5).packets), (CellSum::default(), 3));
    assert_eq!(cells.total(), total);
    assert_eq!(cells.fold(4), CellSum::default(), "nothing left to move");

    // The slot's next SA starts from zero.
    cells.add(writers[0].token_mut(), 4, delta(1, 2, 0, 8));
    assert_eq!(cells.sum(4), CellSum { packets: 1, bytes: 2, drops: 0, last_use: 8 });
    assert_eq!(cells.fold(4).packets, 1);
    assert_eq!(cells.removed(), CellSum { packets: 7, bytes: 62, drops: 3, last_use: 8 });
}

#[test]
fn b91_workers_share_no_line_and_no_cell_straddles_one() {
    let shards = Shards::<Nothing, 0>::new(4);
    let cells = shards.sa_cells(2 * SaCells::BULK);
    let writers: Vec<_> = (0..4).map(|_| shards.claim().unwrap()).collect();
    for writer in &writers {
        cells.prepare(writer.token());
    }
    cells.open_bulk(0).unwrap();
    cells.open_bulk(1).unwrap();
    let mut owner = BTreeMap::new();
    let mut seen = 0;
    for worker in 0..4 {
        for slot in 0..2 * SaCells::BULK {
            let first = std::ptr::from_ref(cells.cell(worker, slot).unwrap()).addr();
            assert_eq!(first / LINE, (first + size_of::<Cell>() - 1) / LINE);
            assert_eq!(*owner.entry(first / LINE).or_insert(worker), worker, "line of another");
            seen += 1;
        }
    }
    assert_eq!(owner.len(), seen / 2, "two cells a line, none twice");
}

#[test]
fn a_cell_is_32_bytes_and_a_group_fills_its_padding() {
    assert_eq!((size_of::<Cell>(), align_of::<Cell>()), (32, 32));
    #[cfg(target_arch = "x86_64")]
    assert_eq!((size_of::<Group>(), align_of::<Group>()), (128, 128));
}

const LINE: usize = 64;

fn one_worker() -> (Arc<Shards<Nothing, 0>>, SaCells, ShardWriter<Nothing, 0>) {
    let shards = Shards::<Nothing, 0>::new(1);
    let cells = shards.sa_cells(SaCells::BULK);
    let writer = shards.claim().unwrap();
    cells.prepare(writer.token());
    cells.open_bulk(0).unwrap();
    (shards, cells, writer)
}

fn delta(packets: u64, bytes: u64, drops: u64, now: u64) -> CellDelta {
    CellDelta { packets, bytes, drops, now }
}

#[derive(Clone, Copy)]
struct Nothing;

impl Label for Nothing {
    const COUNT: usize = 0;

    fn index(self) -> usize {
        0
    }
}
