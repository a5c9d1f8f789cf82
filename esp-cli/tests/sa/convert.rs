//! Conversions, and keys that stay where they are.

use super::KEY;
use super::support::Dir;

fn sas() -> String {
    format!(
        "[[sa]]\nname = 'there'\ndirection = 'outbound'\nspi = 0xc001\ntransform = 'aes-128-gcm-16'\nkey = '{KEY}'\n\
         mode = 'tunnel'\nsrc = '192.0.2.1'\ndst = '192.0.2.2'\nesn = true\nudp = {{ dst_port = 4501 }}\n\n\
         [[sa]]\ndirection = 'inbound'\nspi = 0xc002\ntransform = 'null-hmac-sha256-128'\nkey = '{KEY}{}'\n\
         mode = 'tunnel'\nsrc = '192.0.2.2'\ndst = '192.0.2.1'\nreplay_window = 128\n",
        &KEY[..24]
    )
}

#[test]
fn toml_becomes_esp_sa_and_back() {
    let dir = Dir::new("convert-esp-sa");
    dir.write_sa("sa.toml", &sas());
    let run = dir.esp("sa convert sa.toml esp_sa");
    run.ended(0);
    assert_eq!(
        run.stderr,
        "esp: note: \"there\": not in this format: tunnel mode, ESN (Wireshark calls every ICV bad), UDP ports 4500 to 4501\n\
         esp: note: SPI 0x0000c002 (no name): not in this format: tunnel mode, the replay window\n\
         sa.toml (TOML) -> esp_sa (esp_sa): 2 SAs\n"
    );
    let text = std::fs::read_to_string(dir.path("esp_sa")).unwrap();
    let expected = format!(
        "# SA \"there\"; not in this format: tunnel mode, ESN (Wireshark calls every ICV bad), UDP ports 4500 to 4501\n\
         \"IPv4\",\"192.0.2.1\",\"192.0.2.2\",\"0x0000c001\",\"AES-GCM with 16 octet ICV [RFC4106]\",\"0x{KEY}\",\"NULL\",\"\"\n\
         # SA SPI 0x0000c002 (no name); not in this format: tunnel mode, the replay window\n\
         \"IPv4\",\"192.0.2.2\",\"192.0.2.1\",\"0x0000c002\",\"NULL\",\"\",\"HMAC-SHA-256-128 [RFC4868]\",\"0x{KEY}{}\"\n",
        &KEY[..24]
    );
    assert_eq!(text, expected);

    let run = dir.esp("sa convert esp_sa back.toml");
    run.refused(
        "esp_sa: line 2, column 1: direction: the file does not say which way it goes; say --local ADDRESS",
    );
    dir.esp("sa convert --local 192.0.2.1 esp_sa back.toml").ended(0);
    let json = dir.esp("sa show --json --show-keys back.toml").json(0);
    let sas: Vec<_> = json["sas"]
        .as_array()
        .unwrap()
        .iter()
        .map(|sa| (sa["direction"].clone(), sa["spi"].clone()))
        .collect();
    assert_eq!(sas, [("outbound".into(), 0xc001.into()), ("inbound".into(), 0xc002.into())]);
    assert_eq!(json["sas"][0]["key"], KEY);
}

#[test]
fn toml_becomes_a_state_of_the_kernel_and_back() {
    let dir = Dir::new("convert-xfrm");
    dir.write_sa("sa.toml", &sas());
    dir.esp("sa convert sa.toml sa.xfrm").ended(0);
    let text = std::fs::read_to_string(dir.path("sa.xfrm")).unwrap();
    let expected = format!(
        "src 192.0.2.1 dst 192.0.2.2\n\tproto esp spi 0x0000c001 reqid 0 mode tunnel\n\treplay-window 0 flag af-unspec esn\n\
         \taead rfc4106(gcm(aes)) 0x{KEY} 128\n\tencap type espinudp sport 4500 dport 4501 addr 0.0.0.0\n\
         \tanti-replay esn context:\n\t seq-hi 0x0, seq 0x0, oseq-hi 0x0, oseq 0x0\n\t replay_window 32, bitmap-length 1\n\
         src 192.0.2.2 dst 192.0.2.1\n\tproto esp spi 0x0000c002 reqid 0 mode tunnel\n\treplay-window 0 flag af-unspec\n\
         \tauth-trunc hmac(sha256) 0x{KEY}{} 128\n\tenc ecb(cipher_null) \n\
         \tanti-replay esn context:\n\t seq-hi 0x0, seq 0x0, oseq-hi 0x0, oseq 0x0\n\t replay_window 128, bitmap-length 4\n",
        &KEY[..24]
    );
    assert_eq!(text, expected);
    dir.esp("sa convert --local 192.0.2.1 sa.xfrm back.toml").ended(0);
    let (before, after) = (
        dir.esp("sa show --json --show-keys sa.toml").json(0),
        dir.esp("sa show --json --show-keys back.toml").json(0),
    );
    for at in 0..2 {
        for field in
            ["direction", "spi", "transform", "mode", "src", "dst", "udp", "esn", "replay_window", "key"]
        {
            assert_eq!(before["sas"][at][field], after["sas"][at][field], "{field}");
        }
    }
    dir.esp("sa convert sa.toml sa.sh").ended(0);
    let commands = std::fs::read_to_string(dir.path("sa.sh")).unwrap();
    let first = format!(
        "ip xfrm state add src 192.0.2.1 dst 192.0.2.2 proto esp spi 0x0000c001 reqid 0 mode tunnel flag af-unspec flag esn \
         aead 'rfc4106(gcm(aes))' 0x{KEY} 128 encap espinudp 4500 4501 0.0.0.0 replay-window 32"
    );
    let mut lines = commands.lines();
    assert_eq!(lines.next(), Some("# \"there\": not in this format: name"));
    assert_eq!((lines.next(), lines.next()), (Some(""), Some(first.as_str())));
}

