//! SA files: the examples of the reference are read as printed, and faults are named without showing a key.

use esp_core::config::{
    Df, Direction, Dscp, EcnMode, FlowLabel, HexError, Lookup, PortRange, ReplayWindow, SaConfig, SaFile,
    Secret, UdpEncap,
};
use proptest::prelude::*;

const REFERENCE: &str = include_str!("../../docs/sa-file.md");

const KEY: &str = "000102030405060708090A0b0c0d0e0f10111213";

/// A good SA, one field a line; `spi` stands on line 4.
const GOOD: &str = r#"[[sa]]
name = "west"
direction = "inbound"
spi = 0x1000
transform = "aes-128-gcm-16"
key = "000102030405060708090A0b0c0d0e0f10111213"
mode = "tunnel"
"#;

/// The TOML blocks of the reference, in order.
fn examples() -> Vec<Vec<SaConfig>> {
    let blocks = REFERENCE.split("```toml\n").skip(1).filter_map(|rest| rest.split_once("```"));
    blocks.map(|(block, _)| SaFile::parse(block).unwrap_or_else(|error| panic!("{error}\n{block}"))).collect()
}

/// Parses the good SA with `from` replaced by `to`; expects a fault at line, column and field, in these words.
#[track_caller]
fn says(from: &str, to: &str, at: (usize, usize), field: &str, words: &[&str]) {
    assert!(GOOD.contains(from), "{from}");
    let error = SaFile::parse(&GOOD.replace(from, to)).expect_err("refused");
    let message = error.to_string();
    assert_eq!(((error.line(), error.column()), error.field()), (at, Some(field)), "{message}");
    assert!(!message.contains('\n'), "one line: {message}");
    for word in words {
        assert!(message.contains(word), "`{word}` not in: {message}");
    }
}

#[test]
fn the_matched_pair_of_the_reference_matches() {
    let examples = examples();
    let [west, east, _] = examples.as_slice() else { panic!("three examples, got {}", examples.len()) };
    assert_eq!((west.len(), east.len()), (2, 2));
    for (near, far) in west.iter().zip(east) {
        assert_eq!((&near.name, near.spi, near.transform), (&far.name, far.spi, far.transform));
        assert_eq!((near.src, near.dst, near.udp, near.esn), (far.src, far.dst, far.udp, far.esn));
        assert_eq!((near.key.expose(), near.mode), (far.key.expose(), far.mode));
        assert_ne!(near.direction, far.direction);
    }
    let (out, back) = (&west[0], &west[1]);
    assert_eq!((out.direction, out.mtu, out.spi), (Direction::Outbound, Some(1500), 0xc001));
    assert_eq!((back.direction, back.replay_window), (Direction::Inbound, ReplayWindow::Bits(1024)));
    assert_ne!(out.key.expose(), back.key.expose());
    assert_eq!(out.key.expose()[..3], [0, 1, 2]);
    assert_eq!(out.key.expose()[32..], [0xa0, 0xa1, 0xa2, 0xa3]);
}

#[test]
fn every_option_of_the_reference_is_read() {
    let examples = examples();
    let [outbound, inbound, transport] = examples[2].as_slice() else { panic!("three SAs") };
    assert_eq!((outbound.mtu, outbound.tfc_pad_to, outbound.ttl), (Some(1400), Some(1280), 255));
    assert_eq!((outbound.dscp, outbound.ecn), (Dscp::Set(46), EcnMode::Compatibility));
    assert_eq!((outbound.df, outbound.flow_label), (Df::Set, FlowLabel::Set(0x12345)));
    assert_eq!(outbound.udp, Some(UdpEncap { src_port: 4500, dst_port: 4501, zero_checksum: true }));
    assert_eq!((inbound.udp, inbound.tun_id), (outbound.udp, 7));
    assert_eq!((inbound.replay_window, inbound.lookup), (ReplayWindow::Off, Lookup::SpiDstSrc));
    assert_eq!(inbound.selectors[0].protocol, Some(6));
    assert_eq!(inbound.selectors[0].src_port, PortRange::new(1024, 65535));
    assert_eq!(inbound.selectors[0].dst_port, Some(443.into()));
    assert_eq!(inbound.selectors[1].dst.to_string(), "10.2.0.7/32");
    assert_eq!((transport.udp, transport.src), (None, None));
}

