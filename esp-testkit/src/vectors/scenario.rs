//! Sequences of events, and what becomes of each packet.

use super::field;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// One sequence of events on a fresh SA.
#[derive(Clone, Debug, Deserialize)]
pub struct Scenario {
    /// Name of the case, such as `vpp-burst-same-seq-noesn-w64`.
    pub name: String,
    /// Where the case was seen.
    #[serde(default)]
    pub source: String,
    /// The SA it starts with.
    pub sa: SaSpec,
    /// What happens, in order.
    pub steps: Vec<Step>,
    /// Counters at the end, in packets, by name; a counter that is not named may have any value.
    #[serde(default)]
    pub expected_totals: BTreeMap<String, u64>,
    /// How often each [`Expect`] (by its text) comes, according to an independent model of RFC 4303.
    #[serde(default)]
    pub model_totals: BTreeMap<String, u64>,
    /// Why the case matters.
    #[serde(default)]
    pub notes: String,
}

/// The SA of a scenario. Absent fields leave the choice to the runner.
#[derive(Clone, Debug, Deserialize)]
pub struct SaSpec {
    /// `in`, `out` or `both`.
    pub direction: String,
    /// Size of the replay window in packets; 0 is none.
    #[serde(default)]
    pub window: Option<u32>,
    /// Extended sequence numbers.
    #[serde(default)]
    pub esn: bool,
    /// `false` is no replay protection.
    #[serde(default)]
    pub anti_replay: Option<bool>,
    /// UDP encapsulation.
    #[serde(default)]
    pub nat_t: bool,
    /// `none` is an SA without a cipher.
    #[serde(default)]
    pub cipher: Option<String>,
    /// `none` is an SA without an integrity algorithm.
    #[serde(default)]
    pub auth: Option<String>,
    /// Limits of the SA.
    #[serde(default)]
    pub lifetime: Lifetime,
    /// Fields that this reader does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Limits, in packets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Lifetime {
    /// From here on an event is due, once.
    pub packets_soft: Option<Count>,
    /// No packet beyond.
    pub packets_hard: Option<Count>,
}

/// A number of packets, or a letter for which the runner chooses one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Count {
    /// This many.
    Exact(u64),
    /// An expression of letters, such as `S`, `H` or `S-delta`.
    Symbol(String),
}

