//! The report for people: 100 columns, stage by stage, the conclusion last.

use std::env;
use std::io::{self, IsTerminal};

use super::json::Report;
use super::mistakes::Search;
use super::spis;
use super::stages::{self, Mark, Said};
use super::story::Fate;
use crate::output::{counted, grouped};

/// Whether to colour: on a terminal, unless `NO_COLOR` is set.
pub(crate) fn in_colour() -> bool {
    io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// The whole text.
pub(crate) fn render(report: &Report, colour: bool) -> String {
    let mut page = Page { text: String::new(), colour };
    overview(report, &mut page);
    page.line("");
    for said in stages::all(&report.packet.story) {
        page.stage(&said);
    }
    verdict(report, &mut page);
    page.line("");
    page.text += &report.dump;
    if let Some(search) = &report.search {
        page.line("");
        of_search(search, report, &mut page);
    }
    page.line("");
    conclusion(report, &mut page);
    page.text
}

struct Page {
    text: String,
    colour: bool,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    /// Words behind a label, in as many lines as they take.
    fn labelled(&mut self, label: &str, width: usize, words: &str) {
        let mut label = format!("{label:<width$}");
        for line in wrapped(words, WIDTH - width) {
            self.line(&(label + &line));
            label = " ".repeat(width);
        }
    }

    fn stage(&mut self, said: &Said) {
        let mut mark = format!("{:<6}", mark(said.mark));
        let mut name = format!("  {:<9}", said.name);
        for line in said.lines.iter().flat_map(|line| wrapped(line, WIDTH - INDENT)) {
            let shown = self.coloured(&mark, said.mark);
            self.line(&format!("{name}{shown}{line}"));
            (name, mark) = (" ".repeat(11), " ".repeat(6));
        }
    }

    fn coloured(&self, text: &str, mark: Mark) -> String {
        let code = match mark {
            Mark::Ok => "32",
            Mark::Fail => "1;31",
            Mark::Note => "33",
        };
        if self.colour && !text.trim().is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

fn mark(mark: Mark) -> &'static str {
    match mark {
        Mark::Ok => "ok",
        Mark::Fail => "FAIL",
        Mark::Note => "note",
    }
}

fn overview(report: &Report, page: &mut Page) {
    let (all, esp) = (counted(report.overview.packets, "packet"), grouped(report.overview.esp));
    page.labelled("", 0, &format!("{}: {all}, {esp} of them ESP", report.capture));
    for (verdict, packets, first) in report.overview.rows() {
        let first = if verdict == "delivered" { String::new() } else { format!(", first in packet {first}") };
        page.line(&format!("{:>11}  {verdict}{first}", grouped(packets)));
    }
    if let Some(number) = report.overview.cut_short {
        page.labelled("", 0, &format!("The capture ends inside packet {number}."));
    }
    if report.overview.defects.packets > 0 {
        let (packets, first) =
            (counted(report.overview.defects.packets, "packet"), report.overview.defects.first);
        let text = format!(
            "DEFECT: this program and the engine differ on {packets}, the first is {first}; please report it."
        );
        page.labelled("", 0, &text);
    }
    if report.sa_file.is_none() && !report.overview.spis.is_empty() {
        page.line("");
        page.text += &spis::table(&report.overview.spis, report.overview.uncounted);
    }
    page.line("");
    let seconds = report.packet.nanos / 1_000_000_000;
    let micros = report.packet.nanos / 1000 % 1_000_000;
    page.labelled(
        "",
        0,
        &format!(
            "Packet {}, {}, captured at {seconds}.{micros:06}:",
            report.packet.number, report.packet.why
        ),
    );
}

fn verdict(report: &Report, page: &mut Page) {
    let (fate, engine) = (report.packet.story.fate, report.packet.story.engine);
    let mark = if report.packet.story.fails() { Mark::Fail } else { Mark::Ok };
    let said = match engine {
        Some(engine) if engine == fate => Said::new("engine", mark, engine.to_string()),
        Some(engine) => Said::new("engine", Mark::Fail, format!("{engine}, and this program says {fate}")),
        None if fate == Fate::NoKeys => return,
        None => Said::new("verdict", mark, format!("{fate}; the engine was not asked")),
    };
    page.stage(&said);
}

fn of_search(search: &Search, report: &Report, page: &mut Page) {
    let ways = counted(search.tried, "way");
    let Some(fit) = &search.fit else {
        let more = if search.bound_reached { "; there were more, which were not tried" } else { "" };
        return page.stage(&Said::new(
            "search",
            Mark::Note,
            format!(
                "{ways} to {} tried, none fits{more}",
                if search.authentic { "decrypt" } else { "compute the ICV" }
            ),
        ));
    };
    let said = Said::new("search", Mark::Ok, format!("{} fits, after {ways} tried", fit.id()));
    let also = report.also().filter(|also| also.tried > 0).map(|also| {
        let others = counted(also.tried as u64, "other packet");
        format!("of {others} with this SPI that fail, it fits {}", also.fits)
    });
    let odds = (fit.icv_len <= SHORT_ICV).then(|| {
        let bits = 8 * fit.icv_len - bits_of(search.tried);
        format!("an ICV of {} bytes would fit one of so many by chance once in 2^{bits}", fit.icv_len)
    });
    page.stage(&said.and_if(also).and_if(odds));
    for said in fit.said() {
        page.stage(&said);
    }
}

/// Bits that a number takes.
fn bits_of(number: u64) -> usize {
    (u64::BITS - number.leading_zeros()) as usize
}

fn conclusion(report: &Report, page: &mut Page) {
    let conclusion = &report.conclusion;
    let width = "Cause: ".len();
    let rule = conclusion.rule.map_or_else(String::new, |rule| format!(" ({rule})"));
    let label = if conclusion.fine { "Fine:" } else { "Cause:" };
    page.labelled(label, width, &format!("{}{rule}.", conclusion.cause));
    if let Some(remedy) = &conclusion.remedy {
        page.labelled("Do:", width, &format!("{remedy}."));
    }
}

/// Lines of at most `width` characters; a longer word has a line of its own.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(line) = lines.last_mut() else { continue };
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// Columns of the page, and of what stands in front of a stage's words.
const WIDTH: usize = 100;
const INDENT: usize = 17;
/// Bytes of an ICV for which the odds are worth a word.
const SHORT_ICV: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_long_as_they_may_be() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("", 7), [""]);
        assert_eq!(wrapped("longer-than-that a", 7), ["longer-than-that", "a"]);
        assert_eq!(wrapped("found    00 11", 20), ["found    00 11"], "columns stay");
    }

    #[test]
    fn odds_are_never_better_than_they_are() {
        assert_eq!([0, 1, 2, 255, 256].map(bits_of), [0, 1, 2, 8, 9]);
    }
}
