//! IPv6 views, headers and changes in place, against etherparse.

use esp_wire::ipv6;
use esp_wire::proto::{ESP, HOP_BY_HOP, NO_NEXT, TCP, UDP};
use esp_wire::{Ip, IpError, Ipv6, Ipv6Fields};
use etherparse::{IpNumber, Ipv6FlowLabel, Ipv6Header};
use proptest::prelude::*;

const FIELDS: Ipv6Fields = Ipv6Fields {
    traffic_class: 0xb8,
    flow_label: 0x9_abcd,
    payload_len: 0,
    next_header: NO_NEXT,
    hop_limit: 64,
    src: [0x11; 16],
    dst: [0x22; 16],
};

/// A header and 16 bytes behind it.
fn packet(next_header: u8) -> Vec<u8> {
    let mut bytes = Ipv6Fields { payload_len: 16, next_header, ..FIELDS }.write().to_vec();
    bytes.extend([0xff; 16]);
    bytes
}

#[test]
fn b22_every_shorter_slice_is_refused() {
    let bytes = packet(TCP);
    for len in 0..bytes.len() {
        let want = if len < 40 { IpError::Truncated } else { IpError::TotalLen };
        assert_eq!(Ipv6::parse(&bytes[..len]).err(), Some(want), "{len} bytes");
        assert_eq!(Ip::parse(&bytes[..len]).err(), Some(want));
    }
}

#[test]
fn b23_layer_2_padding_is_not_payload() {
    let mut frame = packet(ESP);
    frame.extend([0; 8]);
    let view = Ipv6::parse(&frame).unwrap();
    assert_eq!((view.total_len(), view.payload_len(), view.payload().len()), (56, 16, 16));
    assert!(ipv6::set_payload_len(&mut frame, 25));
    assert_eq!(Ipv6::parse(&frame).err(), Some(IpError::TotalLen));
}

#[test]
fn a_payload_length_of_zero() {
    let mut bytes = FIELDS.write();
    assert_eq!(Ipv6::parse(&bytes).map(|view| view.payload().len()).ok(), Some(0));
    bytes[6] = HOP_BY_HOP;
    assert_eq!(Ipv6::parse(&bytes).err(), Some(IpError::Jumbogram));
    bytes[0] = 0x45;
    assert_eq!(Ipv6::parse(&bytes).err(), Some(IpError::Version));
}

#[test]
fn b29_payload_length_leaves_out_the_fixed_header() {
    let mut bytes = packet(ESP);
    assert_eq!(Ipv6::parse(&bytes).unwrap().payload_len(), bytes.len() - 40);
    assert!(ipv6::set_payload_len(&mut bytes[..40], 9));
    assert_eq!(bytes[4..6], [0, 9]);
    assert_eq!(Ipv6::parse(&bytes).unwrap().total_len(), 49);
}

#[test]
fn b64_traffic_class_lies_across_two_bytes() {
    for traffic_class in 0..=255_u8 {
        let mut bytes = FIELDS.write();
        assert!(ipv6::set_traffic_class(&mut bytes, traffic_class));
        assert_eq!(bytes, Ipv6Fields { traffic_class, ..FIELDS }.write());
        assert_eq!(bytes[..2], [0x60 | traffic_class >> 4, traffic_class << 4 | 0x9]);
        assert_eq!(Ipv6::parse(&bytes).map(|view| view.traffic_class()).ok(), Some(traffic_class));
    }
    assert!(!ipv6::set_traffic_class(&mut FIELDS.write()[..39], 0));
}

proptest! {
    #[test]
    fn a_new_header_is_what_etherparse_writes(
        traffic_class: u8, flow_label: u32, payload_len: u16, next_header: u8, hop_limit: u8, src: [u8; 16], dst: [u8; 16],
    ) {
        let ours = Ipv6Fields { traffic_class, flow_label, payload_len, next_header, hop_limit, src, dst };
        let mut theirs = Ipv6Header {
            flow_label: Ipv6FlowLabel::try_new(flow_label & 0xf_ffff).unwrap(),
            payload_length: payload_len,
            next_header: IpNumber(next_header),
            hop_limit,
            source: src,
            destination: dst,
            ..Ipv6Header::default()
        };
        theirs.traffic_class = traffic_class;
        prop_assert_eq!(ours.write(), theirs.to_bytes());
    }

    #[test]
    fn a_view_sees_what_was_written(traffic_class: u8, flow_label in 0..1_u32 << 20, hop_limit: u8, src: [u8; 16], dst: [u8; 16]) {
        let fields = Ipv6Fields { traffic_class, flow_label, payload_len: 3, next_header: UDP, hop_limit, src, dst };
        let mut bytes = fields.write().to_vec();
        bytes.extend([7, 8, 9, 0]);
        let view = Ipv6::parse(&bytes).unwrap();
        let seen = Ipv6Fields {
            traffic_class: view.traffic_class(), flow_label: view.flow_label(), payload_len: 3,
            next_header: view.next_header(), hop_limit: view.hop_limit(), src: view.src(), dst: view.dst(),
        };
        prop_assert_eq!(seen, fields);
        prop_assert_eq!(view.payload(), &[7, 8, 9]);
        let ip = Ip::parse(&bytes).unwrap();
        prop_assert_eq!((ip.traffic_class(), ip.hop_limit(), ip.dont_fragment()), (traffic_class, hop_limit, false));
        prop_assert_eq!((ip.src(), ip.dst()), (src.into(), dst.into()));
        prop_assert_eq!(ip.total_len(), 43);
    }
}
