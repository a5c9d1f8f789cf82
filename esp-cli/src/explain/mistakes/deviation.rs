//! The hypotheses: each is one entry here.

use esp_core::Transform;
use esp_core::config::Direction;
use zeroize::Zeroizing;

use super::{Search, Trial};
use crate::explain::icv::Judge;
use crate::explain::known::Known;
use crate::explain::scan::Evidence;
use crate::sa;

/// One thing that is different from the SA file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Deviation {
    pub(super) kind: Kind,
    /// Another SA that it is about.
    pub(super) sa: Option<usize>,
}

/// What is different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    SaltMissing,
    SaltReversed,
    SaltFirst,
    KeyReversed,
    KeyWordsReversed,
    OtherTransform(Transform),
    OtherDirection,
    OtherSa,
    WrongSpi,
    EsnOff,
    EsnOn(u32),
    EsnHigh(u32),
    /// So many packets below the highest number.
    LeftOfWindow(u64),
    IcvLength(usize),
    Sha256Cut,
    PaddingAsIcv(usize),
    IcvBehind(usize),
}

impl Kind {
    /// A stable name.
    pub(super) fn id(&self) -> &'static str {
        match self {
            Self::SaltMissing => "salt_missing",
            Self::SaltReversed => "salt_reversed",
            Self::SaltFirst => "salt_first",
            Self::KeyReversed => "key_reversed",
            Self::KeyWordsReversed => "key_words_reversed",
            Self::OtherTransform(_) => "other_transform",
            Self::OtherDirection => "keys_swapped_between_directions",
            Self::OtherSa => "key_of_another_sa",
            Self::WrongSpi => "wrong_spi",
            Self::EsnOff => "esn_off",
            Self::EsnOn(_) => "esn_on",
            Self::EsnHigh(_) => "esn_high_half",
            Self::LeftOfWindow(_) => "left_of_window",
            Self::IcvLength(_) => "icv_length",
            Self::Sha256Cut => "sha256_cut_to_96_bits",
            Self::PaddingAsIcv(_) => "padding_taken_for_icv",
            Self::IcvBehind(_) => "icv_behind_the_packet",
        }
    }
}

impl Deviation {
    fn new(kind: Kind) -> Self {
        Self { kind, sa: None }
    }

    /// Whether it is tried in pairs: not every high half.
    pub(super) fn is_common(&self) -> bool {
        match self.kind {
            Kind::EsnHigh(high) | Kind::EsnOn(high) => high <= COMMON_HIGH,
            Kind::LeftOfWindow(_) => false,
            _ => true,
        }
    }

    /// What is wrong, as a sentence without its stop.
    pub(super) fn cause(&self, _: &Trial, search: &Search<'_>) -> String {
        let other = || {
            let sa = self.sa.and_then(|at| search.known.sas.get(at));
            sa.map_or_else(String::new, |sa| sa::shown(&sa.config))
        };
        let own_icv = search.own_icv_len().unwrap_or_default();
        match &self.kind {
            Kind::SaltMissing => "the sender has no salt: it uses zeros (RFC 4106 section 8.1)".to_owned(),
            Kind::SaltReversed => "the sender's salt has its bytes in the other order".to_owned(),
            Kind::SaltFirst => {
                "the key in the SA file has the salt in front: it belongs behind the key".to_owned()
            }
            Kind::KeyReversed => "the bytes of the key are in the other order".to_owned(),
            Kind::KeyWordsReversed => "the bytes of the key are swapped in each group of four".to_owned(),
            Kind::OtherTransform(transform) => format!("the sender uses {transform} with this key"),
            Kind::OtherDirection => {
                format!("the keys of the two directions are swapped: the key of {} fits", other())
            }
            Kind::OtherSa => format!("the sender uses the key of another SA: that of {}", other()),
            Kind::WrongSpi => format!("the SPI is not in the file, but the key of {} fits", other()),
            Kind::EsnOff => "the sender has no ESN: the high half is not in its ICV".to_owned(),
            Kind::EsnOn(high) => format!("the sender has ESN, and its numbers have the high half {high}"),
            Kind::EsnHigh(high) => {
                let inferred = search.evidence.seq_hi.unwrap_or_default();
                format!("the high half of the sequence number is {high}, and {inferred} was inferred")
            }
            Kind::LeftOfWindow(behind) => format!(
                "the packet is {behind} behind the highest number, left of the window: its receiver takes it for one of the \
                 next high half (RFC 4303 appendix A2.2)"
            ),
            Kind::IcvLength(icv_len) => {
                format!("the sender's ICV has {icv_len} bytes, and the SA's {own_icv}")
            }
            Kind::Sha256Cut => {
                "the sender cuts HMAC-SHA-256 to 96 bits, as Linux did before RFC 4868: its ICV has 12 bytes"
                    .to_owned()
            }
            Kind::PaddingAsIcv(len) => format!(
                "the last {len} bytes are not the packet's: padding of layer 2 was taken for the end of the ICV"
            ),
            Kind::IcvBehind(len) => {
                format!("the ICV ends {len} bytes behind the IP packet: its length fields are too small")
            }
        }
    }

