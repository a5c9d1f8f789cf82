//! Stage 1: is it ESP, bare or in UDP, and of which SPI and sequence number?

use esp_wire::{EspHeader, Ip, SeqLow, esp, ipv6, proto, udp};

use super::{Burst, Given, Slot};
use crate::ip::malformed;
use crate::lanes::Step;
use crate::narrow::{u16_of, u32_of};
use crate::packet::Packet;
use crate::verdict::{Consumed, DropReason, HandedBack, Verdict};

/// Every live packet is ESP with a whole header.
pub(crate) struct Parsed(());

impl<'c, 'p, 'g> Burst<'c, 'p, 'g, Given> {
    pub(super) fn parse(mut self) -> Burst<'c, 'p, 'g, Parsed> {
        let ports = self.context.udp_ports;
        self.lanes.each(|packet, slot| examine(ports, packet, slot));
        self.passed(Parsed(()))
    }
}

#[inline]
fn examine(udp_ports: &[u16], packet: &Packet<'_>, slot: &mut Slot) -> Step {
    let ip = Ip::parse(packet.data()).map_err(malformed)?;
    slot.query.src = ip.src();
    slot.query.dst = ip.dst();
    slot.tos = ip.traffic_class();
    let (protocol, first_fragment) = upper_layer(&ip, slot)?;
    let upper = ip.bytes().get(usize::from(slot.header_len)..).unwrap_or_default();
    match protocol {
        proto::ESP => {
            whole(slot, first_fragment, upper)?;
            take_esp(upper, usize::from(slot.header_len), false, slot)?;
        }
        proto::UDP if first_fragment => match encapsulated(udp_ports, upper, slot.fragment)? {
            Some(esp_bytes) => {
                of_encapsulation(esp_bytes, slot.fragment)?;
                whole(slot, first_fragment, esp_bytes)?;
                take_esp(esp_bytes, usize::from(slot.header_len) + udp::HEADER_LEN, true, slot)?;
            }
            None => return Err(Verdict::HandedBack(HandedBack::NotEsp)),
        },
        _ => return Err(Verdict::HandedBack(HandedBack::NotEsp)),
    }
    // Only what is ESP is judged by what its buffer is like: anything else goes back untouched.
    packet.flags().admit()
}

/// Finds the protocol behind the IP header, and whether the packet is whole or the first fragment.
#[inline]
fn upper_layer(ip: &Ip<'_>, slot: &mut Slot) -> Result<(u8, bool), Verdict> {
    match ip {
        Ip::V4(ip) => {
            slot.header_len = u16_of(ip.header_len());
            slot.field = 9;
            slot.flow_label = 0;
            slot.fragment = ip.is_fragment();
            Ok((ip.protocol(), ip.fragment_offset() == 0))
        }
        Ip::V6(ip) => {
            let upper = ipv6::find_upper(ip).map_err(|_| DropReason::ExtensionHeaders)?;
            slot.header_len = u16_of(upper.offset);
            slot.field = u16_of(upper.field);
            slot.flow_label = ip.flow_label();
            // An atomic fragment is a whole packet that carries the header all the same (RFC 6946).
            slot.fragment = upper.fragment && !upper.atomic;
            Ok((upper.next_header, upper.first))
        }
    }
}

//= https://www.rfc-editor.org/rfc/rfc4303#section-3.4.1
//# If a packet offered to ESP for processing appears to be an IP
//# fragment, i.e., the OFFSET field is non-zero or the MORE FRAGMENTS
//# flag is set, the receiver MUST discard the packet;
#[inline]
fn whole(slot: &mut Slot, first: bool, esp: &[u8]) -> Step {
    if slot.fragment { Err(fragment(slot, first, esp)) } else { Ok(()) }
}

/// The audit event names the SPI and the number only where the fragment is the first, which holds them.
#[cold]
fn fragment(slot: &mut Slot, first: bool, esp: &[u8]) -> Verdict {
    let header = EspHeader::read(esp).filter(|_| first);
    (slot.query.spi, slot.low) = header.map_or((0, SeqLow(0)), |header| (header.spi, header.seq));
    DropReason::Fragment.into()
}

/// The payload of a UDP datagram to one of our ports, cut to the datagram's own length; of a first fragment, as much as
/// there is.
#[inline]
fn encapsulated<'a>(udp_ports: &[u16], upper: &'a [u8], fragment: bool) -> Result<Option<&'a [u8]>, Verdict> {
    let Some(header) = udp::UdpHeader::read(upper) else { return Ok(None) };
    if !udp_ports.contains(&header.dst_port) {
        return Ok(None);
    }
    let end = if fragment { upper.len() } else { usize::from(header.length) };
    match upper.get(udp::HEADER_LEN..end) {
        Some(payload) => Ok(Some(payload)),
        None => Err(DropReason::Malformed.into()),
    }
}

/// Keepalives and IKE share the port (RFC 3948 sections 2.2 and 2.3). IKE goes back as a fragment too: its receiver
/// reassembles it.
#[inline]
fn of_encapsulation(payload: &[u8], fragment: bool) -> Step {
    match payload {
        [0xff] if !fragment => Err(Verdict::Consumed(Consumed::Keepalive)),
        //= https://www.rfc-editor.org/rfc/rfc3948#section-2.2
        //# A Non-ESP Marker is 4 zero-valued bytes aligning with the SPI field of
        //# an ESP packet.
        [0, 0, 0, 0, ..] => Err(Verdict::HandedBack(HandedBack::Ike)),
        _ => Ok(()),
    }
}

#[inline]
fn take_esp(bytes: &[u8], offset: usize, udp: bool, slot: &mut Slot) -> Step {
    let Some(header) = EspHeader::read(bytes) else { return Err(DropReason::TooShort.into()) };
    debug_assert!(bytes.len() >= esp::HEADER_LEN);
    slot.query.spi = header.spi;
    slot.low = header.seq;
    slot.udp = udp;
    slot.esp_off = u32_of(offset);
    slot.esp_len = u32_of(bytes.len());
    Ok(())
}
