//! Where the parts of an ESP packet lie, and what a MAC or nonce is made of.

use crate::JobError;

/// SPI and low half of the sequence number, in bytes.
pub(crate) const HEADER_LEN: usize = 8;
/// IV of every combined-mode transform here, in bytes.
pub(crate) const AEAD_IV_LEN: usize = 8;
/// ICV of every transform here, in bytes.
pub(crate) const ICV_LEN: usize = 16;
/// Salt of every combined-mode transform here, in bytes.
pub(crate) const SALT_LEN: usize = 4;
/// Salt and IV together, in bytes (RFC 4106 section 4, RFC 7634 section 2).
pub(crate) const NONCE_LEN: usize = SALT_LEN + AEAD_IV_LEN;

/// An ESP packet under a combined-mode transform.
pub(crate) struct AeadPacket<'p> {
    header: &'p [u8; HEADER_LEN],
    iv: &'p [u8; AEAD_IV_LEN],
    pub(crate) payload: &'p mut [u8],
    pub(crate) icv: &'p mut [u8; ICV_LEN],
}

impl<'p> AeadPacket<'p> {
    pub(crate) fn split(esp: &'p mut [u8]) -> Result<Self, JobError> {
        let (header, rest) = esp.split_first_chunk_mut().ok_or(JobError::TooShort)?;
        let (iv, rest) = rest.split_first_chunk_mut().ok_or(JobError::TooShort)?;
        let (payload, icv) = rest.split_last_chunk_mut().ok_or(JobError::TooShort)?;
        Ok(Self { header, iv, payload, icv })
    }

    /// RFC 4106 section 4: salt, then IV.
    ///
    /// Joined as numbers: bytes stored one by one and then loaded as words would stall the cipher's first load.
    pub(crate) fn nonce(&self, salt: [u8; SALT_LEN]) -> [u8; NONCE_LEN] {
        let (salt, iv) = (u32::from_le_bytes(salt), u64::from_le_bytes(*self.iv));
        let [nonce @ .., _, _, _, _] = (u128::from(iv) << 32 | u128::from(salt)).to_le_bytes();
        nonce
    }

    pub(crate) fn aad(&self, seq_hi: Option<u32>) -> Aad {
        let Some(seq_hi) = seq_hi else { return Aad::Short(*self.header) };
        let [p0, p1, p2, p3, l0, l1, l2, l3] = *self.header;
        let [h0, h1, h2, h3] = seq_hi.to_be_bytes();
        Aad::Esn([p0, p1, p2, p3, h0, h1, h2, h3, l0, l1, l2, l3])
    }
}

/// Additional authenticated data of RFC 4106 section 5 and RFC 7634 section 2.1, in network byte order.
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

/// An ESP packet under a separate MAC without an IV: what the ICV covers, and the ICV.
pub(crate) fn split_mac(esp: &mut [u8]) -> Result<(&mut [u8], &mut [u8; ICV_LEN]), JobError> {
    let (covered, icv) = esp.split_last_chunk_mut().ok_or(JobError::TooShort)?;
    if covered.len() < HEADER_LEN {
        return Err(JobError::TooShort);
    }
    Ok((covered, icv))
}
