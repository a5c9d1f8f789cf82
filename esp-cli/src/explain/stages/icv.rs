//! The ICV (RFC 4303 section 3.4.4).

use esp_core::DropReason;
use serde::Serialize;
use zeroize::Zeroizing;

use super::{Mark, Said};
use crate::explain::sas::Known;
use crate::explain::span::{Span, hex, spaced};
use crate::explain::story::Fate;

/// The ICV found, and the one that should be there.
#[derive(Debug, Serialize)]
pub(crate) struct Icv {
    at: usize,
    len: usize,
    found: String,
    /// Null unless it is right or was asked for.
    expected: Option<String>,
    pub(crate) right: bool,
    /// Whether the engine did not come to look, because an earlier stage had refused the packet.
    not_asked: bool,
    #[serde(skip)]
    lines: [String; 2],
    #[serde(skip)]
    shown: bool,
}

/// Compares the ICV at `icv` with that of `covered`, which reaches from the SPI to the end of the ciphertext. `asked`
/// says whether the engine comes to look.
///
/// # Errors
///
/// It is another.
pub(crate) fn check(
    frame: &[u8],
    known: &Known,
    covered: Span,
    icv: Span,
    seq_hi: Option<u32>,
    asked: bool,
) -> (Icv, Result<Zeroizing<Vec<u8>>, Fate>) {
    let found = icv.of(frame);
    let opened = match known.judge.recompute(covered.of(frame), seq_hi) {
        Some(recomputed) => recomputed.open(found),
        None => Err(Vec::new()),
    };
    let expected = opened.as_ref().err().map_or(found, Vec::as_slice);
    let facts = Icv {
        at: icv.at,
        len: icv.len,
        found: hex(found),
        expected: (opened.is_ok() || known.shows_icv).then(|| hex(expected)),
        right: opened.is_ok(),
        not_asked: !asked,
        lines: [spaced(found), spaced(expected)],
        shown: known.shows_icv,
    };
    (facts, opened.map_err(|_| DropReason::AuthFailed.into()))
}

impl Icv {
    /// The stage in words.
    pub(crate) fn said(&self) -> Said {
        let place = Span { at: self.at, len: self.len };
        let [found, expected] = &self.lines;
        let looked = self.not_asked.then(|| {
            "the engine does not come to look: the packet was refused before (RFC 4303 section 3.4.3)"
                .to_owned()
        });
        let mark = match (self.right, self.not_asked) {
            (true, false) => Mark::Ok,
            (false, false) => Mark::Fail,
            (_, true) => Mark::Note,
        };
        if self.right {
            return Said::new("ICV", mark, format!("{place}: {found}, right")).and_if(looked);
        }
        Said::new("ICV", mark, format!("{place}"))
            .and(format!("found    {found}"))
            // With the same nonce a second ICV gives away the key of GCM's hash.
            .and(if self.shown {
                format!("expected {expected}")
            } else {
                "wrong; --show-icv shows the right one".to_owned()
            })
            .and_if(looked)
    }
}