/// One event.
///
/// A step of an operation that is not known here, or whose fields do not fit, is [`Step::Other`]; a runner
/// that meets one must say so, not pass over it.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Step {
    /// `count` copies of one packet arrive, one after the other.
    Recv {
        /// 64-bit number of the sender; absent where the case leaves it to the runner (the next one).
        #[serde(default, deserialize_with = "field::optional_number")]
        seq: Option<u64>,
        /// How many copies; 1 unless said.
        #[serde(default = "one")]
        count: u64,
        /// What becomes of each.
        expect: Expect,
        /// `bad`: sealed with a key that is not the SA's.
        #[serde(default)]
        key: Option<String>,
        /// `runt`: too short for IV, trailer and ICV; `pad_len`: authentic, with a pad length of 255.
        #[serde(default)]
        tamper: Option<String>,
        /// The SA by its id, where there are several.
        #[serde(default)]
        sa: Option<String>,
        /// Fields that this reader does not know.
        #[serde(flatten)]
        extra: Map<String, Value>,
    },
    /// Packets arrive one after the other, numbered `from..=to` in steps of `step`.
    RecvRange {
        /// The first number, 64 bits.
        #[serde(deserialize_with = "field::number")]
        from: u64,
        /// The last number, inclusive, 64 bits.
        #[serde(deserialize_with = "field::number")]
        to: u64,
        /// Distance between numbers; 1 unless said.
        #[serde(default = "one")]
        step: u64,
        /// What becomes of each.
        expect: Expect,
        /// As in [`Step::Recv`].
        #[serde(default)]
        key: Option<String>,
        /// As in [`Step::Recv`].
        #[serde(default)]
        tamper: Option<String>,
        /// Fields that this reader does not know.
        #[serde(flatten)]
        extra: Map<String, Value>,
    },
    /// Packets arrive in one call of the burst API.
    Burst {
        /// 64-bit numbers of the sender.
        #[serde(deserialize_with = "field::numbers")]
        seqs: Vec<u64>,
        /// What becomes of each, in the order of `seqs`.
        expect: Vec<Expect>,
    },
    /// A packet arrives and passes the check before decryption; [`Step::Finish`] of the same tag goes on.
    Begin {
        /// Ties the two steps together.
        tag: String,
        /// 64-bit number of the sender.
        #[serde(deserialize_with = "field::number")]
        seq: u64,
    },
    /// The packet of [`Step::Begin`] has been authenticated.
    Finish {
        /// Ties the two steps together.
        tag: String,
        /// What becomes of the packet.
        expect: Expect,
    },
    /// Puts the highest authenticated number in place; none but those in `seen` count as received.
    SetRxTop {
        /// The highest authenticated number, 64 bits.
        #[serde(deserialize_with = "field::number")]
        seq: u64,
        /// Numbers below `seq` received already.
        #[serde(default, deserialize_with = "field::numbers")]
        seen: Vec<u64>,
    },
    /// Puts the last number given outbound in place.
    SetTxSeq {
        /// The last number given, 64 bits.
        #[serde(deserialize_with = "field::number")]
        seq: u64,
    },
    /// A counter has this value now.
    AssertCounter {
        /// Name of the counter, such as `lost`.
        counter: String,
        /// Its value, in packets.
        value: u64,
    },
    /// Datagrams arrive at UDP port 4500.
    RecvUdp4500 {
        /// The UDP payload.
        #[serde(rename = "payload_hex", deserialize_with = "field::bytes")]
        payload: Vec<u8>,
        /// How many; 1 unless said.
        #[serde(default = "one")]
        count: u64,
        /// What becomes of each.
        expect: Expect,
    },
    /// Packets are sent.
    Send {
        /// How many; absent where `until` says when to stop.
        #[serde(default)]
        count: Option<Count>,
        /// Stops at this: `event`, or a limit's letter.
        #[serde(default)]
        until: Option<String>,
        /// `until` comes to pass at this count at the latest.
        #[serde(default)]
        max_at: Option<Count>,
        /// In one call of the burst API.
        #[serde(default)]
        burst: bool,
        /// What becomes of each.
        expect: Expect,
        /// 64-bit number that the first must carry.
        #[serde(default, deserialize_with = "field::optional_number")]
        first_seq: Option<u64>,
        /// The SA that must be used.
        #[serde(default)]
        on_sa: Option<String>,
        /// The event that must come meanwhile, in words; `None` demands nothing.
        #[serde(default)]
        event: Option<String>,
        /// Fields that this reader does not know.
        #[serde(flatten)]
        extra: Map<String, Value>,
    },
    /// Packets pass in the direction of the SA.
    Process {
        /// How many; 1 unless said.
        #[serde(default = "one")]
        count: u64,
        /// What becomes of each.
        expect: Expect,
    },
    /// A further SA is installed, like the scenario's.
    AddSa {
        /// Its name in later steps.
        id: String,
    },
    /// An SA is deleted.
    DelSa {
        /// Its name.
        id: String,
    },
    /// Packets go out on this SA from now on.
    UseForOutput {
        /// Its name.
        sa: String,
    },
    /// An operation that is not known here, whole.
    #[serde(untagged)]
    Other(Value),
}

/// What becomes of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Delivered or sent.
    Accept,
    /// Delivered or sent, and this event is raised.
    AcceptWithEvent(String),
    /// Dropped for this reason, such as `replay`, `auth` or `no_sa`.
    Drop(String),
    /// Taken without delivery and without fault, such as `nat_keepalive`.
    Consume(String),
    /// A word that is not known here.
    Other(String),
}

impl Expect {
    /// Reads `accept`, `accept+event:<event>`, `drop:<reason>` or `consume:<what>`.
    pub fn parse(text: &str) -> Expect {
        if text == "accept" {
            Expect::Accept
        } else if let Some(event) = text.strip_prefix("accept+event:") {
            Expect::AcceptWithEvent(event.to_owned())
        } else if let Some(reason) = text.strip_prefix("drop:") {
            Expect::Drop(reason.to_owned())
        } else if let Some(what) = text.strip_prefix("consume:") {
            Expect::Consume(what.to_owned())
        } else {
            Expect::Other(text.to_owned())
        }
    }
}

impl<'de> Deserialize<'de> for Expect {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Expect, D::Error> {
        Ok(Expect::parse(&String::deserialize(from)?))
    }
}

fn one() -> u64 {
    1
}