#[test]
fn b82_keys_go_to_files_of_their_owner_and_nowhere_else() {
    let dir = Dir::new("convert-keys");
    dir.write_sa("sa.toml", &sas());
    let run = dir.esp("sa convert --to esp_sa sa.toml -");
    run.refused("standard output would show keys; name a file, or say --show-keys");
    let run = dir.esp("sa convert --to esp_sa --show-keys sa.toml -");
    assert!(run.code == Some(0) && run.stdout.contains(KEY), "{run:?}");
    dir.write("open_to_all", "before");
    dir.esp("sa convert --to esp_sa sa.toml open_to_all").ended(0);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(dir.path("open_to_all")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    for command in
        ["sa show sa.toml", "sa show --json sa.toml", "sa check sa.toml", "sa check --json sa.toml"]
    {
        let run = dir.esp(command);
        assert!(!run.stdout.contains(&KEY[..16]) && !run.stderr.contains(&KEY[..16]), "{command}: {run:?}");
    }
    let shown = dir.esp("sa show sa.toml");
    assert!(shown.stdout.contains("20 bytes, masked"), "{}", shown.stdout);
    assert!(dir.esp("sa show --show-keys sa.toml").stdout.contains(KEY));
    dir.esp("sa convert sa.toml sa.toml").refused("OUT is the same file as sa.toml");
    dir.esp("sa convert sa.toml nowhere").refused("the name says no format; say --to");
    assert_eq!(dir.names(), ["open_to_all", "sa.toml"]);
}

#[test]
fn what_wireshark_cannot_name_is_a_comment() {
    let dir = Dir::new("convert-unnamed");
    let text =
        sas().replace("src = '192.0.2.1'\ndst = '192.0.2.2'\nesn", "esn").replace("'tunnel'", "'transport'");
    dir.write_sa("sa.toml", &text);
    dir.esp("sa convert sa.toml esp_sa").ended(0);
    let text = std::fs::read_to_string(dir.path("esp_sa")).unwrap();
    assert!(
        text.contains("\"IPv4\",\"*\",\"*\",\"0x0000c001\"")
            && text.contains("\"IPv6\",\"*\",\"*\",\"0x0000c001\""),
        "{text}"
    );
    dir.esp("sa convert sa.toml sa.xfrm")
        .refused("sa.toml: \"there\": src and dst: a state of the kernel needs both");
}

#[test]
fn every_format_opens_captures() {
    let dir = Dir::new("convert-open");
    let outbound = sas().replace("inbound", "outbound").replace("replay_window = 128\n", "");
    dir.write_sa("sa.toml", &outbound.replace("dst_port = 4501", ""));
    let clear = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/dns_icmp.pcap");
    dir.esp_args(&["seal", "--sa", "sa.toml", "--spi", "0xc001", clear, "sealed"]).ended(0);
    for (name, more) in [("sa.xfrm", ""), ("esp_sa", "--udp --esn"), ("sa.toml", "")] {
        if name != "sa.toml" {
            dir.esp_args(&["sa", "convert", "sa.toml", name]).ended(0);
        } else {
            dir.write_sa("sa.toml", &sas());
            dir.esp("sa convert --local 192.0.2.2 sa.xfrm sa2.toml").ended(0);
            std::fs::rename(dir.path("sa2.toml"), dir.path("sa.toml")).unwrap();
        }
        let opened = dir.esp(&format!("open --json {more} --sa {name} sealed out")).json(0);
        assert_eq!((&opened["opened"], &opened["passed"]), (&21.into(), &1.into()), "{name}: {opened}");
    }
    // The table of Wireshark says neither, so without the flags the packets are not what its SA expects.
    let refused = dir.esp("open --json --sa esp_sa sealed out").json(1);
    assert_eq!(refused["dropped_by_reason"]["auth_failed"], 21, "{refused}");
    let refused = dir.esp("open --json --esn --sa esp_sa sealed out").json(1);
    assert_eq!(refused["dropped_by_reason"]["encapsulation"], 21, "{refused}");
}
