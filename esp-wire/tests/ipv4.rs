//! IPv4 views, headers and changes in place, against etherparse.
#![expect(clippy::unwrap_used, reason = "helpers of tests too stop at the first surprise")]

use esp_wire::{Ip, IpError, Ipv4, Ipv4Fields, Ipv6Fields, ipv4, ipv6, proto};
use etherparse::{IpFragOffset, IpNumber, Ipv4Header, Ipv4Slice};
use proptest::prelude::*;

const FIELDS: Ipv4Fields = Ipv4Fields {
    tos: 0xb8,
    total_len: 46,
    id: 0x1234,
    dont_fragment: true,
    ttl: 64,
    protocol: proto::ESP,
    src: [192, 0, 2, 1],
    dst: [198, 51, 100, 2],
};

/// `fields` and a payload of counted bytes up to its total length.
fn packet(fields: Ipv4Fields) -> Vec<u8> {
    let mut bytes = fields.write().to_vec();
    bytes.extend((0..=255).cycle().take(usize::from(fields.total_len).saturating_sub(20)));
    bytes
}

/// A header with `words` words of options, a payload of 10 bytes, and a correct checksum, made by etherparse.
fn with_options(words: usize) -> Vec<u8> {
    let mut header = Ipv4Header::new(10, 7, IpNumber(proto::TCP), [10, 1, 2, 3], [10, 9, 8, 7]).unwrap();
    header.options = vec![1; 4 * words][..].try_into().unwrap();
    header.set_payload_len(10).unwrap();
    header.header_checksum = header.calc_header_checksum();
    let mut bytes = header.to_bytes().to_vec();
    bytes.extend([0x5a; 10]);
    bytes
}

#[test]
fn b22_every_shorter_slice_is_refused() {
    for bytes in [packet(FIELDS), with_options(1), with_options(10)] {
        assert!(Ipv4::parse(&bytes).is_ok());
        for len in 0..bytes.len() {
            let error = Ipv4::parse(&bytes[..len]).err();
            let header_len = usize::from(bytes[0] & 15) * 4;
            let want = if len < header_len { IpError::Truncated } else { IpError::TotalLen };
            assert_eq!(error, Some(want), "{len} of {} bytes", bytes.len());
            assert_eq!(Ip::parse(&bytes[..len]).err(), Some(want));
        }
    }
}

#[test]
fn b23_layer_2_padding_is_not_payload() {
    for frame_len in [46, 60, 64] {
        let mut frame = packet(FIELDS);
        frame.resize(frame_len, 0);
        let view = Ipv4::parse(&frame).unwrap();
        assert_eq!((view.total_len(), view.payload().len(), view.bytes().len()), (46, 26, 46));
        assert_eq!(Ip::parse(&frame).unwrap().total_len(), 46);
    }
}

#[test]
fn b23_lengths_that_contradict() {
    let mut frame = packet(FIELDS);
    for (total_len, want) in [
        (47, Some(IpError::TotalLen)),
        (19, Some(IpError::TotalLen)),
        (0, Some(IpError::TotalLen)),
        (20, None),
    ] {
        frame[2..4].copy_from_slice(&u16::to_be_bytes(total_len));
        assert_eq!(Ipv4::parse(&frame).err(), want, "total length {total_len}");
    }
    for ihl in 0..5 {
        frame[0] = 0x40 | ihl;
        assert_eq!(Ipv4::parse(&frame).err(), Some(IpError::HeaderLen));
    }
    frame[0] = 0x65;
    assert_eq!(Ipv4::parse(&frame).err(), Some(IpError::Version));
    frame[0] = 0x55;
    assert_eq!(Ip::parse(&frame).err(), Some(IpError::Version));
}

#[test]
fn b31_options_are_part_of_the_checksum() {
    for words in 1..=10 {
        let mut bytes = with_options(words);
        let (header_len, total_len) = (20 + 4 * words, u16::try_from(bytes.len() + 40).unwrap());
        assert!(ipv4::patch(&mut bytes, total_len, proto::ESP));
        let (header, payload) = Ipv4Header::from_slice(&bytes).unwrap();
        assert_eq!(header.header_checksum, header.calc_header_checksum());
        assert_eq!((header.protocol.0, header.total_len), (proto::ESP, total_len));
        assert_eq!(header.options[..], vec![1; 4 * words]);
        assert_eq!(payload, [0x5a; 10], "what follows the header stays");

        assert!(
            ipv4::patch(&mut bytes[..header_len], total_len - 40, proto::TCP),
            "the header alone is enough"
        );
        assert_eq!(bytes, with_options(words));
        assert!(!ipv4::patch(&mut bytes[..header_len - 1], total_len, proto::ESP));
        assert!(!ipv4::patch(&mut bytes, u16::try_from(header_len - 1).unwrap(), proto::ESP));
        assert_eq!(bytes, with_options(words), "a refusal changes nothing");
    }
}

