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
    //# The Padding bytes are initialized with a series of
    //# (unsigned, 1-byte) integer values.
    for (byte, &value) in padding.iter_mut().zip(&PADDING) {
        *byte = value;
    }
    true
}

/// As [`write()`], into the room where the ICV will be: `room` starts at the padding and reaches beyond the trailer.
///
/// Up to 16 bytes of `room` are written, even behind the trailer, so that the usual padding is one store whatever its
/// length. Returns false, and writes nothing, if `room` is shorter than the padding and the two fields.
#[inline]
#[must_use]
pub fn write_with_room(room: &mut [u8], pad_len: u8, next_header: u8) -> bool {
    let len = usize::from(pad_len).wrapping_add(TRAILER_LEN);
    if usize::from(pad_len) <= SHORT
        && room.len() >= len
        && let Some(padding) = room.first_chunk_mut::<SHORT>()
    {
        *padding = SHORT_PADDING;
        let fields = room.get_mut(..len).and_then(<[u8]>::last_chunk_mut::<TRAILER_LEN>);
        return fields.map(|fields| *fields = [pad_len, next_header]).is_some();
    }
    room.get_mut(..len).is_some_and(|dest| write(dest, next_header))
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
    //= https://www.rfc-editor.org/rfc/rfc4303#section-2.4
    //# When this padding scheme is employed, the receiver SHOULD inspect
    //# the Padding field.
    if is_counted(body, payload_len, pad_len) {
        Ok(Trailer { payload_len, pad_len, next_header })
    } else {
        Err(TrailerError::PadContent)
    }
}

/// Whether the bytes of `body` from `payload_len` on, `pad_len` of them, are 1, 2, 3, ..
#[inline]
fn is_counted(body: &[u8], payload_len: usize, pad_len: u8) -> bool {
    // The usual padding is inside the last eight bytes: one load and one compare, whatever its length.
    if let (Some(last), 0..=7) = (body.last_chunk::<8>(), pad_len) {
        let bits = u32::from(pad_len).wrapping_mul(8);
        // The padding as the low bytes of a word. Two shifts, since one by 64 would be none.
        let padding = (u64::from_le_bytes(*last) >> 8).wrapping_shr(56_u32.wrapping_sub(bits));
        return (padding ^ COUNTED) & 1_u64.wrapping_shl(bits).wrapping_sub(1) == 0;
    }
    body.get(payload_len..) == PADDING.get(..usize::from(pad_len))
}

/// 1, 2, .. 8, the first byte lowest.
const COUNTED: u64 = 0x0807_0605_0403_0201;

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

/// Padding up to this many bytes is written as one word, so that packets of mixed lengths cost no mispredicted branch.
/// It is all that alignment to 16 bytes asks for.
const SHORT: usize = 16;

const SHORT_PADDING: [u8; SHORT] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

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
