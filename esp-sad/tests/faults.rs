//! Faults that other implementations had, and what ours does instead.

#![cfg(not(loom))]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use esp_sad::{Domain, Found, InboundSad, Keyed, Query, Reader, SaKey, SadError, Slab, SlotId};
use esp_wire::Spi;

struct Sa {
    key: SaKey,
    name: u32,
}

impl Keyed for Sa {
    fn key(&self) -> &SaKey {
        &self.key
    }
}

fn spi(raw: u32) -> Spi {
    Spi::new(raw).unwrap()
}

fn host(last: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(192, 0, 2, last))
}

fn sad(max_sas: u32) -> (InboundSad<Sa>, Reader) {
    let domain = Domain::new(4);
    (InboundSad::new(max_sas, &domain).unwrap(), domain.register().unwrap())
}

fn install(sad: &InboundSad<Sa>, key: SaKey, name: u32) -> Result<SlotId, SadError> {
    sad.install(key, Sa { key, name })
}

/// By `find` and by `find_burst`, which must agree.
fn name_of(sad: &InboundSad<Sa>, reader: &mut Reader, raw: u32, dst: IpAddr, src: IpAddr) -> Option<u32> {
    let guard = reader.enter();
    let one = sad.find(&guard, raw, dst, src).map(|(id, sa)| (id, sa.name));
    let mut burst = [None];
    sad.find_burst(&guard, &[Query { spi: raw, dst, src }], &mut burst);
    assert_eq!(burst[0].map(|found| (found.id, found.sa.name)), one);
    one.map(|(_, name)| name)
}

#[test]
fn b17_a_burst_that_alternates_between_sas_is_answered_packet_by_packet() {
    let (sad, mut reader) = sad(100);
    install(&sad, SaKey::Spi(spi(256)), 1).unwrap();
    let reserved = sad.allocate_spi().unwrap();
    let ours = reserved.spi();
    sad.install_reserved(reserved, Sa { key: SaKey::Spi(ours), name: 2 }).unwrap();
    install(&sad, SaKey::SpiDst(spi(256), host(9)), 3).unwrap();

    let kinds = [
        (Query { spi: 256, dst: host(1), src: host(2) }, Some(1)),
        (Query { spi: ours.get(), dst: host(1), src: host(2) }, Some(2)),
        (Query { spi: 256, dst: host(9), src: host(2) }, Some(3)),
        (Query { spi: 257, dst: host(9), src: host(2) }, None),
        (Query { spi: 0, dst: host(9), src: host(2) }, None),
    ];
    let guard = reader.enter();
    for len in [0, 1, 2, 31, 32, 33, 64, 100] {
        let asked: Vec<_> = kinds.iter().cycle().take(len).collect();
        let queries: Vec<_> = asked.iter().map(|(query, _)| *query).collect();
        // What an earlier burst left must not show through.
        let stale = sad.find(&guard, 256, host(1), host(2)).map(|(id, sa)| Found { id, sa });
        let mut out = vec![stale; len];
        sad.find_burst(&guard, &queries, &mut out);
        for (place, ((_, expect), found)) in asked.iter().zip(&out).enumerate() {
            assert_eq!(found.map(|found| found.sa.name), *expect, "packet {place} of {len}");
        }
    }
}

#[test]
fn find_burst_answers_as_many_as_fit() {
    let (sad, mut reader) = sad(4);
    install(&sad, SaKey::Spi(spi(256)), 1).unwrap();
    let guard = reader.enter();
    let query = Query { spi: 256, dst: host(1), src: host(2) };
    let mut out = [None; 33];
    sad.find_burst(&guard, &[query; 40], &mut out);
    assert!(out.iter().all(Option::is_some));
    let mut out = [None; 40];
    sad.find_burst(&guard, &[query; 33], &mut out);
    assert_eq!(out.iter().filter(|found| found.is_some()).count(), 33);
}

