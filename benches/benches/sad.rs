//! Finding the SAs of a burst: `find/table/100000/32` looks 32 random SPIs up among 100,000 SAs in the table,
//! `find/allocated/..` SPIs that the database chose.

use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use esp_sad::{Domain, Found, InboundSad, Keyed, Query, SaKey};
use esp_wire::Spi;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

const BURST: usize = 32;
/// Bursts that are prepared, so that no line is near for having been asked for just before.
const BURSTS: usize = 8192;

struct Sa(SaKey);

impl Keyed for Sa {
    fn key(&self) -> &SaKey {
        &self.0
    }
}

fn sad(c: &mut Criterion) {
    let mut group = c.benchmark_group("find");
    group.throughput(Throughput::Elements(BURST as u64));
    for sas in [1_000, 100_000, 1_000_000] {
        for allocated in [true, false] {
            let domain = Domain::new(1);
            let sad = InboundSad::new(sas, &domain).expect("a database");
            let mut rng = SmallRng::seed_from_u64(1);
            let spis = fill(&sad, sas, allocated, &mut rng);
            let queries: Vec<Query> =
                (0..BURSTS * BURST).map(|_| query(*spis.choose(&mut rng).expect("an SPI"))).collect();
            let mut bursts = queries.chunks(BURST).cycle();
            let mut reader = domain.register().expect("a reader");
            let way = if allocated { "allocated" } else { "table" };
            group.bench_function(format!("{way}/{sas}/{BURST}"), |b| {
                b.iter(|| {
                    let guard = reader.enter();
                    let mut found: [Option<Found<'_, Sa>>; BURST] = [const { None }; BURST];
                    sad.find_burst(&guard, bursts.next().unwrap_or_default(), &mut found);
                    assert!(black_box(&found).iter().all(Option::is_some));
                });
            });
        }
    }
    group.finish();
}

/// Installs `sas` SAs and returns their SPIs.
fn fill(sad: &InboundSad<Sa>, sas: u32, allocated: bool, rng: &mut SmallRng) -> Vec<u32> {
    let mut spis = Vec::new();
    while spis.len() < sas as usize {
        if allocated {
            let reserved = sad.allocate_spi().expect("an SPI");
            let spi = reserved.spi();
            sad.install_reserved(reserved, Sa(SaKey::Spi(spi))).expect("a slot");
            spis.push(spi.get());
        } else {
            let Ok(spi) = Spi::new(rng.random()) else { continue };
            // The same random SPI may come twice.
            if sad.install(SaKey::Spi(spi), Sa(SaKey::Spi(spi))).is_ok() {
                spis.push(spi.get());
            }
        }
    }
    spis
}

fn query(spi: u32) -> Query {
    let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
    Query { spi, dst: address, src: address }
}

criterion_group!(benches, sad);
criterion_main!(benches);
