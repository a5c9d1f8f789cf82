//! Wireshark's `esp_sa` file: a line of quoted fields for each SA.
//!
//! ```text
//! "IPv4","192.0.2.1","*","0x0000c001","AES-GCM with 16 octet ICV [RFC4106]","0x..","NULL",""
//! ```
//!
//! Newer versions write two more fields, the length of sequence numbers and their high half. Addresses and SPI may hold
//! `*`; keys are hexadecimal behind `0x`, or the text itself. Lines that start with `#` are comments.

mod convert;
mod pattern;

use std::fmt::Write as _;

use zeroize::Zeroizing;

use super::algorithms::{CIPHERS, INTEGRITIES};
use super::fault::Fault;
pub(super) use convert::{from_config, to_config};

/// One line, its fields as they stand there. `Debug` does not show keys.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct EspSa {
    /// Counted from 1; 0 of one that was not read.
    pub(super) line: usize,
    pub(super) fields: Vec<Field>,
}

/// One field without its quotes.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Field {
    /// Column of its opening quote, counted in characters from 1.
    pub(super) column: usize,
    pub(super) text: Zeroizing<String>,
}

/// Names and order of the fields; the last two are not in every version.
pub(super) const FIELDS: [&str; 10] = [
    "protocol",
    "src",
    "dst",
    "spi",
    "encryption",
    "encryption key",
    "authentication",
    "authentication key",
    "sequence number length",
    "ESN high bits",
];

/// Reads a file: every line that is sound, and a fault of every other.
pub(crate) fn parse(text: &str) -> (Vec<EspSa>, Vec<Fault>) {
    let (mut sas, mut faults) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        match fields(index + 1, line).and_then(|fields| EspSa::checked(index + 1, fields)) {
            Ok(sa) => sas.push(sa),
            Err(fault) => faults.push(fault),
        }
    }
    (sas, faults)
}

/// The text of lines that [`parse`] reads back.
pub(crate) fn print(sas: &[EspSa]) -> Zeroizing<String> {
    let len =
        sas.iter().flat_map(|sa| &sa.fields).map(|field| field.text.len() * ESCAPED_LEN + 3).sum::<usize>();
    let mut text = Zeroizing::new(String::with_capacity(len + sas.len()));
    for sa in sas {
        for (at, field) in sa.fields.iter().enumerate() {
            text.push_str(if at == 0 { "\"" } else { ",\"" });
            escape(&field.text, &mut text);
            text.push('"');
        }
        text.push('\n');
    }
    text
}

impl EspSa {
    fn checked(line: usize, fields: Vec<Field>) -> Result<Self, Fault> {
        let sa = Self { line, fields };
        if sa.fields.len() != 8 && sa.fields.len() != FIELDS.len() {
            let message = format!("{} fields; legal: 8, or 10 of newer versions", sa.fields.len());
            return Err(Fault::new(line, 1, "", message));
        }
        if !["IPv4", "IPv6"].contains(&sa.text(0)) {
            return Err(sa.fault(0, "legal: IPv4, IPv6"));
        }
        let v6 = sa.text(0) == "IPv6";
        for at in [1, 2] {
            pattern::address(sa.text(at), v6).map_err(|why| sa.fault(at, &why))?;
        }
        pattern::spi(sa.text(3)).map_err(|why| sa.fault(3, &why))?;
        let known = CIPHERS.iter().filter_map(|row| row.wireshark).chain([GCM_WITHOUT_ICV]);
        sa.check_name(4, known)?;
        let known = INTEGRITIES.iter().filter_map(|row| row.wireshark).chain(["NULL"]).chain(UNCHECKED);
        sa.check_name(6, known)?;
        for at in [5, 7] {
            pattern::key(sa.text(at)).map_err(|why| sa.fault(at, &why))?;
        }
        if sa.fields.len() == FIELDS.len() {
            if !["32-bit", "64-bit"].contains(&sa.text(8)) {
                return Err(sa.fault(8, "legal: 32-bit, 64-bit"));
            }
            pattern::number(sa.text(9)).map_err(|why| sa.fault(9, &why))?;
        }
        Ok(sa)
    }

