//! Runs that cannot be carried out: exit code 2, the file and what is wrong, and OUT as it was.

use std::fs;

use super::support::{Dir, Pcap};
use super::{KEY, packets, transport, tunnel};

fn with_files(name: &str) -> Dir {
    let dir = Dir::new(name);
    dir.write_sa("sa.toml", &tunnel("192.0.2.1", "192.0.2.2"));
    dir.write("clear.pcap", Pcap::new(101, packets()).bytes());
    dir.write("out.pcap", "as it was");
    dir
}

#[test]
fn wrong_captures_are_named_and_out_stays() {
    let dir = with_files("wrong");
    let good = Pcap::new(101, packets()).bytes();
    let with = |at: usize, bytes: &[u8]| {
        let mut wrong = good.clone();
        wrong[at..at + bytes.len()].copy_from_slice(bytes);
        wrong
    };
    let second = 24 + 16 + packets()[0].len();
    let cases = [
        (good[..23].to_vec(), "bad.pcap: no pcap file: shorter than the 24 bytes"),
        (Vec::new(), "bad.pcap: no capture file: it has 0 bytes"),
        (with(0, b"\x1f\x8b\x08\x00"), "bad.pcap: no pcap or pcapng file: it starts with 0x1f8b0800"),
        (with(4, &[2, 0, 3, 0]), "bad.pcap: pcap version 2.3; legal: 2.4"),
        (
            with(20, &[105]),
            "bad.pcap: link type 105 is not supported; legal: 0 (BSD null), 1 (Ethernet), 101",
        ),
        (
            with(second + 8, &[0xff, 0xff, 0xff, 0x7f]),
            "bad.pcap: record 2: 2147483647 bytes; legal: 0 to 262144",
        ),
    ];
    for (bytes, why) in cases {
        dir.write("bad.pcap", bytes);
        dir.esp("seal --sa sa.toml bad.pcap out.pcap").refused(why);
        dir.esp("open --sa sa.toml bad.pcap out.pcap").refused(why);
    }
    let long = Pcap::new(101, [vec![0x45; 262_145]]);
    dir.write("bad.pcap", long.bytes());
    dir.esp("seal --sa sa.toml bad.pcap out.pcap")
        .refused("bad.pcap: record 1: 262145 bytes; legal: 0 to 262144");
    dir.esp("seal --sa sa.toml none.pcap out.pcap").refused("none.pcap: No such file");
    assert_eq!(fs::read(dir.path("out.pcap")).unwrap(), b"as it was");
    assert_eq!(dir.names(), ["bad.pcap", "clear.pcap", "out.pcap", "sa.toml"]);
}

#[test]
fn out_is_neither_in_nor_the_sa_file() {
    let dir = with_files("same");
    dir.esp("seal --sa sa.toml clear.pcap clear.pcap")
        .refused("clear.pcap: OUT is the same file as clear.pcap");
    dir.esp("seal --sa sa.toml clear.pcap ./sa.toml").refused("./sa.toml: OUT is the same file as sa.toml");
    dir.esp("open --sa sa.toml clear.pcap .").refused("OUT exists and is no regular file");
    dir.esp("open --sa sa.toml clear.pcap none/out.pcap").refused("none/out.pcap: cannot create");
    dir.esp("open --sa sa.toml - out.pcap").refused("standard input: no capture file: it has 0 bytes");
    assert_eq!(dir.read("clear.pcap").records.len(), 100);
}

#[test]
fn several_outbound_sas_need_a_name() {
    let dir = with_files("several");
    let other = |name: &str, spi: &str| {
        tunnel("192.0.2.1", "192.0.2.2").replace("\"out\"", name).replace("0x1001", spi)
    };
    let both = other("\"west\"", "0x1001") + &other("\"east\"", "0x1002").replace("\"in\"", "\"in2\"");
    dir.write_sa("two.toml", &both);
    let run = dir.esp("seal --sa two.toml clear.pcap out.pcap");
    run.refused("two.toml: outbound SA \"west\" has no selectors and would take every packet");
    run.refused("choose one by --name or --spi, or give it selectors: \"west\", \"east\"");
    let run = dir.esp("seal --sa two.toml --spi 0x1003 clear.pcap out.pcap");
    run.refused("two.toml: no outbound SA has SPI 0x00001003; outbound SAs: \"west\", \"east\"");
    let run = dir.esp("seal --sa two.toml --name in clear.pcap out.pcap");
    run.refused("two.toml: no outbound SA has the name \"in\"; outbound SAs: \"west\", \"east\"");

    let sealed = dir.esp("seal --sa two.toml --name east --json clear.pcap sealed.pcap").json(0);
    assert_eq!((&sealed["sas"][0]["name"], &sealed["sas"][0]["spi"]), (&"east".into(), &0x1002.into()));
    let opened = dir.esp("open --sa two.toml --json sealed.pcap out.pcap").json(0);
    assert_eq!(
        [&opened["sas"][0]["packets"], &opened["sas"][1]["packets"]],
        [&0.into(), &100.into()] as [&serde_json::Value; 2]
    );
    assert_eq!(dir.read("out.pcap").frames(), packets());
}

