//! The stages of a packet's way in, as facts.

use esp_core::config::{Mode, ReplayWindow};
use esp_core::{DropReason, Verdict};
use esp_replay::Replay;
use esp_wire::{Ip, Seq64, esp, trailer};

use super::known::{Known, KnownSa};
use super::overview::Sample;
use super::scan::Evidence;
use super::story::{Mark, Story};
use super::words::{self, bytes, hex};
use crate::capture::Record;
use crate::locate::{self, Located};
use crate::sa;

/// What was captured.
pub(super) fn frame(story: &mut Story, record: &Record<'_>) {
    let stage = story.stage("frame");
    stage.fact("link", record.link.name());
    if let Some(interface) = record.interface {
        stage.fact("interface", interface.to_string());
    }
    stage.fact("captured", bytes(record.frame.len()));
    if record.is_truncated() {
        stage.fact("on the wire", bytes(record.wire_len));
        stage.mark(Mark::Fail, "the capture holds only a part of the packet");
    }
}

/// The IP header.
pub(super) fn ip(story: &mut Story, ip: &Ip<'_>, at: usize, packet: &[u8]) {
    let padding = packet.len() - ip.total_len();
    let stage = story.stage("IP");
    let version = if matches!(ip, Ip::V4(_)) { "4" } else { "6" };
    stage.fact_at("version", at, version);
    stage.fact("from", ip.src().to_string()).fact("to", ip.dst().to_string());
    stage.fact("length", bytes(ip.total_len())).fact("hop limit", ip.hop_limit().to_string());
    if padding > 0 {
        stage.fact_at("behind it", at + ip.total_len(), format!("{} of layer 2", bytes(padding)));
    }
    match locate::upper(ip) {
        None => stage.mark(Mark::Fail, "the extension headers lead out of the packet (RFC 8200 section 4)"),
        Some(upper) => {
            stage.fact_at("protocol", at + upper.offset, words::protocol(upper.protocol));
            if upper.fragment {
                stage.mark(
                    Mark::Fail,
                    "a fragment: ESP is for whole packets, reassemble first (RFC 4303 section 3.4.1)",
                );
            }
        }
    }
}

/// UDP around ESP, or why there is no ESP.
pub(super) fn wrapping(
    story: &mut Story,
    ip: &Ip<'_>,
    at: usize,
    located: Option<&Located<'_>>,
    known: &Known,
) {
    let Some(found) = located else {
        let protocol = locate::upper(ip).map_or(0, |upper| upper.protocol);
        let remark = match protocol {
            51 => "AH, whose SPI is another protocol's (RFC 4302)",
            17 => "UDP without ESP for a port of an SA",
            _ => "no ESP",
        };
        return story.stage("ESP").mark(Mark::Note, remark);
    };
    if let Some((header, offset)) = found.udp {
        let stage = story.stage("UDP");
        let ports = format!("{} -> {}", header.src_port, header.dst_port);
        stage.fact_at("ports", at + offset, ports).fact("length", bytes(header.length.into()));
        stage.fact("checksum", format!("{:#06x}", header.checksum));
        if !known.ports.contains(&header.dst_port) {
            let remark =
                format!("no SA has port {}: the engine does not look for ESP in it", header.dst_port);
            stage.mark(Mark::Fail, remark);
        }
    }
}

/// Everything from the SPI on. Commits the number if the packet is authentic, as the engine does.
pub(super) fn esp(
    story: &mut Story,
    known: &mut Known,
    sa: Option<usize>,
    esp: &Located<'_>,
    l2_len: usize,
    sample: Sample,
    verdict: Verdict,
) -> Evidence {
    let at = l2_len + esp.esp_off;
    let stage = story.stage("ESP");
    stage.fact_at("SPI", at, format!("{:#010x}", esp.header.spi));
    stage.fact_at("sequence number", at + 4, format!("{} (low 32 bits)", esp.header.seq.0));
    stage.fact("length", bytes(esp.esp.len()));
    let mut evidence = Evidence {
        spi: esp.header.spi,
        sample,
        sa,
        seq_hi: None,
        udp: esp.udp.map(|(header, _)| (header.src_port, header.dst_port)),
        verdict,
        authentic: false,
        top: 0,
        behind_top: 0,
    };
    let reached = !matches!(verdict, Verdict::HandedBack(_));
    match sa.and_then(|at| known.sas.get_mut(at)) {
        Some(sa) => keyed(story, sa, esp.esp, at, reached, &mut evidence),
        None => unknown(story, known),
    }
    evidence
}

