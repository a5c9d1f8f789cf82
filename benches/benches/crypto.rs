//! ESP transforms, by bursts: `seal/aes-128-gcm-16/ring/64/32` is 32 packets with 64 bytes of payload each, all of one SA.
//! Payload is what the cipher sees: a 64-byte inner packet with its trailer is 68 bytes of it.

use arrayvec::ArrayVec;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use esp_benches::{CALLS, in_batches};
use esp_crypto::{
    Cipher, KeyMaterial, OpenJob, OpenKey, SealJob, SealKey, Tier, Tiers, Transform, open_burst, seal_burst,
};

const PAYLOADS: [usize; 4] = [64, 256, 1024, 1420];
const BURSTS: [usize; 2] = [1, 32];
/// SPI and sequence number, in bytes.
const HEADER_LEN: usize = 8;

fn crypto(c: &mut Criterion) {
    let seals = |transform: &&Transform| transform.cipher().cipher != Cipher::DesCbc;
    for transform in Transform::ALL.iter().filter(seals) {
        for tier in Tiers::default().all(*transform) {
            let mut group = c.benchmark_group("seal");
            each_shape(|payload, burst| seal(&mut group, *transform, tier, payload, burst));
            group.finish();
            let mut group = c.benchmark_group("open");
            each_shape(|payload, burst| open(&mut group, *transform, tier, payload, burst));
            group.finish();
        }
    }
}

fn each_shape(mut bench: impl FnMut(usize, usize)) {
    for payload in PAYLOADS {
        for burst in BURSTS {
            bench(payload, burst);
        }
    }
}

fn seal(
    group: &mut BenchmarkGroup<'_, WallTime>,
    transform: Transform,
    tier: Tier,
    payload: usize,
    burst: usize,
) {
    let key = SealKey::new(transform, tier, &keys(transform)).expect("a key");
    let mut packets = vec![packet(transform, payload); burst];
    group.throughput(Throughput::Elements(burst as u64));
    group.bench_function(format!("{transform}/{tier}/{payload}/{burst}"), |b| {
        b.iter(|| seal_all(&key, &mut packets));
    });
}

fn open(
    group: &mut BenchmarkGroup<'_, WallTime>,
    transform: Transform,
    tier: Tier,
    payload: usize,
    burst: usize,
) {
    let seal_key = SealKey::new(transform, tier, &keys(transform)).expect("a key");
    let open_key = OpenKey::new(transform, tier, &keys(transform)).expect("a key");
    let mut sealed = vec![packet(transform, payload); burst];
    seal_all(&seal_key, &mut sealed);
    let bursts = std::cell::RefCell::new(vec![sealed.clone(); CALLS]);
    group.throughput(Throughput::Elements(burst as u64));
    group.bench_function(format!("{transform}/{tier}/{payload}/{burst}"), |b| {
        b.iter_custom(|iters| {
            let refill = || bursts.borrow_mut().iter_mut().for_each(|burst| burst.clone_from(&sealed));
            in_batches(iters, refill, |call| open_all(&open_key, &mut bursts.borrow_mut()[call]))
        });
    });
}

fn seal_all(key: &SealKey, packets: &mut [Vec<u8>]) {
    let mut jobs: ArrayVec<_, 32> =
        packets.iter_mut().map(|esp| SealJob { key, esp, seq_hi: None }).collect();
    let mut results = [Ok(()); 32];
    seal_burst(&mut jobs, &mut results);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
}

fn open_all(key: &OpenKey, packets: &mut [Vec<u8>]) {
    let mut jobs: ArrayVec<_, 32> =
        packets.iter_mut().map(|esp| OpenJob { key, esp, seq_hi: None }).collect();
    let mut results = [Ok(()); 32];
    open_burst(&mut jobs, &mut results);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
}

fn keys(transform: Transform) -> KeyMaterial {
    KeyMaterial::new((0..transform.key_len()).map(|byte| byte.to_le_bytes()[0] << 1).collect::<Vec<u8>>())
}

/// The payload is rounded up to what the cipher takes.
fn packet(transform: Transform, payload: usize) -> Vec<u8> {
    let payload = payload.next_multiple_of(transform.align());
    vec![0x5a; HEADER_LEN + transform.iv_len() + payload + transform.icv_len()]
}

criterion_group!(benches, crypto);
criterion_main!(benches);
