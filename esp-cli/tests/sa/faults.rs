//! Every malformed file, with the message that it gets.

use super::KEY;
use super::support::Dir;

/// Checks each file in turn; `KEY` in a text stands for the key, which no message may show.
fn refused(name: &str, cases: &[(&str, &str)]) {
    let dir = Dir::new(name);
    for (text, message) in cases {
        let text = text.replace("KEY", KEY);
        dir.write_sa("file", &text);
        let run = dir.esp("sa check file");
        assert_eq!(run.code, Some(1), "{text}\n{run:?}");
        assert!(run.stdout.contains(message), "{text}\n{message}\n{}", run.stdout);
        assert!(!run.stdout.contains(&KEY[..32]), "a key is shown: {}", run.stdout);
        let json = dir.esp("sa check --json file").json(1);
        assert!(json["files"][0]["errors"][0]["line"].as_u64() > Some(0) && json["ok"] == false, "{json}");
        let open = dir.esp("open --sa file file out");
        assert_eq!(open.code, Some(2), "{open:?}");
    }
}

#[test]
fn malformed_esp_sa_lines_are_named_by_place_and_field() {
    let gcm = "\"AES-GCM with 16 octet ICV [RFC4106]\"";
    let line = |fields: &str| fields.replace('@', gcm);
    let cases = [
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",@,\"0xKEY\",\"NULL\"",
            "file:1:1: error: 7 fields; legal: 8, or 10",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",@,\"0xKEY\",\"NULL\",\"\",\"\"",
            "error: 9 fields; legal: 8, or 10",
        ),
        (
            "\"IPv5\",\"*\",\"*\",\"0x1001\",@,\"0xKEY\",\"NULL\",\"\"",
            "file:1:1: error: protocol: legal: IPv4, IPv6",
        ),
        (
            "\"IPv4\",\"10.0.0.0/8\",\"*\",\"0x1001\",@,\"0xKEY\",\"NULL\",\"\"",
            "file:1:8: error: src: legal: an IPv4 address, * for any",
        ),
        (
            "\"IPv4\",\"*\",\"fd99::1\",\"0x1001\",@,\"0xKEY\",\"NULL\",\"\"",
            "file:1:12: error: dst: legal: an IPv4 address",
        ),
        (
            "\"IPv6\",\"*\",\"10.0.0.1\",\"0x1001\",@,\"0xKEY\",\"NULL\",\"\"",
            "error: dst: legal: an IPv6 address",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x10g1\",@,\"0xKEY\",\"NULL\",\"\"",
            "file:1:16: error: spi: character 5 is no digit",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x100000000\",@,\"0xKEY\",\"NULL\",\"\"",
            "error: spi: out of range; legal: 0..=4294967295",
        ),
        ("\"IPv4\",\"*\",\"*\",\"\",@,\"0xKEY\",\"NULL\",\"\"", "error: spi: out of range"),
        (
            "\"IPv4\",\"*\",\"*\",\"255\",@,\"0xKEY\",\"NULL\",\"\"",
            "error: spi: out of range; legal: 256..=4294967295",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x0000010*\",@,\"0xKEY\",\"NULL\",\"\"",
            "error: spi: a pattern; an SA of the engine has one SPI",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",\"AES-GCM\",\"0xKEY\",\"NULL\",\"\"",
            "file:1:25: error: encryption: a name that Wireshark does not have; legal: AES-GCM with 16",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",\"0xKEY\",\"0xKEY\",\"NULL\",\"\"",
            "error: encryption: a name that Wireshark does not have",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",\"AES-GCM [RFC4106]\",\"0xKEY\",\"NULL\",\"\"",
            "error: encryption: names no ICV length",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",@,\"0xKEY\",\"HMAC-SHA-1\",\"\"",
            "error: authentication: a name that Wireshark does not have",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",@,\"0xKEY\",\"HMAC-SHA-256-128 [RFC4868]\",\"\"",
            "error: authentication: aes-128-gcm-16 has its own integrity; legal: NULL",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",\"NULL\",\"\",\"NULL\",\"\"",
            "error: authentication: null without integrity",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",\"NULL\",\"\",\"ANY 96 bit authentication [no checking]\",\"\"",
            "error: authentication: an ICV that is not checked",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",\"TWOFISH-CBC\",\"0123456789abcdef\",\"HMAC-SHA-256-128 [RFC4868]\",\"0123456789abcdef0123456789abcdef\"",
            "error: encryption: unknown transform `twofish-cbc-hmac-sha256-128`; legal: aes-{128,192,256}-gcm-",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",@,\"0xKEYa\",\"NULL\",\"\"",
            "error: encryption key: behind 0x: 41 hexadecimal digits: an odd number",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",@,\"0x KEY\",\"NULL\",\"\"",
            "error: encryption key: behind 0x: character 1 is no hexadecimal digit",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",@,\"0xKEYff\",\"NULL\",\"\"",
            "error: encryption key: 21 bytes; legal: 20 bytes for aes-128-gcm-16, any salt last",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",@,\"KEY\",\"NULL\",\"\"",
            "error: encryption key: 40 bytes; legal: 20 bytes",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",@,\"0xKEY\",\"NULL\",\"0x00\"",
            "error: authentication key: aes-128-gcm-16 has no such key",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",\"NULL\",\"\",\"HMAC-SHA-256-128 [RFC4868]\",\"0xKEY\"",
            "error: authentication key: 20 bytes; legal: 32 bytes for hmac-sha256-128",
        ),
        ("# a comment\n\n  \"IPv4\",*", "file:3:10: error: a field starts with a quote"),
        ("\"IPv4\",\"*", "file:1:8: error: the quote that starts here is not closed"),
        ("\"IPv4\",", "file:1:8: error: a field is missing behind the comma"),
        ("\"IPv4\" \"*\"", "file:1:8: error: a comma is needed between fields"),
        ("\"IP\\v4\",\"*\"", "file:1:4: error: an escape is \\x and two hexadecimal digits"),
        ("\"IP\\x4\",\"*\"", "error: an escape is \\x and two hexadecimal digits"),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",@,\"0xKEY\",\"NULL\",\"\",\"65-bit\",\"0x0\"",
            "error: sequence number length: legal: 32-bit, 64-bit",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",@,\"0xKEY\",\"NULL\",\"\",\"64-bit\",\"0x100000000\"",
            "error: ESN high bits: legal: 0..=ffffffff, hexadecimal",
        ),
        (
            "\"IPv4\",\"*\",\"*\",\"0x1001\",@,\"0xKEY\",\"NULL\",\"\"\n\"IPv6\",\"*\",\"*\",\"4097\",@,\"0xKEY\",\"NULL\",\"\"",
            "file:2:1: error: spi: 0x00001001: the inbound SA of line 1 has it too",
        ),
    ];
    let cases: Vec<_> = cases.iter().map(|(text, message)| (line(text), *message)).collect();
    let cases: Vec<_> = cases.iter().map(|(text, message)| (text.as_str(), *message)).collect();
    refused("faults-esp-sa", &cases);
}

