//! Why the engine drops a packet, and by which rule.

use esp_core::DropReason;

use super::{Conclusion, Known, plain};
use crate::explain::names::{self, grouped};
use crate::explain::stages::{inner, replay};
use crate::explain::story::Story;

/// Concludes for a packet that is dropped and fits no mistake of the ICV.
pub(super) fn conclude(reason: DropReason, known: &Known<'_>) -> Conclusion {
    let story = known.story;
    match reason {
        DropReason::AuthFailed => auth_failed(known),
        DropReason::NoSa => no_sa(known),
        DropReason::ReplayDuplicate => duplicate(story),
        DropReason::ReplayTooOld => too_old(known),
        DropReason::BadInner => bad_inner(known),
        DropReason::OuterAddress => outer_address(known),
        DropReason::Encapsulation => encapsulation(known),
        DropReason::Selector => selector(known),
        _ => plain::conclude(reason, story),
    }
}

/// The SA as sentences name it.
fn sa(known: &Known<'_>) -> String {
    let at = known.story.sa.as_ref().and_then(|sa| sa.at);
    match (known.sas, at.and_then(|at| known.sas?.list.get(at))) {
        (Some(sas), Some(known)) => format!("SA {} of {}", known.shown(), sas.file),
        _ => "the SA".to_owned(),
    }
}

fn tried(known: &Known<'_>) -> String {
    let Some(search) = known.search else { return "nothing was tried".to_owned() };
    let bound = if search.bound_reached { ", and there were more" } else { "" };
    format!("{} ways tried{bound}", grouped(search.tried))
}

fn auth_failed(known: &Known<'_>) -> Conclusion {
    let before = known.search.map_or(0, |search| search.authentic_before);
    let rule = Some("RFC 4303 section 3.4.4");
    if before > 0 {
        let others = names::counted(before, "packet");
        return Conclusion::wrong(
            format!(
                "the packet was changed on the way, or forged: {others} of {} before it were right, so the key is, and no \
                 mistake fits ({})",
                sa(known),
                tried(known)
            ),
            "compare it with what the sender sent; if many fail, look for a device that rewrites packets (NAT of addresses \
             does not matter, checksum offload and MTU fixing inside ESP do)",
            rule,
        );
    }
    Conclusion::wrong(
        format!(
            "no SA fits: not {}, nor any other of the file, nor a mistake that is known here ({})",
            sa(known),
            tried(known)
        ),
        "usually the keys are those of another rekey (take the SA file from the same moment as the capture), else the \
         transform is one that this program does not know, or the packet was damaged",
        rule,
    )
}

/// A separate MAC says that nothing was changed, and the text says that it was not deciphered.
pub(super) fn nonsense(known: &Known<'_>) -> Conclusion {
    let at = known.story.sa.as_ref().and_then(|sa| sa.at);
    let config = at.and_then(|at| known.sas?.list.get(at)).map(|known| &known.config);
    let sa = sa(known);
    if config.is_some_and(|config| config.transform.cipher_key_len() == 0) {
        return Conclusion::wrong(
            format!(
                "authentic, but what is inside is no packet: the integrity key is right, and the sender encrypts while {sa} has \
                 NULL; or the sender makes a wrong trailer"
            ),
            "compare the ciphers of both ends; the integrity keys are the same",
            Some("RFC 4303 section 2.4"),
        );
    }
    Conclusion::wrong(
        format!(
            "authentic, but what is decrypted is no packet: the integrity key is right, and the encryption key of {sa} is not, \
             or the sender's cipher is another; or the sender makes a wrong trailer ({})",
            tried(known)
        ),
        "compare the encryption keys of both ends, nonce included, and the ciphers; the integrity keys are the same",
        Some("RFC 4303 section 3.4.4"),
    )
}

fn no_sa(known: &Known<'_>) -> Conclusion {
    let spi = known.story.esp.as_ref().map_or(0, |esp| esp.spi);
    let rule = Some("RFC 4303 section 3.4.2");
    if spi < 256 {
        return Conclusion::wrong(
            format!("SPI {spi} is reserved: no SA can have it"),
            "look at the sender; or this is no ESP at all",
            Some("RFC 4303 section 2.1"),
        );
    }
    let file = known.sas.map_or("the file", |sas| &sas.file);
    let alike =
        known.sas.into_iter().flat_map(|sas| &sas.list).find(|sa| (sa.config.spi ^ spi).count_ones() == 1);
    if let Some(alike) = alike {
        return Conclusion::wrong(
            format!(
                "no SA fits: {file} has no SA with SPI {}, which differs in one bit from that of SA {}, and none of its keys \
                 opens the packet ({})",
                names::spi(spi),
                alike.shown(),
                tried(known)
            ),
            "if others of that SA are right, the packet was damaged on the way; look for a device that does so",
            rule,
        );
    }
    Conclusion::wrong(
        format!(
            "no SA fits: {file} has no SA with SPI {}, and none of its keys opens the packet ({})",
            names::spi(spi),
            tried(known)
        ),
        "the packet belongs to a tunnel that is not in the file, or to an SA from before or after a rekey: take the SA file \
         from the same moment as the capture",
        rule,
    )
}

/// What a refused number means depends on whether the packet is authentic.
fn forged(story: &Story) -> bool {
    story.icv.as_ref().is_none_or(|icv| !icv.right)
}

