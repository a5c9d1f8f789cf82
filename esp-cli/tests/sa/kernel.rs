//! The text of a real kernel: Linux 6.1, made by data/xfrm/states.sh.

use super::support::Dir;

const PLAIN: &str = include_str!("../data/xfrm/linux-6.1.txt");
const STATISTICS: &str = include_str!("../data/xfrm/linux-6.1-statistics.txt");

/// The states that the engine can have: those with algorithms and modes that it has.
fn ours(text: &str) -> String {
    let mut kept = String::new();
    for block in text.split_inclusive('\n').fold(Vec::<String>::new(), |mut blocks, line| {
        if line.starts_with("src ") {
            blocks.push(String::new());
        }
        if let Some(block) = blocks.last_mut() {
            block.push_str(line);
        }
        blocks
    }) {
        let known = ["c001", "c002", "c003", "c004", "c005", "c006", "c007"];
        if known.iter().any(|spi| block.contains(&format!("spi 0x0000{spi}"))) {
            kept.push_str(&block);
        }
    }
    kept
}

#[test]
fn states_of_the_kernel_are_read() {
    for (name, text) in [("plain", PLAIN), ("statistics", STATISTICS)] {
        let dir = Dir::new(&format!("kernel-{name}"));
        dir.write_sa("states", &ours(text));
        let run = dir.esp("sa convert --from xfrm --local 192.0.2.1 --local 2001:db8::1 states sa.toml");
        run.ended(0);
        assert!(
            run.stderr.contains("the kernel has sent 34359738352 packets with this key"),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains("say `--seq-hi 7`"), "{}", run.stderr);
        let json = dir.esp("sa show --json sa.toml").json(0);
        let sas = json["sas"].as_array().unwrap();
        assert_eq!(sas.len(), 7);
        let sa = |spi: u32| sas.iter().find(|sa| sa["spi"] == spi).unwrap();
        assert_eq!(
            (&sa(0xc001)["transform"], &sa(0xc001)["direction"]),
            (&"aes-128-gcm-16".into(), &"outbound".into())
        );
        assert_eq!(
            (&sa(0xc002)["transform"], &sa(0xc002)["replay_window"]),
            (&"aes-256-gcm-16".into(), &32.into())
        );
        assert_eq!((&sa(0xc004)["esn"], &sa(0xc004)["replay_window"]), (&true.into(), &4096.into()));
        assert_eq!(
            (&sa(0xc005)["transform"], &sa(0xc005)["mode"]),
            (&"chacha20-poly1305".into(), &"transport".into())
        );
        assert_eq!(
            (&sa(0xc006)["transform"], &sa(0xc006)["udp"]),
            (&"aes-192-gcm-16".into(), &serde_json::json!([4500, 4501]))
        );
        assert_eq!(
            (&sa(0xc007)["transform"], &sa(0xc007)["src"]),
            (&"null-hmac-sha256-128".into(), &"2001:db8::1".into())
        );
        let toml = std::fs::read_to_string(dir.path("sa.toml")).unwrap();
        assert!(
            toml.contains(
                "src = \"2001:db8::1/128\"\ndst = \"2001:db8::2/128\"\nprotocol = 17\nsrc_port = \"53\""
            ),
            "{toml}"
        );
    }
}

#[test]
fn states_of_the_kernel_are_written_as_they_were() {
    let dir = Dir::new("kernel-again");
    dir.write_sa("states", PLAIN);
    dir.esp("sa convert --to xfrm states again").ended(0);
    let again = std::fs::read_to_string(dir.path("again")).unwrap();
    let without_ah: Vec<_> = PLAIN.lines().collect();
    let at = without_ah.iter().position(|line| line.contains("proto ah")).unwrap() - 1;
    let end = at + without_ah[at + 1..].iter().position(|line| line.starts_with("src ")).unwrap() + 1;
    let expected: Vec<_> = without_ah[..at].iter().chain(&without_ah[end..]).copied().collect();
    for (written, read) in again.lines().zip(&expected) {
        assert_eq!(written.trim_end(), read.trim_end());
    }
    assert_eq!(again.lines().count(), expected.len());
}

#[test]
fn commands_say_all_that_the_states_say() {
    let dir = Dir::new("kernel-commands");
    dir.write_sa("states", PLAIN);
    dir.esp("sa convert states load.sh").ended(0);
    let commands = std::fs::read_to_string(dir.path("load.sh")).unwrap();
    let of_states = commands.lines().filter(|line| line.starts_with("ip xfrm state add ")).count();
    assert_eq!(of_states, 12, "AH is passed over");
    let others = commands.lines().filter(|line| !line.starts_with("ip ") && !line.is_empty());
    assert!(others.clone().all(|line| line.starts_with("# SA 0x0000c00")), "{commands}");
    assert_eq!(others.count(), 2, "one has sent, one has received");
    let command =
        |spi: &str| commands.lines().find(|line| line.starts_with("ip ") && line.contains(spi)).unwrap();
    let numbers = "replay-oseq-hi 0x7 replay-oseq 0xfffffff0 replay-window 128";
    assert!(command("0x0000c003").contains(numbers), "{}", command("0x0000c003"));
    let marked = command("0x0000c00a");
    for part in [
        "flag noecn flag decap-dscp flag af-unspec",
        "mark 0x10 mask 0xff output-mark 0x1",
        "if_id 0x7",
        "tfcpad 1400",
    ] {
        assert!(marked.contains(part), "{marked}");
    }
    assert!(command("0x0000c007").contains("enc 'ecb(cipher_null)' ''"), "{}", command("0x0000c007"));
}