fn unknown(story: &mut Story, known: &Known) {
    let stage = story.stage("SA");
    if !known.has_file {
        return stage.mark(Mark::Note, "no SA file: say --sa FILE to see more");
    }
    let spis = known.sas.iter().take(8).map(|sa| format!("{:#010x}", sa.config.spi)).collect::<Vec<_>>();
    let more = if known.sas.len() > spis.len() { ", .." } else { "" };
    stage.fact("SPIs in the file", format!("{}{more}", spis.join(", ")));
    stage.mark(Mark::Fail, words::rule(DropReason::NoSa));
}

fn keyed(story: &mut Story, sa: &mut KnownSa, esp: &[u8], at: usize, reached: bool, evidence: &mut Evidence) {
    let transform = sa.config.transform;
    let stage = story.stage("SA");
    let end = match sa.direction {
        esp_core::config::Direction::Inbound => "inbound",
        esp_core::config::Direction::Outbound => "outbound, taken as its far end",
    };
    stage.fact("name", sa::shown(&sa.config)).fact("direction", end);
    let mode = if sa.config.mode == Mode::Tunnel { "tunnel" } else { "transport" };
    stage.fact("transform", transform.name()).fact("mode", mode);
    stage.fact("numbers", if sa.config.esn { "64 bits (ESN)" } else { "32 bits" });
    stage.fact("UDP", if sa.config.udp.is_some() { "yes" } else { "no" });
    let seq = number(story, sa, esp, evidence);
    let least = esp::HEADER_LEN + transform.iv_len() + trailer::TRAILER_LEN + transform.icv_len();
    if esp.len() < least {
        let remark = format!("{}; {transform} needs {} at least", bytes(esp.len()), bytes(least));
        return story.stage("length").mark(Mark::Fail, remark);
    }
    nonce(story, sa, esp, at, evidence.seq_hi);
    let icv_at = esp.len() - transform.icv_len();
    let (covered, found) = esp.split_at(icv_at);
    let Some(judged) = sa.judge.judge(esp, evidence.seq_hi, transform.icv_len()) else { return };
    evidence.authentic = judged.matches(found);
    let stage = story.stage("ICV");
    let payload = covered.len() - esp::HEADER_LEN - transform.iv_len();
    stage.fact_at("covers", at, bytes(covered.len()));
    stage.fact_at("payload", at + esp::HEADER_LEN + transform.iv_len(), bytes(payload));
    stage.fact_at("found", at + icv_at, hex(found));
    stage.fact("expected", hex(&judged.expected));
    if !evidence.authentic {
        return stage.mark(Mark::Fail, words::rule(DropReason::AuthFailed));
    }
    if let Some(seq) = seq
        && reached
    {
        // Refused numbers stay as they were: the stage above has said so.
        sa.window.commit(seq).ok();
    }
    inside(story, sa, &judged.plaintext, at + esp::HEADER_LEN + transform.iv_len());
}

/// The sequence number and where it stands to the window, before this packet.
fn number(story: &mut Story, sa: &KnownSa, esp: &[u8], evidence: &mut Evidence) -> Option<Seq64> {
    let low = esp_wire::EspHeader::read(esp)?.seq;
    let stage = story.stage("replay");
    let top = sa.window.top();
    evidence.top = top.0;
    match sa.config.replay_window {
        ReplayWindow::Off => stage.fact("window", "off"),
        ReplayWindow::Bits(bits) => stage.fact("window", format!("{bits} bits, highest so far {}", top.0)),
    };
    let seq = match sa.window.infer(low) {
        Ok(seq) => seq,
        Err(why) => {
            stage.mark(
                Mark::Fail,
                format!("{why}: no 64-bit number with these low bits is in or above the window"),
            );
            return None;
        }
    };
    evidence.seq_hi = sa.config.esn.then(|| seq.high());
    evidence.behind_top = top.0.saturating_sub(seq.0);
    if sa.config.esn {
        stage.fact("inferred", format!("{} (high half {}, RFC 4303 appendix A2.2)", seq.0, seq.high()));
    }
    match sa.window.check(seq) {
        Ok(()) if seq.0 > top.0 && top.0 == 0 => stage.fact("place", "the first"),
        Ok(()) if seq.0 > top.0 => stage.fact("place", format!("{} above the highest", seq.0 - top.0)),
        Ok(()) => stage.fact("place", format!("{} below the highest, not seen yet", top.0 - seq.0)),
        Err(why) => {
            let reason = match why {
                Replay::Zero => DropReason::SeqZero,
                Replay::TooOld => DropReason::ReplayTooOld,
                Replay::Duplicate => DropReason::ReplayDuplicate,
            };
            stage.fact("place", format!("{} below the highest", evidence.behind_top));
            stage.mark(Mark::Fail, words::rule(reason));
            return Some(seq);
        }
    };
    Some(seq)
}

