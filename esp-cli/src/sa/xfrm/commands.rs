//! The `ip xfrm state add` commands that load states into a kernel.

use std::borrow::Cow;
use std::fmt::Write as _;

use zeroize::Zeroizing;

use super::State;
use super::line::{Kind, Line, hex};
use crate::sa::fault::{Note, shown};

/// A shell script: one command a state, its numbers as they stand.
pub(crate) fn commands(states: &[State]) -> Zeroizing<String> {
    let most = |state: &State| {
        state.lines.iter().map(|(_, line)| line.most() * QUOTED_LEN + LIMITS_LEN).sum::<usize>()
    };
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

/// What the command of a state does not say, or what is dangerous in it.
pub(crate) fn not_in_commands(state: &State) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut note = |message: String| {
        notes.push(Note::new(state.line, format!("SA {:#010x}: {message}", state.spi())));
    };
    let (received, sent) = state.numbers();
    if sent > 0 {
        note(format!(
            "it has sent {sent} packets: load it only where this state is gone and sends no more, or nonces repeat"
        ));
    }
    if received > 0 {
        note("which numbers of the window were received is left behind: they can come again".to_owned());
    }
    for (_, line) in &state.lines {
        if let Line::Other(text) = line
            && !is_only_told(text)
            && option(text).is_empty()
        {
            note(format!("no option for: {}", shown(text.trim())));
        }
    }
    notes
}

/// Whether a line changes what the state does, and the command can say so.
pub(super) fn has_argument(other: &str) -> bool {
    !option(other).is_empty()
}

/// Whether a line that is kept as it stands only tells what has been, or is told by others.
pub(super) fn is_only_told(other: &str) -> bool {
    let words: Vec<_> = other.split_whitespace().collect();
    let bits = |word: &&str| word.len() == 8 && word.bytes().all(|c| c.is_ascii_hexdigit());
    match words.as_slice() {
        [first, ..] if first.ends_with("(bytes),") => true,
        ["lifetime" | "stats:" | "lastused" | "limit:" | "expire" | "add" | "anti-replay", ..] => true,
        ["replay-window", _, "replay", ..] => true,
        words => words.iter().all(bits),
    }
}

fn argument(line: &Line, text: &mut String) {
    // Writing to a string cannot fail.
    let _ = match line {
        Line::Addresses { src, dst } => write!(text, " src {src} dst {dst}"),
        Line::Proto { protocol, spi, reqid, mode } => {
            write!(text, " proto {} spi {spi:#010x} reqid {reqid} mode {}", quoted(protocol), quoted(mode))
        }
        Line::Replay { window, flags, extra } => {
            if *window > 0 {
                let _ = write!(text, " replay-window {window}");
            }
            let flags = flags.iter().map(|flag| ("flag", flag));
            flags
                .chain(extra.iter().map(|flag| ("extra-flag", flag)))
                .try_for_each(|(option, flag)| write!(text, " {option} {}", quoted(flag)))
        }
        Line::Algorithm(algorithm) => {
            let kind = match algorithm.kind {
                Kind::Aead => "aead",
                Kind::Auth => "auth",
                Kind::AuthTrunc => "auth-trunc",
                Kind::Enc => "enc",
            };
            let _ = write!(text, " {kind} {} ", quoted(&algorithm.name));
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
            write!(text, " encap {} {src_port} {dst_port} {addr}", quoted(kind))
        }
        Line::Context { seq, oseq, .. } => write!(text, "{}", numbers(u64::from(*seq), u64::from(*oseq))),
        Line::EsnContext { seq, oseq } => write!(text, "{}", numbers(*seq, *oseq)),
        Line::EsnWindow { window, .. } => write!(text, " replay-window {window}"),
        Line::Selector(selector) => selector_arguments(selector, text),
        Line::Other(other) => write!(text, "{}", option(other)),
    };
}