    /// What to do, as a sentence without its stop.
    pub(super) fn todo(&self, _: &Trial, search: &Search<'_>) -> String {
        match &self.kind {
            Kind::SaltMissing => "give both ends the whole keying material, key and salt".to_owned(),
            Kind::SaltReversed => {
                "give both ends the salt in the order of RFC 4106, as it comes from IKE".to_owned()
            }
            Kind::SaltFirst => "move the first 4 bytes of `key` to its end".to_owned(),
            Kind::KeyReversed | Kind::KeyWordsReversed => {
                "give both ends the key in the order of its bytes".to_owned()
            }
            Kind::OtherTransform(transform) => {
                format!("set transform = \"{transform}\", or change the sender")
            }
            Kind::OtherDirection => "swap the keys of the two SAs at one end".to_owned(),
            Kind::OtherSa => "give this SPI and its key the same SA at both ends".to_owned(),
            Kind::WrongSpi => {
                format!("set spi = {:#010x} in that SA, or change the sender", search.evidence.spi)
            }
            Kind::EsnOff => "set esn = false, or switch ESN on at the sender".to_owned(),
            Kind::EsnOn(0) => "set esn = true, or switch ESN off at the sender".to_owned(),
            Kind::EsnOn(high) => format!("set esn = true, and say --seq-hi {high} for this capture"),
            Kind::EsnHigh(high) => {
                format!("say --seq-hi {high} for this capture; in a live SA, make new keys")
            }
            Kind::LeftOfWindow(_) => {
                "a larger replay_window, if packets overtake each other on the way".to_owned()
            }
            Kind::IcvLength(_) => {
                "take the transform with that ICV length, or change the sender's".to_owned()
            }
            Kind::Sha256Cut => {
                "set the sender's ICV to 128 bits (`auth-trunc hmac(sha256) .. 128`)".to_owned()
            }
            Kind::PaddingAsIcv(_) => {
                "look at what forwards the packet: it must end where the sender's IP length says".to_owned()
            }
            Kind::IcvBehind(_) => "look at what rewrites the IP or UDP length on the way".to_owned(),
        }
    }
}

/// The SA's own key, as people write it wrong.
pub(super) fn keys_of(transform: Transform, key: &[u8]) -> Vec<(Judge, Deviation, usize)> {
    let salt_len = transform.salt_len();
    let mut variants: Vec<(Kind, Transform, Zeroizing<Vec<u8>>)> = Vec::new();
    let mut variant = |kind, transform, key: Vec<u8>| variants.push((kind, transform, Zeroizing::new(key)));
    let (secret, salt) = key.split_at_checked(key.len().saturating_sub(salt_len)).unwrap_or((key, &[]));
    let reversed = |bytes: &[u8]| bytes.iter().rev().copied().collect::<Vec<_>>();
    if salt_len > 0 {
        variant(Kind::SaltMissing, transform, [secret, &vec![0; salt_len]].concat());
        variant(Kind::SaltReversed, transform, [secret, &reversed(salt)].concat());
        let (first, rest) = key.split_at_checked(salt_len).unwrap_or((key, &[]));
        variant(Kind::SaltFirst, transform, [rest, first].concat());
    }
    variant(Kind::KeyReversed, transform, [&reversed(secret), salt].concat());
    let words: Vec<u8> = secret.chunks(4).flat_map(|word| word.iter().rev().copied()).collect();
    variant(Kind::KeyWordsReversed, transform, [&words, salt].concat());
    for other in Transform::ALL {
        if *other != transform && other.key_len() == key.len() {
            variant(Kind::OtherTransform(*other), *other, key.to_vec());
        }
    }
    let changed = variants
        .into_iter()
        .filter(|(kind, _, variant)| variant.as_slice() != key || matches!(kind, Kind::OtherTransform(_)));
    let judged = changed.filter_map(|(kind, transform, key)| {
        Some((Judge::new(transform, &key)?, Deviation::new(kind), transform.icv_len()))
    });
    judged.collect()
}

