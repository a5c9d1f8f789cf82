//! What it comes down to: the cause, what to do, and the rule.

mod dropped;
mod plain;

use esp_core::{Consumed, DropReason, HandedBack};
use esp_wire::proto;

use super::mistakes::{Fit, Search};
use super::names;
use super::sas::Sas;
use super::story::{Fate, Story};

/// The end of the report.
#[derive(Debug)]
pub(crate) struct Conclusion {
    /// Whether nothing is wrong.
    pub(crate) fine: bool,
    /// A stable name of what is wrong; none if that was not found.
    pub(crate) id: Option<String>,
    pub(crate) cause: String,
    pub(crate) remedy: Option<String>,
    /// Of an RFC.
    pub(crate) rule: Option<&'static str>,
}

/// What is known when the whole capture was read.
pub(crate) struct Known<'a> {
    pub(crate) story: &'a Story,
    pub(crate) search: Option<&'a Search>,
    pub(crate) sas: Option<&'a Sas>,
}

impl Conclusion {
    pub(super) fn fine(cause: impl Into<String>) -> Self {
        Self { fine: true, id: None, cause: cause.into(), remedy: None, rule: None }
    }

    pub(super) fn wrong(
        cause: impl Into<String>,
        remedy: impl Into<String>,
        rule: Option<&'static str>,
    ) -> Self {
        Self { fine: false, id: None, cause: cause.into(), remedy: Some(remedy.into()), rule }
    }
}

/// Concludes.
pub(crate) fn conclude(known: &Known<'_>) -> Conclusion {
    let found = known.search.and_then(|search| search.fit.as_ref()).map(Fit::id);
    let id = found.or_else(|| named(known.story, known.sas).map(str::to_owned));
    let conclusion = of(known);
    Conclusion { id: id.filter(|_| !conclusion.fine), ..conclusion }
}

/// The stable name of what is wrong with a packet whose ICV was no riddle.
fn named(story: &Story, sas: Option<&Sas>) -> Option<&'static str> {
    let in_udp = story.esp.as_ref().is_some_and(|esp| esp.in_udp);
    match story.fate {
        _ if story.is_defect() => Some("defect"),
        _ if sas.is_some_and(|sas| story.is_nonsense(sas)) => Some("encryption_key"),
        _ if story.is_misplaced() => Some("udp_port"),
        Fate::Dropped(DropReason::AuthFailed | DropReason::NoSa) => None,
        Fate::Dropped(DropReason::ReplayDuplicate) => Some("duplicate"),
        Fate::Dropped(DropReason::ReplayTooOld) => Some("left_of_window"),
        Fate::Dropped(DropReason::Encapsulation) => Some(if in_udp { "udp_on" } else { "udp_off" }),
        fate => Some(fate.name()),
    }
}

fn of(known: &Known<'_>) -> Conclusion {
    let story = known.story;
    if story.is_defect() {
        let engine = story.engine.map_or("nothing", Fate::name);
        return Conclusion::wrong(
            format!("a defect of this program: it judges {}, and the engine {engine}", story.fate.name()),
            "report it, with the capture if you can",
            None,
        );
    }
    if let Some(fit) = known.search.and_then(|search| search.fit.as_ref()) {
        return of_fit(fit, story);
    }
    match story.fate {
        Fate::Delivered { .. } => delivered(story),
        Fate::Consumed(Consumed::Dummy) => {
            Conclusion::fine("nothing is wrong: a dummy packet, which did its work (RFC 4303 section 2.6)")
        }
        Fate::Consumed(Consumed::Keepalive) => {
            Conclusion::fine("nothing is wrong: a NAT keepalive, which did its work (RFC 3948 section 2.3)")
        }
        Fate::HandedBack(HandedBack::Ike) => Conclusion::fine(
            "IKE behind a non-ESP marker: handed back, for the key exchange to read (RFC 3948 section 2.2)",
        ),
        Fate::HandedBack(HandedBack::NotEsp) if story.is_misplaced() => misplaced(story, known.sas),
        Fate::HandedBack(HandedBack::NotEsp) => stranger(story),
        Fate::NotIp => Conclusion::fine("no IP packet, and so no ESP: handed back"),
        Fate::NoKeys => Conclusion::fine(
            "this is all that can be seen without keys; --sa FILE goes on from here (an SA file of either end)",
        ),
        Fate::Truncated => truncated(story),
        Fate::Dropped(_) if known.sas.is_some_and(|sas| story.is_nonsense(sas)) => dropped::nonsense(known),
        Fate::Dropped(reason) => dropped::conclude(reason, known),
    }
}

