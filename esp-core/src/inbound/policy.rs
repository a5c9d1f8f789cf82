//! Stage 7: an authentic packet must also be one that the SA was made for (RFC 4301 section 5.2).

use super::strip::Stripped;
use super::{Burst, Slot};
use crate::config::any_matches;
use crate::lanes::Step;
use crate::packet::Packet;
use crate::sa::InboundSa;
use crate::verdict::DropReason;

/// Every live packet may be delivered.
pub(crate) struct Permitted(());

impl<'c, 'p, 'g> Burst<'c, 'p, 'g, Stripped> {
    pub(super) fn policy(mut self) -> Burst<'c, 'p, 'g, Permitted> {
        let runs = &*self.runs;
        self.lanes.each(|packet, slot| match runs.sa(slot.run) {
            Some(sa) => permit(sa, packet, slot),
            None => Err(DropReason::NoSa.into()),
        });
        self.passed(Permitted(()))
    }
}

#[inline]
fn permit(sa: &InboundSa, packet: &Packet<'_>, slot: &Slot) -> Step {
    if sa.checks_outer && !sa.outer_matches(slot.query.src, slot.query.dst) {
        return Err(DropReason::OuterAddress.into());
    }
    if sa.udp != slot.udp {
        return Err(DropReason::Encapsulation.into());
    }
    //= https://www.rfc-editor.org/rfc/rfc4301#section-5.2
    //# If an IPsec system receives an inbound packet on an SA and the packet's
    //# header fields are not consistent with the selectors for the SA, it MUST
    //# discard the packet.
    if !sa.selectors.is_empty() && !any_matches(&sa.selectors, packet.data()) {
        return Err(DropReason::Selector.into());
    }
    Ok(())
}
