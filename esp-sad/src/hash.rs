//! Where a key's home bucket is: a seeded multiply-and-fold over the key's parts.
//!
//! The parts are fed as numbers that are taken out of the key one by one, never as the bytes of the enum in memory,
//! which has padding. The seeds are random, so that a peer who picks SPIs cannot aim them at one bucket.

use core::net::IpAddr;

use crate::key::{Kind, SaKey};
use crate::sync::seed;

/// Two seeds, drawn when the database is made.
#[derive(Clone, Copy)]
pub(crate) struct Hasher {
    add: u64,
    multiply: u64,
}

impl Hasher {
    pub(crate) fn random() -> Self {
        Self::from_seeds(seed(), seed())
    }

    pub(crate) const fn from_seeds(add: u64, multiply: u64) -> Self {
        Self { add, multiply: multiply | 1 }
    }

    pub(crate) fn key(self, key: &SaKey) -> u64 {
        match *key {
            SaKey::Spi(spi) => self.spi(spi.get()),
            SaKey::SpiDst(spi, dst) => self.spi_dst(spi.get(), dst),
            SaKey::SpiDstSrc(spi, dst, src) => self.spi_dst_src(spi.get(), dst, src),
        }
    }

    #[inline]
    pub(crate) fn spi(self, spi: u32) -> u64 {
        finish(self.start(Kind::Spi, spi))
    }

    #[inline]
    pub(crate) fn spi_dst(self, spi: u32, dst: IpAddr) -> u64 {
        finish(self.address(self.start(Kind::SpiDst, spi), dst))
    }

    #[inline]
    pub(crate) fn spi_dst_src(self, spi: u32, dst: IpAddr, src: IpAddr) -> u64 {
        let state = self.start(Kind::SpiDstSrc, spi);
        finish(self.address(self.address(state, dst), src))
    }

    fn start(self, kind: Kind, spi: u32) -> u64 {
        fold(self.add ^ (u64::from(spi) | (kind as u64) << 32), self.multiply)
    }

    fn address(self, state: u64, address: IpAddr) -> u64 {
        match address {
            IpAddr::V4(v4) => self.word(state ^ V4, u64::from(v4.to_bits())),
            IpAddr::V6(v6) => {
                let bits = v6.to_bits();
                #[expect(clippy::cast_possible_truncation, reason = "the two halves of 128 bits")]
                self.word(self.word(state ^ V6, (bits >> 64) as u64), bits as u64)
            }
        }
    }

    fn word(self, state: u64, word: u64) -> u64 {
        fold(state.rotate_left(32) ^ word, self.multiply)
    }
}

/// A second multiplication, by a fixed number: after one alone, an unlucky seed puts a run of SPIs into few buckets.
#[inline]
fn finish(state: u64) -> u64 {
    fold(state, LAST)
}

/// Both halves of the 128-bit product, so that every bit of `a` reaches the high bits that pick the bucket.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of 128 bits")]
    {
        (product >> 64) as u64 ^ product as u64
    }
}

/// 2^64 divided by the golden ratio, made odd.
const LAST: u64 = 0x9e37_79b9_7f4a_7c15;
/// Tell the two address families apart. Arbitrary odd numbers.
const V4: u64 = 0x9fb2_1c65_1e98_df25;
const V6: u64 = 0xd6e8_feb8_6659_fd93;
