//! `esp seal` and `esp open`, as programs, on capture files.

#[path = "capture/errors.rs"]
mod errors;
#[path = "capture/links.rs"]
mod links;
#[path = "capture/pcapng.rs"]
mod pcapng;
#[path = "capture/routes.rs"]
mod routes;
#[path = "capture/streams.rs"]
mod streams;
#[path = "capture/support.rs"]
mod support;

use esp_testkit::builder::{Ipv4, Ipv6, Upper, ethernet_frame, ethernet_padded};
use support::{Dir, Pcap, Record};

/// Both directions of one SA, in tunnel mode between these addresses.
fn tunnel(src: &str, dst: &str) -> String {
    let sa = |name, direction| {
        format!(
            "[[sa]]\nname = \"{name}\"\ndirection = \"{direction}\"\nspi = 0x1001\ntransform = \"aes-128-gcm-16\"\n\
             key = \"{KEY}\"\nmode = \"tunnel\"\nsrc = \"{src}\"\ndst = \"{dst}\"\nreplay_window = 64\n"
        )
    };
    let outbound = sa("out", "outbound").replace("replay_window = 64\n", "");
    format!("{outbound}{}", sa("in", "inbound"))
}

fn transport() -> String {
    let v4 = tunnel("192.0.2.1", "192.0.2.2").replace("tunnel", "transport");
    v4.lines()
        .filter(|line| !line.starts_with("src") && !line.starts_with("dst"))
        .map(|line| line.to_owned() + "\n")
        .collect()
}

/// IPv4 and IPv6 packets of 100 kinds, three bursts and a bit.
fn packets() -> Vec<Vec<u8>> {
    let one = |at: usize| match at % 4 {
        0 => Ipv4::default().packet(&Upper::udp(at)),
        1 => Ipv6::default().packet(&Upper::tcp(7 * at)),
        2 => Ipv4 { tos: 0xb8, df: true, ..Ipv4::default() }.packet(&Upper::Icmp { len: at }),
        _ => Ipv6 { flow_label: 0xabcde, ..Ipv6::default() }.packet(&Upper::udp(at)),
    };
    (0..100).map(one).collect()
}

/// A frame with these EtherTypes, the last of which is the packet's; each before it is a tag's.
fn tagged(tags: &[u16], packet: &[u8]) -> Vec<u8> {
    let mut frame = ethernet_frame(packet);
    frame.truncate(14 + packet.len());
    for (at, tag) in tags.iter().enumerate() {
        let tag = [tag.to_be_bytes(), [0x20, 42]].concat();
        frame.splice(12 + 4 * at..12 + 4 * at, tag);
    }
    frame
}

fn arp() -> Vec<u8> {
    let mut frame = vec![0xff; 12];
    frame.extend([0x08, 0x06]);
    frame.extend([7; 28]);
    frame
}

/// Seals and opens `before`; the packets and times must come back.
#[track_caller]
fn comes_back(name: &str, sas: &str, before: &Pcap) -> (Pcap, Pcap) {
    let dir = Dir::new(name);
    dir.write_sa("sa.toml", sas);
    dir.write("clear.pcap", before.bytes());
    let sealed = dir.esp("seal --sa sa.toml --json clear.pcap sealed.pcap").json(0);
    assert_eq!(sealed["sealed"], before.records.len());
    let opened = dir.esp("open --sa sa.toml --json sealed.pcap opened.pcap").json(0);
    assert_eq!(opened["opened"], before.records.len());
    let (sealed, opened) = (dir.read("sealed.pcap"), dir.read("opened.pcap"));
    assert_eq!(opened.frames(), before.frames());
    assert_eq!([opened.times(), sealed.times()], [before.times(), before.times()]);
    assert!(
        sealed.records.iter().zip(&before.records).all(|(after, before)| after.wire_len > before.wire_len)
    );
    assert_eq!((opened.link, opened.snaplen, sealed.snaplen), (sealed.link, 262_144, 262_144));
    assert_eq!((opened.big_endian, opened.nanoseconds), (before.big_endian, before.nanoseconds));
    (sealed, opened)
}