/// All identifications, so all checksums, from a header whose old checksum is right or anything else.
#[test]
fn b31_patch_equals_a_new_checksum() {
    for id in 0..=u16::MAX {
        let want = Ipv4Fields { id, total_len: 1400, protocol: proto::UDP, ..FIELDS }.write();
        for stale in [0, 0xffff, id] {
            let mut header = Ipv4Fields { id, ..FIELDS }.write();
            header[10..12].copy_from_slice(&stale.to_be_bytes());
            assert!(ipv4::patch(&mut header, 1400, proto::UDP));
            assert_eq!(header, want, "id {id:#06x}, stale checksum {stale:#06x}");
        }
    }
}

#[test]
fn b32_no_checksum_in_an_ipv6_header() {
    for traffic_class in [0x50, 0x5f, 0x60, 0xb8, 0xff] {
        let fields = Ipv6Fields {
            traffic_class,
            flow_label: 0xfffff,
            payload_len: 0,
            next_header: 59,
            hop_limit: 1,
            src: [1; 16],
            dst: [2; 16],
        };
        let mut bytes = fields.write();
        assert!(!ipv4::patch(&mut bytes, 40, proto::ESP));
        assert!(!ipv4::set_tos(&mut bytes, 0));
        assert_eq!(bytes, fields.write());
    }
    let mut bytes = packet(FIELDS);
    assert!(!ipv6::set_payload_len(&mut bytes, 0) && !ipv6::set_traffic_class(&mut bytes, 0));
    assert_eq!(bytes, packet(FIELDS));
}

#[test]
fn b62_fragment_flags() {
    for (flags, df, mf, offset) in [
        (0x0000, false, false, 0),
        (0x4000, true, false, 0),
        (0x2000, false, true, 0),
        (0x0001, false, false, 1),
        (0x1fff, false, false, 0x1fff),
        (0x3000, false, true, 0x1000),
        (0x8000, false, false, 0),
    ] {
        let mut bytes = packet(FIELDS);
        bytes[6..8].copy_from_slice(&u16::to_be_bytes(flags));
        let view = Ipv4::parse(&bytes).unwrap();
        assert_eq!((view.dont_fragment(), view.more_fragments(), view.fragment_offset()), (df, mf, offset));
        assert_eq!(view.is_fragment(), mf || offset != 0, "flags {flags:#06x}");
        assert_eq!(Ip::parse(&bytes).unwrap().dont_fragment(), df);
    }
}

#[test]
fn b62_a_new_header_is_never_a_fragment() {
    for dont_fragment in [false, true] {
        let bytes = packet(Ipv4Fields { dont_fragment, ..FIELDS });
        let view = Ipv4::parse(&bytes).unwrap();
        assert_eq!((view.is_fragment(), view.dont_fragment()), (false, dont_fragment));
    }
}

/// All identifications, so all checksums: among them 0x0000, from which and to which the change has to come out right.
#[test]
fn b64_tos_change_equals_a_new_checksum() {
    let mut zeros = 0;
    for (old, new) in [(0, 1), (1, 0), (0xb8, 0xbb), (0, 0xff), (0xff, 0), (3, 3)] {
        for id in 0..=u16::MAX {
            let mut header = Ipv4Fields { tos: old, id, ..FIELDS }.write();
            let want = Ipv4Fields { tos: new, id, ..FIELDS }.write();
            zeros += u32::from(header[10..12] == [0, 0]) + u32::from(want[10..12] == [0, 0]);
            assert!(ipv4::set_tos(&mut header, new));
            assert_eq!(header, want, "{old} to {new}, id {id:#06x}");
        }
    }
    assert!(zeros >= 12, "{zeros}: each pair has a zero checksum before and after");
}

#[test]
fn b64_a_checksum_of_ones_is_a_zero_one() {
    let id = (0..=u16::MAX).find(|id| Ipv4Fields { id: *id, ..FIELDS }.write()[10..12] == [0, 0]).unwrap();
    let mut header = Ipv4Fields { id, ..FIELDS }.write();
    header[10..12].fill(0xff);
    assert!(ipv4::set_tos(&mut header, 0));
    assert_eq!(header, Ipv4Fields { id, tos: 0, ..FIELDS }.write());
}

