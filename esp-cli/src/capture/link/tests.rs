use super::*;

fn frame(ether_types: &[u16], behind: &[u8]) -> Vec<u8> {
    let mut frame = vec![2; ADDRESSES_LEN];
    for (at, ether_type) in ether_types.iter().enumerate() {
        frame.extend(ether_type.to_be_bytes());
        if at + 1 < ether_types.len() {
            frame.extend([0, 42]);
        }
    }
    frame.extend(behind);
    frame
}

#[test]
fn b96_upper_bits_are_not_the_link_type() {
    let with_class = Link::from_field(0x4000_0001).unwrap();
    assert_eq!(with_class, Link { number: 1, fcs_len: 0 }, "a length without the bit that announces it");
    let with_fcs = Link::from_field(0x2400_0001).unwrap();
    assert_eq!(with_fcs, Link { number: 1, fcs_len: 4 });
    assert_eq!(with_fcs.without_fcs(&[1, 2, 3, 4, 5]), [1]);
    assert_eq!(with_fcs.without_fcs(&[1, 2]).len(), 0);
    assert_eq!(u32::from(with_fcs.after()), 1);
}

#[test]
fn b96_other_link_types_are_refused_by_name() {
    for number in [0, 105, 113, 147, 227, 0x0001_0001] {
        let why = Link::from_field(number).unwrap_err().to_string();
        assert!(why.contains(&number.to_string()) && why.contains(LEGAL_TEXT), "{why}");
    }
}

#[test]
fn one_version_becomes_raw_and_raw_stays() {
    for (before, after) in [(1, 1), (12, 12), (14, 14), (101, 101), (228, 101), (229, 101)] {
        assert_eq!(u32::from(Link::from_field(before).unwrap().after()), after);
    }
}

#[test]
fn ip_lies_behind_any_number_of_tags() {
    let ethernet = Link::from_field(1).unwrap();
    let cases: [(&[u16], u8, usize); 5] = [
        (&[0x0800], 0x45, 14),
        (&[0x86dd], 0x60, 14),
        (&[0x8100, 0x0800], 0x45, 18),
        (&[0x88a8, 0x8100, 0x86dd], 0x60, 22),
        (&[0x8100, 0x8100, 0x8100, 0x0800], 0x46, 26),
    ];
    for (ether_types, first, l2_len) in cases {
        assert_eq!(
            ethernet.content(&frame(ether_types, &[first])),
            Content::Ip { l2_len },
            "{ether_types:x?}"
        );
    }
    assert_eq!(Link::from_field(101).unwrap().content(&[0x60]), Content::Ip { l2_len: 0 });
}

#[test]
fn what_is_not_ip_is_told_from_what_lies() {
    let ethernet = Link::from_field(1).unwrap();
    for other in
        [frame(&[0x0806], &[0; 28]), frame(&[0x8100], &[]), frame(&[38], &[0xaa; 38]), vec![0; 13], vec![]]
    {
        assert_eq!(ethernet.content(&other), Content::Other, "{other:x?}");
    }
    assert_eq!(ethernet.content(&frame(&[0x0800], &[0x60])), Content::Contradiction);
    assert_eq!(ethernet.content(&frame(&[0x86dd], &[0x45])), Content::Contradiction);
    assert_eq!(
        ethernet.content(&frame(&[0x0800], &[])),
        Content::Ip { l2_len: 14 },
        "no packet: the engine's"
    );
}

#[test]
fn the_ether_type_follows_the_packet() {
    let mut l2 = frame(&[0x8100, 0x0800], &[]);
    set_ether_type(&mut l2, 6);
    assert_eq!(l2, frame(&[0x8100, 0x86dd], &[]));
    set_ether_type(&mut l2, 4);
    assert_eq!(l2, frame(&[0x8100, 0x0800], &[]));
    set_ether_type(&mut [], 6);
}
