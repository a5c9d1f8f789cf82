//! Stage 3: TFC padding, padding, pad length and next header, behind the content.

use esp_wire::trailer;

use super::Burst;
use super::number::Numbered;
use crate::lanes::sure;

/// The plaintext of every live packet is complete.
pub(crate) struct Padded(());

impl<'c, 'p, 'g> Burst<'c, 'p, 'g, Numbered> {
    pub(super) fn pad(mut self) -> Burst<'c, 'p, 'g, Padded> {
        self.lanes.each(|packet, slot| {
            let end = (slot.content_off + slot.content_len) as usize;
            let tfc_len = slot.tfc_len as usize;
            if tfc_len > 0 {
                // Any value will do (RFC 4303 section 2.7); never what the buffer held before.
                packet.range_mut(end - tfc_len, tfc_len).fill(0);
            }
            // The ICV comes later and overwrites what the one store writes too much.
            let room = packet.range_mut(end, (slot.esp_off + slot.esp_len) as usize - end);
            sure(trailer::write_with_room(room, slot.pad_len, slot.next_header))
        });
        self.passed(Padded(()))
    }
}