    /// The text of the field at `at`; empty if the line has not as many.
    pub(super) fn text(&self, at: usize) -> &str {
        self.fields.get(at).map_or("", |field| &field.text)
    }

    pub(super) fn fault(&self, at: usize, message: &str) -> Fault {
        let column = self.fields.get(at).map_or(1, |field| field.column);
        Fault::new(self.line, column, FIELDS.get(at).unwrap_or(&""), message)
    }

    fn check_name(&self, at: usize, known: impl Iterator<Item = &'static str>) -> Result<(), Fault> {
        let mut known: Vec<_> = known.collect();
        known.dedup();
        if known.contains(&self.text(at)) {
            return Ok(());
        }
        // Not the name itself: a key may have slipped into its place.
        Err(self.fault(at, &format!("a name that Wireshark does not have; legal: {}", known.join(", "))))
    }
}

impl std::fmt::Debug for EspSa {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |at: usize| if at == 5 || at == 7 { ".." } else { self.text(at) };
        f.debug_list().entries((0..self.fields.len()).map(shown)).finish()
    }
}

/// Splits a line at its commas.
fn fields(line: usize, text: &str) -> Result<Vec<Field>, Fault> {
    let mut fields = Vec::new();
    let mut chars = text.chars().enumerate().peekable();
    let column = |at: usize| at + 1;
    loop {
        while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {}
        let begin = match chars.next() {
            Some((at, '"')) => at,
            Some((at, _)) => {
                return Err(Fault::new(line, column(at), "", "a field starts with a quote: \"IPv4\",.."));
            }
            None => {
                return Err(Fault::new(
                    line,
                    text.chars().count() + 1,
                    "",
                    "a field is missing behind the comma",
                ));
            }
        };
        // As long as the line: it never grows, and so leaves no copy of a key behind.
        let mut field = Zeroizing::new(String::with_capacity(text.len()));
        loop {
            match chars.next() {
                Some((_, '"')) => break,
                Some((at, '\\')) => field.push(escaped(&mut chars, line, column(at))?),
                Some((_, c)) => field.push(c),
                None => {
                    return Err(Fault::new(
                        line,
                        column(begin),
                        "",
                        "the quote that starts here is not closed",
                    ));
                }
            }
        }
        fields.push(Field { column: column(begin), text: field });
        while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {}
        match chars.next() {
            Some((_, ',')) => {}
            Some((at, _)) => {
                return Err(Fault::new(line, column(at), "", "a comma is needed between fields"));
            }
            None => return Ok(fields),
        }
    }
}

/// What stands behind a backslash: two digits behind an x, or the character itself.
fn escaped(
    chars: &mut std::iter::Peekable<impl Iterator<Item = (usize, char)>>,
    line: usize,
    column: usize,
) -> Result<char, Fault> {
    let fault = || Fault::new(line, column, "", "an escape is \\x and two hexadecimal digits, \\\\ or \\\"");
    match chars.next() {
        Some((_, 'x')) => {
            let mut digit = || chars.next().and_then(|(_, c)| c.to_digit(16));
            match (digit(), digit()) {
                (Some(high), Some(low)) => char::from_u32(high << 4 | low).ok_or_else(fault),
                _ => Err(fault()),
            }
        }
        Some((_, c @ ('\\' | '"'))) => Ok(c),
        _ => Err(fault()),
    }
}

/// As Wireshark writes: printable ASCII stays.
fn escape(field: &str, text: &mut String) {
    for c in field.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            ' '..='~' => text.push(c),
            _ if u32::from(c) < 256 => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\x{:02x}", u32::from(c));
            }
            _ => text.push(c),
        }
    }
}

/// The older name, which leaves the ICV aside.
pub(super) const GCM_WITHOUT_ICV: &str = "AES-GCM [RFC4106]";
/// An ICV of that length which is not checked.
const UNCHECKED: [&str; 5] = [
    "ANY 64 bit authentication [no checking]",
    "ANY 96 bit authentication [no checking]",
    "ANY 128 bit authentication [no checking]",
    "ANY 192 bit authentication [no checking]",
    "ANY 256 bit authentication [no checking]",
];
/// Bytes of the longest escape.
const ESCAPED_LEN: usize = 4;
