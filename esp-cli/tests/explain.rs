//! `esp explain` names the mistake with which a capture was made. The packets come from the slow ESP, which shares no code
//! with the engine.

#![expect(clippy::unwrap_used, reason = "what cannot be set up fails the test")]
#![expect(
    clippy::cast_possible_truncation,
    reason = "numbers of packets are small, sums are cut as RFC 1071 cuts them"
)]

#[path = "capture/support.rs"]
#[expect(dead_code, reason = "some of it is another test's")]
mod support;

use esp_testkit::builder::{Ipv4, Upper};
use esp_testkit::slow::{self, SlowMode, SlowSa, SlowTransform};
use support::{Dir, Pcap};

/// The sender of most captures: AES-128-GCM in a tunnel, as [`file`] has it.
fn sender() -> SlowSa {
    let (src, dst) = ("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
    SlowSa {
        spi: 0x1001,
        transform: SlowTransform::AES_128_GCM_16,
        key: [&KEY[..], &SALT].concat(),
        esn: false,
        mode: SlowMode::Tunnel { src, dst },
        udp: None,
    }
}

fn hmac_sender() -> SlowSa {
    SlowSa { transform: SlowTransform::NULL_HMAC_SHA256_128, key: LONG_KEY.to_vec(), ..sender() }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sa(name: &str, direction: &str, spi: u32, transform: &str, key: &[u8], more: &str) -> String {
    let (src, dst) = if name == "back" { ("192.0.2.2", "192.0.2.1") } else { ("192.0.2.1", "192.0.2.2") };
    format!(
        "[[sa]]\nname = \"{name}\"\ndirection = \"{direction}\"\nspi = {spi}\ntransform = \"{transform}\"\nkey = \"{}\"\n\
         mode = \"tunnel\"\nsrc = \"{src}\"\ndst = \"{dst}\"\n{more}\n",
        hex(key)
    )
}

/// What [`sender`]'s far end has.
fn file(more: &str) -> String {
    sa("in", "inbound", 0x1001, "aes-128-gcm-16", &[&KEY[..], &SALT].concat(), more)
}

fn hmac_file(more: &str) -> String {
    sa("in", "inbound", 0x1001, "null-hmac-sha256-128", &LONG_KEY, more)
}

fn inner(len: usize) -> Vec<u8> {
    Ipv4::default().packet(&Upper::udp(len))
}

/// Ten packets, from this number on.
fn sealed(sender: &SlowSa, first: u64) -> Vec<Vec<u8>> {
    (0..10).map(|at| slow::seal(sender, first + at, [at as u8; 16], &inner(20 + at as usize), 0, 0)).collect()
}

/// The packet with its ICV cut to `len` bytes, and its IP length with it.
fn with_icv(packet: &[u8], len: usize) -> Vec<u8> {
    with_length(&packet[..packet.len() - 16 + len])
}

/// The IPv4 packet with the length that it has; the header checksum is no one's here.
fn with_length(packet: &[u8]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    let len = u16::try_from(packet.len()).unwrap().to_be_bytes();
    packet[2..4].copy_from_slice(&len);
    packet[10..12].fill(0);
    let sum: u32 = packet[..20].chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
    let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
    packet[10..12].copy_from_slice(&sum.to_be_bytes());
    packet
}

/// What is said of a capture.
#[track_caller]
fn explained(file: &str, packets: Vec<Vec<u8>>, more: &str) -> serde_json::Value {
    let name = std::thread::current().name().unwrap_or("explain").to_owned();
    let dir = Dir::new(&format!("explain-{name}"));
    dir.write_sa("sa.toml", file);
    dir.write("in.pcap", Pcap::new(101, packets).bytes());
    let run = dir.esp(&format!("explain in.pcap --sa sa.toml --json {more}"));
    let text = dir.esp(&format!("explain in.pcap --sa sa.toml {more}"));
    assert_eq!(text.code, run.code, "{text:?}");
    for secret in [hex(&KEY), hex(&LONG_KEY), hex(&SALT)] {
        assert!(!text.stdout.contains(&secret) && !run.stdout.contains(&secret), "{}", text.stdout);
    }
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"))
}

/// Checks that the mistake is found, alone, and in all packets.
#[track_caller]
fn found(file: &str, packets: Vec<Vec<u8>>, id: &str) -> serde_json::Value {
    let count = packets.len();
    let json = explained(file, packets, "");
    let found = json["cause"]["found"].as_array().unwrap_or_else(|| panic!("{json:#}"));
    assert_eq!((found.len(), &found[0]["id"]), (1, &id.into()), "{json:#}");
    if json["cause"]["tried"] != 0 {
        assert_eq!((&found[0]["fits"], &found[0]["of"]), (&count.into(), &count.into()), "{json:#}");
    }
    assert_eq!(json["ok"], false);
    found[0].clone()
}

#[test]
fn a_good_packet_is_walked_to_its_end() {
    let json = explained(&file(""), sealed(&sender(), 1), "--packet 4");
    assert_eq!((&json["ok"], &json["cause"]), (&true.into(), &serde_json::Value::Null), "{json:#}");
    let packet = &json["packet"];
    for stage in ["frame", "ip", "esp", "sa", "replay", "cipher", "icv", "trailer", "inner", "policy"] {
        assert!(packet[stage].is_object(), "{stage}: {json:#}");
    }
    assert!(packet["udp"].is_null(), "{json:#}");
    assert_eq!((&packet["esp"]["spi"], &packet["esp"]["packet"]["at"]), (&0x1001.into(), &20.into()));
    assert_eq!((&packet["replay"]["size"], &packet["replay"]["top"]), (&64.into(), &3.into()));
    assert_eq!((&packet["replay"]["position"], &packet["replay"]["distance"]), (&"new".into(), &1.into()));
    assert_eq!(
        (&packet["cipher"]["iv_hex"], &packet["cipher"]["iv"]["at"]),
        (&"0303030303030303".into(), &28.into())
    );
    assert_eq!(packet["cipher"]["aad"], "0000100100000004");
    assert_eq!(packet["icv"]["found"], packet["icv"]["expected"]);
    assert_eq!(packet["trailer"]["next_header"], 4);
    assert_eq!(json["overview"]["verdicts"]["delivered"], 10);
}

/// With the same nonce, the ICV that a packet should have gives away the key of GCM's hash.
#[test]
fn the_right_icv_is_shown_only_when_asked_for() {
    let mut packets = sealed(&sender(), 1);
    let last = packets[0].len() - 1;
    let right = hex(&packets[0][last - 15..]);
    packets[0][last] ^= 1;
    let dir = Dir::new("explain-show-icv");
    dir.write_sa("sa.toml", &file(""));
    dir.write("in.pcap", Pcap::new(101, packets).bytes());
    for (more, shown) in [("", false), ("--json", false), ("--show-icv", true), ("--show-icv --json", true)] {
        let run = dir.esp(&format!("explain in.pcap --sa sa.toml {more}"));
        assert_eq!(run.stdout.replace(' ', "").contains(&right), shown, "{more}: {run:?}");
    }
}

#[test]
fn b38_other_icv_lengths_are_named() {
    for len in [8, 12] {
        let packets = sealed(&sender(), 1).iter().map(|packet| with_icv(packet, len)).collect();
        let found = found(&file(""), packets, "icv_length");
        assert!(
            found["cause"]
                .as_str()
                .unwrap()
                .contains(&format!("ICV has {len} bytes, and that of SA \"in\" of sa.toml has 16")),
            "{found}"
        );
    }
}

#[test]
fn b38_sha_256_cut_to_96_bits_is_named() {
    let packets = sealed(&hmac_sender(), 1).iter().map(|packet| with_icv(packet, 12)).collect();
    found(&hmac_file(""), packets, "sha256_cut_to_96_bits");
}

#[test]
fn esn_on_off_and_wrong_high_halves_are_named() {
    let esn = SlowSa { esn: true, ..sender() };
    found(&file("esn = true"), sealed(&sender(), 1), "esn_off");
    found(&file(""), sealed(&esn, 1), "esn_on");
    let found_high = found(&file("esn = true"), sealed(&esn, (7 << 32) + 5), "esn_high_half");
    assert!(found_high["todo"].as_str().unwrap().contains("--seq-hi 7"), "{found_high}");
    let json = explained(&file("esn = true"), sealed(&esn, (7 << 32) + 5), "--seq-hi 7");
    assert_eq!(json["ok"], true, "{json:#}");
    let hmac = SlowSa { esn: true, ..hmac_sender() };
    found(&hmac_file("esn = true"), sealed(&hmac_sender(), 1), "esn_off");
    found(&hmac_file(""), sealed(&hmac, 1), "esn_on");
}

#[test]
fn an_old_packet_under_esn_is_left_of_the_window_and_not_another_high_half() {
    let esn = SlowSa { esn: true, ..sender() };
    let mut packets = sealed(&esn, 200);
    packets.push(slow::seal(&esn, 5, [9; 16], &inner(20), 0, 0));
    let json = explained(&file("esn = true"), packets, "");
    let found = &json["cause"]["found"];
    assert_eq!((&found[0]["id"], found.as_array().unwrap().len()), (&"left_of_window".into(), 1), "{json:#}");
    assert!(found[0]["cause"].as_str().unwrap().contains("204 behind"), "{json:#}");
}

#[test]
fn sixteen_bytes_behind_a_combined_mode_are_padding_and_no_longer_icv() {
    let padded =
        sealed(&sender(), 1).iter().map(|packet| with_length(&[packet, &[0; 16][..]].concat())).collect();
    found(&file(""), padded, "padding_taken_for_icv");
}

#[test]
fn b40_salts_that_are_missing_reversed_or_in_front_are_named() {
    let mut reversed = SALT;
    reversed.reverse();
    found(&file(""), sealed(&SlowSa { key: [&KEY[..], &[0; 4]].concat(), ..sender() }, 1), "salt_missing");
    found(&file(""), sealed(&SlowSa { key: [&KEY[..], &reversed].concat(), ..sender() }, 1), "salt_reversed");
    let front = sa("in", "inbound", 0x1001, "aes-128-gcm-16", &[&SALT[..], &KEY].concat(), "");
    found(&front, sealed(&sender(), 1), "salt_first");
}

#[test]
fn key_bytes_in_the_other_order_are_named() {
    let reversed: Vec<u8> = KEY.iter().rev().chain(&SALT).copied().collect();
    let words: Vec<u8> = KEY.chunks(4).flat_map(|word| word.iter().rev()).chain(&SALT).copied().collect();
    found(&file(""), sealed(&SlowSa { key: reversed, ..sender() }, 1), "key_reversed");
    found(&file(""), sealed(&SlowSa { key: words, ..sender() }, 1), "key_words_reversed");
}

#[test]
fn keys_of_the_other_direction_and_of_other_sas_are_named() {
    let other = [&LONG_KEY[..16], &SALT].concat();
    let swapped = SlowSa { key: other.clone(), ..sender() };
    let back = file("") + &sa("back", "outbound", 0x1002, "aes-128-gcm-16", &other, "");
    let found_back = found(&back, sealed(&swapped, 1), "keys_swapped_between_directions");
    assert!(found_back["cause"].as_str().unwrap().contains("\"back\""), "{found_back}");
    let second = file("") + &sa("second", "inbound", 0x1002, "aes-128-gcm-16", &other, "");
    found(&second, sealed(&swapped, 1), "key_of_another_sa");
}

#[test]
fn a_wrong_spi_and_another_transform_are_named() {
    found(&file(""), sealed(&SlowSa { spi: 0x2002, ..sender() }, 1), "wrong_spi");
    let key = [&LONG_KEY[..], &SALT].concat();
    let chacha = SlowSa { transform: SlowTransform::CHACHA20_POLY1305, key: key.clone(), ..sender() };
    let gcm = sa("in", "inbound", 0x1001, "aes-256-gcm-16", &key, "");
    let found = found(&gcm, sealed(&chacha, 1), "other_transform");
    assert!(found["cause"].as_str().unwrap().contains("chacha20-poly1305"), "{found}");
}

#[test]
fn padding_taken_for_the_icv_and_an_icv_behind_the_packet_are_named() {
    let padded =
        sealed(&sender(), 1).iter().map(|packet| with_length(&[packet, &[0; 7][..]].concat())).collect();
    let found_padding = found(&file(""), padded, "padding_taken_for_icv");
    assert!(found_padding["cause"].as_str().unwrap().contains("the last 7 bytes"), "{found_padding}");
    let short = |packet: &Vec<u8>| {
        let mut short = with_length(&packet[..packet.len() - 5]);
        short.extend(&packet[packet.len() - 5..]);
        short
    };
    let packets = sealed(&sender(), 1).iter().map(short).collect();
    found(&file(""), packets, "icv_behind_the_packet");
}

#[test]
fn udp_on_off_and_another_port_are_named() {
    let in_udp = SlowSa { udp: Some((4500, 4500)), ..sender() };
    found(&file(""), sealed(&in_udp, 1), "udp_on");
    found(&file("udp = {}"), sealed(&sender(), 1), "udp_off");
    let odd = SlowSa { udp: Some((4500, 4600)), ..sender() };
    let json = explained(&file("udp = {}"), sealed(&odd, 1), "--packet 1");
    assert_eq!(json["cause"]["found"][0]["id"], "udp_port", "{json:#}");
}

#[test]
fn two_mistakes_at_once_are_both_named() {
    let esn = SlowSa { esn: true, key: [&KEY[..], &[0; 4]].concat(), ..sender() };
    found(&file(""), sealed(&esn, 1), "salt_missing+esn_on");
    let esn = SlowSa { esn: true, ..sender() };
    let packets = sealed(&esn, 1).iter().map(|packet| with_icv(packet, 12)).collect();
    found(&file(""), packets, "esn_on+icv_length");
}

#[test]
fn no_sa_fits_is_said_when_none_does() {
    let stranger = SlowSa { key: vec![0xee; 20], ..sender() };
    for (file, sender) in [
        (file(""), stranger.clone()),
        (hmac_file(""), stranger.clone()),
        (file(""), SlowSa { spi: 0x3003, ..stranger }),
    ] {
        let json = explained(&file, sealed(&sender, 1), "");
        assert_eq!(json["cause"]["found"], serde_json::json!([]), "{json:#}");
        assert!(json["cause"]["text"].as_str().unwrap().starts_with("no SA fits"), "{json:#}");
        // Nothing of what is inside, in clear.
        assert!(json["packet"]["trailer"].is_null() && json["packet"]["inner"].is_null(), "{json:#}");
    }
}

#[test]
fn authentic_packets_that_fail_are_told_by_their_rule() {
    let mut packets = sealed(&sender(), 1);
    packets.push(packets[3].clone());
    found(&file(""), packets, "duplicate");
    let mut packets = sealed(&sender(), 200);
    packets.push(slow::seal(&sender(), 5, [9; 16], &inner(20), 0, 0));
    let late = found(&file(""), packets, "left_of_window");
    assert!(late["cause"].as_str().unwrap().contains("204 behind"), "{late}");
    let selector = "selectors = [{ src = \"10.9.0.0/16\", dst = \"10.9.0.0/16\" }]";
    found(&file(selector), sealed(&sender(), 1), "selector");
    let outer = "check_outer = \"src-dst\"";
    let moved = sealed(&sender(), 1)
        .iter()
        .map(|packet| with_length(&[&packet[..15], &[9], &packet[16..]].concat()))
        .collect();
    found(&file(outer), moved, "outer_address");
    let transport = SlowSa { mode: SlowMode::Transport, ..sender() };
    let json = explained(&file(""), sealed(&transport, 1), "");
    assert_eq!(json["packet"]["verdict"], "dropped: bad_inner", "{json:#}");
    let broken = slow::seal_raw(&sender(), 1, [1; 16], &[&inner(20)[..], &[7, 7, 2, 4]].concat());
    let outer = slow::tunnel_header("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
    let packet = slow::wrap_esp(&outer, None, &broken);
    found(&file(""), vec![packet], "pad_content");
}

#[test]
fn the_senders_file_explains_too_and_without_a_file_the_spis_are_listed() {
    let outbound = file("").replace("inbound", "outbound") + "ttl = 9\nmtu = 1400\n";
    let json = explained(&outbound, sealed(&sender(), 1), "");
    assert_eq!(json["ok"], true, "{json:#}");

    let dir = Dir::new("explain-without");
    dir.write("in.pcap", Pcap::new(101, sealed(&sender(), 5)).bytes());
    let run = dir.esp("explain in.pcap");
    assert!(run.stdout.contains("0x00001001       10  5..14"), "{}", run.stdout);
    assert!(
        run.stdout.contains("192.0.2.1 -> 192.0.2.2") && run.stdout.contains("--sa FILE"),
        "{}",
        run.stdout
    );
    dir.esp("explain in.pcap --packet 11").refused("in.pcap: no packet 11; legal: 1..=10");
    dir.esp("explain in.pcap --packet 0").refused("1..");
    dir.esp("explain none.pcap").refused("none.pcap: No such file");
    dir.esp("explain - --sa -").refused("--sa and CAPTURE are both `-`");
    dir.esp("explain in.pcap --seq-hi 4").refused("--sa <FILE>");
    dir.write("clear.pcap", Pcap::new(101, [inner(20)]).bytes());
    dir.esp("explain clear.pcap").refused("no ESP packet among 1 packet (handed back: not_esp 1)");
}

#[test]
fn what_is_not_esp_or_not_whole_is_said() {
    let tcp = Ipv4::default().packet(&Upper::tcp(20));
    let fragment =
        Ipv4 { mf: true, ..Ipv4::default() }.packet(&Upper::Raw { protocol: 50, bytes: vec![0; 64] });
    let ah = Ipv4::default().packet(&Upper::Raw { protocol: 51, bytes: vec![4; 64] });
    let cases = [
        (tcp, "handed back: not_esp", true),
        (fragment, "dropped: fragment", false),
        (ah, "handed back: not_esp", true),
    ];
    for (packet, verdict, ok) in cases {
        let json = explained(&file(""), vec![packet], "--packet 1");
        assert_eq!((&json["packet"]["verdict"], &json["ok"]), (&verdict.into(), &ok.into()), "{json:#}");
    }
    let dir = Dir::new("explain-cut");
    dir.write_sa("sa.toml", &file(""));
    let mut pcap = Pcap::new(101, sealed(&sender(), 1));
    pcap.records[2].frame.truncate(40);
    dir.write("in.pcap", pcap.bytes());
    let json = dir.esp("explain in.pcap --sa sa.toml --json").json(1);
    assert_eq!((&json["packet"]["number"], &json["packet"]["verdict"]), (&3.into(), &"truncated".into()));
}

#[test]
fn damaged_packets_never_harm_and_agree_with_the_engine() {
    let mut packets = Vec::new();
    // Each number once: a burst may judge a forgery of a number before it knows that the number is taken.
    for at in 0..300 {
        let mut packet = slow::seal(&sender(), 1 + at as u64, [3; 16], &inner(20 + at % 9), 0, 0);
        let place = at * 7919 % packet.len();
        packet[place] ^= 1 << (at % 8);
        packet.truncate(packet.len() - at % 5);
        packets.push(packet);
    }
    let dir = Dir::new("explain-damaged");
    dir.write_sa("sa.toml", &file(""));
    dir.write("in.pcap", Pcap::new(101, packets).bytes());
    let opened = dir.esp("open --sa sa.toml --json in.pcap out.pcap").json(1);
    for number in (1..=300).step_by(37) {
        let run = dir.esp(&format!("explain in.pcap --sa sa.toml --json --packet {number}"));
        assert!(matches!(run.code, Some(0 | 1)), "{run:?}");
        let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let verdicts = json["overview"]["verdicts"].as_object().unwrap();
        for (reason, count) in opened["dropped_by_reason"].as_object().unwrap() {
            assert_eq!(verdicts.get(&format!("dropped: {reason}")), Some(count), "{reason}");
        }
    }
}

const KEY: [u8; 16] =
    [0x9f, 0x8b, 0x2c, 0x63, 0xd1, 0xe4, 0x0a, 0x77, 0x58, 0xc6, 0xb3, 0xf0, 0x14, 0x2d, 0x9e, 0xa5];
const SALT: [u8; 4] = [0xc0, 0x7d, 0x31, 0xfe];
const LONG_KEY: [u8; 32] = [
    0x11, 0xd3, 0x6a, 0x80, 0x95, 0x2f, 0xbe, 0x47, 0x0c, 0xe8, 0x71, 0x3b, 0xa4, 0x5d, 0xf2, 0x19, 0x86,
    0x6e, 0x30, 0xcb, 0x54, 0xd9, 0x0f, 0x72, 0xa8, 0x1d, 0x43, 0xe6, 0xb7, 0x5a, 0x98, 0x2c,
];
