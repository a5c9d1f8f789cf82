//! The counting allocator, installed.

use esp_testkit::alloc_counter::{CountingAlloc, allocations_during};
use std::hint::black_box;

#[global_allocator]
static ALLOC: CountingAlloc = CountingAlloc;

#[test]
fn every_way_to_obtain_memory_counts() {
    assert_eq!(allocations_during(|| black_box(1) + black_box(2)), 0);
    assert_eq!(allocations_during(|| black_box(Box::new(1_u64))), 1);
    assert_eq!(allocations_during(|| black_box(vec![0_u8; 100])), 1, "zeroed");
    let mut grows = Vec::<u8>::with_capacity(1);
    assert_eq!(allocations_during(|| grows.resize(black_box(1000), 1)), 1, "reallocated");
    assert_eq!(allocations_during(|| drop(black_box(grows))), 0, "frees are not counted");
}

#[test]
fn other_threads_do_not_count() {
    let (go, gone) = std::sync::mpsc::sync_channel::<()>(0);
    let other = std::thread::spawn(move || {
        gone.recv().expect("told to start");
        for i in 0..1000 {
            drop(black_box(Box::new(i)));
        }
    });
    go.send(()).expect("it waits");
    let here = allocations_during(|| {
        while !other.is_finished() {
            std::hint::spin_loop();
        }
    });
    assert_eq!(here, 0);
    other.join().expect("it ends");
}