#[test]
fn malformed_xfrm_states_are_named_by_place_and_field() {
    let good = "src 192.0.2.1 dst 192.0.2.2\n\tproto esp spi 0x1001 reqid 1 mode tunnel\n\treplay-window 32\n\taead rfc4106(gcm(aes)) 0xKEY 128\n";
    let with = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replace(from, to)
    };
    let cases = [
        (with("src 192.0.2.1", "src 192.0.2.256"), "file:1:1: error: src: legal: an IP address"),
        (with(" dst 192.0.2.2", ""), "file:1:1: error: a state starts with `src A dst B`"),
        (
            with("\tproto esp spi 0x1001 reqid 1 mode tunnel\n", ""),
            "file:1:1: error: proto: missing: a line `proto esp",
        ),
        (with("proto esp", "proto tcp"), "file:2:1: error: proto: legal: esp, ah, comp"),
        (with("spi 0x1001", "spi 0x10zz"), "file:2:2: error: spi: legal: 0..=4294967295"),
        (with("spi 0x1001", "spi 0x100000000"), "error: spi: legal: 0..=4294967295"),
        (with("spi 0x1001", "spi 0xff"), "error: spi: legal: 256..=4294967295"),
        (with(" reqid 1", ""), "error: `proto P spi N reqid N mode M`"),
        (with("mode tunnel", "mode"), "error: mode: missing; legal: tunnel, transport"),
        (with("mode tunnel", "mode beet"), "error: mode: legal: tunnel, transport"),
        (
            with("replay-window 32", "replay-window many"),
            "file:3:2: error: replay-window: legal: 0..=4294967295",
        ),
        (with("replay-window 32", "replay-window 16"), "error: replay_window: got 16; legal: 32..=2097152"),
        (
            with("\taead rfc4106(gcm(aes)) 0xKEY 128\n", ""),
            "error: aead: missing: the state has neither aead nor enc",
        ),
        (with(" 128", ""), "file:4:2: error: aead: the ICV length, in bits, is missing"),
        (
            with(" 128", " 127"),
            "error: aead: rfc4106(gcm(aes)): a key of 20 bytes and an ICV of 127 bits; legal: 20 bytes with 128 bits",
        ),
        (with(" 128", " lots"), "error: aead: the ICV length is a number of bits"),
        (with("0xKEY", "0xKEYf"), "error: aead: key behind 0x: 41 hexadecimal digits: an odd number"),
        (with("0xKEY", "KEY"), "error: aead: a key is 0x and hexadecimal digits"),
        (with("0xKEY", "0xKEYff"), "a key of 21 bytes and an ICV of 128 bits; legal: 20 bytes with 128 bits"),
        (with("0xKEY", "<<Keys hidden>>"), "error: aead: the keys are hidden; run `ip xfrm state` as root"),
        (
            with("rfc4106(gcm(aes))", "rfc4106(gcm(sm4))"),
            "error: aead: rfc4106(gcm(sm4)): an algorithm that this program does not know",
        ),
        (
            with("aead rfc4106(gcm(aes)) 0xKEY 128", "enc cbc(aes) 0xKEY"),
            "error: enc: cbc(aes): a key of 20 bytes; legal: 16 bytes, 24 bytes, 32 bytes",
        ),
        (
            with("aead rfc4106(gcm(aes)) 0xKEY 128", "enc ecb(cipher_null) "),
            "error: auth: missing: null without integrity is refused",
        ),
        (
            with(
                "aead rfc4106(gcm(aes)) 0xKEY 128",
                "auth-trunc hmac(sha256) 0xKEY 128\n\tenc ecb(cipher_null) ",
            ),
            "error: auth: hmac(sha256): a key of 20 bytes and an ICV of 128 bits; legal: 32 bytes with 128 bits, 32 bytes with 96 bits",
        ),
        (
            good.to_owned() + "\tencap type espintcp sport 1 dport 2 addr ::\n",
            "file:5:1: error: encap: legal: type espinudp",
        ),
        (
            good.to_owned() + "\tencap type espinudp sport 1 dport 65536 addr ::\n",
            "file:5:2: error: dport: legal: 0..=65535",
        ),
        (
            good.to_owned() + "\tencap type espinudp sport 0 dport 4500 addr ::\n",
            "error: udp.src_port: got 0; legal: 1..=65535",
        ),
        (
            good.to_owned() + "\tanti-replay context: seq 0x0, oseq 0x0\n",
            "file:5:2: error: `bitmap` is missing",
        ),
        (
            good.to_owned() + "\tanti-replay esn context:\n\t seq-hi 0x0, oseq 0x0\n",
            "file:6:3: error: `seq` is missing",
        ),
        (good.to_owned() + good, "file:5:1: error: spi: 0x00001001: the inbound SA of line 1 has it too"),
    ];
    let cases: Vec<_> = cases.iter().map(|(text, message)| (text.as_str(), *message)).collect();
    refused("faults-xfrm", &cases);
}

