//! The replay window: `in-order/1024` checks and commits one number after the other, `jump/1024` numbers that are further
//! apart than the window is wide, `locked-in-order/1024/32` bursts of 32 under the mutex, taken twice a burst.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use esp_replay::{Contention, Guarded, Window, WindowSize};
use esp_wire::Seq64;

const SIZES: [u32; 4] = [64, 1024, 4096, 65_536];
const BURST: u64 = 32;

fn replay(c: &mut Criterion) {
    for (name, step) in [("in-order", 1), ("jump", 1 << 20)] {
        let mut group = c.benchmark_group(name);
        for bits in SIZES {
            let mut window = window(bits);
            let mut seq = 0;
            group.bench_function(bits.to_string(), |b| {
                b.iter(|| {
                    seq += step;
                    window.check(Seq64(seq)).expect("a new number");
                    window.commit(Seq64(seq)).expect("a new number")
                });
            });
        }
        group.finish();
    }
    locked(c);
}

fn locked(c: &mut Criterion) {
    let mut group = c.benchmark_group("locked-in-order");
    group.throughput(Throughput::Elements(BURST));
    for bits in SIZES {
        let guarded = Guarded::new(window(bits), ());
        let mut contention = Contention::default();
        let mut top = 0;
        group.bench_function(format!("{bits}/{BURST}"), |b| {
            b.iter(|| {
                let burst = top + 1..=top + BURST;
                {
                    let locked = guarded.lock(&mut contention);
                    burst.clone().for_each(|seq| locked.window.check(Seq64(seq)).expect("a new number"));
                }
                let mut locked = guarded.lock(&mut contention);
                for seq in burst {
                    locked.window.commit(Seq64(seq)).expect("a new number");
                }
                top += BURST;
            });
        });
    }
    group.finish();
}

fn window(bits: u32) -> Window {
    // Numbers of 64 bits, as jumps would use up 32.
    Window::new(WindowSize::new(bits).expect("a legal size"), true)
}

criterion_group!(benches, replay);
criterion_main!(benches);
