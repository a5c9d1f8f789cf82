//! Choices out of a fuzzer's bytes.

/// Reads zeroes behind its end, so that every input means something.
pub(crate) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    pub(crate) fn short(&mut self) -> u16 {
        u16::from_be_bytes([self.next(), self.next()])
    }

    pub(crate) fn long(&mut self) -> u64 {
        u64::from_be_bytes(std::array::from_fn(|_| self.next()))
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.next() & 1 != 0
    }

    /// True once in `n` times; not at the end of the input.
    pub(crate) fn one_in(&mut self, n: u8) -> bool {
        self.next() % n == n - 1
    }

    /// A number below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let choice = if n <= 256 { usize::from(self.next()) } else { usize::from(self.short()) };
        choice % n
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// Fewer than `most` bytes of the input as they are.
    pub(crate) fn some(&mut self, most: usize) -> &'a [u8] {
        let len = self.below(most);
        self.take(len)
    }

    /// Up to `len` bytes of the input as they are.
    pub(crate) fn take(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        taken
    }
}

/// `len` bytes that look random and are the same for the same seed: plaintext that can be told from all else.
pub(crate) fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed;
    let words = std::iter::repeat_with(|| {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)).to_be_bytes()
    });
    words.flatten().take(len).collect()
}
