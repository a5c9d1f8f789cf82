use super::*;
use etherparse::SlicedPacket;

fn uppers(len: usize) -> Vec<Upper> {
    vec![
        Upper::udp(len),
        Upper::tcp(len),
        Upper::Icmp { len },
        Upper::Raw { protocol: 253, bytes: pattern(len) },
    ]
}

/// The one's complement sum, all ones over whatever holds its own right checksum.
fn sum(bytes: &[u8]) -> u16 {
    let word = |pair: &[u8]| u64::from(pair[0]) << 8 | u64::from(pair.get(1).copied().unwrap_or(0));
    let sum: u64 = bytes.chunks(2).map(word).sum();
    u16::try_from((sum - 1) % 0xffff + 1).expect("below 2^16")
}

#[test]
fn ipv4_packets_parse_back() {
    for len in [0, 1, 3, 46, 1400, 65_535 - 60 - 20] {
        for upper in uppers(len) {
            let built = Ipv4 { tos: 0xb9, id: 7, df: true, ttl: 3, options: vec![1; 40], ..Ipv4::default() };
            let packet = built.packet(&upper);
            let parsed = SlicedPacket::from_ip(&packet).expect("it parses");
            let header =
                parsed.net.as_ref().and_then(|net| net.ipv4_ref()).expect("IPv4").header().to_header();
            assert_eq!((header.dscp.value(), header.ecn.value(), header.time_to_live), (0xb9 >> 2, 1, 3));
            assert_eq!((header.identification, header.dont_fragment, header.options.len()), (7, true, 40));
            assert_eq!(usize::from(header.total_len), packet.len());
            assert_eq!(sum(&packet[..60]), 0xffff);
        }
    }
}

#[test]
fn ipv4_fragments_say_so() {
    let packet = Ipv4 { mf: true, frag_offset: 0x1fff, ..Ipv4::default() }.packet(&Upper::udp(8));
    assert_eq!(packet[6..8], [0x3f, 0xff]);
}

#[test]
fn ipv6_chain_stands_in_the_order_given() {
    let exts = vec![
        Ext::HopByHop { len: 8 },
        Ext::DestOpts { len: 2048 },
        Ext::Routing { segments_left: 1 },
        Ext::Fragment { offset: 0, more: false, id: 9 },
        Ext::DestOpts { len: 16 },
    ];
    let built = Ipv6 { exts, traffic_class: 0x2e, flow_label: 0xf_1234, ..Ipv6::default() };
    for upper in uppers(46) {
        let packet = built.packet(&upper);
        let (protocol, bytes) = upper.ipv6(built.src, built.dst);
        assert_eq!(packet[..4], [0x62, 0xef, 0x12, 0x34]);
        assert_eq!(usize::from(u16::from_be_bytes([packet[4], packet[5]])) + 40, packet.len());
        let (mut at, mut next, mut seen) = (40, packet[6], Vec::new());
        while next != protocol {
            seen.push(next);
            let len = if next == 44 { 8 } else { 8 + 8 * usize::from(packet[at + 1]) };
            (next, at) = (packet[at], at + len);
        }
        assert_eq!(seen, [0, 60, 43, 44, 60]);
        assert_eq!(packet[at..], bytes);
    }
}

#[test]
fn upper_checksums_are_right() {
    let (v4, v6) = (Ipv4::default(), Ipv6::default());
    for (upper, len) in
        [0, 1, 46, 1400].iter().flat_map(|&len| [Upper::udp(len), Upper::tcp(len)].map(|u| (u, len)))
    {
        let (protocol, bytes) = upper.ipv4(v4.src, v4.dst);
        assert!(bytes.ends_with(&pattern(len)));
        let length = u16::try_from(bytes.len()).expect("short").to_be_bytes();
        let tail = [[0, protocol].as_slice(), &length, &bytes].concat();
        assert_eq!(sum(&[&v4.src[..], &v4.dst, &tail].concat()), 0xffff, "{upper:?}");
        let (protocol, bytes) = upper.ipv6(v6.src, v6.dst);
        let tail = [[0, protocol].as_slice(), &length, &bytes].concat();
        assert_eq!(sum(&[&v6.src[..], &v6.dst, &tail].concat()), 0xffff, "{upper:?}");
    }
    assert_eq!(sum(&Upper::Icmp { len: 5 }.ipv4(v4.src, v4.dst).1), 0xffff);
    let (protocol, bytes) = Upper::Icmp { len: 5 }.ipv6(v6.src, v6.dst);
    assert_eq!(sum(&[&v6.src[..], &v6.dst, &[0, protocol, 0, 13], &bytes].concat()), 0xffff);
}

#[test]
fn tails_are_outside_the_ip_length() {
    let packet = Ipv4::default().packet(&Upper::udp(0));
    assert_eq!(with_tail(&packet, 3)[28..], [0xfc; 3]);
    assert_eq!(ethernet_padded(&packet).len(), 46);
    assert_eq!(ethernet_frame(&packet).len(), 60);
    assert_eq!(ethernet_frame(&packet)[12..15], [0x08, 0x00, 0x45]);
    assert_eq!(ethernet_frame(&Ipv6::default().packet(&Upper::udp(0)))[12..15], [0x86, 0xdd, 0x60]);
    assert_eq!(ethernet_padded(&[0x45; 47]).len(), 47);
}

#[test]
fn room_notices_a_single_byte() {
    let mut room = Room::new(10, &[1, 2, 3], 10);
    assert_eq!((room.data_off(), room.data_len(), room.buf().len()), (10, 3, 23));
    room.buf_mut()[12] ^= 1;
    room.assert_untouched_outside(12..13);
    for touched in [0, 9, 13, 22] {
        let mut room = room.clone();
        room.buf_mut()[touched] ^= 1;
        let caught = std::panic::catch_unwind(|| room.assert_untouched_outside(10..13));
        assert!(caught.is_err(), "byte {touched}");
    }
}

#[test]
#[should_panic(expected = "byte 12 outside 0..0")]
fn room_notices_the_packet_itself() {
    let mut room = Room::new(10, &[1, 2, 3], 10);
    room.buf_mut()[12] ^= 1;
    room.assert_untouched();
}
