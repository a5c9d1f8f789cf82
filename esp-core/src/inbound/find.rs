//! Stage 2: the SA of each packet, then the burst ordered by SA.

use esp_sad::Found as Hit;

use super::Burst;
use super::parse::Parsed;
use crate::lanes::BURST;
use crate::runs::Runs;
use crate::sa::InboundSa;
use crate::verdict::DropReason;

/// Every live packet has an SA.
pub(crate) struct Found(());

impl<'c, 'p, 'g> Burst<'c, 'p, 'g, Parsed> {
    //= https://www.rfc-editor.org/rfc/rfc4303#section-3.4.2
    //# If no valid Security Association exists for this packet, the receiver
    //# MUST discard the packet; this is an auditable event.
    pub(super) fn find(mut self) -> Burst<'c, 'p, 'g, Found> {
        let count = self.lanes.packets.len();
        let mut hits: [Option<Hit<'g, InboundSa>>; BURST] = [None; BURST];
        if let (Some(queries), Some(hits)) = (self.lanes.slots.get(..count), hits.get_mut(..count)) {
            self.context.sad.find_burst(self.context.guard, queries, hits);
        }
        let hit = |i: usize| hits.get(i).and_then(Option::as_ref);
        self.lanes.each_numbered(|i, _, _| match hit(i) {
            Some(_) => Ok(()),
            None => Err(DropReason::NoSa.into()),
        });
        *self.runs = Runs::group(self.lanes.live(), |i| hit(i).map(|found| (found.id, found.sa)));
        self.passed(Found(()))
    }
}
