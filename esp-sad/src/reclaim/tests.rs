//! Announcing, quiescing and the scan, one thread at a time.

#![cfg(not(loom))]

use super::{Domain, Style};

#[test]
fn a_burst_holds_up_only_epochs_that_begin_after_it() {
    let domain = Domain::new(3);
    let mut reader = domain.register().unwrap();
    let before = domain.retire_epoch();
    let guard = reader.enter();
    assert!(domain.passed(before), "the burst began after this epoch");
    let during = domain.retire_epoch();
    assert!(!domain.passed(during));
    assert_eq!(domain.stalled(during), Some(0));
    drop(guard);
    assert!(domain.passed(during));
    let _next = reader.enter();
    assert!(domain.passed(during), "a later burst is not waited for");
}

#[test]
fn the_reader_that_holds_it_up_is_named() {
    let domain = Domain::new(4);
    let mut readers: Vec<_> = (0..4).map(|_| domain.register().unwrap()).collect();
    assert_eq!(readers.iter().map(super::Reader::index).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let guard = readers[2].enter();
    let epoch = domain.retire_epoch();
    assert_eq!(domain.stalled(epoch), Some(2));
    drop(guard);
    assert_eq!(domain.stalled(epoch), None);
}

#[test]
fn lines_are_handed_on_lowest_first() {
    let domain = Domain::new(2);
    let first = domain.register().unwrap();
    let second = domain.register().unwrap();
    assert!(domain.register().is_none());
    drop(first);
    let third = domain.register().unwrap();
    assert_eq!((second.index(), third.index()), (1, 0));
}

#[test]
fn a_caller_driven_reader_is_inside_between_bursts() {
    let domain = Domain::new(1);
    let mut reader = domain.register().unwrap();
    reader.set_style(Style::CallerDriven);
    let epoch = domain.retire_epoch();
    drop(reader.enter());
    assert!(!domain.passed(epoch), "the end of a burst says nothing in this style");
    reader.quiesce();
    assert!(domain.passed(epoch));
}

#[test]
fn an_offline_reader_delays_nobody_and_still_may_look() {
    let domain = Domain::new(1);
    let mut reader = domain.register().unwrap();
    reader.set_style(Style::CallerDriven);
    reader.offline();
    let asleep = domain.retire_epoch();
    assert!(domain.passed(asleep));
    reader.quiesce();
    assert!(domain.passed(domain.retire_epoch()), "quiesce does not bring a reader online");

    let guard = reader.enter();
    let during = domain.retire_epoch();
    assert!(!domain.passed(during), "a burst of an offline reader announces itself");
    drop(guard);
    assert!(domain.passed(during));

    reader.online();
    assert!(!domain.passed(domain.retire_epoch()));
    reader.set_style(Style::Bracket);
    assert!(domain.passed(domain.retire_epoch()));
}

#[test]
fn online_means_nothing_to_a_bracketing_reader() {
    let domain = Domain::new(1);
    let mut reader = domain.register().unwrap();
    reader.online();
    assert!(domain.passed(domain.retire_epoch()));
    let guard = reader.enter();
    let during = domain.retire_epoch();
    drop(guard);
    assert!(domain.passed(during));
}

#[test]
fn a_forgotten_guard_frees_nothing_early_and_a_dropped_reader_frees_its_line() {
    let domain = Domain::new(1);
    let mut reader = domain.register().unwrap();
    core::mem::forget(reader.enter());
    let epoch = domain.retire_epoch();
    assert!(!domain.passed(epoch));
    drop(reader);
    assert!(domain.passed(epoch));
}
