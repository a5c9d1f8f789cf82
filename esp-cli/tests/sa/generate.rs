//! Matched pairs.

use super::support::Dir;

const CLEAR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/dns_icmp.pcap");

#[test]
fn what_one_end_seals_the_other_opens_both_ways() {
    let transforms =
        ["aes-128-gcm-16", "aes-192-gcm-16", "aes-256-gcm-16", "chacha20-poly1305", "null-hmac-sha256-128"];
    let options = [
        "--src 192.0.2.1 --dst 192.0.2.2",
        "--src 2001:db8::1 --dst 2001:db8::2 --udp --no-esn",
        "--mode transport --replay-window 64",
    ];
    for (at, transform) in transforms.iter().enumerate() {
        let dir = Dir::new(&format!("generate-{at}"));
        for option in options {
            dir.esp(&format!("sa generate --force --transform {transform} {option} west.toml east.toml"))
                .ended(0);
            for (from, to) in [("west.toml", "east.toml"), ("east.toml", "west.toml")] {
                dir.esp_args(&["seal", "--sa", from, CLEAR, "sealed"]).ended(0);
                let opened = dir.esp_args(&["open", "--json", "--sa", to, "sealed", "out"]).json(0);
                assert!(opened["opened"].as_u64() > Some(20), "{opened}");
                let before = std::fs::read(CLEAR).unwrap();
                let after = std::fs::read(dir.path("out")).unwrap();
                assert_eq!(after[24..], before[24..], "{transform} {option}");
            }
        }
    }
}

#[test]
fn keys_and_spis_are_fresh_and_files_are_their_owners() {
    let dir = Dir::new("generate-fresh");
    let run = || dir.esp("sa generate --src 192.0.2.1 --dst 192.0.2.2 west.toml east.toml");
    run().ended(0);
    let first = dir.esp("sa show --json --show-keys west.toml").json(0);
    run().refused("west.toml: exists; say --force to replace its keys");
    dir.esp("sa generate --force --src 192.0.2.1 --dst 192.0.2.2 west.toml east.toml").ended(0);
    let (west, east) = (
        dir.esp("sa show --json --show-keys west.toml").json(0),
        dir.esp("sa show --json --show-keys east.toml").json(0),
    );
    let values = |field: &str| {
        [&first, &west].map(|json| [0, 1].map(|at| json["sas"][at][field].to_string())).concat()
    };
    for field in ["key", "spi"] {
        let mut values = values(field);
        values.sort();
        values.dedup();
        assert_eq!(values.len(), 4, "{field}");
    }
    for at in [0, 1] {
        for field in ["key", "spi", "src", "dst", "name", "transform", "esn"] {
            assert_eq!(west["sas"][at][field], east["sas"][at][field], "{field}");
        }
        assert_ne!(west["sas"][at]["direction"], east["sas"][at]["direction"]);
    }
    for file in ["west.toml", "east.toml"] {
        dir.esp(&format!("sa check --strict {file}")).ended(0);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(dir.path(file)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}

#[test]
fn contradictions_are_refused() {
    let dir = Dir::new("generate-wrong");
    let cases = [
        ("west.toml east.toml", "src: got nothing; legal: a unicast IP address; an outbound tunnel needs it"),
        ("--mode transport west.toml west.toml", "WEST and EAST are two files"),
        ("--mode transport west.toml ./west.toml", "WEST and EAST are two files"),
        ("--mode transport west.toml -", "WEST and EAST are two files"),
        ("--mode transport --spi 5 west.toml east.toml", "out of range; legal: 256..=4294967295"),
        (
            "--mode transport --spi 500 --spi-back 500 west.toml east.toml",
            "--spi and --spi-back are the same",
        ),
        ("--mode transport --replay-window 31 west.toml east.toml", "32..=2097152"),
        ("--mode transport --transform des west.toml east.toml", "aes-128-gcm-16"),
        ("--src 192.0.2.1 --dst 2001:db8::1 west.toml east.toml", "an IPv4 address, as src is"),
    ];
    for (arguments, why) in cases {
        dir.esp(&format!("sa generate {arguments}")).refused(why);
    }
    assert!(dir.names().is_empty(), "{:?}", dir.names());
}
