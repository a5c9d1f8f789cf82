//! What both walks do with IP headers.

use esp_wire::{IpError, ipv4, ipv6};

use crate::narrow::u16_of;
use crate::verdict::{DropReason, Verdict};

/// The verdict on what is no IP packet.
#[inline]
pub(crate) fn malformed(_: IpError) -> Verdict {
    DropReason::Malformed.into()
}

/// Makes an IP header, with the extension headers behind it, say that `protocol` follows and that the packet is `total`
/// bytes long. `field` is where an IPv6 header chain names what follows.
#[inline]
pub(crate) fn patch_ip(header: &mut [u8], total: usize, field: u16, protocol: u8) -> bool {
    if header.first().is_some_and(|byte| byte >> 4 == 4) {
        return ipv4::patch(header, u16_of(total), protocol);
    }
    let Some(named) = header.get_mut(usize::from(field)) else { return false };
    *named = protocol;
    ipv6::set_payload_len(header, u16_of(total.saturating_sub(ipv6::HEADER_LEN)))
}
