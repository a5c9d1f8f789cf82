//! Where the parts of an ESP packet lie, and what a MAC or nonce is made of.

use crate::{JobError, Transform};

/// SPI and low half of the sequence number, in bytes.
pub(crate) const HEADER_LEN: usize = 8;
/// IV of every combined mode, in bytes: in the packet, or made from the sequence number (RFC 8750).
pub(crate) const AEAD_IV_LEN: usize = 8;

/// Bytes of IV and ICV in the packets of an SA.
#[derive(Clone, Copy)]
pub(crate) struct Lens {
    pub(crate) iv: usize,
    pub(crate) icv: usize,
}

impl Lens {
    pub(crate) const fn of(transform: Transform) -> Self {
        Self { iv: transform.iv_len(), icv: transform.icv_len() }
    }
}

/// An ESP packet under a combined mode with an ICV of that many bytes.
pub(crate) struct AeadPacket<'p, const ICV: usize> {
    header: &'p [u8; HEADER_LEN],
    iv: u64,
    seq_hi: Option<u32>,
    pub(crate) payload: &'p mut [u8],
    pub(crate) icv: &'p mut [u8; ICV],
}

impl<'p, const ICV: usize> AeadPacket<'p, ICV> {
    /// Lengths other than ICV are those of `lens`: no IV in the packet means an implicit one.
    #[inline]
    pub(crate) fn split(esp: &'p mut [u8], lens: Lens, seq_hi: Option<u32>) -> Result<Self, JobError> {
        let (header, mut rest) = esp.split_first_chunk_mut().ok_or(JobError::TooShort)?;
        let iv = if lens.iv == 0 {
            implicit_iv(header, seq_hi)
        } else {
            let (iv, behind) = rest.split_first_chunk_mut().ok_or(JobError::TooShort)?;
            rest = behind;
            u64::from_le_bytes(*iv)
        };
        let (payload, icv) = rest.split_last_chunk_mut().ok_or(JobError::TooShort)?;
        Ok(Self { header, iv, seq_hi, payload, icv })
    }

    #[inline]
    pub(crate) fn nonce<N: Nonce>(&self, salt: u32) -> N {
        N::join(salt, self.iv)
    }

    #[inline]
    pub(crate) fn aad(&self) -> Aad {
        let Some(seq_hi) = self.seq_hi else { return Aad::Short(*self.header) };
        let [p0, p1, p2, p3, l0, l1, l2, l3] = *self.header;
        let [h0, h1, h2, h3] = seq_hi.to_be_bytes();
        Aad::Esn([p0, p1, p2, p3, h0, h1, h2, h3, l0, l1, l2, l3])
    }
}

/// RFC 8750 section 4: the 64-bit sequence number, or four zero bytes and the 32-bit one, in network byte order.
///
/// The number is the eight bytes as a little-endian word, as [`Nonce::join`] takes it.
fn implicit_iv(header: &[u8; HEADER_LEN], seq_hi: Option<u32>) -> u64 {
    let [_, _, _, _, l0, l1, l2, l3] = *header;
    let [h0, h1, h2, h3] = seq_hi.unwrap_or(0).to_be_bytes();
    u64::from_le_bytes([h0, h1, h2, h3, l0, l1, l2, l3])
}

/// What a cipher takes: salt, then IV (RFC 4106 section 4, RFC 4309 section 4, RFC 7634 section 2).
pub(crate) trait Nonce: Copy {
    /// Salt and IV are their bytes as little-endian words.
    ///
    /// Joined as numbers: bytes stored one by one and then loaded as words would stall the cipher's first load.
    fn join(salt: u32, iv: u64) -> Self;
}

/// Four bytes of salt.
pub(crate) type Nonce12 = [u8; 12];

impl Nonce for Nonce12 {
    #[inline]
    fn join(salt: u32, iv: u64) -> Self {
        let [nonce @ .., _, _, _, _] = (u128::from(iv) << 32 | u128::from(salt)).to_le_bytes();
        nonce
    }
}

/// Three bytes of salt.
pub(crate) type Nonce11 = [u8; 11];

impl Nonce for Nonce11 {
    #[inline]
    fn join(salt: u32, iv: u64) -> Self {
        let [nonce @ .., _, _, _, _, _] = (u128::from(iv) << 24 | u128::from(salt)).to_le_bytes();
        nonce
    }
}

/// The salt of keying material, three or four bytes, as [`Nonce::join`] takes it.
pub(crate) fn salt(bytes: &[u8]) -> Option<u32> {
    match *bytes {
        [s0, s1, s2] => Some(u32::from_le_bytes([s0, s1, s2, 0])),
        [s0, s1, s2, s3] => Some(u32::from_le_bytes([s0, s1, s2, s3])),
        _ => None,
    }
}

/// Additional authenticated data of RFC 4106 section 5, RFC 4309 section 5 and RFC 7634 section 2.1, in network byte
/// order.
pub(crate) enum Aad {
    /// SPI, sequence number.
    Short([u8; 8]),
    /// SPI, high half, low half.
    Esn([u8; 12]),
}

impl AsRef<[u8]> for Aad {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Short(bytes) => bytes,
            Self::Esn(bytes) => bytes,
        }
    }
}

/// Under a separate MAC: what the ICV covers, and the ICV.
#[inline]
pub(crate) fn split_icv(esp: &mut [u8], lens: Lens) -> Result<(&mut [u8], &mut [u8]), JobError> {
    let before_icv = HEADER_LEN.saturating_add(lens.iv);
    let icv_at = esp.len().checked_sub(lens.icv).filter(|at| *at >= before_icv);
    icv_at.and_then(|at| esp.split_at_mut_checked(at)).ok_or(JobError::TooShort)
}

/// Under a cipher with a separate MAC: the IV and what is encrypted.
#[inline]
pub(crate) fn split_payload(esp: &mut [u8], lens: Lens) -> Result<(&[u8], &mut [u8]), JobError> {
    let (covered, _) = split_icv(esp, lens)?;
    let (_, rest) = covered.split_first_chunk_mut::<HEADER_LEN>().ok_or(JobError::TooShort)?;
    let (iv, payload) = rest.split_at_mut_checked(lens.iv).ok_or(JobError::TooShort)?;
    Ok((iv, payload))
}
