//! Stage 2: sequence numbers, one atomic add an SA.

use super::Burst;
use super::ready::Ready;
use crate::verdict::DropReason;

/// Every live packet has a sequence number of its own, and will go out with it.
pub(crate) struct Numbered(());

impl<'c, 'p, 'g> Burst<'c, 'p, 'g, Ready> {
    //= https://www.rfc-editor.org/rfc/rfc4303#section-3.3.3
    //# The sender increments the sequence number (or ESN) counter for this SA
    //# and inserts the low-order 32 bits of the value into the Sequence
    //# Number field.
    pub(super) fn number(mut self) -> Burst<'c, 'p, 'g, Numbered> {
        for (run, members) in self.runs.iter() {
            let wanted = self.lanes.live().among(members);
            let got = run.sa.sequence.reserve(wanted);
            self.tally.spent += u64::from(got.spent);
            let (mut next, end) = (got.first, got.first.wrapping_add(u64::from(got.usable)));
            self.lanes.each_of(members, |_, slot| {
                //= https://www.rfc-editor.org/rfc/rfc4303#section-3.3.3
                //# In other words, the
                //# sender MUST NOT send a packet on an SA if doing so would cause the
                //# sequence number to cycle.
                if next == end {
                    return Err(DropReason::SeqOverflow.into());
                }
                slot.seq = next;
                next = next.wrapping_add(1);
                Ok(())
            });
        }
        self.passed(Numbered(()))
    }
}