#[test]
fn b20_a_new_sa_is_found_before_the_old_one_is_removed_and_neither_has_a_gap() {
    let (sad, mut reader) = sad(2);
    let mut old = (install(&sad, SaKey::Spi(spi(1000)), 0).unwrap(), 1000);
    for name in 1..500 {
        let new = (install(&sad, SaKey::Spi(spi(1000 + name)), name).unwrap(), 1000 + name);
        assert_eq!(name_of(&sad, &mut reader, old.1, host(1), host(2)), Some(name - 1));
        assert_eq!(name_of(&sad, &mut reader, new.1, host(1), host(2)), Some(name));
        assert!(sad.remove(old.0));
        assert_eq!(name_of(&sad, &mut reader, old.1, host(1), host(2)), None);
        assert_eq!(name_of(&sad, &mut reader, new.1, host(1), host(2)), Some(name));
        assert_eq!(sad.reclaim(|freed| assert_eq!(freed, old.0)), 1);
        old = new;
    }
}

#[test]
fn b21_a_stale_handle_finds_nothing_and_removes_nothing() {
    let (sad, mut reader) = sad(1);
    let mut stale = Vec::new();
    for name in 0..100 {
        let id = install(&sad, SaKey::Spi(spi(256)), name).unwrap();
        for &old in &stale {
            assert_ne!(old, id);
            assert!(sad.get(&reader.enter(), old).is_none());
            assert!(sad.peek(old, |_| ()).is_none());
            assert!(!sad.remove(old), "an expiry timer of the SA before");
        }
        assert_eq!(sad.get(&reader.enter(), id).map(|sa| sa.name), Some(name));
        assert_eq!(sad.peek(SlotId::from_u64(id.to_u64()), |sa| sa.name), Some(name));
        assert!(sad.remove(id));
        assert!(!sad.remove(id), "twice");
        sad.reclaim(|_| {});
        stale.push(id);
    }
}

#[test]
fn b21_a_slot_is_not_reused_while_a_burst_may_look() {
    let (sad, mut reader) = sad(1);
    let id = install(&sad, SaKey::Spi(spi(256)), 7).unwrap();
    let guard = reader.enter();
    let sa = sad.get(&guard, id).unwrap();
    assert!(sad.remove(id));
    assert!(sad.get(&guard, id).is_none(), "later look-ups in the same burst do not find it");
    assert_eq!(sad.reclaim(|_| {}), 0);
    assert_eq!(install(&sad, SaKey::Spi(spi(257)), 8), Err(SadError::Busy { stalled: Some(0) }));
    assert_eq!(sa.name, 7);
    drop(guard);
    assert_eq!(sad.reclaim(|_| {}), 1);
    install(&sad, SaKey::Spi(spi(257)), 8).unwrap();
}

#[test]
fn a_guard_of_another_domain_finds_nothing() {
    let (sad, _reader) = sad(1);
    let id = install(&sad, SaKey::Spi(spi(256)), 7).unwrap();
    let mut stranger = Domain::new(1).register().unwrap();
    let guard = stranger.enter();
    assert!(sad.get(&guard, id).is_none());
    assert!(sad.at(&guard, 0).is_none());
    assert!(sad.find(&guard, 256, host(1), host(2)).is_none());
}

#[test]
fn b56_no_spi_below_256_matches_and_every_other_does() {
    let (sad, mut reader) = sad(64);
    for raw in [256, 257, 0x0100_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff] {
        install(&sad, SaKey::Spi(spi(raw)), raw).unwrap();
        install(&sad, SaKey::SpiDst(spi(raw), host(9)), raw ^ 1).unwrap();
    }
    for raw in [256, 257, 0x0100_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff] {
        assert_eq!(name_of(&sad, &mut reader, raw, host(1), host(2)), Some(raw));
        assert_eq!(name_of(&sad, &mut reader, raw, host(9), host(2)), Some(raw ^ 1));
    }
    for raw in 0..256 {
        assert_eq!(name_of(&sad, &mut reader, raw, host(1), host(2)), None);
        assert_eq!(name_of(&sad, &mut reader, raw, host(9), host(2)), None);
    }
    // The same number in the other byte order is another SPI.
    assert_eq!(name_of(&sad, &mut reader, 0x0100_0000_u32.swap_bytes(), host(1), host(2)), None);
}

