//! Buckets, overflow and hashing.

#![cfg(not(loom))]

use core::mem::MaybeUninit;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::collections::{HashMap, HashSet};

use esp_wire::Spi;
use proptest::prelude::*;

use super::{Entry, Table};
use crate::hash::Hasher;
use crate::key::{Kind, SaKey};

fn spi(raw: u32) -> Spi {
    Spi::new(raw).unwrap()
}

/// The slots that the table would have a reader look at, in order.
fn candidates(table: &Table, hash: u64, raw: u32, kind: Kind) -> Vec<u32> {
    let mut seen = Vec::new();
    table.find(hash, spi(raw), kind, |index| {
        seen.push(index);
        None::<()>
    });
    seen
}

fn counts(table: &Table) -> u64 {
    table.buckets.iter().map(|bucket| bucket.passed.load(crate::sync::Ordering::Relaxed)).sum()
}

proptest! {
    /// A handful of homes, so that buckets overflow into each other and wrap round the end.
    #[test]
    fn finds_what_a_map_holds(
        ops in prop::collection::vec((any::<bool>(), 0_u32..40, 0_u64..4), 0..400)
    ) {
        let table = Table::new(40);
        let mut model: HashMap<u32, u64> = HashMap::new();
        for (add, key, home) in ops {
            let hash = |home: u64| (u64::from(u32::MAX) - home * 0x0800_0000) << 32;
            let entry = Entry { spi: spi(1000 + key), kind: Kind::Spi, index: key };
            if add && !model.contains_key(&key) {
                prop_assert!(table.insert(hash(home), entry));
                model.insert(key, home);
            } else if let Some(home) = model.remove(&key) {
                prop_assert!(table.remove(hash(home), entry));
                prop_assert!(!table.remove(hash(home), entry), "only once");
            }
            for key in 0..40 {
                let home = model.get(&key).copied();
                let found = candidates(&table, hash(home.unwrap_or(0)), 1000 + key, Kind::Spi);
                prop_assert_eq!(found, home.map(|_| key).into_iter().collect::<Vec<_>>());
            }
        }
        for (key, home) in model.drain() {
            let hash = (u64::from(u32::MAX) - home * 0x0800_0000) << 32;
            table.remove(hash, Entry { spi: spi(1000 + key), kind: Kind::Spi, index: key });
        }
        prop_assert_eq!(counts(&table), 0, "an empty table has been passed by nobody");
    }
}

#[test]
fn kinds_do_not_mix_and_every_slot_can_be_named() {
    let table = Table::new(4);
    let top = (1 << 24) - 1;
    table.insert(0, Entry { spi: spi(u32::MAX), kind: Kind::SpiDst, index: top });
    table.insert(0, Entry { spi: spi(u32::MAX), kind: Kind::SpiDstSrc, index: 0 });
    assert_eq!(candidates(&table, 0, u32::MAX, Kind::Spi), []);
    assert_eq!(candidates(&table, 0, u32::MAX, Kind::SpiDst), [top]);
    assert_eq!(candidates(&table, 0, u32::MAX, Kind::SpiDstSrc), [0]);
}

#[test]
fn a_full_table_says_so_and_a_search_of_it_ends() {
    let table = Table::new(1);
    let room = table.buckets.len() * super::ENTRIES;
    let fits = |index| table.insert(7, Entry { spi: spi(300), kind: Kind::Spi, index });
    assert_eq!((0..100).filter(|&index| fits(index)).count(), room);
    assert_eq!(candidates(&table, 7, 300, Kind::Spi).len(), room);
    assert_eq!(candidates(&table, 7, 301, Kind::Spi), []);
}

/// In 2^20 slots, removing an SA that was never in the table cost 18 ms under the writers' mutex: a look at every bucket.
#[test]
fn what_no_key_went_past_is_not_looked_behind() {
    let table = Table::new(40);
    let entry = Entry { spi: spi(300), kind: Kind::Spi, index: 3 };
    let second = &table.buckets[1].entries[0];
    second.store(entry.pack(), crate::sync::Ordering::Relaxed);
    assert!(!table.remove(0, entry), "a search that began in the first bucket went on to the second");
    table.buckets[0].pass();
    assert!(table.remove(0, entry));
    assert_eq!(counts(&table), 0);
}

/// Runs of SPIs, as IKE daemons make them, and multiples of a power of two go to one line nearly always.
#[test]
fn few_keys_leave_their_home() {
    for stride in [1_u32, 256, 4096, 65537] {
        // A multiplier that is bad by itself.
        let hasher = Hasher::from_seeds(0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3211);
        let table = Table::new(50_000);
        for index in 0_u32..50_000 {
            let raw = index.wrapping_mul(stride).wrapping_add(256);
            table.insert(hasher.spi(raw), Entry { spi: spi(raw), kind: Kind::Spi, index });
        }
        let passed = counts(&table);
        assert!(passed < 1000, "stride {stride}: {passed} of 50000");
    }
}

/// The enum's padding and the unused bytes behind a short address are garbage; equal keys hash equally all the same.
#[test]
#[expect(unsafe_code, reason = "only raw memory has garbage between the fields of a value")]
fn b88_key_padding() {
    let hasher = Hasher::random();
    let over = |garbage: u8, key: SaKey| {
        let mut place = MaybeUninit::<SaKey>::uninit();
        // SAFETY: the place is as long as the write.
        unsafe { place.as_mut_ptr().cast::<u8>().write_bytes(garbage, size_of::<SaKey>()) };
        let key = place.write(key);
        (hasher.key(key), *key)
    };
    let (v4, v6) = (IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), IpAddr::V6(Ipv6Addr::LOCALHOST));
    let keys = [SaKey::Spi(spi(256)), SaKey::SpiDst(spi(256), v4), SaKey::SpiDstSrc(spi(256), v6, v4)];
    for key in keys {
        assert_eq!(over(0x00, key), over(0xff, key), "{key}");
    }
}

#[test]
fn every_part_of_a_key_counts() {
    let hasher = Hasher::from_seeds(1, 0x9e37_79b9_7f4a_7c15);
    let v4 = |last| IpAddr::V4(Ipv4Addr::new(192, 0, 2, last));
    let mapped = |last| IpAddr::V6(Ipv4Addr::new(192, 0, 2, last).to_ipv6_mapped());
    let high = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1));
    let low = IpAddr::V6(Ipv6Addr::new(0, 0, 0, 1, 0x2001, 0xdb8, 0, 0));
    let keys = [
        SaKey::Spi(spi(256)),
        SaKey::Spi(spi(257)),
        SaKey::SpiDst(spi(256), v4(1)),
        SaKey::SpiDst(spi(256), v4(2)),
        SaKey::SpiDst(spi(256), mapped(1)),
        SaKey::SpiDst(spi(256), high),
        SaKey::SpiDst(spi(256), low),
        SaKey::SpiDstSrc(spi(256), v4(1), v4(2)),
        SaKey::SpiDstSrc(spi(256), v4(2), v4(1)),
        SaKey::SpiDstSrc(spi(256), v4(1), v4(1)),
    ];
    let hashes: HashSet<_> = keys.iter().map(|key| hasher.key(key)).collect();
    assert_eq!(hashes.len(), keys.len());
}