#[test]
fn malformed_toml_is_checked_to_the_end() {
    let sa = |more: &str| {
        format!(
            "[[sa]]\ndirection = 'outbound'\nspi = 0x1001\ntransform = 'aes-128-gcm-16'\nkey = 'KEY'\nmode = 'transport'\n{more}\n"
        )
    };
    let cases = [
        ("[[sa]\n".to_owned(), "file:1:"),
        ("[[sas]]\n".to_owned(), "file:1:3: error: not known here"),
        (sa("ttl = 5"), "file:7:7: error: SA 1: ttl: got a value; legal: for tunnel mode only"),
        (sa("nonsense = 5"), "error: SA 1: nonsense: unknown field `nonsense`"),
        (sa("mtu = 100"), "error: SA 1: mtu: got 100; legal: 576..=65535 bytes"),
        (sa("").replace("KEY'", "KEYff'"), "error: SA 1: key: aes-128-gcm-16 takes exactly 20 bytes"),
        (sa("").replace("'KEY'", "KEY"), "file:5:"),
        (sa("name = 'KEY'\nttl = 1"), "(hidden: it may be a key)"),
    ];
    let cases: Vec<_> = cases.iter().map(|(text, message)| (text.as_str(), *message)).collect();
    refused("faults-toml", &cases);

    let dir = Dir::new("faults-all");
    let text = [sa("ttl = 5"), sa("mtu = 100"), sa("").replace("0x1001", "0x1002"), sa("esn = 3")]
        .concat()
        .replace("KEY", KEY);
    dir.write_sa("file", &text);
    let json = dir.esp("sa check --json file").json(1);
    let lines: Vec<_> =
        json["files"][0]["errors"].as_array().unwrap().iter().map(|error| error["line"].clone()).collect();
    assert_eq!(lines, [7, 14, 28]);
    assert_eq!(json["files"][0]["sas"], 1);
    let run = dir.esp("open --sa file file out");
    assert!(run.stderr.contains("(and 2 more: esp sa check)"), "{}", run.stderr);
}