#[test]
fn b57_no_match_is_none_and_changes_nothing() {
    let (sad, mut reader) = sad(300);
    for raw in [0, 1, 255, 256, 1000, u32::MAX] {
        assert_eq!(name_of(&sad, &mut reader, raw, host(1), host(2)), None, "empty");
    }
    let id = install(&sad, SaKey::Spi(spi(1000)), 1).unwrap();
    for raw in (0..100_000).filter(|&raw| raw != 1000).chain([u32::MAX, 1000 << 16]) {
        assert!(sad.find(&reader.enter(), raw, host(1), host(2)).is_none());
    }
    assert_eq!((sad.live(), sad.pending()), (1, 0));
    assert_eq!(sad.at(&reader.enter(), id.index()).map(|(id, sa)| (id, sa.name)), Some((id, 1)));
}

#[test]
fn b58_the_longest_key_that_matches_wins_and_only_equal_keys_conflict() {
    let (sad, mut reader) = sad(10);
    let keys = [
        SaKey::Spi(spi(300)),
        SaKey::SpiDst(spi(300), host(1)),
        SaKey::SpiDstSrc(spi(300), host(1), host(2)),
        SaKey::SpiDstSrc(spi(300), host(1), host(3)),
        SaKey::SpiDstSrc(spi(300), host(4), host(2)),
    ];
    let ids: Vec<_> = keys.iter().zip(0..).map(|(key, name)| install(&sad, *key, name).unwrap()).collect();
    for key in keys {
        assert_eq!(install(&sad, key, 99), Err(SadError::Exists { key }));
    }
    let mut name = |dst, src| name_of(&sad, &mut reader, 300, host(dst), host(src));
    assert_eq!(name(1, 2), Some(2));
    assert_eq!(name(1, 3), Some(3));
    assert_eq!(name(1, 9), Some(1));
    assert_eq!(name(4, 2), Some(4));
    assert_eq!(name(4, 9), Some(0));
    assert_eq!(name(2, 1), Some(0), "source and destination are not interchangeable");

    // Each removal uncovers the next shorter match, and takes no other SA along.
    assert!(sad.remove(ids[2]));
    assert_eq!(name_of(&sad, &mut reader, 300, host(1), host(2)), Some(1));
    assert!(sad.remove(ids[1]));
    assert_eq!(name_of(&sad, &mut reader, 300, host(1), host(2)), Some(0));
    assert_eq!(name_of(&sad, &mut reader, 300, host(1), host(3)), Some(3));
    assert!(sad.remove(ids[0]));
    assert_eq!(name_of(&sad, &mut reader, 300, host(1), host(2)), None);
    assert_eq!(name_of(&sad, &mut reader, 300, host(4), host(2)), Some(4));
}

#[test]
fn the_key_of_installation_is_the_sas_own() {
    let (sad, _reader) = sad(2);
    let sa = Sa { key: SaKey::SpiDst(spi(300), host(1)), name: 1 };
    assert_eq!(sad.install(SaKey::Spi(spi(300)), sa), Err(SadError::KeyMismatch));
    assert_eq!(sad.live(), 0);
}

#[test]
fn full_is_when_all_are_live_and_busy_is_when_some_wait() {
    let domain = Domain::new(3);
    let slab = Slab::new(3, &domain).unwrap();
    let mut readers: Vec<_> = (0..3).map(|_| domain.register().unwrap()).collect();
    let ids: Vec<_> = (0..3).map(|value| slab.insert(value).unwrap()).collect();
    assert_eq!(slab.insert(3), Err(SadError::Full { max: 3 }));
    let guard = readers[1].enter();
    slab.remove(ids[0]);
    assert_eq!(slab.insert(3), Err(SadError::Busy { stalled: Some(1) }));
    assert_eq!(slab.stalled(), Some(1));
    assert_eq!((slab.live(), slab.pending()), (2, 1));
    drop(guard);
    assert_eq!(slab.insert(3), Err(SadError::Busy { stalled: None }), "only reclaim frees");
    assert_eq!(slab.reclaim(|_| {}), 1);
    slab.insert(3).unwrap();
    assert_eq!(slab.insert(4), Err(SadError::Full { max: 3 }));
}

