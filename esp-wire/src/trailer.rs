//! The ESP trailer: padding, pad length and next header (RFC 4303 sections 2.4 to 2.6).
//!
//! ```text
//!  |<------------------ plaintext, a multiple of the alignment ------------------>|
//!  +------------------------------------+--------------------+---------+----------+
//!  | payload                            | 1, 2, .. pad_len   | pad_len | next hdr |
//!  +------------------------------------+--------------------+---------+----------+
//!                                       |<--------- pad_len + TRAILER_LEN ------->|
//! ```

/// Bytes of the pad length and next header fields.
pub const TRAILER_LEN: usize = 2;

/// Bytes of padding: the fewest that make `content_len`, the padding and the two fields a multiple of `align`.
///
/// `content_len` is in bytes and counts whatever is encrypted before the padding. `align` is the transform's: 4 for the
/// counter modes and ChaCha20 (RFC 4303 section 2.4, RFC 4106 section 3.2), the block size for CBC; a power of two in
/// 4..=64. For any other `align` the result means nothing.
#[inline]
#[must_use]
pub const fn pad_len(content_len: usize, align: usize) -> u8 {
    let short_of = content_len.wrapping_add(TRAILER_LEN).wrapping_neg();
    let [pad_len, ..] = (short_of & align.wrapping_sub(1)).to_le_bytes();
    pad_len
}

/// Fills `dest`, which is exactly the padding and the two fields: 1, 2, 3, .., the pad length, `next_header`.
///
/// Returns false, and writes nothing, if `dest` is not 2..=257 bytes long.
#[inline]
#[must_use]
pub fn write(dest: &mut [u8], next_header: u8) -> bool {
    let Some((padding, fields)) = dest.split_last_chunk_mut::<TRAILER_LEN>() else { return false };
    let Ok(pad_len) = u8::try_from(padding.len()) else { return false };
    *fields = [pad_len, next_header];
    //= https://www.rfc-editor.org/rfc/rfc4303#section-2.4
    //# The Padding bytes are initialized with a series of (unsigned, 1-byte) integer values.
    for (byte, &value) in padding.iter_mut().zip(&PADDING) {
        *byte = value;
    }
    true
}

/// What the end of a decrypted packet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trailer {
    /// Bytes before the padding. Traffic flow confidentiality padding (RFC 4303 section 2.7) is still among them.
    pub payload_len: usize,
    /// Bytes of padding, without the two fields.
    pub pad_len: u8,
    /// What the payload is, see [`proto`](crate::proto).
    pub next_header: u8,
}

/// Reads the trailer at the end of `plaintext`, which starts at the payload and ends before the ICV.
///
/// # Errors
///
/// The first of [`TrailerError`] that holds, in its order; no byte before `plaintext` is ever looked at.
#[inline]
pub fn read(plaintext: &[u8]) -> Result<Trailer, TrailerError> {
    let Some((body, &[pad_len, next_header])) = plaintext.split_last_chunk::<TRAILER_LEN>() else {
        return Err(TrailerError::TooShort);
    };
    let Some(payload_len) = body.len().checked_sub(usize::from(pad_len)) else {
        return Err(TrailerError::PadTooLong);
    };
    let counts_up = match body.last_chunk::<SHORT>() {
        Some(end) if usize::from(pad_len) <= SHORT => short_padding_counts_up(end, pad_len),
        _ => body.get(payload_len..) == PADDING.get(..usize::from(pad_len)),
    };
    if counts_up { Ok(Trailer { payload_len, pad_len, next_header }) } else { Err(TrailerError::PadContent) }
}

/// Why [`read`] refuses a packet that authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrailerError {
    /// Fewer than [`TRAILER_LEN`] bytes.
    #[error("no room for the pad length and next header fields")]
    TooShort,
    /// The pad length is larger than what precedes the field.
    #[error("the pad length is larger than the plaintext before it")]
    PadTooLong,
    /// The padding is not 1, 2, 3, .. (RFC 4303 section 2.4).
    #[error("the padding bytes are not 1, 2, 3, ..")]
    PadContent,
}

/// Whether the last `pad_len` bytes of `end` are 1, 2, .., `pad_len`; without a branch. `pad_len` is at most [`SHORT`].
#[inline]
fn short_padding_counts_up(end: &[u8; SHORT], pad_len: u8) -> bool {
    let bits = u32::from(pad_len).wrapping_mul(8);
    let unused = u64::BITS.wrapping_sub(bits); // 64 for no padding, where a plain shift would be by too much
    let found = u64::from_be_bytes(*end);
    let want = 0x0102_0304_0506_0708_u64.checked_shr(unused).unwrap_or(0);
    let mask = u64::MAX.checked_shr(unused).unwrap_or(0);
    found & mask == want
}

/// Padding up to this many bytes is compared as one word: all that 4- and 8-byte alignment can ask for.
const SHORT: usize = 8;

/// The longest padding the one-byte pad length can announce.
const PADDING: [u8; 255] = {
    let mut bytes = [0; 255];
    let mut rest: &mut [u8] = &mut bytes;
    let mut value = 1_u8;
    while let Some((first, others)) = rest.split_first_mut() {
        *first = value;
        value = value.saturating_add(1);
        rest = others;
    }
    bytes
};
