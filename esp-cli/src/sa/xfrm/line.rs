//! The lines of a state.

use std::fmt::Write as _;
use std::net::IpAddr;
use std::str::{FromStr, SplitWhitespace};

use esp_core::config::Secret;

use crate::sa::fault::Fault;

/// One line, as far as it is understood.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    /// `src A dst B`
    Addresses { src: IpAddr, dst: IpAddr },
    /// `proto esp spi 0x.. reqid N mode M`
    Proto { protocol: String, spi: u32, reqid: u32, mode: String },
    /// `replay-window N flag F ..`
    Replay { window: u32, flags: Vec<String> },
    /// `aead NAME 0x.. BITS` and its like.
    Algorithm(Algorithm),
    /// `encap type T sport N dport N addr A`
    Encap { kind: String, src_port: u16, dst_port: u16, addr: String },
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
        let mut words = Words { number, text, words: text.split_whitespace() };
        if first {
            words.expect("src", "a state starts with `src A dst B`")?;
            let src = words.parse("src", "legal: an IP address")?;
            words.expect("dst", "a state starts with `src A dst B`")?;
            return Ok(Self::Addresses { src, dst: words.parse("dst", "legal: an IP address")? });
        }
        match words.words.next().unwrap_or_default() {
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
            "sel" => Ok(Self::Selector(text.trim().to_owned())),
            _ => Ok(Self::Other(text.trim_end().to_owned())),
        }
    }

    /// The most bytes that the line takes.
    pub(super) fn most(&self) -> usize {
        match self {
            Self::Algorithm(algorithm) => algorithm.name.len() + algorithm.key.len() * 2 + 32,
            Self::Selector(text) | Self::Other(text) => text.len() + 8,
            Self::Replay { flags, .. } => 64 + flags.iter().map(|flag| flag.len() + 1).sum::<usize>(),
            Self::Proto { protocol, mode, .. } => 96 + protocol.len() + mode.len(),
            Self::Encap { kind, addr, .. } => 96 + kind.len() + addr.len(),
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
            Self::Replay { window, flags } if flags.is_empty() => writeln!(text, "\treplay-window {window} "),
            Self::Replay { window, flags } => {
                writeln!(text, "\treplay-window {window} flag {}", flags.join(" "))
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

struct Words<'a> {
    number: usize,
    text: &'a str,
    words: SplitWhitespace<'a>,
}

impl Words<'_> {
    fn proto(mut self) -> Result<Line, Fault> {
        let protocol = self.word("proto", "legal: esp, ah, comp")?.to_owned();
        self.expect("spi", "`proto P spi N reqid N mode M`")?;
        let spi = self.number("spi")?;
        self.expect("reqid", "`proto P spi N reqid N mode M`")?;
        let reqid = self.number("reqid")?;
        self.expect("mode", "`proto P spi N reqid N mode M`")?;
        let mode = self.word("mode", "legal: tunnel, transport")?.to_owned();
        Ok(Line::Proto { protocol, spi, reqid, mode })
    }

    fn replay(mut self) -> Result<Line, Fault> {
        let window = self.number("replay-window")?;
        // With -s: `seq 0x.. flag  esn (0x00000000)`.
        let flags = self.words.clone().skip_while(|word| *word != "flag").skip(1);
        let flags = flags.filter(|word| !word.starts_with('(')).map(str::to_owned).collect();
        Ok(Line::Replay { window, flags })
    }

    fn algorithm(mut self, kind: Kind) -> Result<Line, Fault> {
        let field = match kind {
            Kind::Aead => "aead",
            Kind::Auth | Kind::AuthTrunc => "auth",
            Kind::Enc => "enc",
        };
        let name = self.word(field, "a name such as rfc4106(gcm(aes))")?.to_owned();
        if self.text.contains("Keys hidden") {
            return Err(
                self.fault(field, "the keys are hidden; run `ip xfrm state` as root and without nokeys")
            );
        }
        let text = self.words.next().unwrap_or_default();
        let key = match text.strip_prefix("0x") {
            Some(digits) => {
                Secret::from_hex(digits).map_err(|why| self.fault(field, &format!("key behind 0x: {why}")))?
            }
            None if text.is_empty() => Secret::from(Vec::new()),
            None => return Err(self.fault(field, "a key is 0x and hexadecimal digits")),
        };
        // With -s: `(160 bits)` stands between.
        let mut rest = self.words.clone().skip_while(|word| word.starts_with('(') || word.ends_with(')'));
        let wants_icv = matches!(kind, Kind::Aead | Kind::AuthTrunc);
        let icv_bits = rest.next().filter(|_| wants_icv).map(str::parse).transpose();
        let icv_bits = icv_bits.map_err(|_| self.fault(field, "the ICV length is a number of bits"))?;
        if wants_icv && icv_bits.is_none() {
            return Err(self.fault(field, "the ICV length, in bits, is missing behind the key"));
        }
        Ok(Line::Algorithm(Algorithm { kind, name, key, icv_bits }))
    }

    fn encap(mut self) -> Result<Line, Fault> {
        const FORM: &str = "`encap type espinudp sport N dport N addr A`";
        self.expect("type", FORM)?;
        let kind = self.word("encap", FORM)?.to_owned();
        self.expect("sport", FORM)?;
        let src_port = self.parse("sport", "legal: 0..=65535")?;
        self.expect("dport", FORM)?;
        let dst_port = self.parse("dport", "legal: 0..=65535")?;
        self.expect("addr", FORM)?;
        let addr = self.word("encap", FORM)?.to_owned();
        Ok(Line::Encap { kind, src_port, dst_port, addr })
    }

    fn context(mut self) -> Result<Line, Fault> {
        self.expect("context:", "`anti-replay context: seq 0x.., oseq 0x.., bitmap 0x..`")?;
        let seq = self.after("seq")?;
        let oseq = self.after("oseq")?;
        Ok(Line::Context { seq, oseq, bitmap: self.after("bitmap")? })
    }

    fn esn_context(mut self) -> Result<Line, Fault> {
        let seq_hi = self.number("seq-hi")?;
        let seq = self.after("seq")?;
        let oseq_hi = self.after("oseq-hi")?;
        let oseq = self.after("oseq")?;
        let join = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        Ok(Line::EsnContext { seq: join(seq_hi, seq), oseq: join(oseq_hi, oseq) })
    }

    fn esn_window(mut self) -> Result<Line, Fault> {
        let window = self.number("replay_window")?;
        Ok(Line::EsnWindow { window, bitmap_len: self.after("bitmap-length")? })
    }

    fn after(&mut self, word: &str) -> Result<u32, Fault> {
        self.expect(word, &format!("`{word}` is missing"))?;
        self.number(word)
    }

    fn expect(&mut self, word: &str, form: &str) -> Result<(), Fault> {
        if self.words.next() == Some(word) { Ok(()) } else { Err(self.fault("", form)) }
    }

    fn word(&mut self, field: &str, legal: &str) -> Result<&str, Fault> {
        let fault = self.fault(field, &format!("missing; {legal}"));
        self.words.next().ok_or(fault)
    }

    fn parse<T: FromStr>(&mut self, field: &str, legal: &str) -> Result<T, Fault> {
        let fault = self.fault(field, legal);
        self.words.next().and_then(|word| word.parse().ok()).ok_or(fault)
    }

    /// Decimal, or hexadecimal with 0x; a comma or, with -s, the other form in brackets may follow.
    fn number(&mut self, field: &str) -> Result<u32, Fault> {
        let fault = self.fault(field, "legal: 0..=4294967295, decimal or 0x hexadecimal");
        let word = self.words.next().unwrap_or_default();
        let word = word.split('(').next().unwrap_or_default().trim_end_matches(',');
        let number = match word.strip_prefix("0x") {
            Some(digits) if !digits.starts_with('+') => u32::from_str_radix(digits, 16),
            Some(_) => return Err(fault),
            None if word.starts_with('+') => return Err(fault),
            None => word.parse(),
        };
        number.map_err(|_| fault)
    }

    fn fault(&self, field: &str, message: &str) -> Fault {
        let begin = self.text.len() - self.text.trim_start().len();
        Fault::new(self.number, begin + 1, field, message)
    }
}

const LOW: u64 = 0xffff_ffff;
