//! What all commands print with: exit codes, standard output, numbers for people.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde::Serialize;

/// Something was lost or dropped, or a check failed.
pub(crate) const FAILED: u8 = 1;
/// The command could not be carried out.
pub(crate) const USAGE: u8 = 2;

/// 0, or 1 if `ok` is false.
pub(crate) fn exit_code(ok: bool) -> ExitCode {
    if ok { ExitCode::SUCCESS } else { ExitCode::from(FAILED) }
}

/// Writes `text` to standard output. A reader that has gone away is not an error.
///
/// # Errors
///
/// Standard output cannot be written.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("standard output"),
        _ => Ok(()),
    }
}

/// Writes `text` to standard error. A reader that has gone away is no reason to fail.
pub(crate) fn note(text: &str) {
    io::stderr().write_all(text.as_bytes()).ok();
}

/// Writes `value` to standard output as one JSON object, indented.
///
/// # Errors
///
/// As [`print`].
pub(crate) fn print_json(value: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value).context("JSON")?;
    text.push('\n');
    print(&text)
}

/// Writes a report to standard output, as JSON or as `text` has it.
///
/// # Errors
///
/// As [`print`].
pub(crate) fn print_report(report: &impl Serialize, json: bool, text: impl FnOnce() -> String) -> Result<()> {
    if json { print_json(report) } else { print(&text()) }
}

/// A whole number in groups of three digits: `12,345`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 SA`, `2 SAs`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_threes() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (123_456, "123,456"), (1_234_567, "1,234,567")];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(counted(1, "SA"), "1 SA");
        assert_eq!(counted(2000, "SA"), "2,000 SAs");
    }
}
