//! The one vocabulary of drops: counter index, C value and label are the same thing.

macro_rules! drop_reasons {
    ($($(#[$doc:meta])* $name:ident = $value:literal, $label:literal;)+) => {
        /// Why a packet was dropped.
        ///
        /// The discriminant is the counter's index and stays what it is: reasons are only ever appended.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum DropReason {
            $($(#[$doc])* $name = $value,)+
        }

        impl DropReason {
            /// Every reason, in the order of its discriminants.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The reason's label in statistics, logs and JSON.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $label,)+ }
            }
        }
    };
}

drop_reasons! {
    /// Not a whole, well-formed IPv4 or IPv6 packet (or UDP header, where it must be one).
    Malformed = 0, "malformed";
    /// A chain of IPv6 extension headers that is cut short or too long (RFC 8200 section 4).
    ExtensionHeaders = 1, "extension_headers";
    /// A fragment of an ESP packet, or a fragment handed to a transport-mode SA (RFC 4303 sections 3.3.4, 3.4.1).
    Fragment = 2, "fragment";
    /// [`PacketFlags::PARTIAL_CHECKSUM`](crate::PacketFlags::PARTIAL_CHECKSUM).
    PartialChecksum = 3, "partial_checksum";
    /// [`PacketFlags::GSO`](crate::PacketFlags::GSO).
    Gso = 4, "gso";
    /// [`PacketFlags::SEGMENTED`](crate::PacketFlags::SEGMENTED).
    Segmented = 5, "segmented";
    /// [`PacketFlags::SHARED`](crate::PacketFlags::SHARED).
    Shared = 6, "shared";
    /// The tunnel handle names no live outbound SA.
    StaleTunnel = 7, "stale_tunnel";
    /// The sealed packet would exceed the SA's MTU or an IP length field; detail is the usable inner MTU.
    TooBig = 8, "too_big";
    /// Too little head- or tailroom; detail is how many bytes are missing in all.
    NoRoom = 9, "no_room";
    /// The packet is already sealed by this very SA: a forwarding loop.
    Loop = 10, "loop";
    /// The SA's sequence numbers are used up (RFC 4303 section 3.3.3).
    SeqOverflow = 11, "seq_overflow";
    /// A stage could not do what an earlier one had made sure of; no known input leads here.
    Internal = 12, "internal";
    /// Shorter than an ESP packet of its SA can be (RFC 4303 section 2).
    TooShort = 13, "too_short";
    /// No SA for this SPI and these addresses (RFC 4303 section 3.4.2).
    NoSa = 14, "no_sa";
    /// The 64-bit sequence number zero (RFC 4303 section 3.3.3: the first packet carries 1).
    SeqZero = 15, "seq_zero";
    /// Left of the replay window (RFC 4303 section 3.4.3).
    ReplayTooOld = 16, "replay_too_old";
    /// Inside the replay window and already seen (RFC 4303 section 3.4.3).
    ReplayDuplicate = 17, "replay_duplicate";
    /// The ICV did not verify (RFC 4303 section 3.4.4).
    AuthFailed = 18, "auth_failed";
    /// Authentic, but the pad length exceeds the payload, or the padding leaves no whole blocks of the cipher (RFC 4303
    /// section 2.4).
    PadLength = 19, "pad_length";
    /// Authentic, but the padding is not 1, 2, 3, .. (RFC 4303 section 2.4).
    PadContent = 20, "pad_content";
    /// Authentic, but the next header and what follows do not fit a tunnel-mode SA (RFC 4301 section 5.2), or make no packet.
    BadInner = 21, "bad_inner";
    /// The outer header says CE and the inner packet is not ECN-capable (RFC 6040 section 4.2).
    EcnIllegal = 22, "ecn_illegal";
    /// Authentic, but from or to other outer addresses than the SA demands.
    OuterAddress = 23, "outer_address";
    /// Authentic, but UDP-encapsulated where the SA is not, or the other way round.
    Encapsulation = 24, "encapsulation";
    /// Authentic, but the inner packet matches no selector of the SA (RFC 4301 section 5.2).
    Selector = 25, "selector";
}

impl DropReason {
    /// Whether RFC 4303 calls the event auditable (sections 3.4.1 to 3.4.4).
    #[inline]
    pub(crate) const fn is_auditable(self) -> bool {
        matches!(
            self,
            Self::Fragment
                | Self::NoSa
                | Self::SeqZero
                | Self::ReplayTooOld
                | Self::ReplayDuplicate
                | Self::AuthFailed
                | Self::PadLength
                | Self::PadContent
        )
    }
}

#[cfg(test)]
mod tests {
    use super::DropReason;

    #[test]
    fn discriminants_are_the_positions_and_labels_are_unique() {
        for (index, reason) in DropReason::ALL.iter().enumerate() {
            assert_eq!(*reason as usize, index, "{}", reason.name());
            let same = DropReason::ALL.iter().filter(|other| other.name() == reason.name()).count();
            assert_eq!(same, 1, "{}", reason.name());
        }
    }
}
