//! The ESP trailer: padding, pad length, next header (RFC 4303 sections 2.4 to 2.6).

use esp_core::{Consumed, DropReason};
use esp_wire::{proto, trailer};
use serde::Serialize;

use super::{Mark, Said};
use crate::explain::names::{self, protocol};
use crate::explain::story::Fate;

/// The end of the plaintext.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Trailer {
    /// Bytes before the padding.
    pub(crate) payload_len: usize,
    pub(crate) pad_len: u8,
    pub(crate) next_header: u8,
    /// The first byte of padding that is not what it should be: which one, counted from 1, and what it is.
    wrong_padding: Option<WrongPadding>,
    /// Whether the pad length exceeds what there is.
    pad_too_long: bool,
    /// Plaintext, in bytes.
    plaintext_len: usize,
}

/// Padding that does not count.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct WrongPadding {
    /// Which byte of the padding, from 1; it should be this number.
    pub(crate) byte: usize,
    pub(crate) found: u8,
}

/// Reads the trailer of an authentic packet: the payload and its next header.
///
/// # Errors
///
/// How a packet with a wrong trailer, or a dummy, ends.
pub(crate) fn read(plaintext: &[u8]) -> (Option<Trailer>, Result<(usize, u8), Fate>) {
    let Some((body, &[pad_len, next_header])) = plaintext.split_last_chunk::<{ trailer::TRAILER_LEN }>()
    else {
        return (None, Err(DropReason::TooShort.into()));
    };
    let payload_len = body.len().checked_sub(pad_len.into());
    let padding = payload_len.and_then(|at| body.get(at..)).unwrap_or_default();
    let wrong = padding.iter().zip(1_usize..).find(|(found, byte)| usize::from(**found) != *byte);
    let facts = Trailer {
        payload_len: payload_len.unwrap_or(0),
        pad_len,
        next_header,
        wrong_padding: wrong.map(|(found, byte)| WrongPadding { byte, found: *found }),
        pad_too_long: payload_len.is_none(),
        plaintext_len: plaintext.len(),
    };
    let judged = match (payload_len, wrong) {
        (None, _) => Err(DropReason::PadLength.into()),
        (Some(_), Some(_)) => Err(DropReason::PadContent.into()),
        (Some(_), None) if next_header == proto::NO_NEXT => Err(Fate::Consumed(Consumed::Dummy)),
        (Some(payload_len), None) => Ok((payload_len, next_header)),
    };
    (Some(facts), judged)
}

impl Trailer {
    /// The stage in words.
    pub(crate) fn said(&self) -> Said {
        let ends = format!("pad length {}, next header {}", self.pad_len, protocol(self.next_header));
        if self.pad_too_long {
            let room = self.plaintext_len.saturating_sub(trailer::TRAILER_LEN);
            let line = format!("{ends}: only {} stand before it", names::bytes(room));
            return Said::new("trailer", Mark::Fail, line);
        }
        if let Some(wrong) = self.wrong_padding {
            let line = format!("{ends}: byte {} of the padding is {:#04x}", wrong.byte, wrong.found);
            return Said::new("trailer", Mark::Fail, line);
        }
        let padding = match self.pad_len {
            0 => String::new(),
            1 => ", padding right (1)".to_owned(),
            last => format!(", padding right (1 to {last})"),
        };
        Said::new("trailer", Mark::Ok, format!("{ends}{padding}; payload {}", names::bytes(self.payload_len)))
    }
}