#[test]
fn the_reference_names_every_field() {
    let unknown = |more: &str| SaFile::parse(&(GOOD.to_owned() + more)).unwrap_err().to_string();
    let tables = [
        (25, unknown("no_such_field = 1\n")),
        (3, unknown("udp = { no_such_field = 1 }\n")),
        (5, unknown("selectors = [{ no_such_field = 1 }]\n")),
    ];
    for (count, message) in tables {
        let list = message.split("expected one of ").nth(1).unwrap().split(';').next().unwrap();
        let fields: Vec<_> = list.split('`').skip(1).step_by(2).collect();
        assert_eq!(fields.len(), count, "{message}");
        for field in fields {
            assert!(REFERENCE.contains(&format!("| `{field}` |")), "`{field}` has no row in docs/sa-file.md");
        }
    }
}

#[test]
fn a_wrong_type_in_any_field_is_answered_with_its_legal_values() {
    let fields = "name direction spi transform key integrity_key keys allow_legacy mode src dst esn udp replay_window lookup check_outer selectors mtu \
                  tfc_pad_to dscp ecn df ttl flow_label tun_id";
    for field in fields.split_whitespace() {
        let others: String =
            GOOD.lines().filter(|line| !line.starts_with(field)).map(|line| format!("{line}\n")).collect();
        let error = SaFile::parse(&format!("{others}{field} = 1979-05-27\n")).unwrap_err();
        assert_eq!(error.field(), Some(field), "{error}");
        let message = error.to_string();
        assert!(message.split_once("; legal: ").is_some_and(|(_, legal)| !legal.is_empty()), "{message}");
    }
}

#[test]
fn udp_ports_default_to_4500() {
    let sa = SaFile::parse(&(GOOD.to_owned() + "udp = {}\n")).unwrap();
    assert_eq!(sa[0].udp, Some(UdpEncap { src_port: 4500, dst_port: 4500, zero_checksum: false }));
}

#[test]
fn a_file_may_hold_no_sa() {
    assert!(SaFile::parse("").unwrap().is_empty());
    assert!(SaFile::parse("# nothing\n").unwrap().is_empty());
}

#[test]
fn b89_spi_is_decimal_or_hexadecimal_and_in_range() {
    assert_eq!(SaFile::parse(GOOD).unwrap()[0].spi, 0x1000);
    assert_eq!(SaFile::parse(&GOOD.replace("0x1000", "4294967295")).unwrap()[0].spi, u32::MAX);
    let refused =
        ["0", "1", "255", "4294967296", "0x100000000", "-1", "\"0x1000\"", "1e3", "99999999999999999999"];
    for spi in refused {
        says("0x1000", spi, (4, 7), "spi", &["SA 1 \"west\": spi:", "256..=4294967295"]);
    }
}

#[test]
fn b89_key_text_is_refused_by_position() {
    let at = (6, 7);
    says("10111213", "1011121", at, "key", &["39 hexadecimal digits", "odd"]);
    says("0001", "0x0001", at, "key", &["0x prefix"]);
    says("0001", "0X0001", at, "key", &["0x prefix"]);
    says("0001", "00 01", at, "key", &["character 3 "]);
    says("0001", "00:01", at, "key", &["character 3 "]);
    says("11121", "1112g", at, "key", &["character 39 "]);
    says("10111213", "101112", at, "key", &["aes-128-gcm-16", "exactly 20 bytes", "got 19"]);
    says("10111213", "1011121314", at, "key", &["exactly 20 bytes", "got 21"]);
    says(&format!("\"{KEY}\""), "7", at, "key", &["in quotes", "hexadecimal"]);
    assert_eq!(Secret::from_hex("0").unwrap_err(), HexError::Odd { digits: 1 });
    assert_eq!(Secret::from_hex("aé").unwrap_err(), HexError::NotADigit { position: 2 });
}

#[test]
fn both_cases_of_hexadecimal_are_read() {
    assert_eq!(Secret::from_hex("00ff7FaBCdEf").unwrap().expose(), [0, 0xff, 0x7f, 0xab, 0xcd, 0xef]);
    assert!(Secret::from_hex("").unwrap().is_empty());
}

