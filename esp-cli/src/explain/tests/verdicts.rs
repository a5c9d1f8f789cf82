//! Every way in which a packet ends, and what is said of it.

use esp_core::config::{CheckOuter, Selector};
use esp_testkit::builder::{Ext, Ipv6, ethernet_frame};

use super::*;

/// Explains, and checks the label of the end and words of the conclusion.
#[track_caller]
fn ends(lab: &Lab, label: &str, words: &[&str]) -> Report {
    let report = lab.report();
    let conclusion =
        format!("{} {}", report.conclusion.cause, report.conclusion.remedy.clone().unwrap_or_default());
    assert_eq!(report.packet.story.fate.name(), label, "{}", flat(&report));
    for word in words {
        assert!(conclusion.contains(word), "{word:?} is not in {conclusion}");
    }
    assert_eq!(report.conclusion.fine, report.ok, "{conclusion}");
    report
}

#[test]
fn good_packets_in_every_form() {
    let mut transport = gcm();
    transport.mode = Mode::Transport;
    let mut v6 = gcm();
    (v6.src, v6.dst) = (Some("2001:db8::1".parse().unwrap()), Some("2001:db8::2".parse().unwrap()));
    let chacha = sa("chacha", 0x1001, Transform::ChaCha20Poly1305, 4);
    let mac = sa("mac", 0x1001, Transform::NullHmacSha256_128, 4);
    for mut sa in [gcm(), transport, v6, chacha, mac, in_udp(gcm(), 4501)] {
        for esn in [false, true] {
            sa.esn = esn;
            let lab = Lab::new(from_ref(&sa), (1..=3).map(|seq| sealed(&sender(&sa), seq)));
            let report = ends(&lab, "delivered", &["nothing is wrong", "port 5001 -> 5002"]);
            assert_eq!((report.packet.number, report.overview.esp), (1, 3));
            assert!(report.search.is_none() && report.packet.story.icv.unwrap().right);
            ends(&lab.asked(3), "delivered", &[]);
        }
    }
}

#[test]
fn transport_over_ipv6_with_extension_headers() {
    let mut sa = gcm();
    sa.mode = Mode::Transport;
    let exts = vec![Ext::HopByHop { len: 8 }, Ext::DestOpts { len: 16 }];
    let clear = Ipv6 { exts, ..Ipv6::default() }.packet(&Upper::udp(46));
    let packet = slow::seal(&sender(&sa), 1, [5; 16], &clear, 0, 0);
    let report = ends(&Lab::new(&[sa], [packet]), "delivered", &[]);
    assert!(flat(&report).contains("extension headers: 0 (hop-by-hop options)"));
}

#[test]
fn an_empty_payload_behind_hop_by_hop_options_is_none() {
    let mut sa = gcm();
    sa.mode = Mode::Transport;
    let header = slow::tunnel_header("2001:db8::1".parse().unwrap(), "2001:db8::2".parse().unwrap());
    let esp = slow::seal_raw(&sender(&sa), 1, [9; 16], &slow::trailer(4, 0, 0, 0));
    let report =
        ends(&Lab::new(&[sa], [slow::wrap_esp(&header, None, &esp)]), "bad_inner", &["no packet inside"]);
    assert!(flat(&report).contains("header and payload make no IP packet"), "{}", flat(&report));
}

#[test]
fn a_datagram_ends_where_its_own_length_says() {
    let sa = in_udp(gcm(), 4500);
    let packet = sealed(&sender(&sa), 1);
    let lab = Lab::new(&[sa], [resized(&packet, packet.len() + 9, 0xee)]);
    let report = ends(&lab, "delivered", &[]);
    assert!(flat(&report).contains("9 bytes of the IP packet lie behind the datagram"), "{}", flat(&report));
}

#[test]
fn the_senders_file_explains_as_well() {
    let mut out = gcm();
    (out.direction, out.mtu, out.ttl) = (Direction::Outbound, Some(1400), 9);
    (out.dscp, out.tfc_pad_to) = (esp_core::config::Dscp::Set(3), Some(100));
    let lab = Lab::new(from_ref(&out), [sealed(&sender(&out), 1)]);
    let report = ends(&lab, "delivered", &[]);
    assert!(flat(&report).contains("outbound in the file: taken as the receiver's"));
    // Both ends in one file: the receiver's is taken.
    let report = ends(&Lab::new(&[out, gcm()], [sealed(&sender(&gcm()), 1)]), "delivered", &[]);
    assert!(!flat(&report).contains("outbound in the file"));
}

