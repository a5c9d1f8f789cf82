//! The scenarios' counters, in the engine's.

use esp_core::Counter;

use super::inbound::{Handling, meant};
use super::sas::Sas;

/// The value of a counter by the scenario's name for it, over the whole engine.
pub(super) fn read(sas: &Sas, handling: &Handling, counter: &str) -> u64 {
    let stats = sas.rig.engine.stats();
    let dropped = |word: &str| meant(word).iter().map(|reason| stats.dropped(*reason)).sum::<u64>();
    match counter {
        "replay" => dropped("replay") + handling.replays,
        "auth_fail" => dropped("auth") + handling.forgeries,
        "accepted_of_burst" => handling.of_burst,
        "accepted" => stats.inbound.delivered + stats.outbound.delivered,
        "nat_keepalive" => stats.of(Counter::Keepalive),
        name => match Counter::OTHERS.iter().find(|other| other.name() == name) {
            Some(other) => stats.of(*other),
            None => dropped(name),
        },
    }
}
