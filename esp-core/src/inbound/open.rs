//! Stage 4: ICV and decryption, the whole burst in one call.

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
            let mut jobs = self.lanes.collect(|packet, slot| {
                let sa = runs.sa(slot.run)?;
                let seq_hi = sa.esn.then(|| slot.seq.high());
                let off = packet.data_off() + slot.esp_off as usize;
                let esp = packet.range_mut(off, slot.esp_len as usize);
                Some(OpenJob { key: &sa.key, esp, seq_hi })
            });
            esp_crypto::open_burst(&mut jobs, &mut results);
        }
        if results.iter().any(Result::is_err) {
            let mut results = results.iter();
            self.lanes.each(|_, _| match results.next() {
                // Authentic, though not whole blocks: the window moves, and then strip refuses it.
                Some(Ok(()) | Err(JobError::BadLength)) => Ok(()),
                Some(Err(JobError::TooShort)) => Err(DropReason::TooShort.into()),
                Some(Err(JobError::AuthFailed)) | None => Err(DropReason::AuthFailed.into()),
            });
        }
        self.passed(Opened(()))
    }
}
