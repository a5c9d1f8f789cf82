//! Packets, keys, and bursts of one.

use esp_crypto::{
    Cipher, JobError, KeyMaterial, OpenJob, OpenKey, SealJob, SealKey, Tier, Tiers, Transform, open_burst,
    seal_burst,
};

/// Bytes of SPI and sequence number.
pub(crate) const HEADER_LEN: usize = 8;

/// Both keys of one SA.
pub(crate) struct Sa {
    pub(crate) transform: Transform,
    pub(crate) tier: Tier,
    pub(crate) seal: SealKey,
    pub(crate) open: OpenKey,
}

impl Sa {
    pub(crate) fn new(transform: Transform, tier: Tier, keys: &[u8]) -> Self {
        let keys = KeyMaterial::from_slice(keys);
        Self {
            transform,
            tier,
            seal: SealKey::new(transform, tier, &keys).unwrap(),
            open: OpenKey::new(transform, tier, &keys).unwrap(),
        }
    }

    pub(crate) fn numbered(transform: Transform, tier: Tier, number: u64) -> Self {
        Self::new(transform, tier, &noise(number, transform.key_len()))
    }

    /// Where the payload lies in a packet of `esp_len` bytes.
    pub(crate) fn payload(&self, esp_len: usize) -> core::ops::Range<usize> {
        HEADER_LEN + self.transform.iv_len()..esp_len - self.transform.icv_len()
    }

    /// An unsealed packet with noise for header, IV, payload and stale ICV. Of a block cipher the payload is made longer,
    /// to whole blocks.
    pub(crate) fn packet(&self, seed: u64, payload_len: usize) -> Vec<u8> {
        self.raw_packet(seed, payload_len.next_multiple_of(self.block_len()))
    }

    /// The same with just that length.
    pub(crate) fn raw_packet(&self, seed: u64, payload_len: usize) -> Vec<u8> {
        noise(seed, HEADER_LEN + self.transform.iv_len() + payload_len + self.transform.icv_len())
    }

    /// 1 where the cipher has no blocks.
    pub(crate) fn block_len(&self) -> usize {
        if self.transform.align() > 4 { self.transform.align() } else { 1 }
    }

    pub(crate) fn encrypts(&self) -> bool {
        let cipher = self.transform.cipher();
        cipher.key_len > 0 && cipher.rfc != 4543
    }

    pub(crate) fn sealed(&self, packet: &[u8], seq_hi: Option<u32>) -> Vec<u8> {
        let mut esp = packet.to_vec();
        assert_eq!(seal_one(&self.seal, &mut esp, seq_hi), Ok(()), "{} {}", self.transform, self.tier);
        esp
    }
}

/// One SA for each transform on each tier, but for DES, with which nothing is sealed.
pub(crate) fn every_sa() -> impl Iterator<Item = Sa> {
    let sealing = Transform::ALL.iter().filter(|transform| transform.cipher().cipher != Cipher::DesCbc);
    let pairs = sealing.flat_map(|t| Tiers::default().all(*t).map(|tier| (*t, tier)));
    pairs.zip(1..).map(|((transform, tier), number)| Sa::numbered(transform, tier, number))
}

/// Those with an ICV; without the feature `legacy` all of them.
pub(crate) fn every_authentic_sa() -> impl Iterator<Item = Sa> {
    every_sa().filter(|sa| sa.transform.icv_len() > 0)
}

pub(crate) fn seal_one(key: &SealKey, esp: &mut [u8], seq_hi: Option<u32>) -> Result<(), JobError> {
    let mut results = [Ok(())];
    seal_burst(&mut [SealJob { key, esp, seq_hi }], &mut results);
    results[0]
}

pub(crate) fn open_one(key: &OpenKey, esp: &mut [u8], seq_hi: Option<u32>) -> Result<(), JobError> {
    let mut results = [Ok(())];
    open_burst(&mut [OpenJob { key, esp, seq_hi }], &mut results);
    results[0]
}

/// Reproducible bytes without structure (splitmix64).
pub(crate) fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed;
    let words = std::iter::repeat_with(|| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)).to_le_bytes()
    });
    words.flatten().take(len).collect()
}
