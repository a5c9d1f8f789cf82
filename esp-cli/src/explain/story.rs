//! What one packet's walk leaves: the values of every stage that it got to, and how it ended.

use std::fmt;

use esp_core::{Consumed, DropReason, HandedBack, Verdict};
use serde::{Serialize, Serializer};

use super::sas::Sas;
use super::stages::{cipher, esp, frame, icv, inner, ip, policy, replay, sa, trailer, udp};
use crate::capture::Record;

/// One packet. A stage is `None` where the packet did not get to it.
#[derive(Debug, Serialize)]
pub(crate) struct Story {
    #[serde(skip)]
    pub(crate) number: u64,
    #[serde(skip)]
    pub(crate) nanos: u64,
    pub(crate) frame: Option<frame::Frame>,
    pub(crate) ip: Option<ip::IpHeader>,
    pub(crate) udp: Option<udp::Udp>,
    pub(crate) esp: Option<esp::Esp>,
    pub(crate) sa: Option<sa::Found>,
    pub(crate) replay: Option<replay::Replay>,
    pub(crate) cipher: Option<cipher::Cipher>,
    pub(crate) icv: Option<icv::Icv>,
    pub(crate) trailer: Option<trailer::Trailer>,
    pub(crate) inner: Option<inner::Inner>,
    pub(crate) policy: Option<policy::Policy>,
    /// This program's own judgement.
    #[serde(rename = "judged")]
    pub(crate) fate: Fate,
    /// The engine's; `None` if it was not asked.
    pub(crate) engine: Option<Fate>,
}

/// How a packet ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The packet inside, with its length in bytes and the trailer's next header.
    Delivered { len: usize, next_header: u8 },
    /// It did its work.
    Consumed(Consumed),
    /// Somebody else's.
    HandedBack(HandedBack),
    /// It ends here.
    Dropped(DropReason),
    /// The capture does not hold all of it, so nothing can be said.
    Truncated,
    /// No IP packet.
    NotIp,
    /// ESP, and there are no keys.
    NoKeys,
}

impl Story {
    /// Of a packet that nobody has looked at.
    pub(crate) fn new(record: &Record<'_>) -> Self {
        Self {
            number: record.number,
            nanos: record.nanos,
            frame: None,
            ip: None,
            udp: None,
            esp: None,
            sa: None,
            replay: None,
            cipher: None,
            icv: None,
            trailer: None,
            inner: None,
            policy: None,
            fate: Fate::NotIp,
            engine: None,
        }
    }

    /// Whether it is an ESP packet, or a part of one.
    pub(crate) fn is_esp(&self) -> bool {
        self.esp.is_some() || matches!(self.fate, Fate::Dropped(DropReason::Fragment | DropReason::TooShort))
    }

    /// Whether it comes in UDP to a port of which no SA knows, though its SPI is one of the file's.
    pub(crate) fn is_misplaced(&self) -> bool {
        self.esp.as_ref().is_some_and(|esp| esp.misplaced)
    }

    /// Whether something is wrong with it.
    pub(crate) fn fails(&self) -> bool {
        self.is_misplaced()
            || self.is_defect()
            || matches!(self.fate, Fate::Dropped(_))
            || self.fate == Fate::Truncated
    }

    /// Whether it is authentic by a separate MAC, and what was decrypted is no plaintext of ESP.
    pub(crate) fn is_nonsense(&self, sas: &Sas) -> bool {
        let known = self.sa.as_ref().and_then(|sa| sas.list.get(sa.at?));
        let separate = known.is_some_and(|known| !known.config.transform.is_combined());
        let of_other_mode = self.inner.as_ref().is_some_and(inner::Inner::is_of_other_mode);
        let no_text = matches!(
            self.fate,
            Fate::Dropped(
                DropReason::PadLength | DropReason::PadContent | DropReason::BadInner | DropReason::TooShort
            )
        );
        separate && no_text && !of_other_mode && self.icv.as_ref().is_some_and(|icv| icv.right)
    }

    /// Whether the engine judged otherwise than this program.
    pub(crate) fn is_defect(&self) -> bool {
        self.engine.is_some_and(|engine| engine != self.fate)
    }
}

impl Fate {
    /// Its label, the engine's where the engine has one.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Delivered { .. } => "delivered",
            Self::Consumed(Consumed::Dummy) => "dummy",
            Self::Consumed(Consumed::Keepalive) => "keepalive",
            Self::HandedBack(HandedBack::Ike) => "ike",
            Self::HandedBack(HandedBack::NotEsp) => "not_esp",
            Self::Dropped(reason) => reason.name(),
            Self::Truncated => "truncated",
            Self::NotIp => "not_ip",
            Self::NoKeys => "esp",
        }
    }
}

/// `dropped: auth_failed`: what became of it, and the label.
impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = match self {
            Self::Delivered { .. } | Self::Truncated => "",
            Self::Consumed(_) => "consumed: ",
            Self::HandedBack(_) => "handed back: ",
            Self::Dropped(_) => "dropped: ",
            Self::NotIp => "not ours: ",
            Self::NoKeys => "no keys: ",
        };
        write!(f, "{whose}{}", self.name())
    }
}

impl From<&Verdict> for Fate {
    fn from(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Delivered(got) => {
                Self::Delivered { len: got.len as usize, next_header: got.next_header }
            }
            Verdict::Consumed(how) => Self::Consumed(*how),
            Verdict::HandedBack(whose) => Self::HandedBack(*whose),
            Verdict::Dropped { reason, .. } => Self::Dropped(*reason),
        }
    }
}

impl From<DropReason> for Fate {
    fn from(reason: DropReason) -> Self {
        Self::Dropped(reason)
    }
}

/// In words.
impl Serialize for Fate {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}