#[test]
fn no_error_shows_key_text() {
    let digits = "00112233445566778899aabbccddeeff00112233";
    let pairs = "00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff:00:11:22:33";
    let good = format!("\"{KEY}\"");
    for key in [digits, pairs] {
        let quoted = format!("\"{key}\"");
        let faults = [
            GOOD.replace(KEY, &format!("{key}zz")),
            GOOD.replace(KEY, &format!("{key}0")),
            GOOD.replace(&good, &quoted[..quoted.len() - 1]),
            GOOD.replace(&good, &format!("{quoted} {quoted}")),
            GOOD.replace(&good, key),
            GOOD.replace(&good, &format!("0x{key}")),
            GOOD.replace(&good, "0x00112233445566778899aabbccddee"),
            GOOD.replace(&good, "0x33445566778899"),
            GOOD.replace(&good, &format!("[{quoted}]")),
            GOOD.replace(&good, &format!("{{ {quoted} = 1 }}")),
            GOOD.replace("0x1000", &quoted),
            GOOD.replace("aes-128-gcm-16", key),
            GOOD.replace("\"tunnel\"", &quoted),
            GOOD.replace("\"west\"", &quoted).replace("0x1000", "0"),
            GOOD.to_owned() + &format!("src = {quoted}\n"),
            GOOD.to_owned() + &format!("replay_window = {quoted}\n"),
            GOOD.to_owned() + &format!("{quoted} = 1\n"),
            GOOD.to_owned() + &format!("key = {quoted}\n"),
            format!("{quoted} = 1\n"),
            format!("sa = {quoted}\n"),
        ];
        for text in faults {
            let error = SaFile::parse(&text).expect_err(&text);
            let shown = format!("{error} {error:?} {:?} {:?}", error.field(), error.name());
            assert!(!shown.contains("3344") && !shown.contains("33:44"), "{shown}");
            assert!(!shown.contains(&0x33_4455_6677_8899_u64.to_string()), "{shown}");
        }
    }
}

#[test]
fn faults_are_found_where_they_stand() {
    says("mode = \"tunnel\"", "mode = \"tunel\"", (7, 8), "mode", &["tunel", "legal: tunnel, transport"]);
    says("aes-128-gcm-16", "aes-128-gcm", (5, 13), "transform", &["`aes-128-gcm`", "chacha20-poly1305"]);
    says("mode", "ttl = 300\nmode", (7, 7), "ttl", &["300", "1..=255"]);
    says("mode", "mtu = 500\nmode", (7, 7), "mtu", &["SA 1 \"west\": mtu", "outbound SAs only"]);
    says("mode", "replay_window = 0\nmode", (7, 17), "replay_window", &["got 0", "spell out \"off\""]);
    says("mode", "replay_window = \"no\"\nmode", (7, 17), "replay_window", &["\"no\"", "\"off\""]);
    says("mode", "replay_window = -1\nmode", (7, 17), "replay_window", &["-1", "32..=2097152"]);
    says("mode", "dst = \"10.0.0\"\nmode", (7, 7), "dst", &["an IP address"]);
    says("mode", "tun-id = 1\nmode", (7, 1), "tun-id", &["unknown field `tun-id`"]);
    says("name = \"west\"", "\"é\" = 1", (2, 1), "é", &["unknown field `é`"]);
    says("mode", "udp = { \"é\" = 1 }\nmode", (7, 9), "udp.é", &["unknown field `é`"]);
    says(
        "mode",
        "selectors = [{ src = \"é\", dst = \"é\" }]\nmode",
        (7, 33),
        "selectors[0].dst",
        &["IP prefix"],
    );
    says("\"west\"", "\"wést\" # é\nspy = 1", (3, 1), "spy", &["SA 1 \"wést\"", "unknown field `spy`"]);
}

#[test]
fn nested_fields_have_a_path() {
    let with = |more: &str| SaFile::parse(&(GOOD.to_owned() + more)).unwrap_err();
    let udp = with("[sa.udp]\nsrc_port = 4500\ndst_port = 0\n");
    assert_eq!((udp.line(), udp.column(), udp.field()), (10, 12, Some("udp.dst_port")), "{udp}");
    let udp = with("udp = { src_port = 65536 }\n");
    assert_eq!((udp.line(), udp.column(), udp.field()), (8, 20, Some("udp.src_port")), "{udp}");
    assert!(udp.to_string().contains("1..=65535"), "{udp}");
    let one = "[[sa.selectors]]\nsrc = \"10.0.0.0/8\"\ndst = \"10.0.0.0/8\"\n";
    let host = with(&format!("{one}{}", one.replace("dst = \"10.0.0.0/8\"", "dst = \"10.9.8.7/8\"")));
    assert_eq!((host.line(), host.column(), host.field()), (13, 7, Some("selectors[1].dst")), "{host}");
    assert!(host.to_string().contains("write 10.0.0.0/8"), "{host}");
    let ports = with(&format!("{one}protocol = 6\nsrc_port = \"9-8\"\n"));
    assert_eq!(ports.field(), Some("selectors[0].src_port"), "{ports}");
}

