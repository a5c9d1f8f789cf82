//! Stage 4: ICV and decryption, the whole burst in one call.

use arrayvec::ArrayVec;
use esp_crypto::{JobError, OpenJob};

use super::Burst;
use super::check::Checked;
use crate::lanes::BURST;
use crate::verdict::DropReason;

/// Every live packet is authentic. Only this stage can say so.
pub(crate) struct Opened(());

impl<'c, 'p, 'g> Burst<'c, 'p, 'g, Checked> {
    pub(super) fn open(mut self) -> Burst<'c, 'p, 'g, Opened> {
        let runs = &*self.runs;
        let mut results = [Ok(()); BURST];
        {
            let mut jobs = ArrayVec::<OpenJob<'_, '_>, BURST>::new();
            let live = self.lanes.live();
            let lanes = self.lanes.packets.iter_mut().zip(self.lanes.slots.iter());
            for (_, (packet, slot)) in lanes.enumerate().filter(|(i, _)| live.has(*i)) {
                let Some(sa) = runs.sa(slot.run) else { continue };
                let seq_hi = sa.esn.then(|| slot.seq.high());
                let off = packet.data_off() + slot.esp_off as usize;
                let esp = packet.range_mut(off, slot.esp_len as usize);
                let _ = jobs.try_push(OpenJob { key: &sa.key, esp, seq_hi });
            }
            esp_crypto::open_burst(&mut jobs, &mut results);
        }
        let mut results = results.iter();
        self.lanes.each(|_, _| match results.next() {
            Some(Ok(())) => Ok(()),
            Some(Err(JobError::TooShort)) => Err(DropReason::TooShort.into()),
            Some(Err(JobError::AuthFailed)) | None => Err(DropReason::AuthFailed.into()),
        });
        self.passed(Opened(()))
    }
}
