//! The walks over IPv6 extension headers, against etherparse and against a chain whose making is known.

use esp_wire::ipv6::{self, MAX_EXT_HEADERS, MAX_EXT_LEN, esp_place, find_upper};
use esp_wire::proto::{AH, DEST_OPTS, ESP, FRAGMENT, HOP_BY_HOP, IPV6, MOBILITY, NO_NEXT, ROUTING, TCP, UDP};
use esp_wire::{ExtError, Ipv6, Ipv6Fields, UpperLayer};
use etherparse::{IpNumber, Ipv6ExtensionsSlice};
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

/// An extension header: its kind, and its length in units of 8 bytes after the first 8, or offset and M of a fragment.
type Ext = (u8, u16);

/// A packet with `chain` before 16 bytes of `upper`. All bytes that a walk should not look at are 0xff.
fn packet(chain: &[Ext], upper: u8) -> Vec<u8> {
    let kinds: Vec<u8> = chain.iter().map(|ext| ext.0).chain([upper]).collect();
    let mut payload = Vec::new();
    for (ext, next) in chain.iter().zip(&kinds[1..]) {
        if ext.0 == FRAGMENT {
            let [high, low] = ext.1.to_be_bytes();
            payload.extend([*next, 0xff, high, low, 0xff, 0xff, 0xff, 0xff]);
        } else {
            let start = payload.len();
            payload.resize(start + 8 + 8 * usize::from(ext.1), 0xff);
            payload[start..start + 2].copy_from_slice(&[*next, ext.1.to_be_bytes()[1]]);
        }
    }
    payload.extend([0xff; 16]);
    let payload_len = u16::try_from(payload.len()).unwrap_or(0);
    let mut bytes = Ipv6Fields { payload_len, next_header: kinds[0], ..FIELDS }.write().to_vec();
    bytes.extend(payload);
    bytes
}

fn ext_len(ext: Ext) -> usize {
    if ext.0 == FRAGMENT { 8 } else { 8 + 8 * usize::from(ext.1) }
}

/// The place behind the first `passed` headers of `chain`.
fn behind(chain: &[Ext], upper: u8, passed: usize) -> UpperLayer {
    let before = |count: usize| 40 + chain[..count].iter().map(|ext| ext_len(*ext)).sum::<usize>();
    let fragments: Vec<u16> =
        chain[..passed].iter().filter(|ext| ext.0 == FRAGMENT).map(|ext| ext.1 & 0xfff9).collect();
    UpperLayer {
        offset: before(passed),
        next_header: chain.get(passed).map_or(upper, |ext| ext.0),
        field: if passed == 0 { 6 } else { before(passed - 1) },
        fragment: !fragments.is_empty(),
        atomic: !fragments.is_empty() && fragments.iter().all(|place| *place == 0),
        first: fragments.iter().all(|place| *place < 8),
    }
}

fn upper_of(bytes: &[u8]) -> Result<UpperLayer, ExtError> {
    find_upper(&Ipv6::parse(bytes).map_err(|_| ExtError::Truncated)?)
}

fn place_of(bytes: &[u8]) -> Result<UpperLayer, ExtError> {
    esp_place(&Ipv6::parse(bytes).map_err(|_| ExtError::Truncated)?)
}

#[test]
fn b29_the_last_header_before_esp_names_it() {
    let chain = [(HOP_BY_HOP, 0), (FRAGMENT, 0)];
    let mut bytes = packet(&chain, ESP);
    let want =
        UpperLayer { offset: 56, next_header: ESP, field: 48, fragment: true, atomic: true, first: true };
    assert_eq!((upper_of(&bytes), place_of(&bytes)), (Ok(want), Ok(want)));
    bytes[want.field] = TCP;
    assert_eq!(upper_of(&bytes), Ok(UpperLayer { next_header: TCP, ..want }), "the byte that names it");
    assert_eq!(Ipv6::parse(&bytes).unwrap().next_header(), HOP_BY_HOP);
}

#[test]
fn b30_esp_and_the_like_end_the_walk() {
    for upper in [ESP, AH, UDP, TCP, IPV6, NO_NEXT, MOBILITY, 255] {
        assert_eq!(upper_of(&packet(&[], upper)), Ok(behind(&[], upper, 0)));
        let chain = [(HOP_BY_HOP, 2), (DEST_OPTS, 0), (ROUTING, 1), (DEST_OPTS, 1)];
        assert_eq!(upper_of(&packet(&chain, upper)), Ok(behind(&chain, upper, 4)));
    }
}

