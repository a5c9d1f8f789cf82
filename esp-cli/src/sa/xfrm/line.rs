//! The lines of a state.

use std::fmt::Write as _;
use std::net::IpAddr;

use esp_core::config::Secret;

use super::words::Words;
use crate::sa::fault::Fault;

/// One line, as far as it is understood.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    /// `src A dst B`
    Addresses { src: IpAddr, dst: IpAddr },
    /// `proto esp spi 0x.. reqid N mode M`
    Proto { protocol: String, spi: u32, reqid: u32, mode: String },
    /// `replay-window N flag F .. extra_flag F ..`; the latter only with `-s`.
    Replay { window: u32, flags: Vec<String>, extra: Vec<String> },
    /// `aead NAME 0x.. BITS` and its like.
    Algorithm(Algorithm),
    /// `encap type T sport N dport N addr A`
    Encap { kind: String, src_port: u16, dst_port: u16, addr: IpAddr },
    /// `anti-replay context: seq 0x.., oseq 0x.., bitmap 0x..`
    Context { seq: u32, oseq: u32, bitmap: u32 },
    /// ` seq-hi 0x.., seq 0x.., oseq-hi 0x.., oseq 0x..`
    EsnContext { seq: u64, oseq: u64 },
    /// ` replay_window N, bitmap-length N`
    EsnWindow { window: u32, bitmap_len: u32 },
    /// `sel src P dst P ..`
    Selector(String),
    /// Anything else, as it stands.
    Other(String),
}

/// An algorithm with its key.
#[derive(Clone, Debug)]
pub(crate) struct Algorithm {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) key: Secret,
    /// ICV in bits; of [`Kind::Aead`] and [`Kind::AuthTrunc`].
    pub(crate) icv_bits: Option<u32>,
}

/// Which kind of algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A combined mode.
    Aead,
    /// Integrity with the ICV length that its kernel version gives it.
    Auth,
    /// Integrity with an ICV length.
    AuthTrunc,
    /// Encryption.
    Enc,
}

impl Line {
    /// Reads one line; the first of a state has the addresses.
    pub(super) fn read(number: usize, text: &str, first: bool) -> Result<Self, Fault> {
        let mut words = Words::new(number, text);
        if first {
            return words.addresses();
        }
        match words.next() {
            "proto" => words.proto(),
            // With -s the statistics have a line that starts like this one.
            "replay-window" if !text.contains(" replay ") => words.replay(),
            "aead" => words.algorithm(Kind::Aead),
            "auth" => words.algorithm(Kind::Auth),
            "auth-trunc" => words.algorithm(Kind::AuthTrunc),
            "enc" => words.algorithm(Kind::Enc),
            "encap" => words.encap(),
            "anti-replay" if text.contains(" context: seq") => words.context(),
            "seq-hi" => words.esn_context(),
            "replay_window" => words.esn_window(),
            "sel" => words.selector(),
            _ => Ok(Self::Other(text.trim_end().to_owned())),
        }
    }

    /// The most bytes that the line takes.
    pub(super) fn most(&self) -> usize {
        match self {
            Self::Algorithm(algorithm) => algorithm.name.len() + algorithm.key.len() * 2 + 32,
            Self::Selector(text) | Self::Other(text) => text.len() + 8,
            Self::Replay { flags, extra, .. } => {
                64 + flags.iter().chain(extra).map(|flag| flag.len() + 1).sum::<usize>()
            }
            Self::Proto { protocol, mode, .. } => 96 + protocol.len() + mode.len(),
            Self::Encap { kind, .. } => 128 + kind.len(),
            _ => 128,
        }
    }

    /// Appends the line as `ip xfrm state` writes it.
    pub(super) fn print(&self, text: &mut String) {
        // Writing to a string cannot fail.
        let _ = match self {
            Self::Addresses { src, dst } => writeln!(text, "src {src} dst {dst}"),
            Self::Proto { protocol, spi, reqid, mode } => {
                writeln!(text, "\tproto {protocol} spi {spi:#010x} reqid {reqid} mode {mode}")
            }
            Self::Replay { window, flags, extra } => {
                let named = |name: &str, flags: &[String]| match flags {
                    [] => String::new(),
                    _ => format!("{name} {}", flags.join(" ")),
                };
                let extra = named(" extra_flag", extra);
                writeln!(text, "\treplay-window {window} {}{extra}", named("flag", flags))
            }
            Self::Algorithm(algorithm) => {
                algorithm.print(text);
                Ok(())
            }
            Self::Encap { kind, src_port, dst_port, addr } => {
                writeln!(text, "\tencap type {kind} sport {src_port} dport {dst_port} addr {addr}")
            }
            Self::Context { seq, oseq, bitmap } => {
                writeln!(text, "\tanti-replay context: seq {seq:#x}, oseq {oseq:#x}, bitmap {bitmap:#010x}")
            }
            Self::EsnContext { seq, oseq } => {
                let (seq_hi, seq, oseq_hi, oseq) = (seq >> 32, seq & LOW, oseq >> 32, oseq & LOW);
                writeln!(text, "\t seq-hi {seq_hi:#x}, seq {seq:#x}, oseq-hi {oseq_hi:#x}, oseq {oseq:#x}")
            }
            Self::EsnWindow { window, bitmap_len } => {
                writeln!(text, "\t replay_window {window}, bitmap-length {bitmap_len}")
            }
            Self::Selector(selector) => writeln!(text, "\t{selector} "),
            Self::Other(other) => writeln!(text, "{other}"),
        };
    }
}

/// Selectors and other lines may differ in white space, and keys are compared like anything else: in tests.
impl PartialEq for Line {
    fn eq(&self, other: &Self) -> bool {
        let printed = |line: &Self| {
            let mut text = zeroize::Zeroizing::new(String::with_capacity(line.most()));
            line.print(&mut text);
            text
        };
        printed(self) == printed(other)
    }
}

impl Algorithm {
    fn print(&self, text: &mut String) {
        let kind = match self.kind {
            Kind::Aead => "aead",
            Kind::Auth => "auth",
            Kind::AuthTrunc => "auth-trunc",
            Kind::Enc => "enc",
        };
        let _ = write!(text, "\t{kind} {} ", self.name);
        hex(&self.key, text);
        if self.key.is_empty() && self.icv_bits.is_some() {
            // Else the length would stand in the key's place.
            text.push_str("0x");
        }
        let _ = match self.icv_bits {
            Some(bits) => writeln!(text, " {bits}"),
            None => writeln!(text),
        };
    }
}

/// `0x` and digits, or nothing for no key.
pub(super) fn hex(key: &Secret, text: &mut String) {
    if !key.is_empty() {
        text.push_str("0x");
    }
    for byte in key.expose() {
        let _ = write!(text, "{byte:02x}");
    }
}

const LOW: u64 = 0xffff_ffff;