#[test]
fn a_stalled_reader_bounds_memory_and_is_named() {
    let domain = Domain::new(2);
    let slab = Slab::new(1000, &domain).unwrap();
    let mut stalled = domain.register().unwrap();
    let mut moving = domain.register().unwrap();
    let value = Arc::new(());
    let _guard = stalled.enter();
    let mut refused = 0;
    for _ in 0..5000 {
        drop(moving.enter());
        match slab.insert(Arc::clone(&value)) {
            Ok(id) => assert!(slab.remove(id)),
            Err(error) => {
                assert_eq!(error, SadError::Busy { stalled: Some(0) });
                refused += 1;
            }
        }
        slab.reclaim(|_| {});
    }
    assert_eq!((refused, slab.pending(), Arc::strong_count(&value)), (4000, 1000, 1001));
    drop(_guard);
    assert_eq!(slab.reclaim(|_| {}), 1000);
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn a_burst_of_removals_starts_a_grace_period_by_itself() {
    let domain = Domain::new(1);
    let slab = Slab::new(200, &domain).unwrap();
    let mut reader = domain.register().unwrap();
    let ids: Vec<_> = (0..200).map(|value| slab.insert(value).unwrap()).collect();
    ids[..127].iter().for_each(|&id| assert!(slab.remove(id)));
    let guard = reader.enter();
    assert_eq!(slab.stalled(), None, "no grace period yet");
    slab.remove(ids[127]);
    assert_eq!(slab.stalled(), Some(0));
    drop(guard);
    let mut freed = Vec::new();
    slab.reclaim(|id| freed.push(id));
    assert_eq!(freed, ids[..128], "oldest first");
    let reused: Vec<_> = (0..128).map(|value| slab.insert(value).unwrap().index()).collect();
    assert_eq!(reused, ids[..128].iter().map(|id| id.index()).collect::<Vec<_>>(), "oldest first");
}

#[test]
fn what_is_left_is_dropped_with_the_slab_and_callbacks_may_call_back() {
    let domain = Domain::new(1);
    let value = Arc::new(());
    let slab = Slab::new(8, &domain).unwrap();
    let other = Slab::new(1, &domain).unwrap();
    let ids: Vec<_> = (0..6).map(|_| slab.insert(Arc::clone(&value)).unwrap()).collect();
    slab.remove(ids[0]);
    slab.reclaim(|_| {
        slab.insert(Arc::clone(&value)).unwrap();
    });
    slab.remove(ids[1]);
    let reserved = slab.reserve().unwrap();
    assert_eq!(other.fill(slab.reserve().unwrap(), Arc::clone(&value)), Err(SadError::ForeignReservation));
    assert_eq!(Arc::strong_count(&value), 7, "five live, one unlinked, ours");
    drop(slab);
    assert_eq!(Arc::strong_count(&value), 1);
    drop(reserved);
}

#[test]
fn a_capacity_outside_the_range_is_refused() {
    let domain = Domain::new(1);
    for asked in [0, (1 << 24) + 1, u32::MAX] {
        let refused = Slab::<u8>::new(asked, &domain).err();
        assert_eq!(refused, Some(SadError::Capacity { asked, limit: 1 << 24 }));
    }
}

#[test]
fn errors_say_what_to_do_and_which_key() {
    let key = SaKey::SpiDst(spi(0x1234), host(1));
    let text = SadError::Exists { key }.to_string();
    assert!(text.contains("0x00001234") && text.contains("192.0.2.1"), "{text}");
    assert!(SadError::Busy { stalled: Some(3) }.to_string().contains("reader 3"));
}
