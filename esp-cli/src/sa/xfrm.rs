//! The text of `ip xfrm state`: a block of lines for each state of the Linux kernel.
//!
//! ```text
//! src 192.0.2.1 dst 192.0.2.2
//!     proto esp spi 0x0000c001 reqid 1 mode tunnel
//!     replay-window 0 flag esn
//!     aead rfc4106(gcm(aes)) 0x.. 128
//!     encap type espinudp sport 4500 dport 4500 addr 0.0.0.0
//!     anti-replay esn context:
//!      seq-hi 0x0, seq 0x0, oseq-hi 0x0, oseq 0x0
//!      replay_window 128, bitmap-length 4
//! ```
//!
//! Both the plain text and that of `-s` and `-d` are read. What is not needed is kept as it stands.

mod commands;
mod convert;
mod line;
mod selector;
mod words;

use zeroize::Zeroizing;

use super::fault::{Fault, Note};
pub(super) use commands::{commands, not_in_commands};
pub(super) use convert::{from_config, not_in_state, to_config};
use line::Line;

/// One ESP state. `Debug` does not show keys.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    /// Of its first line, counted from 1; 0 of one that was not read.
    pub(super) line: usize,
    /// The lines, each with its number.
    pub(super) lines: Vec<(usize, Line)>,
}

/// What a text holds.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) states: Vec<State>,
    pub(crate) faults: Vec<Fault>,
    /// States that are passed over.
    pub(crate) notes: Vec<Note>,
}

/// Reads a text: every ESP state that is sound, and a fault of every other.
pub(crate) fn parse(text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let mut block: Vec<(usize, &str)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        if line.starts_with("src ") && !block.is_empty() {
            parsed.take(&std::mem::take(&mut block));
        }
        block.push((index + 1, line));
    }
    if !block.is_empty() {
        parsed.take(&block);
    }
    parsed
}

/// The text of states that [`parse`] reads back.
pub(crate) fn print(states: &[State]) -> Zeroizing<String> {
    let lines = states.iter().flat_map(|state| &state.lines).map(|(_, line)| line);
    let mut text = Zeroizing::new(String::with_capacity(lines.clone().map(Line::most).sum()));
    for line in lines {
        line.print(&mut text);
    }
    text
}

impl Parsed {
    fn take(&mut self, block: &[(usize, &str)]) {
        let number = block.first().map_or(0, |(number, _)| *number);
        match State::read(block) {
            Ok(Some(state)) => self.states.push(state),
            Ok(None) => {
                self.notes.push(Note::new(number, "not ESP: passed over"));
            }
            Err(fault) => self.faults.push(fault),
        }
    }
}

impl State {
    /// `None` for AH and IPComp.
    fn read(block: &[(usize, &str)]) -> Result<Option<Self>, Fault> {
        let first = block.first().map_or(0, |(number, _)| *number);
        let mut lines = Vec::with_capacity(block.len());
        for (number, text) in block {
            let line = Line::read(*number, text, lines.is_empty())?;
            lines.push((*number, line));
        }
        let state = Self { line: first, lines };
        match state.proto() {
            Some((number, protocol)) if protocol != "esp" => {
                let known = ["ah", "comp", "route2", "hao"].contains(&protocol);
                let message = "legal: esp, ah, comp";
                if known { Ok(None) } else { Err(Fault::new(number, 1, "proto", message)) }
            }
            Some(_) => Ok(Some(state)),
            None => Err(Fault::new(
                first,
                1,
                "proto",
                "missing: a line `proto esp spi ..` belongs behind `src .. dst ..`",
            )),
        }
    }

    fn proto(&self) -> Option<(usize, &str)> {
        self.lines.iter().find_map(|(number, line)| match line {
            Line::Proto { protocol, .. } => Some((*number, protocol.as_str())),
            _ => None,
        })
    }

    /// The first answer that a line gives.
    pub(super) fn find<'a, T>(&'a self, ask: impl Fn(&'a Line) -> Option<T>) -> Option<(usize, T)> {
        self.lines.iter().find_map(|(number, line)| ask(line).map(|answer| (*number, answer)))
    }
}