#[test]
fn duplicates_say_what_came_first() {
    let peer = sender(&gcm());
    let mut packets: Vec<_> = [1, 2, 3, 2].map(|seq| sealed(&peer, seq)).into();
    let report = ends(
        &Lab::new(&[gcm()], packets.clone()),
        "replay_duplicate",
        &["number 2 came before, in packet 2", "a copy"],
    );
    assert!(
        text::render(&report, false)
            .contains("1 behind the top, inside the window: already seen, in packet 2")
    );
    packets[3][70] ^= 4;
    ends(&Lab::new(&[gcm()], packets), "replay_duplicate", &["not even authentic"]);
}

#[test]
fn old_packets_say_how_far() {
    let peer = sender(&gcm());
    let packets = [1, 100, 37, 36].map(|seq| sealed(&peer, seq));
    let lab = Lab::new(&[gcm()], packets);
    let report =
        ends(&lab, "replay_too_old", &["number 36 is 64 behind the top 100", "window of 64", "more than 64"]);
    assert_eq!(report.packet.number, 4);
    let inside = ends(&lab.asked(3), "delivered", &[]);
    assert!(flat(&inside).contains("63 behind the top, inside the window: not seen yet"));
    let packets = [1 << 31, 5].map(|seq| sealed(&peer, seq));
    ends(&Lab::new(&[gcm()], packets), "replay_too_old", &["restarted with the same key"]);
    ends(&Lab::new(&[gcm()], [sealed(&peer, 0)]), "seq_zero", &["first packet has 1"]);
    let mut young = gcm();
    young.esn = true;
    let packets = [2, 0xffff_fff0].map(|seq| sealed(&sender(&young), seq));
    let words = ["number 4294967280 is 4,294,967,278 above the top 2", "must be rekeyed"];
    ends(&Lab::new(from_ref(&young), packets), "replay_too_old", &words);
    let stranger = SlowSa { key: vec![0x5a; 20], ..sender(&young) };
    let packets = [sealed(&sender(&young), 2), sealed(&stranger, 0xffff_fff0)];
    ends(&Lab::new(&[young], packets), "replay_too_old", &["where no 64-bit number is", "forged or damaged"]);
}

