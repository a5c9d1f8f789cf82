//! The walk of one packet, stage by stage, in the order of the engine's own.

use std::net::IpAddr;

use esp_core::{DropReason, HandedBack};
use esp_wire::udp::UdpHeader;
use esp_wire::{Ip, Seq64, proto};
use zeroize::Zeroizing;

use super::sas::{Known, Sas};
use super::span::Span;
use super::stages::ip::Upper;
use super::stages::{cipher, esp, frame, icv, inner, ip, policy, replay, sa, trailer, udp};
use super::story::{Fate, Story};
use crate::capture::{MAX_FRAME_LEN, Record};
use crate::locate::{self, UDP_ENCAP_PORT};

/// The story of a packet, and its frame: with zeros in the place of what was not captured.
pub(crate) struct Judged<'a> {
    pub(crate) story: Story,
    pub(crate) frame: &'a [u8],
}

/// Walks a packet. Windows move if it is authentic. `padded` is scratch.
pub(crate) fn judge<'a>(record: &Record<'a>, sas: Option<&mut Sas>, padded: &'a mut Vec<u8>) -> Judged<'a> {
    let mut story = Story::new(record);
    let frame = if record.is_truncated() {
        padded.clear();
        padded.extend_from_slice(record.frame);
        padded.resize(record.wire_len.min(MAX_FRAME_LEN).max(record.frame.len()), 0);
        padded.as_slice()
    } else {
        record.frame
    };
    story.fate = match walk(&mut story, record, frame, sas) {
        Ok(fate) | Err(fate) => fate,
    };
    Judged { story, frame }
}

fn walk(story: &mut Story, record: &Record<'_>, frame: &[u8], sas: Option<&mut Sas>) -> Result<Fate, Fate> {
    let (seen, at) = frame::read(record);
    story.frame = Some(seen);
    let at = at?;
    let upper = headers(story, record, frame, at)?;
    let placed = place(story, frame, &upper, sas.as_deref());
    if record.is_truncated() {
        forget(story, upper.header.end(), record.frame.len());
        return Err(Fate::Truncated);
    }
    placed?;
    let Some(sas) = sas else { return Err(Fate::NoKeys) };
    secret(story, frame, &upper, sas)
}

/// The IP header. What was cut may make none of it, and nothing is known then.
fn headers(story: &mut Story, record: &Record<'_>, frame: &[u8], at: usize) -> Result<Upper, Fate> {
    let (header, upper) = ip::read(frame, at);
    if record.is_truncated() && upper.is_err() {
        return Err(Fate::Truncated);
    }
    story.ip = Some(header);
    upper
}

/// Finds ESP behind the IP header, bare or in UDP.
fn place(story: &mut Story, frame: &[u8], upper: &Upper, sas: Option<&Sas>) -> Result<(), Fate> {
    let first = upper.fragment.is_none_or(|fragment| fragment.first);
    let (payload, in_udp) = match upper.protocol {
        proto::ESP => (Span::between(upper.header.end(), upper.end), false),
        proto::UDP if first => {
            let known = |header: &UdpHeader| match sas {
                Some(sas) => sas.ports.contains(&header.dst_port),
                // Which end it was captured at is not known.
                None => [header.dst_port, header.src_port].contains(&UDP_ENCAP_PORT),
            };
            let (header, payload) = udp::read(frame, upper, known);
            story.udp = header;
            match payload {
                Ok(payload) => (payload, true),
                Err(fate) => return misplaced(story, frame, upper, sas).ok_or(fate),
            }
        }
        _ => return Err(Fate::HandedBack(HandedBack::NotEsp)),
    };
    if upper.fragment.is_some() {
        story.esp = esp::read(frame, payload, in_udp).ok().filter(|_| first);
        return Err(DropReason::Fragment.into());
    }
    story.esp = Some(esp::read(frame, payload, in_udp)?);
    Ok(())
}

