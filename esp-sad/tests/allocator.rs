//! The SPIs that the database chooses.

#![cfg(not(loom))]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::HashSet;
use std::net::{IpAddr, Ipv6Addr};

use esp_sad::{Domain, InboundSad, Keyed, SaKey, SadError};
use esp_wire::Spi;

struct Sa(SaKey);

impl Keyed for Sa {
    fn key(&self) -> &SaKey {
        &self.0
    }
}

fn sad(max_sas: u32) -> InboundSad<Sa> {
    InboundSad::new(max_sas, &Domain::new(1)).unwrap()
}

fn install(sad: &InboundSad<Sa>, key: SaKey) -> Result<esp_sad::SlotId, SadError> {
    sad.install(key, Sa(key))
}

fn spi(raw: u32) -> Spi {
    Spi::new(raw).unwrap()
}

const ANY: IpAddr = IpAddr::V6(Ipv6Addr::UNSPECIFIED);

#[test]
fn an_allocated_spi_finds_its_sa_and_no_other_generation_does() {
    let sad = sad(1000);
    let mut reader = sad.domain().register().unwrap();
    for _ in 0..1000 {
        let reserved = sad.allocate_spi().unwrap();
        let spi = reserved.spi();
        assert!(spi.get() >= 256);
        assert!(sad.find(&reader.enter(), spi.get(), ANY, ANY).is_none(), "reserved is not installed");
        let id = sad.install_reserved(reserved, Sa(SaKey::Spi(spi))).unwrap();
        let guard = reader.enter();
        let (found, sa) = sad.find(&guard, spi.get(), ANY, ANY).unwrap();
        assert_eq!((found, sa.0), (id, SaKey::Spi(spi)));
        assert!(sad.find(&guard, spi.get() ^ 1 << 10, ANY, ANY).is_none(), "the whole SPI is compared");
        assert!(sad.find(&guard, spi.get() ^ 1 << 31, ANY, ANY).is_none(), "the whole SPI is compared");
    }
    assert_eq!(sad.allocate_spi().err(), Some(SadError::Full { max: 1000 }));
}

#[test]
fn no_spi_is_given_out_twice_while_it_is_live_or_reserved() {
    let sad = sad(64);
    let (mut reserved, mut live, mut taken) = (Vec::new(), Vec::new(), HashSet::new());
    for round in 0..20_000_u32 {
        match (round.wrapping_mul(0x9e37_79b9) >> 20) % 5 {
            0 | 1 => match sad.allocate_spi() {
                Ok(token) => {
                    assert!(taken.insert(token.spi()), "{} is in use", token.spi());
                    reserved.push(token);
                }
                Err(error) => assert!(matches!(error, SadError::Full { .. } | SadError::Busy { .. })),
            },
            2 if !reserved.is_empty() => {
                let token = reserved.swap_remove(round as usize % reserved.len());
                let spi = token.spi();
                assert_eq!(install(&sad, SaKey::Spi(spi)), Err(SadError::Exists { key: SaKey::Spi(spi) }));
                live.push((sad.install_reserved(token, Sa(SaKey::Spi(spi))).unwrap(), spi));
                assert_eq!(install(&sad, SaKey::Spi(spi)), Err(SadError::Exists { key: SaKey::Spi(spi) }));
            }
            3 if !reserved.is_empty() => {
                let token = reserved.swap_remove(round as usize % reserved.len());
                taken.remove(&token.spi());
                token.cancel();
            }
            4 if !live.is_empty() => {
                let (id, spi) = live.swap_remove(round as usize % live.len());
                assert!(sad.remove(id));
                taken.remove(&spi);
                sad.reclaim(|_| {});
            }
            _ => {}
        }
        assert_eq!(live.len(), sad.live() as usize);
    }
}