/// IV, nonce and AAD; the salt is never shown.
fn nonce(story: &mut Story, sa: &KnownSa, esp: &[u8], at: usize, seq_hi: Option<u32>) {
    let transform = sa.config.transform;
    let (header, behind) = esp.split_at(esp::HEADER_LEN);
    let (iv, _) = behind.split_at(transform.iv_len());
    let stage = story.stage("IV");
    if iv.is_empty() {
        stage.fact("IV", "none");
    } else {
        stage.fact_at("IV", at + esp::HEADER_LEN, hex(iv));
    }
    if transform.salt_len() > 0 {
        stage.fact("nonce", format!("salt ({}, not shown), then the IV", bytes(transform.salt_len())));
        let (spi, low) = header.split_at(4);
        let aad = seq_hi.map_or_else(|| header.to_vec(), |high| [spi, &high.to_be_bytes(), low].concat());
        stage.fact("AAD", hex(&aad));
    } else if let Some(high) = seq_hi {
        stage.fact("behind the payload, for the ICV only", format!("{high:08x}, the high half"));
    }
}

/// Trailer and packet of an authentic one.
fn inside(story: &mut Story, sa: &KnownSa, plaintext: &[u8], at: usize) {
    let stage = story.stage("trailer");
    let read = match trailer::read(plaintext) {
        Ok(read) => read,
        Err(why) => {
            if let [.., pad_len, next_header] = plaintext {
                stage.fact_at("pad length", at + plaintext.len() - 2, pad_len.to_string());
                stage.fact("next header", words::protocol(*next_header));
            }
            return stage.mark(Mark::Fail, format!("{why} (RFC 4303 section 2.4)"));
        }
    };
    stage.fact_at("padding", at + read.payload_len, bytes(read.pad_len.into()));
    stage.fact_at("pad length", at + plaintext.len() - 2, read.pad_len.to_string());
    stage.fact_at("next header", at + plaintext.len() - 1, words::protocol(read.next_header));
    let stage = story.stage("inside");
    let payload = plaintext.get(..read.payload_len).unwrap_or_default();
    stage.fact("payload", bytes(payload.len()));
    let is_ip = matches!(read.next_header, 4 | 41);
    match (is_ip, Ip::parse(payload)) {
        (true, Ok(inner)) => {
            stage.fact("from", inner.src().to_string()).fact("to", inner.dst().to_string());
            stage.fact("length", bytes(inner.total_len()));
            let protocol = locate::upper(&inner)
                .map_or_else(|| "none".to_owned(), |upper| words::protocol(upper.protocol));
            stage.fact("protocol", protocol);
            let padding = payload.len() - inner.total_len();
            if padding > 0 {
                stage.fact("TFC padding", bytes(padding));
            }
            if !sa.config.selectors.is_empty() && !sa.config.selectors.iter().any(|one| one.matches(payload))
            {
                stage.mark(Mark::Fail, words::rule(DropReason::Selector));
            }
        }
        (true, Err(why)) => stage.mark(Mark::Fail, why.to_string()),
        (false, _) => {}
    }
    if is_ip && sa.config.mode == Mode::Transport {
        story
            .stage("mode")
            .mark(Mark::Note, "a whole IP packet under a transport-mode SA: is the peer in tunnel mode?");
    } else if !is_ip && read.next_header != 59 && sa.config.mode == Mode::Tunnel {
        story
            .stage("mode")
            .mark(Mark::Fail, "no IP packet under a tunnel-mode SA: is the peer in transport mode?");
    }
}

/// The engine's word.
pub(super) fn verdict(story: &mut Story, verdict: &Verdict) {
    let text = words::verdict(verdict);
    let stage = story.stage("verdict");
    match verdict {
        Verdict::Delivered(got) => {
            stage.fact("delivered", bytes(got.len as usize));
        }
        Verdict::Dropped { reason, .. } => {
            stage.mark(Mark::Fail, format!("{text}: {}", words::rule(*reason)));
        }
        _ => stage.mark(Mark::Note, text),
    }
}