fn delivered(story: &Story) -> Conclusion {
    let inside = story.inner.as_ref().and_then(|inner| inner.packet.as_ref());
    let what = inside.map_or_else(|| "a packet".to_owned(), ToString::to_string);
    Conclusion::fine(format!("nothing is wrong: delivered, {what}"))
}

/// One mistake, or two.
fn of_fit(fit: &Fit, story: &Story) -> Conclusion {
    let joined = |texts: Vec<&str>| match texts.as_slice() {
        [one] => (*one).to_owned(),
        many => {
            let numbered = many.iter().zip(1..).map(|(text, number)| format!("({number}) {text}"));
            numbered.collect::<Vec<_>>().join("; ")
        }
    };
    let causes = joined(fit.mistakes.iter().map(|mistake| mistake.cause.as_str()).collect());
    let remedies = joined(fit.mistakes.iter().map(|mistake| mistake.remedy.as_str()).collect());
    let cause = if fit.mistakes.len() > 1 {
        format!("{} mistakes together: {causes}", fit.mistakes.len())
    } else {
        causes
    };
    let rule = match story.fate {
        Fate::Dropped(DropReason::NoSa) => "RFC 4303 section 3.4.2",
        _ => "RFC 4303 section 3.4.4",
    };
    Conclusion::wrong(cause, remedies, Some(rule))
}

/// ESP in UDP, to another port.
fn misplaced(story: &Story, sas: Option<&Sas>) -> Conclusion {
    let port = story.udp.as_ref().map_or(0, |udp| udp.dst_port);
    let ports = sas.map_or(&[][..], |sas| &sas.ports);
    let known = ports.iter().map(u16::to_string).collect::<Vec<_>>().join(" and ");
    let file = sas.map_or("the SA file", |sas| &sas.file);
    let right = story.icv.as_ref().is_some_and(|icv| icv.right);
    let proof = if right { "its ICV is right" } else { "its ICV is wrong too" };
    Conclusion::wrong(
        format!(
            "ESP in UDP to port {port}, where no SA of {file} receives: ports {known} are known. It has the SPI of one, and \
             {proof}"
        ),
        format!(
            "set udp = {{ dst_port = {port} }} at its SA in {file}; if it was captured behind a NAT, capture at the end itself"
        ),
        Some("RFC 3948 section 2.1"),
    )
}

fn stranger(story: &Story) -> Conclusion {
    let protocol = story.ip.as_ref().map_or(0, |ip| ip.protocol);
    let what = match (protocol, &story.udp) {
        (proto::AH, _) => "AH (RFC 4302), which is not ESP".to_owned(),
        (_, Some(udp)) => format!("UDP to port {}, where no ESP is expected", udp.dst_port),
        (other, None) => format!("protocol {}, which is not ESP", names::protocol(other)),
    };
    Conclusion::fine(format!("{what}: handed back untouched"))
}

fn truncated(story: &Story) -> Conclusion {
    let (captured, wire) = story.frame.as_ref().map_or((0, 0), |frame| (frame.captured, frame.on_the_wire));
    Conclusion::wrong(
        format!("the capture has {captured} of the {wire} bytes of the packet: no ICV can be checked"),
        "capture whole packets: tcpdump -s 0, dumpcap -s 0",
        None,
    )
}
