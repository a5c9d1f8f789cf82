//! Explicit congestion notification through a tunnel (RFC 6040): what the outer header says on encapsulation, and what
//! the inner header says after decapsulation.

/// The ECN field: the lower two bits of the IPv4 TOS or IPv6 traffic class byte (RFC 3168 section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Ecn {
    /// The transport does not take part.
    NotEct = 0,
    /// ECN-capable, ECT(1).
    Ect1 = 1,
    /// ECN-capable, ECT(0).
    Ect0 = 2,
    /// Congestion experienced.
    Ce = 3,
}

impl Ecn {
    /// The field of a TOS or traffic class byte.
    #[inline]
    #[must_use]
    pub const fn from_tos(tos: u8) -> Self {
        match tos & 0b11 {
            0 => Self::NotEct,
            1 => Self::Ect1,
            2 => Self::Ect0,
            _ => Self::Ce,
        }
    }
}

/// `tos` with its ECN field replaced and its DSCP kept.
#[inline]
#[must_use]
pub const fn with_ecn(tos: u8, ecn: Ecn) -> u8 {
    (tos & !0b11) | ecn as u8
}

/// The outer field in normal mode: a copy of the inner one (RFC 6040 section 4.1).
#[inline]
#[must_use]
pub const fn encap_normal(inner: Ecn) -> Ecn {
    inner
}

/// The outer field in compatibility mode, for an egress that would not hand a mark on: Not-ECT (RFC 6040 section 4.1).
#[inline]
#[must_use]
pub const fn encap_compatibility() -> Ecn {
    Ecn::NotEct
}

/// The field of the packet that leaves the tunnel, from the inner and the outer one that arrived (RFC 6040 section 4.2,
/// figure 4).
///
/// ```text
///   inner   | outer: Not-ECT   ECT(0)         ECT(1)          CE
///  ---------+-----------------------------------------------------------
///   Not-ECT |        Not-ECT   Not-ECT (!!!)  Not-ECT (!!!)   drop (!!!)
///   ECT(0)  |        ECT(0)    ECT(0)         ECT(1)          CE
///   ECT(1)  |        ECT(1)    ECT(1) (!)     ECT(1)          CE
///   CE      |        CE        CE             CE (!!!)        CE
/// ```
///
/// # Errors
///
/// [`EcnDrop`] for an inner Not-ECT in an outer CE: the congestion could not be told to the transport but by a loss.
#[inline]
pub const fn decap(inner: Ecn, outer: Ecn) -> Result<Ecn, EcnDrop> {
    match (inner, outer) {
        (Ecn::NotEct, Ecn::Ce) => Err(EcnDrop),
        (Ecn::Ect0 | Ecn::Ect1, Ecn::Ce) => Ok(Ecn::Ce),
        (Ecn::Ect0, Ecn::Ect1) => Ok(Ecn::Ect1),
        _ => Ok(inner),
    }
}

/// Whether figure 4 marks the combination at all, `(!)` or `(!!!)`: no ingress of RFC 6040 or its predecessors makes it.
#[inline]
#[must_use]
pub const fn is_unexpected(inner: Ecn, outer: Ecn) -> bool {
    is_dangerous(inner, outer) || matches!((inner, outer), (Ecn::Ect1, Ecn::Ect0))
}

/// Whether figure 4 marks the combination `(!!!)`: always potentially dangerous, worth a log line or an alarm.
#[inline]
#[must_use]
pub const fn is_dangerous(inner: Ecn, outer: Ecn) -> bool {
    matches!((inner, outer), (Ecn::NotEct, Ecn::Ect0 | Ecn::Ect1 | Ecn::Ce) | (Ecn::Ce, Ecn::Ect1))
}

/// The packet is to be dropped: the outer header says CE and the inner transport is not ECN-capable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("outer CE on an inner packet that is not ECN-capable (RFC 6040 section 4.2)")]
pub struct EcnDrop;