#[test]
fn ethernet_frames_come_back() {
    let before = Pcap::new(1, packets().iter().map(|packet| tagged(&[], packet)));
    let (sealed, _) = comes_back("ethernet", &tunnel("192.0.2.1", "192.0.2.2"), &before);
    for frame in sealed.frames() {
        assert_eq!((&frame[12..15], frame[14 + 9]), ([0x08, 0x00, 0x45].as_slice(), 50));
    }
}

#[test]
fn tags_stay_and_the_ether_type_follows_the_outer_version() {
    for (name, tags) in [("vlan", vec![0x8100]), ("qinq", vec![0x88a8, 0x8100])] {
        let before = Pcap::new(1, packets().iter().map(|packet| tagged(&tags, packet)));
        let l2_len = 14 + 4 * tags.len();
        for (outer, ether_type) in
            [(("192.0.2.1", "192.0.2.2"), [8, 0]), (("2001:db8::1", "2001:db8::2"), [0x86, 0xdd])]
        {
            let (sealed, _) = comes_back(name, &tunnel(outer.0, outer.1), &before);
            for (frame, before) in sealed.frames().iter().zip(before.frames()) {
                assert_eq!(frame[..l2_len - 2], before[..l2_len - 2]);
                assert_eq!(frame[l2_len - 2..l2_len], ether_type);
            }
        }
    }
}

#[test]
fn raw_packets_come_back() {
    for (link, after) in [(101, 101), (12, 12), (14, 14)] {
        let (sealed, _) = comes_back("raw", &tunnel("192.0.2.1", "192.0.2.2"), &Pcap::new(link, packets()));
        assert_eq!(sealed.link, after);
    }
}

#[test]
fn a_link_type_of_one_ip_version_becomes_raw() {
    let v4 = packets().into_iter().step_by(2);
    let v6 = packets().into_iter().skip(1).step_by(2);
    let outer = tunnel("2001:db8::1", "2001:db8::2");
    assert_eq!(comes_back("v4", &outer, &Pcap::new(228, v4)).0.link, 101);
    assert_eq!(comes_back("v6", &outer, &Pcap::new(229, v6)).0.link, 101);
}

#[test]
fn transport_mode_and_udp_come_back() {
    let before = Pcap::new(1, packets().iter().map(|packet| tagged(&[], packet)));
    comes_back("transport", &transport(), &before);
    let udp = transport().replace("mode =", "udp = { dst_port = 4501 }\nmode =");
    let (sealed, _) = comes_back("udp", &udp, &before);
    assert_eq!(sealed.frames()[0][14 + 20..14 + 24], [0x11, 0x94, 0x11, 0x95]);
}

#[test]
fn byte_orders_and_nanoseconds_are_kept() {
    for (big_endian, nanoseconds) in [(true, false), (false, true), (true, true)] {
        let before = Pcap { big_endian, nanoseconds, ..Pcap::new(101, packets()) };
        comes_back("orders", &tunnel("192.0.2.1", "192.0.2.2"), &before);
    }
}

#[test]
fn b96_link_type_with_class_bits() {
    let frames = packets().into_iter().map(|packet| tagged(&[], &packet));
    let (sealed, _) = comes_back("class", &transport(), &Pcap::new(0x4000_0001, frames));
    assert_eq!(sealed.link, 1);
}

#[test]
fn padding_and_frame_check_sequence_go() {
    let dir = Dir::new("padding");
    dir.write_sa("sa.toml", &transport());
    let packet = Ipv4::default().packet(&Upper::udp(1));
    assert_eq!(ethernet_padded(&packet).len(), 46);
    let with_fcs = |frame: Vec<u8>| [frame.as_slice(), &[0xfc; 4]].concat();
    let before = Pcap::new(0x2400_0001, [with_fcs(ethernet_frame(&packet)), with_fcs(arp())]);
    dir.write("clear.pcap", before.bytes());
    dir.esp("seal --sa sa.toml --json clear.pcap sealed.pcap").json(0);
    dir.esp("open --sa sa.toml --json sealed.pcap opened.pcap").json(0);
    let opened = dir.read("opened.pcap");
    assert_eq!(opened.frames(), [tagged(&[], &packet), arp()]);
    assert_eq!(opened.link, 1);
}