/// `uid`, which `ip` shows with `-s`, is no option.
fn selector_arguments(selector: &str, text: &mut String) -> std::fmt::Result {
    let mut words = selector.split_whitespace();
    while let Some(word) = words.next() {
        if word == "uid" {
            words.next();
        } else {
            write!(text, " {}", quoted(word))?;
        }
    }
    Ok(())
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

/// A line of the state as an option; nothing for what is no option, such as statistics.
fn option(other: &str) -> String {
    let words: Vec<_> = other.split_whitespace().collect();
    let mask = |mark: &str, name: &str| match mark.split_once('/') {
        Some((value, mask)) => format!(" {name} {} mask {}", quoted(value), quoted(mask)),
        None => format!(" {name} {}", quoted(mark)),
    };
    match words.as_slice() {
        [name @ ("if_id" | "tfcpad" | "dir" | "coa"), value] => format!(" {name} {}", quoted(value)),
        ["mark", mark] => mask(mark, "mark"),
        ["mark", mark, "output-mark", output] => mask(mark, "mark") + &mask(output, "output-mark"),
        ["output-mark", output] => mask(output, "output-mark"),
        ["limit:", "soft", soft, "hard", hard] => {
            let unit = if soft.contains("(bytes)") { "byte" } else { "packet" };
            limits(unit, soft, hard)
        }
        ["expire", "add:", "soft", soft, "hard", hard] => limits("time", soft, hard),
        ["expire", "use:", "soft", soft, "hard", hard] => limits("time-use", soft, hard),
        _ => String::new(),
    }
}

/// `1000(bytes)` is a limit, `(INF)(bytes)` and `0(sec)` are none.
fn limits(unit: &str, soft: &str, hard: &str) -> String {
    let limit = |kind: &str, amount: &str| {
        let number = amount.split('(').next().and_then(|digits| digits.parse::<u64>().ok());
        number.filter(|number| *number > 0).map(|number| format!(" limit {unit}-{kind} {number}"))
    };
    [limit("soft", soft), limit("hard", hard)].into_iter().flatten().collect()
}

/// One word for a shell, whatever it holds: the text of a state may come from anyone, and the script is run by root.
fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.,:/@-".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(format!("'{}'", word.replace('\'', "'\\''"))),
    }
}

/// Bytes that a quoted byte takes at most.
const QUOTED_LEN: usize = 4;
/// Bytes of a line's options beside the words of the line, at most.
const LIMITS_LEN: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_one_word_for_a_shell() {
        let cases = [
            ("0x7", "0x7"),
            ("", "''"),
            ("$(id)", "'$(id)'"),
            ("a;b", "'a;b'"),
            ("it's", "'it'\\''s'"),
            ("`id`", "'`id`'"),
            ("a\\", "'a\\'"),
        ];
        for (word, for_the_shell) in cases {
            assert_eq!(quoted(word), for_the_shell);
        }
        assert_eq!(option("\tif_id $(reboot)"), " if_id '$(reboot)'");
        assert_eq!(option("\tmark 1;reboot/2"), " mark '1;reboot' mask 2");
    }

    #[test]
    fn limits_are_options() {
        let cases = [
            ("  limit: soft 1000(bytes), hard (INF)(bytes)", " limit byte-soft 1000"),
            ("  limit: soft 5(packets), hard 10(packets)", " limit packet-soft 5 limit packet-hard 10"),
            ("  limit: soft (INF)(packets), hard (INF)(packets)", ""),
            ("  expire add: soft 0(sec), hard 3600(sec)", " limit time-hard 3600"),
            ("  expire use: soft 60(sec), hard 0(sec)", " limit time-use-soft 60"),
            ("lifetime current:", ""),
            ("  0(bytes), 0(packets)", ""),
        ];
        for (line, options) in cases {
            assert_eq!(option(line), options, "{line}");
            assert!(is_only_told(line), "{line}");
        }
        for line in ["\tcrypto offload parameters: dev eth0 dir out", "\tsecurity context x", "\tif_id 0x7"] {
            assert!(!is_only_told(line), "{line}");
        }
    }
}
