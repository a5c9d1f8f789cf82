//! What goes into the cipher and the ICV: IV, nonce, AAD, ciphertext (RFC 4303 sections 2.3 and 2.8, RFC 4106).

use esp_core::{DropReason, Transform};
use esp_wire::{esp, trailer};
use serde::Serialize;

use super::esp::Esp;
use super::{Mark, Said};
use crate::explain::names;
use crate::explain::span::{Span, hex, spaced};
use crate::explain::story::Fate;

/// The parts of an ESP packet under its SA's transform.
#[derive(Debug, Serialize)]
pub(crate) struct Cipher {
    /// Empty under a transform without IV.
    pub(crate) iv: Span,
    iv_hex: String,
    /// Salt and IV, in bytes; null where the transform has no nonce. The salt is not shown.
    nonce: Option<[usize; 2]>,
    /// What is authenticated besides the ciphertext, hexadecimal; null for a separate MAC.
    aad: Option<String>,
    /// Payload and trailer.
    pub(crate) ciphertext: Span,
    pub(crate) icv: Span,
    /// Shortest packet of the SA, in bytes, if this one is shorter.
    too_short_for: Option<usize>,
    #[serde(skip)]
    covered: Vec<(String, &'static str)>,
}

/// Takes a packet apart.
///
/// # Errors
///
/// It is shorter than its parts.
pub(crate) fn split(
    frame: &[u8],
    esp: &Esp,
    transform: Transform,
    seq_hi: Option<u32>,
) -> (Cipher, Result<(), Fate>) {
    let (iv_len, icv_len) = (transform.iv_len(), transform.icv_len());
    let iv_at = esp.packet.at + esp::HEADER_LEN;
    let icv_at = esp.packet.end().saturating_sub(icv_len).max(iv_at + iv_len);
    let iv = Span { at: iv_at, len: iv_len };
    let covered = covered(esp.spi, seq_hi, esp.seq_low);
    let combined = transform.is_combined();
    let shortest = esp::HEADER_LEN + iv_len + trailer::TRAILER_LEN + icv_len;
    let short = esp.packet.len < shortest;
    let cipher = Cipher {
        iv,
        iv_hex: if short { String::new() } else { hex(iv.of(frame)) },
        nonce: (combined && iv_len > 0).then(|| [transform.salt_len(), iv_len]),
        aad: combined.then(|| covered.iter().map(|(bytes, _)| bytes.replace(' ', "")).collect()),
        ciphertext: Span::between(iv.end(), icv_at),
        icv: Span::between(icv_at, esp.packet.end()),
        too_short_for: short.then_some(shortest),
        covered,
    };
    (cipher, if short { Err(DropReason::TooShort.into()) } else { Ok(()) })
}

/// SPI and number, as the ICV covers them (RFC 4106 section 5).
fn covered(spi: u32, seq_hi: Option<u32>, low: u32) -> Vec<(String, &'static str)> {
    let field = |value: u32| spaced(&value.to_be_bytes());
    let high = seq_hi.map(|high| (field(high), "high half"));
    [(field(spi), "SPI")].into_iter().chain(high).chain([(field(low), "low half")]).collect()
}

impl Cipher {
    /// Whether the packet is long enough to have all its parts.
    pub(crate) fn is_whole(&self) -> bool {
        self.too_short_for.is_none()
    }

    /// The stages in words.
    pub(crate) fn said(&self) -> Vec<Said> {
        if let Some(shortest) = self.too_short_for {
            let line = format!("too short: header, IV, trailer and ICV take {}", names::bytes(shortest));
            return vec![Said::new("IV", Mark::Fail, line)];
        }
        let mut said = Vec::new();
        if self.iv.len > 0 {
            let digits = self.iv_hex.as_bytes().chunks(2).map(String::from_utf8_lossy).collect::<Vec<_>>();
            said.push(Said::new("IV", Mark::Ok, format!("{}: {}", self.iv, digits.join(" "))));
        }
        if let Some([salt, iv]) = self.nonce {
            let line = format!("{} bytes: salt, {salt} from the key, not shown | IV, {iv}", salt + iv);
            said.push(Said::new("nonce", Mark::Ok, line));
        }
        let parts = self.covered.iter().map(|(bytes, name)| format!("{bytes} ({name})")).collect::<Vec<_>>();
        let line = match (&self.aad, self.covered.as_slice()) {
            (Some(aad), _) => format!("{}: {}", names::bytes(aad.len() / 2), parts.join(" | ")),
            (None, [_, (high, _), _]) => {
                format!(
                    "from the SPI to the end of the payload, then the high half {high}, which is not sent"
                )
            }
            (None, _) => "from the SPI to the end of the payload".to_owned(),
        };
        said.push(Said::new(if self.aad.is_some() { "AAD" } else { "covered" }, Mark::Ok, line));
        said.push(Said::new("payload", Mark::Ok, format!("{}, with the trailer", self.ciphertext)));
        said
    }
}