#[test]
fn what_is_not_ours_passes_in_its_place_or_is_left_out() {
    let dir = Dir::new("others");
    dir.write_sa("sa.toml", &tunnel("192.0.2.1", "192.0.2.2"));
    let mine = tagged(&[], &Ipv4::default().packet(&Upper::udp(9)));
    dir.write("clear.pcap", Pcap::new(1, [arp(), mine.clone(), arp(), mine.clone()]).bytes());
    let sealed = dir.esp("seal --sa sa.toml --json clear.pcap sealed.pcap").json(0);
    assert_eq!((&sealed["sealed"], &sealed["passed"], &sealed["written"]), (&2.into(), &2.into(), &4.into()));
    let mut traffic = dir.read("sealed.pcap");
    assert_eq!([traffic.frames()[0], traffic.frames()[2]], [arp(), arp()]);

    let ike = Upper::Udp { src_port: 4500, dst_port: 4500, len: 0 };
    let mut ike = Ipv4::default().packet(&ike);
    ike.extend([0, 0, 0, 0, 1, 2, 3, 4]);
    (ike[3], ike[25]) = (36, 16);
    let keepalive = Ipv4::default()
        .packet(&Upper::Raw { protocol: 17, bytes: vec![0x11, 0x94, 0x11, 0x94, 0, 9, 0, 0, 0xff] });
    let clear = ethernet_frame(&Ipv4::default().packet(&Upper::udp(1)));
    traffic.records.extend(Pcap::new(1, [tagged(&[], &ike), tagged(&[], &keepalive), clear.clone()]).records);
    dir.write("traffic.pcap", traffic.bytes());
    let opened = dir.esp("open --sa sa.toml --json traffic.pcap opened.pcap").json(0);
    assert_eq!(opened["others_by_kind"], serde_json::json!({"ike": 1, "not_esp": 1, "not_ip": 2}));
    assert_eq!(opened["consumed_by_kind"], serde_json::json!({"keepalive": 1}));
    assert_eq!(
        dir.read("opened.pcap").frames(),
        [arp(), mine.clone(), arp(), mine.clone(), tagged(&[], &ike), clear]
    );

    let opened = dir.esp("open --sa sa.toml --json --others drop traffic.pcap opened.pcap").json(0);
    assert_eq!(
        (&opened["left_out"], &opened["passed"], &opened["dropped"]),
        (&4.into(), &0.into(), &0.into())
    );
    assert_eq!(dir.read("opened.pcap").frames(), [mine.clone(), mine]);
}

#[test]
fn b95_truncated_packets_are_counted_and_not_written() {
    let dir = Dir::new("truncated");
    dir.write_sa("sa.toml", &tunnel("192.0.2.1", "192.0.2.2"));
    let mut before = Pcap::new(101, packets().into_iter().take(3));
    before.records[1].frame.truncate(46);
    before.records[1].wire_len = 65_613;
    dir.write("clear.pcap", before.bytes());
    let sealed = dir.esp("seal --sa sa.toml --json clear.pcap sealed.pcap").json(1);
    assert_eq!(
        (&sealed["truncated"], &sealed["sealed"], &sealed["ok"]),
        (&1.into(), &2.into(), &false.into())
    );

    let mut sealed = dir.read("sealed.pcap");
    sealed.records[0].frame.pop();
    dir.write("cut.pcap", sealed.bytes());
    let run = dir.esp("open --sa sa.toml cut.pcap opened.pcap");
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.contains("truncated") && run.stderr.contains("captured shorter than on the wire"),
        "{}",
        run.stderr
    );
    assert_eq!(dir.read("opened.pcap").frames(), [packets()[2].as_slice()]);
}

