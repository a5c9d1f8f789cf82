//! `esp sa check`: what is wrong with SA files, and what is doubtful.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use esp_core::config::Direction;
use serde::Serialize;

use super::doubts;
use super::fault::{Fault, Note};
use super::file::{Format, Hint, parse};
use super::read::{self, Text};
use crate::output::{self, counted};

/// What `esp sa check` can be told.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct CheckArgs {
    /// SA files; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Read as this format instead of telling it by what the file holds
    #[arg(long, value_name = "FORMAT", value_enum)]
    from: Option<Format>,
    /// Exit with 1 for warnings too
    #[arg(long)]
    strict: bool,
    /// Print one JSON object on standard output instead of lines
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    version: &'static str,
    files: Vec<Checked>,
    ok: bool,
}

#[derive(Debug, Serialize)]
struct Checked {
    file: String,
    format: &'static str,
    sas: usize,
    errors: Vec<Fault>,
    warnings: Vec<Note>,
}

/// Checks files and prints what is to be said of them.
///
/// # Errors
///
/// A file that cannot be read.
pub(crate) fn run(args: &CheckArgs) -> Result<ExitCode> {
    let mut files = Vec::with_capacity(args.files.len());
    for path in &args.files {
        files.push(checked(&read::text(path)?, args.from));
    }
    let wrong = |file: &Checked| !file.errors.is_empty() || args.strict && !file.warnings.is_empty();
    let report = Report { version: env!("CARGO_PKG_VERSION"), ok: !files.iter().any(wrong), files };
    output::print_report(&report, args.json, || report.text())?;
    Ok(output::exit_code(report.ok))
}

fn checked(text: &Text, from: Option<Format>) -> Checked {
    let format = from.unwrap_or_else(|| Format::of(&text.text));
    // Which way an SA goes is not at issue here: what cannot tell counts as inbound, which has more to check.
    let hint = Hint { direction: Some(Direction::Inbound), ..Hint::default() };
    let parsed = parse(&text.text, format, &hint);
    let mut warnings = Vec::new();
    if let Some(mode) = text.shared {
        let message = format!("others may read the file (mode {mode:03o}), and it holds keys; chmod 600");
        warnings.push(Note { line: None, message });
    }
    warnings.extend(parsed.notes);
    warnings.extend(doubts::of(&parsed.sas, format));
    warnings.sort_by_key(|note| note.line);
    let sas = parsed.sas.len();
    Checked { file: text.name.clone(), format: format.name(), sas, errors: parsed.faults, warnings }
}

impl Report {
    fn text(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            let name = &file.file;
            for fault in &file.errors {
                let field = fault.field.as_ref().map_or_else(String::new, |field| format!("{field}: "));
                // Writing to a string cannot fail.
                let _ =
                    writeln!(text, "{name}:{}:{}: error: {field}{}", fault.line, fault.column, fault.message);
            }
            for note in &file.warnings {
                let line = note.line.map_or_else(String::new, |line| format!(":{line}"));
                let _ = writeln!(text, "{name}{line}: warning: {}", note.message);
            }
            let sas = counted(file.sas as u64, "sound SA");
            let errors = counted(file.errors.len() as u64, "error");
            let warnings = counted(file.warnings.len() as u64, "warning");
            let _ = writeln!(text, "{name}: {}, {sas}, {errors}, {warnings}", file.format);
        }
        text
    }
}

const HELP: &str = "\
Errors: whatever keeps an SA from being installed, each with line, column, field and what is legal. \
Warnings: algorithms that RFC 8221 does not ask for, anti-replay off, a key in two SAs, keys that are not random, a file \
that others can read. Keys are never shown.

Exit codes: 0 no errors (with --strict: no warnings either); 1 there are; 2 a file could not be read.

Examples:
  esp sa check west.toml east.toml
  esp sa check --strict --json esp_sa | jq '.files[].errors'
  ip xfrm state | esp sa check -

JSON: version, ok, files[]: file, format, sas (sound ones), errors[] (line, column, field, message),
  warnings[] (line or null, message)";