fn duplicate(story: &Story) -> Conclusion {
    let rule = Some("RFC 4303 section 3.4.3");
    let seq = story.replay.as_ref().and_then(|replay| replay.seq).unwrap_or(0);
    let first = story.replay.as_ref().and_then(|replay| replay.first_in);
    let first = first.map_or_else(String::new, |number| format!(", in packet {number}"));
    if forged(story) {
        return Conclusion::wrong(
            format!(
                "number {seq} came before{first}, and this packet is not even authentic: forged, or damaged"
            ),
            "nothing to change: the window has refused it before the cipher",
            rule,
        );
    }
    Conclusion::wrong(
        format!("a duplicate: number {seq} came before{first}; the packet is authentic, so it is a copy"),
        "find what doubles packets: the network, capturing on two interfaces at once, or someone who replays. A sender that \
         gives one number twice is broken",
        rule,
    )
}

fn too_old(known: &Known<'_>) -> Conclusion {
    let (story, rule) = (known.story, Some("RFC 4303 section 3.4.3"));
    let Some(&replay::Replay { seq: Some(seq), top, size, distance, .. }) = story.replay.as_ref() else {
        return Conclusion::wrong(
            "the number lies left of the window, where no 64-bit number is",
            "nothing to change: such a packet is forged or damaged",
            rule,
        );
    };
    let size = size.unwrap_or(0);
    let cause =
        format!("number {seq} is {} behind the top {top}, left of the window of {size}", grouped(distance));
    let remedy = match (forged(story), distance < MAX_WINDOW) {
        (true, _) => "nothing to change: the packet is not even authentic".to_owned(),
        (false, true) => format!(
            "if the network reorders that far, set replay_window to more than {distance} in {}; if numbers start again at 1, \
             the sender was restarted with the same key: rekey; else it is a copy that someone replays",
            sa(known)
        ),
        (false, false) => {
            "no window is that large: the sender was restarted with the same key (rekey), or someone replays"
                .to_owned()
        }
    };
    Conclusion::wrong(cause, remedy, rule)
}

fn bad_inner(known: &Known<'_>) -> Conclusion {
    let other_mode = known.story.inner.as_ref().is_some_and(inner::Inner::is_of_other_mode);
    let next = known.story.trailer.as_ref().map_or(0, |trailer| trailer.next_header);
    let next = names::protocol(next);
    let rule = Some("RFC 4301 section 5.2");
    if other_mode {
        return Conclusion::wrong(
            format!(
                "the sender has transport mode: the next header is {next}, and {} has tunnel mode",
                sa(known)
            ),
            format!("set mode = \"transport\" in {}, or tunnel mode at the peer", sa(known)),
            rule,
        );
    }
    let fault = known.story.inner.as_ref().and_then(|inner| inner.fault.clone()).unwrap_or_default();
    Conclusion::wrong(
        format!("authentic, but with no packet inside: {fault}; the next header is {next}"),
        "look at the sender: it sealed what is no IP packet",
        rule,
    )
}

fn outer_address(known: &Known<'_>) -> Conclusion {
    let text =
        |addr: Option<std::net::IpAddr>| addr.map_or_else(|| "any".to_owned(), |addr| addr.to_string());
    let ip = known.story.ip.as_ref();
    let came = (text(ip.and_then(|ip| ip.src)), text(ip.and_then(|ip| ip.dst)));
    let at = known.story.sa.as_ref().and_then(|sa| sa.at);
    let config = at.and_then(|at| known.sas?.list.get(at)).map(|known| &known.config);
    let wanted = config.map_or_else(String::new, |sa| format!("{} -> {}", text(sa.src), text(sa.dst)));
    Conclusion::wrong(
        format!("the packet came {} -> {}, and {} has {wanted} and check_outer", came.0, came.1, sa(known)),
        "correct src and dst in the SA file; if a NAT is between, set check_outer = \"none\": the ICV is proof enough",
        Some("RFC 4301 section 5.2"),
    )
}

fn encapsulation(known: &Known<'_>) -> Conclusion {
    let in_udp = known.story.esp.as_ref().is_some_and(|esp| esp.in_udp);
    let sa = sa(known);
    let (cause, remedy) = if in_udp {
        (
            format!("the packet came in UDP, and {sa} is without"),
            format!("add udp = {{}} to {sa}, or turn it off at the peer"),
        )
    } else {
        (
            format!("the packet came without UDP, and {sa} is in UDP"),
            format!("remove udp from {sa}, or turn UDP encapsulation on at the peer"),
        )
    };
    Conclusion::wrong(cause, remedy, Some("RFC 3948 section 2.1"))
}

fn selector(known: &Known<'_>) -> Conclusion {
    let inside = known.story.inner.as_ref().and_then(|inner| inner.packet.as_ref());
    let inside = inside.map_or_else(String::new, ToString::to_string);
    let at = known.story.sa.as_ref().and_then(|sa| sa.at);
    let config = at.and_then(|at| known.sas?.list.get(at)).map(|known| &known.config);
    let selectors = config.map_or_else(Vec::new, |sa| sa.selectors.iter().map(shown).collect());
    Conclusion::wrong(
        format!(
            "what is inside matches no selector of {}: {inside}; selectors: {}",
            sa(known),
            names::first_few(selectors)
        ),
        "correct selectors (src is the sender's side), or look why the peer sends this through this SA",
        Some("RFC 4301 section 5.2"),
    )
}

fn shown(selector: &esp_core::config::Selector) -> String {
    let protocol =
        selector.protocol.map_or_else(String::new, |number| format!(", {}", names::protocol(number)));
    let ports = match (selector.src_port, selector.dst_port) {
        (None, None) => String::new(),
        (src, dst) => {
            let text = |port: Option<esp_core::config::PortRange>| {
                port.map_or_else(|| "any".to_owned(), |port| port.to_string())
            };
            format!(", port {} -> {}", text(src), text(dst))
        }
    };
    format!("{} -> {}{protocol}{ports}", selector.src, selector.dst)
}

/// The largest window, in numbers.
const MAX_WINDOW: u64 = esp_replay::WindowSize::MAX.bits() as u64;
