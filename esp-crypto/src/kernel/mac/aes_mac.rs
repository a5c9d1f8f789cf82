//! AES-XCBC-MAC (RFC 3566) and AES-CMAC (RFC 4493): one chain, two ways to make its keys.
//!
//! E(i) = AES(key, M(i) ^ E(i-1)), E(0) = 0
//! tag  = AES(key, M(n) ^ E(n-1) ^ whole)                   if the last block M(n) has 16 bytes
//!        AES(key, (M(n) | 80 00 ..) ^ E(n-1) ^ partial)    if it has less, or there is none
//!
//! XCBC: key = AES(K, 01 01 ..), whole = AES(K, 02 02 ..), partial = AES(K, 03 03 ..).
//! CMAC: key = K, whole = 2 AES(K, 0), partial = 4 AES(K, 0) in GF(2^128), most significant bit first.

use aes::Aes128Enc;
use aes::cipher::array::Array;
use aes::cipher::consts::U16;
use aes::cipher::{BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, KeyInit};
use zeroize::ZeroizeOnDrop;

use super::{Mac, MacKernel};

pub(crate) type AesMac = MacKernel<Box<Chain>>;

impl AesMac {
    /// AES-XCBC-MAC; `None` unless `key` has 16 bytes.
    pub(crate) fn xcbc(key: &[u8]) -> Option<Self> {
        let aes = Aes128Enc::new_from_slice(key).ok()?;
        let [key, whole, partial] = [1, 2, 3].map(|byte| {
            let mut block = Array([byte; 16]);
            aes.encrypt_block(&mut block);
            block
        });
        Some(Self::of(Aes128Enc::new(&key), whole.into(), partial.into()))
    }

    /// AES-CMAC; `None` unless `key` has 16 bytes.
    pub(crate) fn cmac(key: &[u8]) -> Option<Self> {
        let aes = Aes128Enc::new_from_slice(key).ok()?;
        let mut zero = Array([0; 16]);
        aes.encrypt_block(&mut zero);
        let whole = doubled(u128::from_be_bytes(zero.into()));
        Some(Self::of(aes, whole.to_be_bytes(), doubled(whole).to_be_bytes()))
    }

    fn of(aes: Aes128Enc, whole: [u8; 16], partial: [u8; 16]) -> Self {
        let [whole, partial] = [whole, partial].map(u128::from_ne_bytes);
        Self(Box::new(Chain { aes, subkeys: Subkeys { whole, partial } }))
    }
}

/// Keyed state of either MAC.
#[derive(Clone)]
pub(crate) struct Chain {
    aes: Aes128Enc,
    subkeys: Subkeys,
}

/// As numbers whose bytes in memory are those of the block.
#[derive(Clone, zeroize::Zeroize, ZeroizeOnDrop)]
struct Subkeys {
    whole: u128,
    partial: u128,
}

impl Mac for Box<Chain> {
    type Tag = [u8; 16];

    fn tag(&self, covered: &[u8], behind: &[u8]) -> [u8; 16] {
        let mut tag = [0; 16];
        let message = Message { covered, behind, subkeys: &self.subkeys, tag: &mut tag };
        self.aes.encrypt_with_backend(message);
        tag
    }
}

/// What runs where the round keys are at hand.
struct Message<'m> {
    covered: &'m [u8],
    behind: &'m [u8],
    subkeys: &'m Subkeys,
    tag: &'m mut [u8; 16],
}

impl BlockSizeUser for Message<'_> {
    type BlockSize = U16;
}

impl BlockCipherEncClosure for Message<'_> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = U16>>(self, aes: &B) {
        let chain = |state: u128, block: [u8; 16]| {
            let mut block = Array((state ^ u128::from_ne_bytes(block)).to_ne_bytes());
            aes.encrypt_block((&mut block).into());
            u128::from_ne_bytes(block.into())
        };
        let (blocks, rest) = self.covered.as_chunks();
        let (first, last) = self.end(blocks, rest);
        let state = first.iter().fold(0, |state, block| chain(state, *block));
        let state = match last {
            End::Whole(last) => chain(state ^ self.subkeys.whole, last),
            End::Partial(last) => chain(state ^ self.subkeys.partial, last),
            End::WholeAndPartial(whole, last) => chain(chain(state, whole) ^ self.subkeys.partial, last),
        };
        *self.tag = state.to_ne_bytes();
    }
}

/// The blocks of a message that need more than the chain, padded.
enum End {
    Whole([u8; 16]),
    Partial([u8; 16]),
    WholeAndPartial([u8; 16], [u8; 16]),
}

impl Message<'_> {
    /// What of `blocks` is chained as it is, and what comes behind; `rest` is less than a block, and what is behind
    /// the message less than another.
    fn end<'b>(&self, blocks: &'b [[u8; 16]], rest: &[u8]) -> (&'b [[u8; 16]], End) {
        let len = rest.len() + self.behind.len();
        if let (0, Some((last, first))) = (len, blocks.split_last()) {
            return (first, End::Whole(*last));
        }
        let (mut head, mut foot) = ([0; 16], [0; 16]);
        let bytes = rest.iter().chain(self.behind).chain(&[0x80]);
        head.iter_mut().chain(&mut foot).zip(bytes).for_each(|(to, from)| *to = *from);
        let end = match len {
            0..16 => End::Partial(head),
            16 => End::Whole(head),
            _ => End::WholeAndPartial(head, foot),
        };
        (blocks, end)
    }
}

/// RFC 4493 section 2.3: twice a number of GF(2^128).
fn doubled(number: u128) -> u128 {
    (number << 1) ^ ((number >> 127) * 0x87)
}