/// What it means if the key of another SA fits.
pub(super) fn of_other(known: &Known, evidence: &Evidence, at: usize) -> Kind {
    let own = evidence.sa.and_then(|at| known.sas.get(at));
    match (own, known.sas.get(at)) {
        (None, _) => Kind::WrongSpi,
        (Some(own), Some(other)) => {
            let turned = own.config.src.is_some()
                && (own.config.src, own.config.dst) == (other.config.dst, other.config.src);
            let ways = own.direction != other.direction || own.direction == Direction::Outbound && turned;
            if turned || ways { Kind::OtherDirection } else { Kind::OtherSa }
        }
        (Some(_), None) => Kind::OtherSa,
    }
}

/// Every deviation of number, ICV and end from a base; for the keys of others only the likely ones.
pub(super) fn of_packet(base: &Trial, evidence: &Evidence, transform: Transform, is_own: bool) -> Vec<Trial> {
    let sha256 = transform.name().contains("hmac-sha256-128");
    let mut trials = Vec::new();
    let mut with = |kind: Kind, change: &dyn Fn(&mut Trial)| {
        let mut trial = base.clone();
        trial.deviations.push(Deviation::new(kind));
        change(&mut trial);
        trials.push(trial);
    };
    let low = esp_wire::EspHeader::read(&evidence.sample.esp).map_or(0, |header| header.seq.0);
    let most = if is_own { MOST_HIGH } else { COMMON_HIGH };
    match base.seq_hi {
        Some(inferred) => {
            with(Kind::EsnOff, &|trial| trial.seq_hi = None);
            let near = [inferred.checked_sub(1), inferred.checked_add(1)].into_iter().flatten();
            let far = (0..=most).filter(|high| high.abs_diff(inferred) > 1);
            for high in near.chain(far) {
                let number = u64::from(high) << 32 | u64::from(low);
                let kind = match evidence.top.checked_sub(number) {
                    Some(behind) if is_own => Kind::LeftOfWindow(behind),
                    _ => Kind::EsnHigh(high),
                };
                with(kind, &|trial| trial.seq_hi = Some(high));
            }
        }
        None => (0..=most).for_each(|high| with(Kind::EsnOn(high), &|trial| trial.seq_hi = Some(high))),
    }
    // All of SHA-256: of a combined mode no ICV is longer than what it is compared with.
    let whole = if sha256 { Some(32) } else { None };
    for icv_len in [16, 12, 8].into_iter().chain(whole).filter(|icv_len| *icv_len != base.icv_len) {
        let kind = if sha256 && icv_len == 12 { Kind::Sha256Cut } else { Kind::IcvLength(icv_len) };
        with(kind, &|trial| trial.icv_len = icv_len);
    }
    for len in 1..=MOST_PADDING {
        with(Kind::PaddingAsIcv(len), &|trial| trial.cut = len.cast_signed());
        if len <= evidence.sample.behind.len() {
            with(Kind::IcvBehind(len), &|trial| trial.cut = -len.cast_signed());
        }
    }
    trials
}

impl Trial {
    /// Both deviations at once, if they change different things.
    pub(super) fn and(&self, other: &Trial, base: &Trial) -> Option<Trial> {
        let pick = |one: bool, other: bool| !(one && other);
        let apart = pick(self.seq_hi != base.seq_hi, other.seq_hi != base.seq_hi)
            && pick(self.icv_len != base.icv_len, other.icv_len != base.icv_len)
            && pick(self.cut != base.cut, other.cut != base.cut);
        if !apart || !other.deviations.iter().all(Deviation::is_common) {
            return None;
        }
        let mut both = self.clone();
        both.deviations.extend(other.deviations.iter().cloned());
        if other.seq_hi != base.seq_hi {
            both.seq_hi = other.seq_hi;
        }
        if other.icv_len != base.icv_len {
            both.icv_len = other.icv_len;
        }
        if other.cut != base.cut {
            both.cut = other.cut;
        }
        Some(both)
    }
}

/// High halves that are tried alone, and in pairs.
const MOST_HIGH: u32 = 4095;
const COMMON_HIGH: u32 = 15;
/// Bytes: a frame of 60 has at most so many behind the shortest IPv4 header.
const MOST_PADDING: usize = 46;
