//! The `ip xfrm state add` commands that load states into a kernel.

use std::fmt::Write as _;

use zeroize::Zeroizing;

use super::State;
use super::line::{Kind, Line, hex};

/// A shell script: one command a state, its numbers as they stand.
pub(crate) fn commands(states: &[State]) -> Zeroizing<String> {
    let most = |state: &State| state.lines.iter().map(|(_, line)| line.most() + 64).sum::<usize>();
    let mut text = Zeroizing::new(String::with_capacity(states.iter().map(most).sum()));
    for state in states {
        text.push_str("ip xfrm state add");
        for (_, line) in &state.lines {
            argument(line, &mut text);
        }
        text.push('\n');
    }
    text
}

fn argument(line: &Line, text: &mut String) {
    // Writing to a string cannot fail.
    let _ = match line {
        Line::Addresses { src, dst } => write!(text, " src {src} dst {dst}"),
        Line::Proto { protocol, spi, reqid, mode } => {
            write!(text, " proto {protocol} spi {spi:#010x} reqid {reqid} mode {mode}")
        }
        Line::Replay { window, flags } => {
            let flags = flags.iter().fold(String::new(), |all, flag| all + " flag " + flag);
            let window = if *window > 0 { format!(" replay-window {window}") } else { String::new() };
            write!(text, "{window}{flags}")
        }
        Line::Algorithm(algorithm) => {
            let kind = match algorithm.kind {
                Kind::Aead => "aead",
                Kind::Auth => "auth",
                Kind::AuthTrunc => "auth-trunc",
                Kind::Enc => "enc",
            };
            let _ = write!(text, " {kind} '{}' ", algorithm.name.replace('\'', ""));
            if algorithm.key.is_empty() {
                text.push_str("''");
            } else {
                hex(&algorithm.key, text);
            }
            match algorithm.icv_bits {
                Some(bits) => write!(text, " {bits}"),
                None => Ok(()),
            }
        }
        Line::Encap { kind, src_port, dst_port, addr } => {
            write!(text, " encap {kind} {src_port} {dst_port} {addr}")
        }
        Line::Context { seq, oseq, .. } => write!(text, "{}", numbers(u64::from(*seq), u64::from(*oseq))),
        Line::EsnContext { seq, oseq } => write!(text, "{}", numbers(*seq, *oseq)),
        Line::EsnWindow { window, .. } => write!(text, " replay-window {window}"),
        Line::Selector(selector) => write!(text, " {selector}"),
        Line::Other(other) => write!(text, "{}", option(other)),
    };
}

/// Without those that are zero, as in a new state.
fn numbers(seq: u64, oseq: u64) -> String {
    let all = [
        ("replay-seq-hi", seq >> 32),
        ("replay-seq", seq & 0xffff_ffff),
        ("replay-oseq-hi", oseq >> 32),
        ("replay-oseq", oseq & 0xffff_ffff),
    ];
    all.iter()
        .filter(|(_, number)| *number > 0)
        .fold(String::new(), |all, (name, number)| format!("{all} {name} {number:#x}"))
}

/// An option that the command spells as the state does; nothing for what is no option, such as statistics.
fn option(other: &str) -> String {
    let words: Vec<_> = other.split_whitespace().collect();
    let mask = |mark: &str, name: &str| match mark.split_once('/') {
        Some((value, mask)) => format!(" {name} {value} mask {mask}"),
        None => format!(" {name} {mark}"),
    };
    match words.as_slice() {
        ["if_id", id] => format!(" if_id {id}"),
        ["tfcpad", len] => format!(" tfcpad {len}"),
        ["dir", direction] => format!(" dir {direction}"),
        ["mark", mark] => mask(mark, "mark"),
        ["mark", mark, "output-mark", output] => mask(mark, "mark") + &mask(output, "output-mark"),
        ["output-mark", output] => mask(output, "output-mark"),
        _ => String::new(),
    }
}
