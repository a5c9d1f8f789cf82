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
    assert_eq!(with_fcs.after(), 1);
}

#[test]
fn b96_other_link_types_are_refused_by_name() {
    for number in [9, 105, 147, 227, 277, 0x0001_0001] {
        let why = Link::from_field(number).unwrap_err().to_string();
        assert!(why.contains(&number.to_string()) && why.contains(LEGAL_TEXT), "{why}");
    }
}

#[test]
fn one_version_becomes_raw_and_raw_stays() {
    for (before, after) in [(1, 1), (12, 12), (14, 14), (101, 101), (228, 101), (229, 101)] {
        assert_eq!(Link::from_field(before).unwrap().after(), after);
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
    let ethernet = Link::from_field(1).unwrap();
    let mut l2 = frame(&[0x8100, 0x0800], &[]);
    ethernet.set_version(&mut l2, 6);
    assert_eq!(l2, frame(&[0x8100, 0x86dd], &[]));
    ethernet.set_version(&mut l2, 4);
    assert_eq!(l2, frame(&[0x8100, 0x0800], &[]));
    ethernet.set_version(&mut [], 6);
    Link::RAW.set_version(&mut l2, 6);
    assert_eq!(l2, frame(&[0x8100, 0x0800], &[]));
}

#[test]
fn cooked_frames_have_their_type_in_their_own_place() {
    let v1 = Link::from_field(113).unwrap();
    let mut frame = [vec![7; 14], vec![0x08, 0x00, 0x45]].concat();
    assert_eq!(v1.content(&frame), Content::Ip { l2_len: 16 });
    v1.set_version(&mut frame[..16], 6);
    assert_eq!(frame[14..16], [0x86, 0xdd]);
    assert_eq!(v1.content(&frame), Content::Contradiction);

    let v2 = Link::from_field(276).unwrap();
    let mut frame = [vec![0x86, 0xdd], vec![7; 18], vec![0x60]].concat();
    assert_eq!(v2.content(&frame), Content::Ip { l2_len: 20 });
    v2.set_version(&mut frame[..20], 4);
    assert_eq!((frame[0], frame[1], frame[19]), (0x08, 0x00, 7));
    let tagged = [vec![0x81, 0x00], vec![7; 18], vec![0, 42, 0x08, 0x00, 0x45]].concat();
    assert_eq!(v2.content(&tagged), Content::Ip { l2_len: 24 });
    let mut l2 = tagged[..24].to_vec();
    v2.set_version(&mut l2, 6);
    assert_eq!((&l2[..2], &l2[22..]), ([0x81, 0x00].as_slice(), [0x86, 0xdd].as_slice()));
}

#[test]
fn families_of_every_system_and_byte_order_are_read_and_kept() {
    let (null, open_bsd) = (Link::from_field(0).unwrap(), Link::from_field(108).unwrap());
    for (family, version) in [(2_u32, 4_u8), (10, 6), (24, 6), (28, 6), (30, 6)] {
        for (link, field) in
            [(null, family.to_le_bytes()), (null, family.to_be_bytes()), (open_bsd, family.to_be_bytes())]
        {
            let frame = [&field[..], &[version << 4]].concat();
            assert_eq!(link.content(&frame), Content::Ip { l2_len: 4 }, "{frame:x?}");
            let mut l2 = field;
            link.set_version(&mut l2, version);
            assert_eq!(l2, field, "the system's own number stays");
            link.set_version(&mut l2, 4);
            let v4 = if field[0] == 0 { 2_u32.to_be_bytes() } else { 2_u32.to_le_bytes() };
            assert_eq!(l2, v4);
            link.set_version(&mut l2, 6);
            assert_eq!(l2, v4.map(|byte| if byte == 2 { 30 } else { 0 }));
        }
    }
    assert_eq!(null.content(&[2, 0, 0, 0]), Content::Ip { l2_len: 4 }, "no packet: the engine's");
    assert_eq!(null.content(&[16, 0, 0, 0, 0x45]), Content::Other);
    assert_eq!(null.content(&[2, 0, 0]), Content::Other);
}

#[test]
fn an_unknown_link_of_an_interface_holds_nothing_of_ours() {
    let usb = Link::of_interface(220, 0);
    assert!(!usb.is_known());
    assert_eq!((usb.content(&[0x45; 40]), usb.name()), (Content::Other, "unknown link type"));
}
