//! From axes to benches.

use anyhow::{Context as _, Result, ensure};
use esp_benches::{Axes, Bench, Counting, Op};
use esp_core::Transform;
use esp_core::config::Mode;

use crate::args::{Common, ModeName, Ops, Walks};

/// One bench for each combination of axes, and its null twin in front of it if asked for.
pub(crate) fn walks(walks: &Walks, common: &Common) -> Result<(Vec<Bench>, Vec<&'static str>)> {
    let ops: &[Op] = match walks.op {
        Ops::Seal => &[Op::Seal],
        Ops::Open => &[Op::Open],
        Ops::Both => &[Op::Seal, Op::Open],
    };
    let nulls: &[bool] = if walks.null { &[true, false] } else { &[false] };
    let mut benches = Vec::new();
    for transform in transforms(&walks.transform)? {
        for (op, threads) in product(ops, common.threads_or(&[1])) {
            for (sas, size) in product(&walks.sas, &walks.sizes) {
                for null in nulls.iter().copied() {
                    let overtaking = walks.shared && op == Op::Open && threads > 1;
                    let axes = Axes {
                        op,
                        transform,
                        null,
                        mode: match walks.mode {
                            ModeName::Tunnel => Mode::Tunnel,
                            ModeName::Transport => Mode::Transport,
                        },
                        size,
                        sas,
                        threads,
                        burst: common.burst,
                        shared: walks.shared,
                        window: if overtaking { walks.window.max(1 << 20) } else { walks.window },
                    };
                    benches.push(Bench::new(axes, |_| Counting::Engine)?);
                }
            }
        }
    }
    ensure!(!benches.is_empty(), "no row to measure");
    let labels = vec!["engine"; benches.len()];
    Ok((benches, labels))
}

fn product<A: Copy, B: Copy>(left: &[A], right: &[B]) -> impl Iterator<Item = (A, B)> {
    left.iter().flat_map(|a| right.iter().map(|b| (*a, *b)))
}

/// # Errors
///
/// A name that is no transform's, with those that are.
pub(crate) fn transforms(names: &[String]) -> Result<Vec<Transform>> {
    if names.iter().any(|name| name == "all") {
        return Ok(Transform::ALL.to_vec());
    }
    let known = || Transform::ALL.iter().map(|transform| transform.name()).collect::<Vec<_>>().join(", ");
    let named = |name: &String| {
        Transform::from_name(name).with_context(|| format!("transform {name}: must be one of {}", known()))
    };
    names.iter().map(named).collect()
}
