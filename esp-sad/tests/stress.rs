//! Readers look SAs up while a writer installs, removes and reclaims as fast as it can. Nobody may see a wrong SA or
//! one that is gone.

#![cfg(not(loom))]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use esp_sad::{Domain, InboundSad, Keyed, Query, Reader, SaKey, SadError, SlotId, Style};
use esp_wire::Spi;

/// Carries its key twice, and poisons itself when dropped.
struct Canary {
    key: SaKey,
    echo: AtomicU64,
    far_away: [u64; 20],
    alive: AtomicU64,
}

const ALIVE: u64 = 0x0a11_ce00_0a11_ce00;

impl Canary {
    fn new(key: SaKey) -> Self {
        let echo = u64::from(key.spi().get());
        Self { key, echo: AtomicU64::new(echo), far_away: [echo; 20], alive: AtomicU64::new(ALIVE) }
    }

    fn check(&self, spi: u32) {
        assert_eq!(self.alive.load(Ordering::Relaxed), ALIVE, "dropped under a reader");
        assert_eq!(self.key.spi().get(), spi, "another SA");
        assert_eq!(self.echo.load(Ordering::Relaxed), u64::from(spi), "another SA");
        assert_eq!(self.far_away, [u64::from(spi); 20], "half written");
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        self.alive.store(0xdead, Ordering::Relaxed);
        self.echo.store(0, Ordering::Relaxed);
    }
}

impl Keyed for Canary {
    fn key(&self) -> &SaKey {
        &self.key
    }
}

const DST: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const SRC: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));
/// Few SPIs and fewer slots, so that all are reused all the time.
const SPIS: u32 = 96;
const SLOTS: u32 = 64;
/// Always live; it must never be missed.
const ANCHOR: u32 = 0xfeed_0001;

fn lcg(state: &mut u64) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as u32
}

fn key(raw: u32) -> SaKey {
    let spi = Spi::new(raw).unwrap();
    match raw % 3 {
        0 => SaKey::Spi(spi),
        1 => SaKey::SpiDst(spi, DST),
        _ => SaKey::SpiDstSrc(spi, DST, SRC),
    }
}

fn read(sad: &InboundSad<Canary>, mut reader: Reader, seed: u64, stop: &AtomicBool) -> (u64, u64) {
    let (mut state, mut handles, mut looks, mut hits) = (seed, Vec::<(SlotId, u32)>::new(), 0, 0);
    while !stop.load(Ordering::Relaxed) {
        let spis: [u32; 32] = core::array::from_fn(|_| 256 + lcg(&mut state) % SPIS);
        let mut queries = spis.map(|spi| Query { spi, dst: DST, src: SRC });
        queries[7].spi = ANCHOR;
        let guard = reader.enter();
        let mut found = [None; 32];
        sad.find_burst(&guard, &queries, &mut found);
        assert!(found[7].is_some(), "a live SA was missed");
        for &(id, spi) in &handles {
            if let Some(canary) = sad.get(&guard, id) {
                canary.check(spi);
            }
        }
        handles.clear();
        // Twice, so that references are used long after they were found.
        for _ in 0..2 {
            for (query, found) in queries.iter().zip(&found) {
                looks += 1;
                if let Some(found) = found {
                    found.sa.check(query.spi);
                    hits += 1;
                    handles.push((found.id, query.spi));
                }
            }
        }
        handles.truncate(16);
        drop(guard);
        reader.quiesce();
        if looks % 4096 == 0 {
            reader.offline();
            thread::yield_now();
            reader.online();
        }
    }
    (looks, hits)
}

/// Returns the number of SAs installed and the number freed.
fn write(sad: &InboundSad<Canary>, until: Instant) -> (u64, u64) {
    let (mut state, mut live, mut installed, mut freed) = (42, Vec::new(), 0, 0);
    while Instant::now() < until {
        let raw = 256 + lcg(&mut state) % SPIS;
        match sad.install(key(raw), Canary::new(key(raw))) {
            Ok(id) => {
                installed += 1;
                live.push(id);
            }
            Err(SadError::Exists { .. }) => {
                let victim = live.swap_remove(lcg(&mut state) as usize % live.len());
                assert!(sad.remove(victim));
            }
            Err(SadError::Busy { .. }) => freed += sad.reclaim(|_| {}) as u64,
            Err(SadError::Full { .. }) => live.drain(..20).for_each(|id| assert!(sad.remove(id))),
            Err(other) => panic!("{other}"),
        }
        if let Ok(token) = sad.allocate_spi() {
            let key = SaKey::Spi(token.spi());
            if lcg(&mut state).is_multiple_of(2) {
                live.push(sad.install_reserved(token, Canary::new(key)).unwrap());
                installed += 1;
            }
        }
    }
    (installed, freed)
}

fn run(style: Style) {
    let domain = Domain::new(3);
    let sad = InboundSad::new(SLOTS, &domain).unwrap();
    let anchor = SaKey::Spi(Spi::new(ANCHOR).unwrap());
    sad.install(anchor, Canary::new(anchor)).unwrap();
    let stop = AtomicBool::new(false);
    let (written, read) = thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|seed| {
                let mut reader = domain.register().unwrap();
                reader.set_style(style);
                let (sad, stop) = (&sad, &stop);
                scope.spawn(move || read(sad, reader, seed, stop))
            })
            .collect();
        let written = write(&sad, Instant::now() + Duration::from_secs(2));
        stop.store(true, Ordering::Relaxed);
        (written, readers.into_iter().map(|reader| reader.join().unwrap()).collect::<Vec<_>>())
    });
    println!("{style:?}: installed and freed {written:?}, looked and hit {read:?}");
    assert!(written.0 > 100 && written.1 > 100, "the writer got nowhere: {written:?}");
    assert!(read.iter().all(|&(_, hits)| hits > 100), "the readers got nowhere: {read:?}");
    sad.reclaim(|_| {});
    assert_eq!(sad.pending(), 0, "no reader is left to wait for");
}

#[test]
fn bracketing_readers_see_only_live_sas() {
    run(Style::Bracket);
}

#[test]
fn caller_driven_readers_see_only_live_sas() {
    run(Style::CallerDriven);
}