/// ESP in UDP to a port that no SA has, if its SPI is one of the file's.
fn misplaced(story: &mut Story, frame: &[u8], upper: &Upper, sas: Option<&Sas>) -> Option<()> {
    let (sas, at) = (sas?, upper.header.at);
    let ip = Ip::parse(frame.get(at..)?).ok()?;
    let located = locate::esp(&ip, |_| true)?;
    let (udp, _) = located.udp?;
    if sas.ports.contains(&udp.dst_port) || sas.with_spi(located.header.spi).next().is_none() {
        return None;
    }
    let packet = Span { at: at + located.esp_off, len: located.esp.len() };
    let mut esp = esp::read(frame, packet, true).ok()?;
    esp.misplaced = true;
    story.esp = Some(esp);
    Some(())
}

/// Takes back what was read behind the captured part, which is made up.
fn forget(story: &mut Story, header_end: usize, captured: usize) {
    story.ip.take_if(|_| header_end > captured);
    story.udp.take_if(|udp| udp.header.end() > captured);
    story.esp.take_if(|esp| esp.packet.at + esp_wire::esp::HEADER_LEN > captured);
}

/// Everything that takes keys.
fn secret(story: &mut Story, frame: &[u8], upper: &Upper, sas: &mut Sas) -> Result<Fate, Fate> {
    let not_ours = Fate::HandedBack(HandedBack::NotEsp);
    let header = story.ip.as_ref().and_then(|ip| Some((ip.src?, ip.dst?, ip.traffic_class)));
    let (Some(esp), Some((src, dst, outer_class))) = (story.esp.clone(), header) else {
        return Err(not_ours);
    };
    let (found, at) = sa::find(sas, &esp, src, dst);
    story.sa = Some(found);
    let (list, seen) = (&mut sas.list, &mut sas.seen);
    let known = at.and_then(|at| Ok((at, list.get_mut(at).ok_or(not_ours)?)));
    let judged = known.and_then(|(at, known)| {
        let first = |seq| seen.first(at, seq);
        authenticate(story, frame, &esp, known, first).map(|opened| (at, known, opened))
    });
    if esp.misplaced {
        // The engine hands it back, whatever its SA would say of it.
        return Err(not_ours);
    }
    let (at, known, (seq, plaintext)) = judged?;
    known.commit(seq);
    seen.add(at, seq, story.number);
    let opened = inner::Opened { frame, upper, outer_class, mode: known.config.mode };
    deliver(story, known, &opened, (src, dst), esp.in_udp, &plaintext)
}

/// From the sequence number to the ICV, which is computed even if the window refuses the number: a copy of a packet is not
/// the same as a forgery.
fn authenticate(
    story: &mut Story,
    frame: &[u8],
    esp: &esp::Esp,
    known: &Known,
    first: impl FnOnce(Seq64) -> Option<u64>,
) -> Result<(Seq64, Zeroizing<Vec<u8>>), Fate> {
    let transform = known.config.transform;
    let (parts, long_enough) = cipher::split(frame, esp, transform, None);
    if let Err(fate) = long_enough {
        story.cipher = Some(parts);
        return Err(fate);
    }
    let (place, seq, in_window) = replay::check(known, esp.low(), first);
    story.replay = Some(place);
    let Some(seq) = seq else { return Err(in_window.err().unwrap_or(Fate::NoKeys)) };
    let seq_hi = known.config.esn.then(|| seq.high());
    let (parts, _) = cipher::split(frame, esp, transform, seq_hi);
    let covered = Span::between(esp.packet.at, parts.ciphertext.end());
    let (facts, plaintext) = icv::check(frame, known, covered, parts.icv, seq_hi, in_window.is_ok());
    (story.cipher, story.icv) = (Some(parts), Some(facts));
    in_window?;
    Ok((seq, plaintext?))
}

/// What becomes of an authentic packet.
fn deliver(
    story: &mut Story,
    known: &Known,
    opened: &inner::Opened<'_>,
    addresses: (IpAddr, IpAddr),
    in_udp: bool,
    plaintext: &[u8],
) -> Result<Fate, Fate> {
    let (facts, payload) = trailer::read(plaintext);
    story.trailer = facts;
    let (payload_len, next_header) = payload?;
    let payload = plaintext.get(..payload_len).unwrap_or_default();
    let (facts, packet) = opened.packet(payload, next_header);
    story.inner = Some(facts);
    let packet = packet?;
    let (facts, permitted) = policy::check(&known.config, addresses, in_udp, &packet);
    story.policy = Some(facts);
    permitted?;
    Ok(Fate::Delivered { len: packet.len(), next_header })
}
