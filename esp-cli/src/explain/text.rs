//! The report for people.

use std::fmt::Write as _;

use super::Report;
use super::story::{Cause, Mark, Stage, Story};
use crate::output::{counted, grouped};
use crate::table::{Align, Table};

/// The whole report as text.
pub(super) fn render(report: &Report) -> String {
    let mut text = String::new();
    overview(&mut text, report);
    match &report.packet {
        Some(story) => packet(&mut text, story),
        None => text.push_str("\nno ESP packet in the capture\n"),
    }
    if let Some(cause) = &report.cause {
        conclusion(&mut text, cause);
    }
    text
}

// Writing to a string cannot fail.
fn overview(text: &mut String, report: &Report) {
    let all = &report.overview;
    let _ = writeln!(
        text,
        "{}: {}, {} of them ESP",
        report.capture,
        counted(all.packets, "packet"),
        grouped(all.esp)
    );
    for (verdict, count) in &all.verdicts {
        let _ = writeln!(text, "  {:>9}  {verdict}", grouped(*count));
    }
    if let Some(number) = all.cut_short {
        let _ = writeln!(text, "the capture ends inside packet {number}");
    }
    if report.sa_file.is_none() && !all.spis.is_empty() {
        text.push('\n');
        text.push_str(&spis(report));
    }
}

fn spis(report: &Report) -> String {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("SPI", Align::Left),
        ("from -> to", Align::Left),
        ("UDP port", right),
        ("packets", right),
        ("first", right),
        ("last", right),
        ("missing", right),
        ("lengths", Align::Left),
    ]);
    for row in report.overview.spis.iter().take(SHOWN) {
        table.row([
            format!("{:#010x}", row.spi),
            format!("{} -> {}", row.src, row.dst),
            row.udp.map_or_else(|| "-".to_owned(), |port| port.to_string()),
            grouped(row.packets),
            row.first.to_string(),
            row.last.to_string(),
            grouped(row.missing()),
            if row.blocks_of_16 { "fit blocks of 16 (CBC?)" } else { "fit no block cipher" }.to_owned(),
        ]);
    }
    table.render()
}

fn packet(text: &mut String, story: &Story) {
    let _ = writeln!(text, "\npacket {}: {}", story.number, story.verdict);
    for stage in &story.stages {
        write_stage(text, stage);
    }
    dump(text, story);
}

fn write_stage(text: &mut String, stage: &Stage) {
    let mark = match stage.mark {
        Mark::Ok => "ok",
        Mark::Fail => "FAIL",
        Mark::Note => "note",
    };
    let _ = write!(text, "{mark:<5}{:<9}", stage.stage);
    let mut column = 14;
    for (at, fact) in stage.facts.iter().enumerate() {
        let offset = fact.offset.map_or_else(String::new, |offset| format!(" @{offset}"));
        let cell = format!("{} {}{offset}", fact.name, fact.value);
        let gap = if at == 0 { "" } else { ", " };
        if at > 0 && column + gap.len() + cell.len() > WIDTH {
            let _ = write!(text, ",\n{:14}{cell}", "");
            column = 14 + cell.len();
        } else {
            let _ = write!(text, "{gap}{cell}");
            column += gap.len() + cell.len();
        }
    }
    match &stage.remark {
        Some(remark) if stage.facts.is_empty() => {
            let _ = writeln!(text, "{remark}");
        }
        Some(remark) => {
            let _ = writeln!(text, "\n{:14}{remark}", "");
        }
        None => text.push('\n'),
    }
}

/// The start of the frame, with the offsets that the facts name.
fn dump(text: &mut String, story: &Story) {
    text.push('\n');
    for (line, row) in story.frame.chunks(16).enumerate().take(DUMP_LINES) {
        let digits = row.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "  {:04x} {:>5}  {digits}", line * 16, line * 16);
    }
    let more = story.frame.len().saturating_sub(DUMP_LINES * 16);
    if more > 0 {
        let _ = writeln!(
            text,
            "  and {} more; @N above are offsets in the frame, decimal",
            counted(more as u64, "byte")
        );
    }
}

fn conclusion(text: &mut String, cause: &Cause) {
    text.push('\n');
    for found in &cause.found {
        paragraph(text, "Cause: ", &found.cause);
        paragraph(text, "Do:    ", &found.todo);
        if cause.tried > 0 && found.of > 1 {
            let _ = writeln!(
                text,
                "       It fits {} of {} packets of this SPI that were tried.",
                found.fits, found.of
            );
        }
    }
    if let Some(none) = &cause.text {
        paragraph(text, "Cause: ", none);
    }
    if cause.tried > 0 {
        let _ = writeln!(text, "       {} tried.", counted(cause.tried as u64, "combination"));
    }
}

/// A sentence, wrapped behind its label.
fn paragraph(text: &mut String, label: &str, sentence: &str) {
    text.push_str(label);
    let mut column = label.len();
    for (at, word) in sentence.split(' ').enumerate() {
        if at > 0 && column + 1 + word.len() > WIDTH {
            let _ = write!(text, "\n{:width$}{word}", "", width = label.len());
            column = label.len() + word.len();
        } else {
            let gap = if at == 0 { "" } else { " " };
            let _ = write!(text, "{gap}{word}");
            column += gap.len() + word.len();
        }
    }
    text.push_str(".\n");
}

/// Columns of a terminal.
const WIDTH: usize = 100;
const DUMP_LINES: usize = 8;
/// SPIs that are listed.
const SHOWN: usize = 32;