#[test]
fn a_wrong_checksum_stays_wrong() {
    let mut bytes = packet(FIELDS);
    bytes[10] ^= 0x10;
    assert!(!Ipv4::parse(&bytes).unwrap().checksum_ok());
    assert!(ipv4::set_tos(&mut bytes, 3));
    assert!(!Ipv4::parse(&bytes).unwrap().checksum_ok());
    assert!(ipv4::patch(&mut bytes, 46, proto::UDP), "a new sum");
    assert!(Ipv4::parse(&bytes).unwrap().checksum_ok());
}

fn any_fields() -> impl Strategy<Value = Ipv4Fields> {
    (any::<[u8; 8]>(), 20..200_u16, any::<u16>(), any::<bool>(), any::<(u8, u8, u8)>()).prop_map(
        |(addresses, total_len, id, dont_fragment, (tos, ttl, protocol))| {
            let [s0, s1, s2, s3, d0, d1, d2, d3] = addresses;
            Ipv4Fields {
                tos,
                total_len,
                id,
                dont_fragment,
                ttl,
                protocol,
                src: [s0, s1, s2, s3],
                dst: [d0, d1, d2, d3],
            }
        },
    )
}

proptest! {
    #[test]
    fn a_new_header_is_what_etherparse_writes(fields in any_fields()) {
        let mut theirs = Ipv4Header::new(fields.total_len - 20, fields.ttl, IpNumber(fields.protocol), fields.src, fields.dst).unwrap();
        theirs.dscp = etherparse::IpDscp::try_new(fields.tos >> 2).unwrap();
        theirs.ecn = etherparse::IpEcn::try_new(fields.tos & 3).unwrap();
        theirs.identification = fields.id;
        theirs.dont_fragment = fields.dont_fragment;
        theirs.fragment_offset = IpFragOffset::ZERO;
        theirs.header_checksum = theirs.calc_header_checksum();
        prop_assert_eq!(&fields.write()[..], &theirs.to_bytes()[..]);
    }

    #[test]
    fn a_view_sees_what_was_written(fields in any_fields()) {
        let bytes = packet(fields);
        let view = Ipv4::parse(&bytes).unwrap();
        let seen = Ipv4Fields {
            tos: view.tos(), total_len: u16::try_from(view.total_len()).unwrap(), id: view.id(),
            dont_fragment: view.dont_fragment(), ttl: view.ttl(), protocol: view.protocol(),
            src: view.src(), dst: view.dst(),
        };
        prop_assert_eq!(seen, fields);
        prop_assert!(view.checksum_ok());
        let ip = Ip::parse(&bytes).unwrap();
        prop_assert_eq!((ip.traffic_class(), ip.hop_limit()), (fields.tos, fields.ttl));
        prop_assert_eq!((ip.src(), ip.dst()), (fields.src.into(), fields.dst.into()));
    }

    #[test]
    fn any_bytes_are_accepted_as_etherparse_does(
        mut bytes in prop::collection::vec(any::<u8>(), 0..100), first in 0x3e..0x52_u8, total_len in 0..110_u16,
    ) {
        if let [head, _, high, low, _, _, _, _, _, protocol, ..] = &mut bytes[..] {
            *head = first;
            [*high, *low] = total_len.to_be_bytes();
            *protocol = if *protocol == proto::AH { proto::ESP } else { *protocol }; // etherparse would parse on
        }
        match (Ipv4::parse(&bytes), Ipv4Slice::from_slice(&bytes)) {
            (Ok(ours), Ok(theirs)) => {
                prop_assert_eq!(ours.header(), theirs.header().slice());
                prop_assert_eq!(ours.header_len(), theirs.header().slice().len());
                prop_assert_eq!(ours.payload(), theirs.payload().payload);
                prop_assert_eq!(ours.is_fragment(), theirs.is_payload_fragmented());
                prop_assert_eq!(ours.fragment_offset(), theirs.header().fragments_offset().value());
            }
            (ours, theirs) => prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{:?} but {:?}", ours, theirs),
        }
    }

    #[test]
    fn changes_in_place_never_leave_the_header(
        bytes in prop::collection::vec(any::<u8>(), 0..80), tos: u8, total_len: u16, protocol: u8,
    ) {
        let mut patched = bytes.clone();
        let header_len = bytes.first().map_or(0, |first| usize::from(first & 15) * 4);
        let legal = bytes.len() >= 20 && bytes[0] >> 4 == 4 && header_len >= 20 && header_len <= bytes.len();
        prop_assert_eq!(ipv4::patch(&mut patched, total_len, protocol), legal && usize::from(total_len) >= header_len);
        prop_assert_eq!(patched.get(header_len..), bytes.get(header_len..));
        prop_assert_eq!(ipv4::set_tos(&mut patched, tos), legal);
        prop_assert_eq!(patched.get(header_len..), bytes.get(header_len..));
    }
}