#[test]
fn drops_are_counted_by_reason_and_end_in_exit_code_1() {
    let dir = Dir::new("drops");
    dir.write_sa(
        "sa.toml",
        &tunnel("192.0.2.1", "192.0.2.2").replace("replay", "#").replacen("dst", "mtu = 576\ndst", 1),
    );
    let mut before = Pcap::new(1, packets().iter().take(4).map(|packet| tagged(&[], packet)));
    before.records[1].frame = tagged(&[], &Ipv4::default().packet(&Upper::udp(1000)));
    before.records[1].wire_len = before.records[1].frame.len().try_into().unwrap();
    before.records[3].frame[12..14].copy_from_slice(&[8, 0]); // says IPv4, and is IPv6
    dir.write("clear.pcap", before.bytes());
    let sealed = dir.esp("seal --sa sa.toml --json clear.pcap sealed.pcap").json(1);
    assert_eq!(sealed["dropped_by_reason"], serde_json::json!({"malformed": 1, "too_big": 1}));
    assert_eq!((&sealed["usable_inner_mtu"], &sealed["written"]), (&522.into(), &2.into()));

    let mut traffic = dir.read("sealed.pcap");
    let mut forged = traffic.records[0].clone();
    *forged.frame.last_mut().unwrap() ^= 1;
    let mut unknown = forged.clone();
    unknown.frame[14 + 20] = 9;
    traffic.records = vec![forged, traffic.records[0].clone(), unknown, traffic.records[0].clone()];
    dir.write("traffic.pcap", traffic.bytes());
    let opened = dir.esp("open --sa sa.toml --json traffic.pcap opened.pcap").json(1);
    let reasons = serde_json::json!({"auth_failed": 1, "no_sa": 1, "replay_duplicate": 1});
    assert_eq!(opened["dropped_by_reason"], reasons);
    assert_eq!((&opened["sas"][0]["packets"], &opened["sas"][0]["dropped"]), (&1.into(), &2.into()));
    let run = dir.esp("open --sa sa.toml traffic.pcap opened.pcap");
    assert!(run.stderr.contains("auth_failed 1, no_sa 1, replay_duplicate 1"), "{}", run.stderr);
}

#[test]
fn b97_nested_esp_opens_one_layer_a_pass() {
    let dir = Dir::new("nested");
    let inside = tunnel("192.0.2.1", "192.0.2.2");
    let around =
        tunnel("198.51.100.1", "198.51.100.2").replace("0x1001", "0x1002").replace("\"in\"", "\"around\"");
    dir.write_sa("inside.toml", &inside);
    dir.write_sa("around.toml", &around);
    dir.write_sa("both.toml", &(inside + &around.replace("\"out\"", "\"out2\"")));
    dir.write("clear.pcap", Pcap::new(101, packets()).bytes());
    dir.esp("seal --sa inside.toml --json clear.pcap once.pcap").json(0);
    dir.esp("seal --sa around.toml --json once.pcap twice.pcap").json(0);

    let packets_of =
        |run: &serde_json::Value| [0, 1].map(|sa| run["sas"][sa]["packets"].as_u64().unwrap_or(0));
    let first = dir.esp("open --sa both.toml --json twice.pcap once_again.pcap").json(0);
    assert_eq!(packets_of(&first), [0, 100]);
    assert_eq!(dir.read("once_again.pcap").frames(), dir.read("once.pcap").frames());
    let second = dir.esp("open --sa both.toml --json once_again.pcap opened.pcap").json(0);
    assert_eq!(packets_of(&second), [100, 0]);
    assert_eq!(dir.read("opened.pcap").frames(), packets());
}

#[test]
fn a_pcap_without_packets_gives_one_without_packets() {
    let (sealed, opened) = comes_back("empty", &transport(), &Pcap::new(1, []));
    assert_eq!((sealed.records, opened.records), (Vec::<Record>::new(), Vec::<Record>::new()));
}

const KEY: &str = "101112131415161718191a1b1c1d1e1fa0a1a2a3";