#[test]
fn b30_a_length_past_the_end() {
    for kind in [HOP_BY_HOP, ROUTING, DEST_OPTS] {
        for units in 0..=255 {
            let mut bytes = packet(&[(kind, 0)], TCP); // 24 bytes behind the fixed header
            bytes[41] = units;
            let fits = 8 + 8 * usize::from(units) <= 24;
            assert_eq!(upper_of(&bytes).err(), (!fits).then_some(ExtError::Truncated), "{units} units");
            assert_eq!(place_of(&bytes).err(), (!fits).then_some(ExtError::Truncated), "{units} units");
        }
    }
}

#[test]
fn b30_a_chain_cut_anywhere() {
    let chain = [(HOP_BY_HOP, 1), (DEST_OPTS, 0), (ROUTING, 2), (FRAGMENT, 0), (DEST_OPTS, 0)];
    let whole = packet(&chain, ESP);
    let end = whole.len() - 16;
    for len in 41..whole.len() {
        let mut bytes = whole[..len].to_vec();
        assert!(ipv6::set_payload_len(&mut bytes, u16::try_from(len - 40).unwrap()));
        let want = if len < end { Err(ExtError::Truncated) } else { Ok(behind(&chain, ESP, 5)) };
        assert_eq!(upper_of(&bytes), want, "{len} bytes");
    }
}

#[test]
fn b30_bounds_of_the_walk() {
    let chain = [(DEST_OPTS, 0); MAX_EXT_HEADERS + 1];
    let all = MAX_EXT_HEADERS;
    assert_eq!(
        upper_of(&packet(&chain[..all], ESP)),
        Ok(behind(&chain, DEST_OPTS, all)).map(|at| UpperLayer { next_header: ESP, ..at })
    );
    assert_eq!(upper_of(&packet(&chain, ESP)), Err(ExtError::TooMany));
    assert_eq!(place_of(&packet(&chain, ESP)), Err(ExtError::TooMany));

    let longest = u16::try_from(MAX_EXT_LEN / 8 - 1).unwrap();
    assert_eq!(upper_of(&packet(&[(ROUTING, longest)], ESP)).map(|at| at.offset), Ok(40 + MAX_EXT_LEN));
    assert_eq!(upper_of(&packet(&[(ROUTING, longest + 1)], ESP)), Err(ExtError::TooMany));
    assert_eq!(upper_of(&packet(&[(ROUTING, longest), (DEST_OPTS, 0)], ESP)), Err(ExtError::TooMany));
}

#[test]
fn b30_hop_by_hop_only_comes_first() {
    let chain = [(DEST_OPTS, 0), (HOP_BY_HOP, 0)];
    assert_eq!(upper_of(&packet(&chain, TCP)), Ok(behind(&chain, TCP, 1)));
    let chain = [(HOP_BY_HOP, 0), (HOP_BY_HOP, 0)];
    assert_eq!(upper_of(&packet(&chain, TCP)), Ok(behind(&chain, TCP, 1)));
}

#[test]
fn b30_destination_options_by_position() {
    const HBH: Ext = (HOP_BY_HOP, 0);
    const DO: Ext = (DEST_OPTS, 1);
    const RT: Ext = (ROUTING, 2);
    const FRAG: Ext = (FRAGMENT, 0);
    let cases: [(&[Ext], usize); 9] = [
        (&[], 0),
        (&[HBH], 1),
        (&[DO], 0),
        (&[HBH, DO], 1),
        (&[RT, DO], 1),
        (&[HBH, DO, RT], 3),
        (&[HBH, DO, RT, DO], 3),
        (&[DO, RT, DO, DO], 2),
        (&[HBH, RT, FRAG, DO], 3),
    ];
    for (chain, outside) in cases {
        assert_eq!(place_of(&packet(chain, TCP)), Ok(behind(chain, TCP, outside)), "{chain:?}");
    }
}