#[test]
fn algorithms_that_the_engine_has_not_are_named() {
    let dir = Dir::new("kernel-missing");
    dir.write_sa("states", PLAIN);
    let run = dir.esp("sa check --from xfrm states");
    run.ended(1);
    let legacy = [
        "enc: transform `aes-128-cbc-hmac-sha256-96` is legacy",
        "lacks the cargo feature `legacy`; legal: aes-{128,192,256}-gcm-{16,12,8}, ",
    ];
    let missing: &[&str] = if cfg!(feature = "legacy") { &[] } else { &legacy };
    for why in ["mode: legal: tunnel, transport"].iter().chain(missing) {
        assert!(run.stdout.contains(why), "{why}: {}", run.stdout);
    }
    assert!(run.stdout.contains("warning: not ESP: passed over"), "{}", run.stdout);
}

/// A state with these changes; `KEY` stands for the key.
fn state(from: &str, to: &str) -> String {
    let good = "src 192.0.2.1 dst 192.0.2.2\n\tproto esp spi 0x1001 reqid 1 mode tunnel\n\treplay-window 32 flag esn\n\
                \taead rfc4106(gcm(aes)) 0xKEY 128\n\tif_id 0x7\n\tsel src 0.0.0.0/0 dst 0.0.0.0/0 uid 0\n";
    assert!(good.contains(from), "{from}");
    good.replace(from, to).replace("KEY", super::KEY)
}

#[test]
fn a_text_cannot_put_commands_into_the_script() {
    let dir = Dir::new("kernel-injection");
    let evil = ";touch${IFS}PWNED;$(touch${IFS}PWNED)`touch${IFS}PWNED`'\"|&";
    let places = ["tunnel", "esn", "rfc4106(gcm(aes))", "if_id 0x7", "0.0.0.0/0 uid"];
    for place in places {
        let with = match place.strip_suffix(" uid") {
            Some(prefix) => format!("{prefix}{evil} uid"),
            None => format!("{place}{evil}"),
        };
        dir.write_sa("states", &state(place, &with));
        let run = dir.esp("sa convert --from xfrm states load.sh");
        if run.code == Some(0) {
            // The script runs with a stand-in for `ip`: the words must arrive as they are, and nothing else happen.
            dir.write("ip", "#!/bin/sh\nexit 0\n");
            let mut command = std::process::Command::new("sh");
            command.current_dir(dir.path(".")).args(["-c", "ip() { :; }; . ./load.sh"]);
            assert!(command.status().unwrap().success());
        } else {
            run.refused("states: line ");
        }
        assert!(!dir.path("PWNED").exists(), "{place}");
    }
}

#[test]
fn b82_a_key_in_the_place_of_a_name_is_not_shown() {
    let dir = Dir::new("kernel-key-shown");
    let cases = [
        state("rfc4106(gcm(aes))", "0xKEY"),
        state("rfc4106(gcm(aes))", "KEY"),
        state("rfc4106(gcm(aes))", "aKEY"),
        state("mode tunnel", "mode KEY"),
        state("flag esn", "flag KEY"),
        state("if_id 0x7", "mark KEY"),
        state("uid 0", "proto KEY"),
        state("uid 0", "dev KEY"),
    ];
    for text in cases {
        dir.write_sa("states", &text);
        for command in
            ["sa check --from xfrm states", "sa convert --from xfrm --direction inbound states out.toml"]
        {
            let run = dir.esp(command);
            let said = run.stdout + &run.stderr;
            assert!(!said.to_lowercase().contains(&super::KEY[..32]), "{command}: {text}\n{said}");
        }
    }
}

#[test]
fn sealing_with_a_live_state_warns_of_nonces() {
    let dir = Dir::new("kernel-live");
    let numbers = "if_id 0x7\n\tanti-replay context: seq 0x0, oseq 0x5000, bitmap 0x00000000";
    dir.write_sa("states", &state("if_id 0x7", numbers));
    let clear = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/dns_icmp.pcap");
    let run = dir.esp_args(&["seal", "--sa", "states", clear, "sealed"]);
    run.ended(0);
    assert!(run.stderr.contains("the kernel has sent 20480 packets with this key"), "{}", run.stderr);
}

#[test]
fn flags_limits_and_uid_of_the_longer_text_are_understood() {
    let dir = Dir::new("kernel-longer");
    dir.write_sa("states", STATISTICS);
    dir.esp("sa convert --from xfrm states load.sh").ended(0);
    let commands = std::fs::read_to_string(dir.path("load.sh")).unwrap();
    let marked =
        commands.lines().find(|line| line.contains("0x0000c00a") && line.starts_with("ip ")).unwrap();
    for part in [
        "flag noecn flag decap-dscp flag af-unspec extra-flag dont-encap-dscp",
        "limit byte-soft 1000",
        "limit packet-soft 5 limit packet-hard 10",
    ] {
        assert!(marked.contains(part), "{part}: {marked}");
    }
    assert!(!commands.contains(" uid "), "{commands}");
}
