//! Options of pcapng blocks: walked over, and written again without those that have become false.

use crate::capture::classic::ordered;

/// One option.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawOption<'a> {
    pub(super) code: u16,
    pub(super) value: &'a [u8],
}

/// The options at the end of a block, up to the one that ends them or to the first that is not whole.
#[derive(Clone, Debug)]
pub(super) struct Options<'a> {
    rest: &'a [u8],
    big_endian: bool,
}

impl<'a> Options<'a> {
    pub(super) fn new(rest: &'a [u8], big_endian: bool) -> Self {
        Self { rest, big_endian }
    }
}

impl<'a> Iterator for Options<'a> {
    type Item = RawOption<'a>;

    fn next(&mut self) -> Option<RawOption<'a>> {
        let (head, behind) = self.rest.split_at_checked(4)?;
        let word = u32::from_be_bytes(ordered(head, 0, self.big_endian));
        let (code, len) =
            if self.big_endian { (word >> 16, word & 0xffff) } else { (word & 0xffff, word >> 16) };
        let (code, len) = (u16::try_from(code).unwrap_or_default(), len as usize);
        let value = behind.get(..len)?;
        if code == END {
            return None;
        }
        self.rest = behind.get(len.next_multiple_of(4)..).unwrap_or_default();
        Some(RawOption { code, value })
    }
}

/// `options` again, each with the value that `keep` answers, or without it. If `keep` changes nothing, the bytes are the
/// same, whatever they are.
pub(super) fn rewritten(
    options: &[u8],
    big_endian: bool,
    keep: impl Fn(RawOption<'_>) -> Option<Vec<u8>>,
) -> Vec<u8> {
    let unchanged = |option: RawOption<'_>| keep(option).is_some_and(|value| value == option.value);
    if Options::new(options, big_endian).all(unchanged) {
        return options.to_vec();
    }
    let order = |half: u16| if big_endian { half.to_be_bytes() } else { half.to_le_bytes() };
    let mut written = Vec::with_capacity(options.len());
    for option in Options::new(options, big_endian) {
        let Some(value) = keep(option) else { continue };
        written.extend(order(option.code));
        written.extend(order(u16::try_from(value.len()).unwrap_or_default()));
        written.extend(&value);
        written.resize(written.len().next_multiple_of(4), 0);
    }
    if !written.is_empty() {
        written.extend([0; 4]);
    }
    written
}

/// The options of a packet that was sealed or opened and has no frame check sequence: a hash is no longer its own.
pub(in crate::capture) fn true_after(options: &[u8], big_endian: bool) -> Vec<u8> {
    rewritten(options, big_endian, |option| match (option.code, option.value.len()) {
        (EPB_HASH, _) => None,
        (EPB_FLAGS, 4) => {
            let flags = u32::from_be_bytes(ordered(option.value, 0, big_endian)) & !FCS_MASK;
            Some(if big_endian { flags.to_be_bytes() } else { flags.to_le_bytes() }.to_vec())
        }
        _ => Some(option.value.to_vec()),
    })
}

/// Bytes of frame check sequence that a packet says it has; `None` if it does not say.
pub(super) fn fcs_len_of(options: &[u8], big_endian: bool) -> Option<usize> {
    let mut flags = Options::new(options, big_endian)
        .filter(|option| option.code == EPB_FLAGS && option.value.len() == 4);
    let flags = u32::from_be_bytes(ordered(flags.next()?.value, 0, big_endian));
    Some(((flags & FCS_MASK) >> FCS_SHIFT) as usize).filter(|len| *len > 0)
}

const END: u16 = 0;
const EPB_FLAGS: u16 = 2;
const EPB_HASH: u16 = 3;
const FCS_SHIFT: u32 = 5;
const FCS_MASK: u32 = 0b1111 << FCS_SHIFT;
