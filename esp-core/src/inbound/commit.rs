//! Stage 5: the window moves, one lock an SA, only for what authenticated.

use super::Burst;
use super::check::refused;
use super::open::Opened;

/// Every live packet's number is in its window, and was not before.
pub(crate) struct Committed(());

impl<'c, 'p, 'g> Burst<'c, 'p, 'g, Opened> {
    //= https://www.rfc-editor.org/rfc/rfc4303#section-3.4.3
    //# The receive window is updated only if the ICV
    //# verification succeeds.
    pub(super) fn commit(mut self) -> Burst<'c, 'p, 'g, Committed> {
        for (run, members) in self.runs.iter() {
            let mut replay = run.sa.replay.lock(&mut self.tally.contention);
            let window = &mut replay.window;
            let mut lost = 0_u64;
            self.lanes.each_of(members, |_, slot| {
                // Looks again: a copy may have come in this burst, or on another worker since the check.
                lost = lost.wrapping_add(window.commit(slot.seq).map_err(refused)?.lost);
                Ok(())
            });
            replay.state.lost = replay.state.lost.wrapping_add(lost);
            self.tally.lost = self.tally.lost.wrapping_add(lost);
        }
        self.passed(Committed(()))
    }
}