#[test]
fn sa_files_are_refused_by_line_and_never_shown() {
    let dir = with_files("sas");
    let good = transport();
    let cases = [
        (good.replace("0x1001", "255"), "bad.toml: line 4"),
        (good.replacen(KEY, &KEY[2..], 1), "exactly 20 bytes"),
        (good.replacen(KEY, &format!("{KEY}\n"), 1), "bad.toml: line "),
        (String::new(), "bad.toml: no outbound SA; `esp seal` needs one"),
    ];
    for (text, why) in cases {
        dir.write_sa("bad.toml", &text);
        let run = dir.esp("seal --sa bad.toml clear.pcap out.pcap");
        run.refused(why);
        assert!(!run.stderr.contains(&KEY[2..34]), "{}", run.stderr);
    }
    dir.write_sa("bad.toml", "");
    dir.esp("open --sa bad.toml clear.pcap out.pcap")
        .refused("bad.toml: no inbound SA; `esp open` needs one");
    dir.write_sa("bad.toml", "name = \"\u{0}\"");
    dir.esp("open --sa bad.toml clear.pcap out.pcap").refused("bad.toml: line 1");
    dir.write("bad.toml", [0xff, 0xfe]);
    dir.esp("open --sa bad.toml clear.pcap out.pcap").refused("bad.toml: no text");
    let twice = tunnel("192.0.2.1", "192.0.2.2")
        + &tunnel("192.0.2.1", "192.0.2.2").replace("\"in\"", "\"in2\"").replace("\"out\"", "\"out2\"");
    dir.write_sa("bad.toml", &twice);
    dir.esp("open --sa bad.toml clear.pcap out.pcap")
        .refused("bad.toml: line 32, column 7: SA 4 \"in2\": spi: inbound SA 2 has SPI 0x00001001");
}

#[test]
fn b89_an_spi_is_a_number_in_range_or_an_error_with_its_place() {
    let dir = with_files("spi");
    let cases = [
        ("0x", "out of range; legal: 256..=4294967295 (0x100..=0xffffffff)"),
        ("0xfg", "character 4 is no digit"),
        ("12 ", "character 3 is no digit"),
        ("-1", "character 1 is no digit"),
        ("+300", "character 1 is no digit"),
        ("0x1_000", "character 4 is no digit"),
        ("255", "out of range"),
        ("4294967296", "out of range"),
        ("0x100000000", "out of range"),
    ];
    for (spi, why) in cases {
        dir.esp_args(&["seal", "--sa", "sa.toml", &format!("--spi={spi}"), "clear.pcap", "out.pcap"])
            .refused(why);
    }
    for spi in ["4097", "0x1001", "0X1001", "0x00001001", "04097"] {
        let run =
            dir.esp_args(&["seal", "--json", "--sa", "sa.toml", "--spi", spi, "clear.pcap", "out.pcap"]);
        assert_eq!(run.json(0)["sealed"], 100, "{spi}");
    }
}

#[test]
fn usage_errors_end_in_2_and_help_has_examples() {
    let dir = with_files("usage");
    for arguments in
        ["seal clear.pcap out.pcap", "open --sa sa.toml clear.pcap", "open --sa sa.toml --name in a b"]
    {
        dir.esp(arguments).refused("Usage: esp ");
    }
    dir.esp("seal --sa sa.toml --others keep clear.pcap out.pcap").refused("pass, drop");
    for command in ["seal", "open"] {
        let run = dir.esp(&format!("{command} --help"));
        assert_eq!(run.stdout.matches(&format!("esp {command} --sa")).count(), 3, "{}", run.stdout);
        assert!(run.stdout.contains("Exit codes"));
    }
}

#[cfg(unix)]
#[test]
fn keys_that_others_may_read_are_warned_about() {
    use std::os::unix::fs::PermissionsExt;
    let dir = with_files("readable");
    for (mode, warned) in [(0o600, false), (0o640, true), (0o604, true), (0o711, false)] {
        fs::set_permissions(dir.path("sa.toml"), fs::Permissions::from_mode(mode)).unwrap();
        let run = dir.esp("seal --sa sa.toml clear.pcap out.pcap");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(
            run.stderr.contains("esp: warning: sa.toml holds keys"),
            warned,
            "{mode:o}: {}",
            run.stderr
        );
        assert!(!run.stderr.contains(&KEY[..32]) && run.stdout.is_empty());
    }
}

/// RFC 8750: every run begins at number 1, and there the number is all that makes the nonce.
#[test]
fn b13_implicit_ivs_are_opened_but_not_sealed() {
    let dir = with_files("implicit");
    let sas = tunnel("192.0.2.1", "192.0.2.2").replace("aes-128-gcm-16", "aes-128-gcm-16-iiv");
    dir.write_sa("sa.toml", &sas.replace("mode =", "keys = \"negotiated\"\nmode ="));
    dir.esp("seal --sa sa.toml clear.pcap out.pcap")
        .refused("aes-128-gcm-16-iiv cannot be sealed with here: each run begins at number 1");
    assert_eq!(fs::read(dir.path("out.pcap")).unwrap(), b"as it was");
    dir.esp("open --sa sa.toml clear.pcap opened.pcap").ended(0);
}