/// A packet whose plaintext is this.
fn raw(sa: &SaConfig, plaintext: &[u8]) -> Vec<u8> {
    let header = slow::tunnel_header("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
    slow::wrap_esp(&header, None, &slow::seal_raw(&sender(sa), 1, [9; 16], plaintext))
}

#[test]
fn b22_trailers_that_are_wrong() {
    let content = [clear(), vec![1, 9, 3, 4, 4, 4]].concat();
    let report = ends(&Lab::new(&[gcm()], [raw(&gcm(), &content)]), "pad_content", &["not 1, 2, 3"]);
    let text = flat(&report);
    assert!(text.contains("byte 2 of the padding is 0x09"), "{text}");
    assert_eq!(report.conclusion.rule, Some("RFC 4303 section 2.4"));
    let length = [vec![0; 6], vec![200, 4]].concat();
    let report = ends(&Lab::new(&[gcm()], [raw(&gcm(), &length)]), "pad_length", &["pad length is more"]);
    assert!(flat(&report).contains("only 6 bytes stand before it"));
}

#[test]
fn tunnel_or_transport() {
    let mut peer = gcm();
    peer.mode = Mode::Transport;
    let report = ends(
        &Lab::new(&[gcm()], [sealed(&sender(&peer), 1)]),
        "bad_inner",
        &["sender has transport mode", "next header is 17 (UDP)", "mode = \"transport\""],
    );
    assert_eq!(report.conclusion.rule, Some("RFC 4301 section 5.2"));
    let mut tunnel = gcm();
    tunnel.mode = Mode::Transport;
    let report = ends(&Lab::new(&[tunnel], [sealed(&sender(&gcm()), 1)]), "delivered", &[]);
    assert!(flat(&report).contains("a whole IP packet in transport mode"));
    let broken = [vec![0x45; 6], vec![0, 4]].concat();
    ends(&Lab::new(&[gcm()], [raw(&gcm(), &broken)]), "bad_inner", &["authentic, but with no packet inside"]);
    // The next header names the other version.
    let other = [clear(), slow::trailer(4, clear().len(), 0, 41)].concat();
    ends(&Lab::new(&[gcm()], [raw(&gcm(), &other)]), "bad_inner", &["looks like 4 (IPv4)", "says 41 (IPv6)"]);
}

#[test]
fn dummies_keepalives_and_ike() {
    let dummy = [vec![7; 10], slow::trailer(4, 10, 0, 59)].concat();
    ends(&Lab::new(&[gcm()], [raw(&gcm(), &dummy)]), "dummy", &["a dummy packet"]);
    let udp = |bytes: &[u8]| {
        let datagram = Upper::Udp { src_port: 4500, dst_port: 4500, len: bytes.len() };
        let mut packet = Ipv4::default().packet(&datagram);
        packet[28..].copy_from_slice(bytes);
        packet
    };
    let lab = Lab::new(&[gcm()], [udp(&[0xff])]).asked(1);
    ends(&lab, "keepalive", &["NAT keepalive"]);
    let ike = [&[0; 4][..], &[7; 28]].concat();
    ends(&Lab::new(&[gcm()], [udp(&ike)]).asked(1), "ike", &["non-ESP marker"]);
    assert!(
        Lab::new(&[gcm()], [udp(&ike)])
            .try_report()
            .err()
            .unwrap()
            .to_string()
            .contains("no ESP packet among 1 packet")
    );
}

#[test]
fn what_is_no_esp_is_handed_back() {
    let ah = Ipv4::default().packet(&Upper::Raw { protocol: 51, bytes: vec![0; 40] });
    ends(&Lab::new(&[gcm()], [ah]).asked(1), "not_esp", &["AH (RFC 4302)"]);
    ends(&Lab::new(&[gcm()], [clear()]).asked(1), "not_esp", &["UDP to port 5002"]);
    let mut arp = vec![0xff; 12];
    arp.extend([8, 6]);
    arp.extend([1; 28]);
    let report = ends(&Lab::new(&[gcm()], [arp]).link(1).asked(1), "not_ip", &["no IP packet"]);
    assert!(flat(&report).contains("EtherType 0x0806 (ARP)"));
}

#[test]
fn udp_on_one_end_only() {
    let udp = in_udp(gcm(), 4500);
    ends(&Lab::new(&[gcm()], [sealed(&sender(&udp), 1)]), "encapsulation", &["came in UDP", "add udp = {}"]);
    ends(
        &Lab::new(&[udp], [sealed(&sender(&gcm()), 1)]),
        "encapsulation",
        &["came without UDP", "remove udp"],
    );
}

#[test]
fn esp_on_a_port_that_no_sa_has() {
    let (ours, theirs) = (in_udp(gcm(), 4500), in_udp(gcm(), 4510));
    let packet = sealed(&sender(&theirs), 1);
    let lab = Lab::new(from_ref(&ours), [clear(), packet.clone()]);
    let report = ends(
        &lab,
        "not_esp",
        &["UDP to port 4510", "ports 4500 are known", "ICV is right", "dst_port = 4510"],
    );
    assert_eq!((report.packet.number, report.ok), (2, false));
    let wrong = SlowSa { key: vec![0x77; 20], ..sender(&theirs) };
    ends(&Lab::new(&[ours], [sealed(&wrong, 1)]), "not_esp", &["ICV is wrong too"]);
    // Another SPI is other traffic.
    let lab = Lab::new(&[sa("second", 0x2002, Transform::Aes128Gcm16, 2)], [packet]).asked(1);
    assert!(ends(&lab, "not_esp", &["handed back"]).ok);
}

#[test]
fn policies_name_what_they_compare() {
    let mut strict = gcm();
    strict.check_outer = CheckOuter::SrcDst;
    let peer = sender(&strict);
    strict.src = Some("192.0.2.9".parse().unwrap());
    let words = ["came 192.0.2.1 -> 192.0.2.2", "has 192.0.2.9 -> 192.0.2.2", "check_outer = \"none\""];
    ends(&Lab::new(&[strict], [sealed(&peer, 1)]), "outer_address", &words);

    let mut narrow = gcm();
    let prefix = |text: &str| text.parse().unwrap();
    narrow.selectors = vec![Selector {
        src: prefix("10.9.0.0/16"),
        dst: prefix("10.2.0.0/16"),
        protocol: Some(17),
        src_port: None,
        dst_port: Some(53.into()),
    }];
    let words = [
        "10.1.0.1 -> 10.2.0.2",
        "10.9.0.0/16 -> 10.2.0.0/16, 17 (UDP), port any -> 53",
        "no selector of SA \"west\"",
    ];
    ends(&Lab::new(from_ref(&narrow), [sealed(&sender(&narrow), 1)]), "selector", &words);
    narrow.selectors[0].src = prefix("10.1.0.0/16");
    narrow.selectors[0].dst_port = Some(5002.into());
    ends(&Lab::new(from_ref(&narrow), [sealed(&sender(&narrow), 1)]), "delivered", &[]);
}

#[test]
fn congestion_that_cannot_be_told() {
    let mut packet = sealed(&sender(&gcm()), 1);
    assert!(esp_wire::ipv4::set_tos(&mut packet, 3));
    let report = ends(&Lab::new(&[gcm()], [packet]), "ecn_illegal", &["(CE)", "(Not-ECT)"]);
    assert!(flat(&report).contains("ECN Not-ECT inside, CE outside, so none: dropped"));
}

#[test]
fn fragments_are_no_packets() {
    let whole = sealed(&sender(&gcm()), 1);
    let piece = |more: bool, offset: u16| {
        let header = Ipv4 {
            mf: more,
            frag_offset: offset,
            src: [192, 0, 2, 1],
            dst: [192, 0, 2, 2],
            ..Ipv4::default()
        };
        header.packet(&Upper::Raw { protocol: 50, bytes: whole[20..68].to_vec() })
    };
    let lab = Lab::new(&[gcm()], [piece(true, 0), piece(false, 6)]);
    let report = ends(&lab, "fragment", &["reassemble before ESP"]);
    assert!(flat(&report).contains("a fragment (the first, more follow) of protocol 50 (ESP)"));
    assert_eq!(report.packet.story.esp.unwrap().spi, 0x1001);
    let report = ends(&lab.asked(2), "fragment", &[]);
    assert!(report.packet.story.esp.is_none() && flat(&report).contains("a fragment (offset 48)"));
    let v6 = Ipv6 { exts: vec![Ext::Fragment { offset: 16, more: true, id: 3 }], ..Ipv6::default() };
    let packet = v6.packet(&Upper::Raw { protocol: 50, bytes: whole[20..68].to_vec() });
    let report = ends(&Lab::new(&[gcm()], [packet]).asked(1), "fragment", &[]);
    assert!(flat(&report).contains("offset 128, more follow"), "{}", text::render(&report, false));
}

#[test]
fn b95_truncated_captures_show_what_they_have() {
    let frame = ethernet_frame(&sealed(&sender(&gcm()), 1));
    for (kept, spi, ip) in [
        (46, true, true),
        (42, true, true),
        (41, false, true),
        (34, false, true),
        (33, false, false),
        (15, false, false),
        (5, false, false),
    ] {
        let mut lab = Lab::new(&[gcm()], [frame[..kept].to_vec()]).link(1).asked(1);
        lab.frames[0].1 = frame.len();
        let report = ends(&lab, "truncated", &[&format!("has {kept} of the {} bytes", frame.len()), "-s 0"]);
        assert_eq!(
            (report.packet.story.esp.is_some(), report.packet.story.ip.is_some()),
            (spi, ip),
            "{kept}"
        );
        assert!(report.packet.story.icv.is_none());
        // Without keys as well.
        lab.sas.clear();
        ends(&lab, "truncated", &[]);
    }
    let mut lab = Lab::new(&[gcm()], [frame[..46].to_vec()]).link(1);
    lab.frames[0].1 = 65_613;
    assert_eq!(
        ends(&lab, "truncated", &["46 of the 65613"]).packet.why,
        "the first ESP packet that is not delivered"
    );
}

#[test]
fn vlan_tags_and_layer_2_padding_are_seen() {
    let mut frame = ethernet_frame(&sealed(&sender(&gcm()), 1));
    frame.splice(12..12, [0x81, 0, 0x20, 42]);
    frame.extend([0; 6]);
    let report = ends(&Lab::new(&[gcm()], [frame]).link(1), "delivered", &[]);
    let text = flat(&report);
    assert!(text.contains("Ethernet, VLAN 42, 18 bytes of layer 2"), "{text}");
    assert!(
        text.contains("behind the packet: 6 of layer-2 padding") && text.contains("behind the IP packet"),
        "{text}"
    );
}

#[test]
fn b97_nested_esp_is_one_layer() {
    let (inside, around) = (gcm(), sa("around", 0x2002, Transform::Aes256Gcm16, 2));
    let packet = slow::seal(&sender(&around), 1, [3; 16], &sealed(&sender(&inside), 1), 0, 0);
    let report = ends(&Lab::new(&[inside, around], [packet]), "delivered", &["protocol 50 (ESP)"]);
    assert!(flat(&report).contains("ESP again, SPI 0x00001001 (4097): one layer a pass"));
}

#[test]
fn b98_malformed_packets_say_why() {
    let mut packet = sealed(&sender(&gcm()), 1);
    packet[2] = 0xff;
    let report = ends(&Lab::new(&[gcm()], [packet]), "malformed", &["no whole IP packet"]);
    assert_eq!(report.packet.why, "the first packet that is dropped");
    assert!(
        flat(&report).contains("the header says 65408 bytes, and the frame has 128 bytes"),
        "{}",
        flat(&report)
    );
    let frame = ethernet_frame(&[0x60; 60]);
    let mut contradiction = frame.clone();
    contradiction[12..14].copy_from_slice(&[8, 0]);
    let report = ends(&Lab::new(&[gcm()], [contradiction]).link(1), "malformed", &[]);
    assert!(flat(&report).contains("names one IP version and the packet is another"));
    let short = Ipv4::default().packet(&Upper::Raw { protocol: 50, bytes: vec![0, 0, 16, 1, 0] });
    ends(&Lab::new(&[gcm()], [short]), "too_short", &["less than an ESP header"]);
    let short = Ipv4::default()
        .packet(&Upper::Raw { protocol: 50, bytes: [vec![0, 0, 16, 1], vec![0; 12]].concat() });
    ends(&Lab::new(&[gcm()], [short]), "too_short", &["shorter than header, IV"]);
}

#[test]
fn the_shortest_packet_is_as_short_as_the_engines() {
    for sa in [gcm(), sa("mac", 0x1001, Transform::NullHmacSha256_128, 4)] {
        let whole = sealed(&sender(&sa), 1);
        let shortest = 8 + sa.transform.iv_len() + 2 + sa.transform.icv_len();
        for len in 0..shortest + 2 {
            let label = if len < shortest { "too_short" } else { "auth_failed" };
            ends(&Lab::new(from_ref(&sa), [resized(&whole, 20 + len, 0)]), label, &[]);
        }
    }
}

#[test]
fn the_packet_that_needs_it_most_is_explained() {
    let peer = sender(&gcm());
    let mut bad = sealed(&peer, 3);
    bad[60] ^= 1;
    let mut malformed = clear();
    malformed[2] = 0xff;
    let packets = [malformed, clear(), sealed(&peer, 1), bad.clone(), bad];
    let lab = Lab::new(&[gcm()], packets);
    assert_eq!(lab.report().packet.number, 4);
    let first = Lab { frames: lab.frames[..3].to_vec(), ..lab.clone() };
    assert_eq!(first.report().packet.number, 3);
    let only = Lab { frames: lab.frames[..2].to_vec(), ..lab.clone() };
    assert_eq!(only.report().packet.number, 1);
    let why = |lab: Lab| lab.try_report().err().unwrap().to_string();
    assert_eq!(why(lab.asked(6)), "capture: no packet 6; legal: 1..=5");
    assert_eq!(why(Lab::new(&[gcm()], [])), "capture: no packet in it");
}
