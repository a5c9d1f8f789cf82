//! Packets that are authentic and fail all the same.

use esp_core::{DropReason, HandedBack, Verdict};

use crate::explain::known::Known;
use crate::explain::scan::Evidence;
use crate::explain::story::{Cause, Found};
use crate::explain::words;

/// Why, and what to do.
pub(super) fn explain(evidence: &Evidence, known: &Known) -> Option<Cause> {
    let sa = evidence.sa.and_then(|at| known.sas.get(at))?;
    let (id, cause, todo) = match evidence.verdict {
        Verdict::HandedBack(HandedBack::NotEsp) => {
            let (_, port) = evidence.udp?;
            let has = sa.config.udp.map_or_else(|| "none".to_owned(), |udp| udp.dst_port.to_string());
            let cause = format!("ESP in UDP to port {port}, and the SA has {has}");
            ("udp_port", cause, format!("set udp = {{ dst_port = {port} }} in the SA, or change the sender's port"))
        }
        Verdict::Dropped { reason: DropReason::Encapsulation, .. } => match evidence.udp {
            Some(_) => (
                "udp_on",
                "the packet is in UDP, and the SA is not".to_owned(),
                "set udp = {} in the SA (--udp for an esp_sa file), or switch it off at the sender".to_owned(),
            ),
            None => (
                "udp_off",
                "the SA is in UDP, and the packet is bare ESP".to_owned(),
                "take `udp` out of the SA, or switch it on at the sender".to_owned(),
            ),
        },
        Verdict::Dropped { reason: DropReason::ReplayTooOld, .. } => (
            "left_of_window",
            format!("the packet is {} behind the highest number: more than the window holds", evidence.behind_top),
            "a larger replay_window, if packets overtake each other on the way".to_owned(),
        ),
        Verdict::Dropped { reason: DropReason::ReplayDuplicate, .. } => (
            "duplicate",
            "the same number was received before: sent twice, copied on the way, or a sender that started again".to_owned(),
            "look for a loop or a mirror port; a sender that starts again needs new keys".to_owned(),
        ),
        Verdict::Dropped { reason, .. } => {
            (reason.name(), format!("authentic, but {}", words::rule(reason)), "compare the SA with the sender's".to_owned())
        }
        _ => return None,
    };
    let found = vec![Found { id: id.to_owned(), cause, todo, fits: 1, of: 1 }];
    Some(Cause { found, tried: 0, text: None })
}
