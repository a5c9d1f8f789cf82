//! Where the packet ends, and how much of its end is the ICV.

use esp_core::Transform;
use esp_crypto::Integrity;

use super::attempt::Attempt;
use super::{Case, Mistake};
use crate::explain::names;

/// Other lengths of the ICV: the longer one starts with the shorter. Not of CCM, which computes them differently (RFC 3610
/// section 2.2).
pub(super) fn icv_lens(_: &Case<'_>, from: &Attempt) -> Vec<Attempt> {
    let whole = whole_len(from.transform);
    let others = ICV_LENS.into_iter().filter(|len| *len < whole).chain([whole]);
    let others = others.filter(|len| whole > 0 && *len != from.icv_len);
    others.map(|icv_len| Attempt { icv_len, ..from.clone() }).collect()
}

/// Bytes of the ICV or MAC before it is cut; 0 if it is not cut.
fn whole_len(transform: Transform) -> usize {
    match transform.integrity().integrity {
        Integrity::None if transform.name().contains("-ccm-") => 0,
        Integrity::None => 16,
        Integrity::HmacSha1_96 => 20,
        Integrity::HmacSha256_128 | Integrity::HmacSha256_96 => 32,
        Integrity::HmacSha384_192 => 48,
        Integrity::HmacSha512_256 => 64,
        Integrity::AesXcbc96 | Integrity::AesCmac96 | Integrity::HmacMd5_96 => 16,
    }
}

pub(super) fn say_icv_len(case: &Case<'_>, fits: &Attempt) -> Mistake {
    let place = case.place(fits.sa);
    let (ours, theirs) = (fits.transform.icv_len(), fits.icv_len);
    let whole = !fits.transform.is_combined() && theirs == whole_len(fits.transform);
    let (id, habit) = if whole {
        ("icv_length", ": all of the MAC, which its RFC cuts")
    } else if is_sha256(fits.transform) && theirs == 12 {
        (
            "sha256_cut_to_96_bits",
            "; Linux does that with `auth hmac(sha256)`, unless `auth-trunc hmac(sha256) .. 128` says otherwise",
        )
    } else {
        ("icv_length", "")
    };
    let remedy = match sibling(fits.transform, theirs) {
        Some(other) => {
            format!("set transform = \"{other}\" in {place}, or an ICV of {ours} bytes at the peer")
        }
        None => format!("set an ICV of {ours} bytes at the peer: no transform here has {theirs}"),
    };
    Mistake::new(
        id,
        format!("the sender's ICV has {theirs} bytes, and that of {place} has {ours}{habit}"),
        remedy,
    )
}

fn is_sha256(transform: Transform) -> bool {
    transform.integrity().integrity == Integrity::HmacSha256_128
}

/// The same algorithm with another length of ICV: its name differs in the last number, in bytes or bits.
fn sibling(transform: Transform, icv_len: usize) -> Option<Transform> {
    let same = |other: &&Transform| other.icv_len() == icv_len && have_one_stem(**other, transform);
    Transform::ALL.iter().find(same).copied()
}

fn have_one_stem(one: Transform, other: Transform) -> bool {
    let stem = |transform: Transform| transform.name().rsplit_once('-').map(|(stem, _)| stem);
    one.key_len() == other.key_len() && stem(one) == stem(other)
}

/// Whether the ICV of one is the start of the other's.
pub(super) fn is_cut_of_one(one: Transform, other: Transform) -> bool {
    have_one_stem(one, other) && whole_len(one) > 0 && one.icv_len() != other.icv_len()
}

/// The packet shorter, or longer as far as the frame goes.
pub(super) fn ends(case: &Case<'_>, from: &Attempt) -> Vec<Attempt> {
    let shorter = (1..=MOST_PADDING).map(|bytes| from.end.saturating_sub(bytes));
    let longer = (1..=MOST_BEHIND).map(|bytes| from.end + bytes).filter(|end| *end <= case.frame.len());
    shorter.chain(longer).map(|end| Attempt { end, ..from.clone() }).collect()
}

pub(super) fn say_end(case: &Case<'_>, fits: &Attempt) -> Mistake {
    let header = if case.in_udp { "UDP" } else { "IP" };
    let end = case.esp.end();
    if fits.end < end {
        let extra = names::bytes(end - fits.end);
        return Mistake::new(
            "padding_taken_for_icv",
            format!(
                "the last {extra} of the ESP packet are not its own: the ICV lies that much earlier, and the {header} length \
                 counts padding of layer 2"
            ),
            format!(
                "whatever wrote the {header} length (a driver, a tap or a tunnel on the way) must leave padding out; the SA is \
                 right"
            ),
        );
    }
    let short = names::bytes(fits.end - end);
    Mistake::new(
        "icv_behind_the_packet",
        format!("the {header} length is {short} short: the ICV reaches that far behind the packet"),
        format!(
            "whatever wrote the {header} length must count the whole ESP packet, ICV and all; the SA is right"
        ),
    )
}

/// Bytes of the ICVs that there are.
const ICV_LENS: [usize; 5] = [32, 24, 16, 12, 8];
/// IEEE 802.3: a frame without payload has as many bytes of padding.
const MOST_PADDING: usize = 46;
/// Bytes behind the packet: the longest ICV, twice over.
const MOST_BEHIND: usize = 64;
