//! The frame in hexadecimal, a row for each field.

use super::span::{Span, spaced};
use super::stages::cipher::Cipher;
use super::story::Story;

/// Rows of a dump; long fields are cut.
pub(crate) fn dump(story: &Story, frame: &[u8]) -> String {
    let captured = story.frame.as_ref().map_or(frame.len(), |seen| seen.captured);
    let rows = fields(story).into_iter().filter(|(span, _)| span.len > 0 && span.at < captured);
    rows.map(|(span, name)| row(span, name, frame.get(..captured).unwrap_or(frame))).collect()
}

fn fields(story: &Story) -> Vec<(Span, &'static str)> {
    let mut fields = Vec::new();
    if let Some(frame) = &story.frame {
        fields.push((frame.layer_2, "layer 2"));
    }
    if let Some(ip) = &story.ip {
        fields.push((ip.header, "IP header"));
    }
    if let Some(udp) = &story.udp {
        fields.push((udp.header, "UDP header"));
    }
    let end = match (&story.esp, &story.cipher) {
        (Some(esp), cipher) => {
            let at = esp.packet.at;
            fields.push((Span { at, len: 4 }, "SPI"));
            fields.push((Span { at: at + 4, len: 4 }, "sequence number"));
            match cipher.as_ref().filter(|parts| parts.is_whole()) {
                Some(parts) => fields.extend(parts_of(parts)),
                None => fields.push((Span::between(at + 8, esp.packet.end()), "the rest of ESP")),
            }
            esp.packet.end()
        }
        (None, _) => 0,
    };
    if let Some(ip) = &story.ip {
        let header_end = ip.header.end().max(end);
        if end == 0 {
            let at = story.udp.as_ref().map_or(header_end, |udp| udp.header.end());
            fields.push((Span::between(at, ip.header.at + ip.total_len), "payload"));
        }
        fields.push((ip.behind, "behind the IP packet"));
    }
    fields
}

fn parts_of(parts: &Cipher) -> [(Span, &'static str); 3] {
    [(parts.iv, "IV"), (parts.ciphertext, "ciphertext, trailer last"), (parts.icv, "ICV")]
}

/// `   34 0x0022  [00 00 10 01]  SPI`.
fn row(span: Span, name: &str, frame: &[u8]) -> String {
    let bytes = span.of(frame);
    let shown = bytes.get(..ROW.min(bytes.len())).unwrap_or_default();
    let more = span.len.saturating_sub(shown.len());
    let cut = if more > 0 { format!(" + {more}") } else { String::new() };
    let brackets = format!("[{}]{cut}", spaced(shown));
    format!("{:>6}  {:#06x}  {brackets:<57} {name}\n", span.at, span.at)
}

/// Bytes a row.
const ROW: usize = 16;
