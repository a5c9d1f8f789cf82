//! From arbitrary bytes to a case whose steps lie near the places where windows go wrong.

use crate::model::Start;

/// One run of the property.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) start: Start,
    pub(super) size: u32,
    pub(super) esn: bool,
    pub(super) steps: Vec<u64>,
}

pub(super) fn case(data: &[u8]) -> Case {
    let mut bytes = Bytes(data);
    let size = pick(&SIZES, bytes.next());
    let flags = bytes.next();
    let esn = flags & 1 != 0;
    let mask = if esn { u64::MAX } else { u64::from(u32::MAX) };
    let edge = pick(&TOPS, bytes.next()).wrapping_add(u64::from(bytes.next())) & mask;
    let (start, mut top) = match flags >> 1 & 3 {
        0 | 1 => (Start::Fresh, 0),
        2 => (Start::Top(edge), edge),
        _ => (Start::AllSeen(edge), edge),
    };
    let mut steps = Vec::new();
    while !bytes.0.is_empty() && steps.len() < MAX_STEPS {
        let step = step(&mut bytes, size, top, &steps) & mask;
        top = top.max(step);
        steps.push(step);
    }
    Case { start, size, esn, steps }
}

/// The next number: a walk, a repeat, an edge of the window below or above the top, or anything at all.
fn step(bytes: &mut Bytes<'_>, size: u32, top: u64, steps: &[u64]) -> u64 {
    let kind = bytes.next();
    match kind % 16 {
        0..4 => top.wrapping_add(1).wrapping_add(u64::from(kind >> 6)),
        4..7 => top.wrapping_sub(about_two_windows(bytes, size)),
        7 | 8 => pick(steps, bytes.next()),
        9..11 => top.wrapping_add(edge(bytes, size)),
        11..13 => top.wrapping_sub(edge(bytes, size)),
        13 => top.wrapping_add(about_two_windows(bytes, size)),
        14 => pick(&TOPS, bytes.next()).wrapping_sub(u64::from(bytes.next())),
        _ => bytes.long(),
    }
}

fn about_two_windows(bytes: &mut Bytes<'_>, size: u32) -> u64 {
    bytes.long().checked_rem(u64::from(size).saturating_mul(2)).unwrap_or(0)
}

/// A distance at which a rule changes: of a word, the window, the ring, a subspace.
fn edge(bytes: &mut Bytes<'_>, size: u32) -> u64 {
    let size = u64::from(size);
    let ring = size.saturating_add(64).div_ceil(64).next_power_of_two().saturating_mul(64);
    let places = [1, 32, 64, 128, size, size, size, ring, ring, size.saturating_add(64), 1 << 31, 1 << 32];
    let nudges = [0, 0, 1, u64::MAX, 63, 64, 64_u64.wrapping_neg(), 63_u64.wrapping_neg()];
    let choice = bytes.next();
    pick(&places, choice >> 3).wrapping_add(pick(&nudges, choice & 7))
}

fn pick<T: Copy + Default>(from: &[T], choice: u8) -> T {
    usize::from(choice).checked_rem(from.len()).and_then(|index| from.get(index)).copied().unwrap_or_default()
}

/// Reads zeroes behind its end.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn long(&mut self) -> u64 {
        u64::from_be_bytes(std::array::from_fn(|_| self.next()))
    }
}

/// Around powers of two and words, and sizes that are neither.
const SIZES: [u32; 13] = [32, 33, 63, 64, 65, 100, 127, 128, 192, 1000, 1024, 4096, 1 << 21];

/// Where the number space has an edge.
const TOPS: [u64; 8] =
    [0, 64, 1 << 21, 1 << 31, 0xffff_ff80, (1 << 33) - 128, 0xffff_ffff_0000_0000, u64::MAX - 128];

/// Keeps a case short enough for the definition, which looks at every number seen in every step.
const MAX_STEPS: usize = 512;
