//! Whose key it is.

use esp_core::config::{Lookup, SaConfig};

use super::attempt::Attempt;
use super::{Case, Mistake};
use crate::explain::names;
use crate::explain::sas::Known;

/// Every other SA, if its key is another.
pub(super) fn others(case: &Case<'_>, from: &Attempt) -> Vec<Attempt> {
    let Some(own) = case.config(from.sa) else { return Vec::new() };
    let is_other =
        |other: &SaConfig| other.key.expose() != own.key.expose() || other.transform != own.transform;
    let all = case.sas.list.iter().enumerate();
    all.filter(|(_, other)| is_other(&other.config)).map(|(at, _)| Attempt::of(case, at)).collect()
}

pub(super) fn say_other(case: &Case<'_>, fits: &Attempt) -> Mistake {
    let (mine, theirs) = (case.own_place(), case.shown(fits.sa));
    let spi = names::spi(case.spi);
    let two_ways = case.own().zip(case.known(fits.sa)).is_some_and(|(own, other)| are_two_ways(own, other));
    if two_ways {
        return Mistake::new(
            "keys_swapped_between_directions",
            format!(
                "the keys of the two directions are exchanged: the packet has the SPI of {mine}, {spi}, and the key of SA \
                 {theirs}, which goes the other way"
            ),
            format!(
                "exchange the keys of the two SAs in {}, or at the peer; each belongs to one direction",
                case.sas.file
            ),
        );
    }
    Mistake::new(
        "key_of_another_sa",
        format!("the packet has the SPI of {mine}, {spi}, and is sealed with the key of SA {theirs}"),
        format!(
            "give {mine} the key that the peer uses for this SPI; it stands at SA {theirs}, so the two may be exchanged, or \
             the peer uses its older SA after a rekey"
        ),
    )
}

/// Whether the two SAs go there and back: between the same addresses, or as the file says.
fn are_two_ways(one: &Known, other: &Known) -> bool {
    let (a, b) = (&one.config, &other.config);
    let turned = a.src.is_some() && a.dst.is_some() && (a.src, a.dst) == (b.dst, b.src);
    turned || one.sends != other.sends
}

pub(super) fn say_spi(case: &Case<'_>, fits: &Attempt) -> Mistake {
    let (place, spi) = (case.place(fits.sa), names::spi(case.spi));
    let (theirs, lookup) =
        case.config(fits.sa).map_or((0, Lookup::Spi), |config| (config.spi, config.lookup));
    if theirs == case.spi && lookup != Lookup::Spi {
        return Mistake::new(
            "lookup_addresses",
            format!(
                "{place} has this SPI and the right key, but its lookup looks at addresses too, and the packet has others"
            ),
            "correct dst (and src) of that SA to those of the packet, or set lookup = \"spi\"",
        );
    }
    let reversed = if theirs.swap_bytes() == case.spi { ", the bytes of one in reverse order" } else { "" };
    Mistake::new(
        "wrong_spi",
        format!(
            "the SPI is wrong, not the key: the packet has SPI {spi} and fits the key of {place}, which has {}{reversed}",
            names::spi(theirs)
        ),
        format!(
            "set spi = {:#010x} there; or the peer uses an SPI that this end never gave it (after a rekey, a new SA with the \
             old key is a fault of its own)",
            case.spi
        ),
    )
}
