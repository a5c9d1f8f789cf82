//! The map of a window: a ring of 64-bit words, one bit a sequence number.
//!
//! ```text
//!   word n % len   ...  [ n-1 ][  n  ][ n+1 ]  ...        number = 64 n + bit
//! ```
//!
//! The length is a power of two and at least window + 64 bits, so that a whole word can be cleared when the top of
//! the window enters it: the numbers that the word held before are then below the window (RFC 6479). Bits above the
//! top are always 0. Bits below the window are stale and mean nothing; who asks looks at the range first.

use crate::WindowSize;

/// The words; a ring for at most 64 numbers lies inline, so that its window needs no second cache line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ring {
    Inline([u64; INLINE]),
    Boxed(Box<[u64]>),
}

impl Ring {
    /// A ring that can hold a window of `size`, all 0.
    pub(crate) fn new(size: WindowSize) -> Self {
        let bits = u64::from(size.bits()).saturating_add(BITS);
        let len = usize::try_from(bits.div_ceil(BITS).next_power_of_two()).unwrap_or(usize::MAX);
        if len <= INLINE { Self::none() } else { Self::Boxed(vec![0; len].into_boxed_slice()) }
    }

    /// The smallest ring; also what a window that is off carries and never looks at.
    pub(crate) const fn none() -> Self {
        Self::Inline([0; INLINE])
    }

    #[inline]
    pub(crate) fn has(&self, number: u64) -> bool {
        self.word(number / BITS) & bit(number) != 0
    }

    #[inline]
    pub(crate) fn set(&mut self, number: u64) {
        if let Some(word) = self.word_mut(number / BITS) {
            *word |= bit(number);
        }
    }

    /// Sets every bit up to the one of `top`; those above it in its word stay 0.
    pub(crate) fn set_up_to(&mut self, top: u64) {
        self.words_mut().fill(u64::MAX);
        if let Some(word) = self.word_mut(top / BITS) {
            *word = up_to(top);
        }
    }

    /// Clears the words that the top of the window enters on its way from `from` to `to`.
    #[inline]
    pub(crate) fn enter(&mut self, from: u64, to: u64) {
        let (from, to) = (from / BITS, to / BITS);
        if to.saturating_sub(from) >= self.len() {
            return self.words_mut().fill(0);
        }
        for word in from.saturating_add(1)..=to {
            if let Some(word) = self.word_mut(word) {
                *word = 0;
            }
        }
    }

    /// Clears the word of `to` if `to` is its first number: what [`enter`](Self::enter) does for a step of one.
    #[inline]
    pub(crate) fn enter_at(&mut self, to: u64) {
        if to.is_multiple_of(BITS)
            && let Some(word) = self.word_mut(to / BITS)
        {
            *word = 0;
        }
    }

    /// How many of the numbers `first..=last` have a 0; the range lies within one window.
    #[inline]
    pub(crate) fn count_unset(&self, first: u64, last: u64) -> u64 {
        let mut unset = 0_u64;
        for word in first / BITS..=last / BITS {
            let mut clear = !self.word(word);
            if word == first / BITS {
                clear &= !below(first);
            }
            if word == last / BITS {
                clear &= up_to(last);
            }
            unset = unset.saturating_add(u64::from(clear.count_ones()));
        }
        unset
    }

    /// Whether the words lie inside the value.
    #[cfg(any(test, debug_assertions))]
    pub(crate) fn is_inline(&self) -> bool {
        matches!(self, Self::Inline(_))
    }

    /// In words.
    #[inline]
    fn len(&self) -> u64 {
        self.words().len() as u64
    }

    /// A word that is missing reads as seen; the mask keeps that from happening.
    #[inline]
    fn word(&self, word: u64) -> u64 {
        self.words().get(self.index(word)).copied().unwrap_or(u64::MAX)
    }

    #[inline]
    fn word_mut(&mut self, word: u64) -> Option<&mut u64> {
        let index = self.index(word);
        self.words_mut().get_mut(index)
    }

    /// The length is a power of two, so the mask is the remainder.
    #[inline]
    fn index(&self, word: u64) -> usize {
        usize::try_from(word & self.len().wrapping_sub(1)).unwrap_or(usize::MAX)
    }

    #[inline]
    fn words(&self) -> &[u64] {
        match self {
            Self::Inline(words) => words,
            Self::Boxed(words) => words,
        }
    }

    #[inline]
    fn words_mut(&mut self) -> &mut [u64] {
        match self {
            Self::Inline(words) => words,
            Self::Boxed(words) => words,
        }
    }
}

/// The bit of `number` in its word.
#[inline]
fn bit(number: u64) -> u64 {
    1_u64.wrapping_shl((number % BITS) as u32)
}

/// The bits of the numbers below `number` in its word.
#[inline]
fn below(number: u64) -> u64 {
    bit(number).wrapping_sub(1)
}

/// The bits of the numbers up to and with `number` in its word.
#[inline]
fn up_to(number: u64) -> u64 {
    bit(number) | below(number)
}

/// Bits of a word.
const BITS: u64 = u64::BITS as u64;

/// Words of an inline ring: enough for a window of 64.
const INLINE: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_a_power_of_two_of_window_and_a_word() {
        for (bits, words) in
            [(32, 2), (33, 2), (64, 2), (65, 4), (128, 4), (192, 4), (193, 8), (1 << 21, 1 << 16)]
        {
            assert_eq!(Ring::new(WindowSize::new(bits).unwrap()).len(), words, "{bits}");
        }
        assert!(Ring::new(WindowSize::DEFAULT).is_inline());
    }

    #[test]
    fn counts_within_one_word_and_across() {
        let mut ring = Ring::new(WindowSize::new(128).unwrap());
        for seen in [64, 70, 127, 130] {
            ring.set(seen);
        }
        for (first, last, unset) in
            [(64, 64, 0), (65, 69, 5), (64, 127, 61), (127, 128, 1), (70, 130, 58), (71, 129, 58)]
        {
            assert_eq!(ring.count_unset(first, last), unset, "{first}..={last}");
        }
    }
}
