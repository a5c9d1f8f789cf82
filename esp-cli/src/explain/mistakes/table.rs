//! The mistakes that are known: a new one is a row here.

use super::attempt::Attempt;
use super::{Case, Mistake, extent, key, number, whose};

/// One mistake.
pub(super) struct Hypothesis {
    /// What it changes; of two mistakes on one axis, the packet shows only one.
    pub(super) axis: Axis,
    /// Whether it is tried together with another: not if it has thousands of forms.
    pub(super) in_pairs: bool,
    /// Every form of it, starting from an attempt that does not fit.
    pub(super) candidates: fn(&Case<'_>, &Attempt) -> Vec<Attempt>,
    /// What to say of the attempt that fits.
    pub(super) say: fn(&Case<'_>, &Attempt) -> Mistake,
}

/// What a mistake changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    Whose,
    Transform,
    Salt,
    Key,
    Number,
    IcvLen,
    Extent,
}

/// In this order; of two together, the one that stands first happens first.
pub(super) static TABLE: &[Hypothesis] = &[
    row(Axis::Whose, whose::others, whose::say_other),
    row(Axis::Transform, key::transforms, key::say_transform),
    row(Axis::Salt, key::salts, key::say_salt),
    row(Axis::Key, key::orders, key::say_order),
    row(Axis::Number, number::on_or_off, number::say),
    row(Axis::Number, number::near, number::say),
    row(Axis::IcvLen, extent::icv_lens, extent::say_icv_len),
    row(Axis::Extent, extent::ends, extent::say_end),
    Hypothesis { in_pairs: false, ..row(Axis::Number, number::far, number::say) },
];

/// For a packet whose ICV is right and whose text makes no sense: only what a separate MAC does not see.
pub(super) static NONSENSE: &[Hypothesis] = &[
    row(Axis::Transform, key::ciphers, key::say_transform),
    row(Axis::Salt, key::salts, key::say_salt),
    row(Axis::Key, key::cipher_orders, key::say_order),
];

/// No SA has the SPI, and the key of one fits: where such a search starts.
pub(super) static UNKNOWN_SPI: Hypothesis = row(Axis::Whose, |_, _| Vec::new(), whose::say_spi);

/// The window has no place for the number, and so the ICV was not looked at.
pub(super) static UNPLACED: Hypothesis = row(Axis::Number, |_, _| Vec::new(), number::say_unplaced);

const fn row(
    axis: Axis,
    candidates: fn(&Case<'_>, &Attempt) -> Vec<Attempt>,
    say: fn(&Case<'_>, &Attempt) -> Mistake,
) -> Hypothesis {
    Hypothesis { axis, in_pairs: true, candidates, say }
}