#[test]
fn b62_fragment_header() {
    for (place, atomic) in [(0, true), (1, false), (8, false), (9, false), (0xfff8, false), (6, true)] {
        let chain = [(HOP_BY_HOP, 0), (FRAGMENT, place)];
        let want =
            UpperLayer { offset: 56, next_header: ESP, field: 48, fragment: true, atomic, first: place < 8 };
        assert_eq!(upper_of(&packet(&chain, ESP)), Ok(want), "offset and M {place:#06x}");
        assert_eq!(place_of(&packet(&chain, ESP)), Ok(want), "offset and M {place:#06x}");
    }
}

/// What follows the header of a later fragment is its middle, whatever the header says.
#[test]
fn b62_nothing_is_parsed_in_a_later_fragment() {
    for later in [0x0008, 0x0009] {
        let chain = [(FRAGMENT, later), (DEST_OPTS, 200)];
        assert_eq!(upper_of(&packet(&chain, TCP)), Ok(behind(&chain, TCP, 1)));
        assert_eq!(place_of(&packet(&chain, TCP)), Ok(behind(&chain, TCP, 1)));
    }
    let first = [(FRAGMENT, 1), (DEST_OPTS, 1)];
    assert_eq!(upper_of(&packet(&first, TCP)), Ok(behind(&first, TCP, 2)));
    let two = [(FRAGMENT, 1), (FRAGMENT, 0)];
    assert_eq!(upper_of(&packet(&two, TCP)), Ok(behind(&two, TCP, 2)));
}

fn any_chain() -> impl Strategy<Value = Vec<Ext>> {
    let kind = prop_oneof![Just(ROUTING), Just(DEST_OPTS), Just(FRAGMENT)];
    let rest = prop::collection::vec((kind, 0..3_u16), 0..6);
    (any::<bool>(), rest).prop_map(|(hop_by_hop, mut chain)| {
        chain.iter_mut().filter(|ext| ext.0 == FRAGMENT).for_each(|ext| ext.1 &= 1); // M, no offset
        if hop_by_hop {
            chain.insert(0, (HOP_BY_HOP, 1));
        }
        chain
    })
}

proptest! {
    #[test]
    fn the_walk_agrees_with_etherparse(chain in any_chain(), upper in prop_oneof![Just(ESP), Just(TCP), Just(MOBILITY)]) {
        let bytes = packet(&chain, upper);
        let at = upper_of(&bytes).unwrap();
        let (exts, next, rest) = Ipv6ExtensionsSlice::from_slice(IpNumber(bytes[6]), &bytes[40..]).unwrap();
        prop_assert_eq!((at.next_header, bytes.len() - at.offset), (next.0, rest.len()));
        prop_assert_eq!(at.fragment && !at.atomic, exts.is_fragmenting_payload());
        prop_assert_eq!(bytes[at.field], at.next_header);
        prop_assert_eq!(at, behind(&chain, upper, chain.len()));
    }

    #[test]
    fn esp_goes_behind_the_last_header_that_is_not_destination_options(chain in any_chain()) {
        let outside = chain.iter().rposition(|ext| ext.0 != DEST_OPTS).map_or(0, |last| last + 1);
        prop_assert_eq!(place_of(&packet(&chain, UDP)), Ok(behind(&chain, UDP, outside)));
    }

    #[test]
    fn any_bytes_are_walked_within_the_bounds(
        mut payload in prop::collection::vec(prop_oneof![Just(0_u8), Just(1), Just(43), Just(44), Just(60), any::<u8>()], 0..400),
        next_header in prop_oneof![Just(HOP_BY_HOP), Just(ROUTING), Just(FRAGMENT), Just(DEST_OPTS)],
    ) {
        payload.push(0);
        let payload_len = u16::try_from(payload.len()).unwrap();
        let mut bytes = Ipv6Fields { payload_len, next_header, ..FIELDS }.write().to_vec();
        bytes.extend(payload);
        for at in [upper_of(&bytes), place_of(&bytes)].into_iter().flatten() {
            prop_assert!((40..=bytes.len().min(40 + MAX_EXT_LEN)).contains(&at.offset));
            prop_assert_eq!((at.offset - 40) % 8, 0);
            prop_assert!(at.field < at.offset);
            prop_assert_eq!(bytes[at.field], at.next_header);
        }
    }
}
