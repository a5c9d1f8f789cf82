//! Stage 3: long enough for its SA, and the replay check that spares the cipher, one lock an SA.

use esp_replay::Replay;

use super::Burst;
use super::find::Found;
use crate::narrow::u8_of;
use crate::verdict::{DropReason, Verdict};

/// Every live packet is long enough for its SA, and its number was new to the window when this stage looked.
pub(crate) struct Checked(());

impl<'c, 'p, 'g> Burst<'c, 'p, 'g, Found> {
    pub(super) fn check(mut self) -> Burst<'c, 'p, 'g, Checked> {
        for (at, (run, members)) in self.runs.iter().enumerate() {
            let replay = run.sa.replay.lock(&mut self.tally.contention);
            let window = &replay.window;
            self.lanes.each_of(members, |_, slot| {
                slot.run = u8_of(at);
                // Header, IV, the two trailer bytes and the ICV: nothing shorter can be a packet of this SA.
                if (slot.esp_len as usize) < run.sa.shortest() {
                    return Err(DropReason::TooShort.into());
                }
                // The high half belongs to this packet: another of the burst may infer another one.
                slot.seq = window.infer(slot.low).map_err(refused)?;
                window.check(slot.seq).map_err(refused)
            });
        }
        self.passed(Checked(()))
    }
}

/// The drop reason of a replay verdict, before and after the cipher alike.
#[inline]
pub(super) fn refused(why: Replay) -> Verdict {
    match why {
        Replay::Zero => DropReason::SeqZero,
        Replay::TooOld => DropReason::ReplayTooOld,
        Replay::Duplicate => DropReason::ReplayDuplicate,
    }
    .into()
}
