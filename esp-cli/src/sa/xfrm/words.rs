//! The words of a line, and what they say.
//!
//! Words that `ip-commands` writes again are of the characters that the kernel's own words have, and no others.

use std::str::{FromStr, SplitWhitespace};

use esp_core::config::Secret;

use super::line::{Algorithm, Kind, Line};
use crate::sa::fault::{Fault, KEY_DIGITS};

/// What is left of a line.
pub(super) struct Words<'a> {
    number: usize,
    text: &'a str,
    words: SplitWhitespace<'a>,
}

impl<'a> Words<'a> {
    pub(super) fn new(number: usize, text: &'a str) -> Self {
        Self { number, text, words: text.split_whitespace() }
    }

    /// The next word; empty at the end.
    pub(super) fn next(&mut self) -> &'a str {
        self.words.next().unwrap_or_default()
    }

    pub(super) fn addresses(mut self) -> Result<Line, Fault> {
        self.expect("src", "a state starts with `src A dst B`")?;
        let src = self.parse("src", "legal: an IP address")?;
        self.expect("dst", "a state starts with `src A dst B`")?;
        Ok(Line::Addresses { src, dst: self.parse("dst", "legal: an IP address")? })
    }

    pub(super) fn proto(mut self) -> Result<Line, Fault> {
        const FORM: &str = "`proto P spi N reqid N mode M`";
        let protocol = self.name("proto", "legal: esp, ah, comp")?;
        self.expect("spi", FORM)?;
        let spi = self.number("spi")?;
        self.expect("reqid", FORM)?;
        let reqid = self.number("reqid")?;
        self.expect("mode", FORM)?;
        let mode = self.name("mode", "legal: tunnel, transport")?;
        Ok(Line::Proto { protocol, spi, reqid, mode })
    }

    /// With `-s`: `seq 0x.. flag  esn (0x00000000)`, and extra flags right behind the last flag, without a space.
    pub(super) fn replay(mut self) -> Result<Line, Fault> {
        let window = self.number("replay-window")?;
        let (mut flags, mut extra, mut is_extra) = (Vec::new(), Vec::new(), false);
        let words = self.words.clone().skip_while(|word| *word != "flag" && *word != "extra_flag");
        for word in words.take_while(|word| !word.starts_with('(')) {
            let last = word.strip_suffix("extra_flag");
            let flag = last.unwrap_or(word);
            if !flag.chars().all(of_a_name) {
                return Err(self.fault("flag", "legal: names such as esn, af-unspec, noecn"));
            }
            if !flag.is_empty() && flag != "flag" {
                if is_extra { &mut extra } else { &mut flags }.push(flag.to_owned());
            }
            is_extra |= last.is_some();
        }
        Ok(Line::Replay { window, flags, extra })
    }

    pub(super) fn algorithm(mut self, kind: Kind) -> Result<Line, Fault> {
        let field = match kind {
            Kind::Aead => "aead",
            Kind::Auth | Kind::AuthTrunc => "auth",
            Kind::Enc => "enc",
        };
        let name = self.algorithm_name(field)?;
        if self.text.contains("Keys hidden") {
            return Err(
                self.fault(field, "the keys are hidden; run `ip xfrm state` as root and without nokeys")
            );
        }
        let text = self.next();
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

    /// Not a key that stands where the name should: names are shown and written.
    fn algorithm_name(&mut self, field: &str) -> Result<String, Fault> {
        const LEGAL: &str = "a name such as rfc4106(gcm(aes)) is needed";
        let word = self.next();
        let good = |c: char| c.is_ascii_alphanumeric() || "()_-,.".contains(c);
        let digits = word.split(|c: char| !c.is_ascii_hexdigit()).map(str::len).max().unwrap_or(0);
        match word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            true if word.chars().all(good) && digits < KEY_DIGITS => Ok(word.to_owned()),
            _ => Err(self.fault(field, LEGAL)),
        }
    }

    pub(super) fn encap(mut self) -> Result<Line, Fault> {
        const FORM: &str = "`encap type espinudp sport N dport N addr A`";
        self.expect("type", FORM)?;
        let kind = self.name("encap", "legal: type espinudp")?;
        self.expect("sport", FORM)?;
        let src_port = self.parse("sport", "legal: 0..=65535")?;
        self.expect("dport", FORM)?;
        let dst_port = self.parse("dport", "legal: 0..=65535")?;
        self.expect("addr", FORM)?;
        let addr = self.parse("addr", "legal: an IP address")?;
        Ok(Line::Encap { kind, src_port, dst_port, addr })
    }

    pub(super) fn context(mut self) -> Result<Line, Fault> {
        self.expect("context:", "`anti-replay context: seq 0x.., oseq 0x.., bitmap 0x..`")?;
        let seq = self.after("seq")?;
        let oseq = self.after("oseq")?;
        Ok(Line::Context { seq, oseq, bitmap: self.after("bitmap")? })
    }

    pub(super) fn esn_context(mut self) -> Result<Line, Fault> {
        let seq_hi = self.number("seq-hi")?;
        let seq = self.after("seq")?;
        let oseq_hi = self.after("oseq-hi")?;
        let oseq = self.after("oseq")?;
        let join = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        Ok(Line::EsnContext { seq: join(seq_hi, seq), oseq: join(oseq_hi, oseq) })
    }

    pub(super) fn esn_window(mut self) -> Result<Line, Fault> {
        let window = self.number("replay_window")?;
        Ok(Line::EsnWindow { window, bitmap_len: self.after("bitmap-length")? })
    }

    pub(super) fn selector(self) -> Result<Line, Fault> {
        let good = |c: char| c.is_ascii_alphanumeric() || ".:/_-@".contains(c) || c.is_whitespace();
        match self.text.chars().all(good) {
            true => Ok(Line::Selector(self.text.trim().to_owned())),
            false => Err(self.fault("sel", "`sel src P dst P proto N sport N dport N`")),
        }
    }

    fn after(&mut self, word: &str) -> Result<u32, Fault> {
        self.expect(word, &format!("`{word}` is missing"))?;
        self.number(word)
    }

    fn expect(&mut self, word: &str, form: &str) -> Result<(), Fault> {
        if self.next() == word { Ok(()) } else { Err(self.fault("", form)) }
    }

    fn name(&mut self, field: &str, legal: &str) -> Result<String, Fault> {
        match self.next() {
            "" => Err(self.fault(field, &format!("missing; {legal}"))),
            word if word.chars().all(of_a_name) => Ok(word.to_owned()),
            _ => Err(self.fault(field, legal)),
        }
    }

    fn parse<T: FromStr>(&mut self, field: &str, legal: &str) -> Result<T, Fault> {
        self.next().parse().map_err(|_| self.fault(field, legal))
    }

    /// Decimal, or hexadecimal with 0x; a comma or, with -s, the other form in brackets may follow.
    fn number(&mut self, field: &str) -> Result<u32, Fault> {
        let word = self.next().split('(').next().unwrap_or_default().trim_end_matches(',');
        let number = match word.strip_prefix("0x") {
            _ if word.contains('+') => None,
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => word.parse().ok(),
        };
        number.ok_or_else(|| self.fault(field, "legal: 0..=4294967295, decimal or 0x hexadecimal"))
    }

    fn fault(&self, field: &str, message: &str) -> Fault {
        let begin = self.text.len() - self.text.trim_start().len();
        Fault::new(self.number, begin + 1, field, message)
    }
}

fn of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}