#[test]
fn missing_fields_are_named() {
    for line in GOOD.lines().skip(2) {
        let field = line.split(' ').next().unwrap();
        let error = SaFile::parse(&GOOD.replace(&format!("{line}\n"), "")).unwrap_err();
        assert!(
            error.to_string().contains(&format!("{field}: missing; every SA needs it; legal: ")),
            "{error}"
        );
        assert_eq!((error.line(), error.sa(), error.name()), (1, Some(1), Some("west")), "{error}");
    }
}

#[test]
fn names_are_unique() {
    let twice = GOOD.to_owned() + GOOD;
    let error = SaFile::parse(&twice).unwrap_err();
    assert_eq!(
        (error.line(), error.column(), error.sa(), error.field()),
        (9, 8, Some(2), Some("name")),
        "{error}"
    );
    assert!(error.to_string().contains("SA 1 has this name too"), "{error}");
    let nameless = twice.replace("name = \"west\"\n", "");
    let again = SaFile::parse(&nameless).unwrap_err();
    assert_eq!((again.line(), again.sa(), again.field()), (9, Some(2), Some("spi")), "{again}");
    let (first, second) = nameless.split_at(nameless.len() / 2);
    let second = second.replace("0x1000", "0x1001");
    assert_eq!(SaFile::parse(&(first.to_owned() + &second)).unwrap().len(), 2);
}

#[test]
fn names_have_an_end_and_no_control_characters() {
    for bad in ["", &"x".repeat(65), "a\\u001bb"] {
        let error = SaFile::parse(&GOOD.replace("\"west\"", &format!("\"{bad}\""))).expect_err(bad);
        assert_eq!((error.line(), error.field()), (2, Some("name")), "{error}");
        assert!(error.to_string().contains("legal: 1 to 64 characters"), "{error}");
        assert!(!error.to_string().contains('\u{1b}'), "{error}");
    }
}

#[test]
fn messages_have_no_words_of_the_implementation() {
    let cases = [
        ("spi = \"x\"", "spi: got string \"x\"; legal: 256..="),
        ("spi = 1.5", "spi: got floating point `1.5`; legal: 256..="),
        ("spi = 4294967296", "spi: got integer `4294967296`; legal: 256..="),
        ("mode = 5", "mode: got a value of another kind; legal: tunnel, transport"),
        ("mode = \"tunel\"", "mode: got `tunel`; legal: tunnel, transport"),
        ("esn = 1", "esn: got integer `1`; legal: true, false"),
    ];
    for (line, message) in cases {
        let field = line.split(' ').next().unwrap();
        let kept = GOOD.lines().filter(|line| line.split(' ').next() != Some(field));
        let text = kept.collect::<Vec<_>>().join("\n") + "\n" + line + "\n";
        let error = SaFile::parse(&text).expect_err(line).to_string();
        assert!(error.contains(message), "{error}");
        assert!(!error.contains("u32") && !error.contains("expected"), "{error}");
    }
}

#[test]
fn only_sa_tables_are_known() {
    let error = SaFile::parse(&("[[sas]]\n".to_owned() + GOOD)).unwrap_err();
    assert_eq!((error.line(), error.sa()), (1, None), "{error}");
    let error = SaFile::parse(&GOOD.replace("[[sa]]", "[sa]")).unwrap_err();
    assert!(error.to_string().contains("write [[sa]]"), "{error}");
    let error = SaFile::parse("sa = [1]\n").unwrap_err();
    assert_eq!((error.line(), error.column(), error.sa()), (1, 7, Some(1)), "{error}");
    let error = SaFile::parse("\n[[sa]\n").unwrap_err();
    assert_eq!(error.line(), 2, "{error}");
}

proptest! {
    #[test]
    fn a_mangled_file_is_refused_or_read_never_a_panic(cut in 0..GOOD.len(), junk in "[\\PC\n\"=\\[\\]{}]{0,8}") {
        let text = format!("{}{junk}{}", &GOOD[..cut], &GOOD[cut..]);
        if let Err(error) = SaFile::parse(&text) {
            prop_assert!(error.line() >= 1 && error.line() <= text.lines().count() + 1);
            prop_assert!(!error.to_string().contains("0c0d0e0f"), "{}", error);
        }
    }
}