/// One slot, and 2^24 slots' worth of index bits: 255 generations, so all SPIs of a slot can be seen.
#[test]
fn an_spi_returns_only_after_all_others() {
    let sad = sad(300);
    // 9 bits of index, 23 of generation: none of the first 60,000 may repeat.
    let mut seen = HashSet::new();
    for _ in 0..60_000 {
        let token = sad.allocate_spi().unwrap();
        assert!(seen.insert(token.spi()), "{} returned early", token.spi());
    }
    let per_slot = (0..300).map(|index| seen.iter().filter(|spi| spi.get() & 511 == index).count());
    assert!(per_slot.into_iter().all(|count| count == 200), "each slot in its turn");
}

#[test]
fn dropping_and_cancelling_free_the_spi() {
    let sad = sad(1);
    let token = sad.allocate_spi().unwrap();
    let first = token.spi();
    assert_eq!(sad.allocate_spi().err(), Some(SadError::Full { max: 1 }));
    drop(token);
    let token = sad.allocate_spi().unwrap();
    assert_ne!(token.spi(), first);
    token.cancel();
    install(&sad, SaKey::Spi(first)).expect("free for anyone again");
}

#[test]
fn a_failed_installation_frees_the_spi() {
    let (sad, other) = (sad(1), sad(1));
    let token = sad.allocate_spi().unwrap();
    let wrong = SaKey::SpiDst(token.spi(), ANY);
    assert_eq!(sad.install_reserved(token, Sa(wrong)), Err(SadError::KeyMismatch));
    let token = sad.allocate_spi().unwrap();
    let key = SaKey::Spi(token.spi());
    assert_eq!(other.install_reserved(token, Sa(key)), Err(SadError::ForeignReservation));
    sad.allocate_spi().unwrap().cancel();
}

#[test]
fn the_next_generation_is_skipped_while_a_caller_holds_it() {
    for long in [false, true] {
        let sad = sad(2);
        let mut reader = sad.domain().register().unwrap();
        let (first, second) = (sad.allocate_spi().unwrap(), sad.allocate_spi().unwrap());
        // What the first slot gives next, held by a caller's SA in the second.
        let next = first.spi().get().wrapping_add(256);
        if next < 256 {
            continue;
        }
        second.cancel();
        let key = if long { SaKey::SpiDst(spi(next), ANY) } else { SaKey::Spi(spi(next)) };
        install(&sad, key).unwrap();
        let index = first.spi().get() & 255;
        first.cancel();
        let after = sad.allocate_spi().unwrap();
        assert_eq!(after.spi().get() & 255, index);
        assert_ne!(after.spi().get(), next, "long: {long}");
        assert!(sad.find(&reader.enter(), next, ANY, ANY).is_some());
        drop(after);
        assert_eq!(install(&sad, key), Err(SadError::Exists { key }));
    }
}

/// Every SPI that the one free slot could give is held by callers, but one.
#[test]
fn the_allocator_finds_the_only_spi_left_or_says_full() {
    let sad = sad(1 << 17);
    // Fill all slots but one with callers' SPIs that end in the free slot's index.
    let width_mask = (1 << 17) - 1;
    let free = sad.allocate_spi().unwrap();
    let index = free.spi().get() & width_mask;
    let held = free.spi();
    let patterns = (1..1 << 15).map(|generation| spi(generation << 17 | index));
    for pattern in patterns.filter(|&pattern| pattern != held) {
        install(&sad, SaKey::Spi(pattern)).unwrap();
    }
    let mut filler = (1..).map(|low| spi(1 << 17 | (low & width_mask)));
    while sad.live() < (1 << 17) - 1 {
        let next = filler.find(|next| next.get() & width_mask != index).unwrap();
        install(&sad, SaKey::Spi(next)).unwrap();
    }
    drop(free);
    let again = sad.allocate_spi().unwrap();
    assert_eq!(again.spi(), held, "the only one left");
    drop(again);
    assert!(matches!(sad.allocate_spi().map(|token| token.spi()), Ok(spi) if spi == held));
    let long = SaKey::SpiDst(held, ANY);
    assert!(install(&sad, long).is_ok(), "the last slot");
    assert_eq!(sad.allocate_spi().err(), Some(SadError::Full { max: 1 << 17 }));
}