#[test]
fn doubts_are_warnings() {
    let dir = Dir::new("doubts");
    let sa = |direction: &str, spi: u32, transform: &str, key: &str, more: &str| {
        format!(
            "[[sa]]\ndirection = '{direction}'\nspi = {spi}\ntransform = '{transform}'\nkey = '{key}'\nmode = 'transport'\n{more}\n"
        )
    };
    let gcm = "aes-128-gcm-16";
    let other = KEY.replace("9f8b", "0000");
    let pair = sa("outbound", 300, gcm, KEY, "") + &sa("inbound", 300, gcm, KEY, "");
    let cases = [
        (pair.clone(), None),
        (
            sa("inbound", 300, gcm, KEY, "replay_window = 'off'"),
            Some("file:1: warning: replay_window = \"off\""),
        ),
        (
            sa("inbound", 300, "null-hmac-sha256-128", &(KEY.to_owned() + &other[..24]), ""),
            Some("null-hmac-sha256-128 does not encrypt"),
        ),
        (
            sa("inbound", 300, "aes-192-gcm-16", &(KEY.to_owned() + &other[..16]), ""),
            Some("192-bit keys are MAY"),
        ),
        (
            sa("inbound", 300, gcm, &"ab".repeat(20), ""),
            Some("key: all its bytes are the same, so it is not random"),
        ),
        (
            sa("inbound", 300, gcm, "000102030405060708090a0b0c0d0e0fa0b1c2d3", ""),
            Some("key: its bytes count"),
        ),
        (
            sa("inbound", 300, gcm, "00112233445566778899aabbccddeeffa0b1c2d3", ""),
            Some("key: its bytes count"),
        ),
        (
            sa("inbound", 300, gcm, &(KEY[..32].to_owned() + "00000000"), ""),
            Some("key: the salt, last of the cipher's bytes, is zero"),
        ),
        (
            sa("outbound", 300, gcm, KEY, "") + &sa("outbound", 301, gcm, KEY, ""),
            Some("file:8: warning: key: the SA of line 1 has the same: both number their packets from 1"),
        ),
        (
            sa("outbound", 300, gcm, KEY, "") + &sa("inbound", 301, gcm, KEY, ""),
            Some(
                "file:8: warning: key: the SA of line 1 has the same: a key belongs to one SA and one direction",
            ),
        ),
    ];
    for (text, warning) in cases {
        dir.write_sa("file", &text);
        let run = dir.esp("sa check file");
        run.ended(0);
        assert_eq!(run.stdout.contains("warning: "), warning.is_some(), "{text}{}", run.stdout);
        assert!(warning.is_none_or(|warning| run.stdout.contains(warning)), "{}", run.stdout);
        dir.esp("sa check --strict file").ended(i32::from(warning.is_some()));
    }
    dir.write("file", pair);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(dir.path("file"), std::fs::Permissions::from_mode(0o644)).unwrap();
        let run = dir.esp("sa check file");
        assert!(run.stdout.contains("file: warning: others may read the file (mode 644)"), "{}", run.stdout);
    }
    dir.esp("sa check none").refused("none: No such file");
}

#[test]
fn b39_keys_have_the_length_of_the_rfc_and_no_other() {
    let dir = Dir::new("faults-b39");
    for (transform, right) in [("null-hmac-sha256-128", 32), ("aes-256-gcm-16", 36), ("aes-128-gcm-16", 20)] {
        for len in [0, 1, 16, 19, 20, 31, 32, 33, 35, 36, 37, 64] {
            let key: String = (0..len).map(|at| format!("{:02x}", at * 37 % 251)).collect();
            dir.write_sa(
                "file",
                &format!(
                    "[[sa]]\ndirection = 'inbound'\nspi = 300\ntransform = '{transform}'\nkey = '{key}'\nmode = 'transport'\n"
                ),
            );
            let run = dir.esp("sa check file");
            assert_eq!(run.code, Some(i32::from(len != right)), "{transform}, {len} bytes: {}", run.stdout);
            assert_eq!(
                run.stdout.contains(&format!("takes exactly {right} bytes")),
                len != right,
                "{}",
                run.stdout
            );
        }
    }
}
