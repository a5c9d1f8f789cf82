//! Several outbound SAs: selectors choose among them; and what to do when no SA is found.

use super::support::{Dir, Pcap};
use super::{KEY, packets, tunnel};

/// Outbound SAs of one transport each, with these selectors.
fn sas(selectors: &[(&str, &str)]) -> String {
    let sa = |(index, (name, selectors)): (usize, &(&str, &str))| {
        format!(
            "[[sa]]\nname = \"{name}\"\ndirection = \"outbound\"\nspi = {}\ntransform = \"aes-128-gcm-16\"\n\
             key = \"{KEY}\"\nmode = \"transport\"\nselectors = [{selectors}]\n",
            0x2000 + index
        )
    };
    selectors.iter().enumerate().map(sa).collect()
}

#[test]
fn each_packet_takes_the_first_sa_that_selects_it() {
    let dir = Dir::new("routes");
    let any_v4 = "{ src = \"0.0.0.0/0\", dst = \"0.0.0.0/0\" }";
    let udp_v6 = "{ src = \"::/0\", dst = \"::/0\", protocol = 17 }, { src = \"::/0\", dst = \"::/0\", protocol = 132 }";
    dir.write_sa("sa.toml", &sas(&[("four", any_v4), ("six", udp_v6), ("never", any_v4)]));
    let before = Pcap::new(101, packets());
    dir.write("clear", before.bytes());
    let summary = dir.esp("seal --sa sa.toml --json clear sealed").json(0);
    // Of four kinds of packets two are IPv4, one is TCP and one UDP over IPv6.
    assert_eq!((&summary["sealed"], &summary["others_by_kind"]["no_sa_selects"]), (&75.into(), &25.into()));
    let packets: Vec<_> = (0..3).map(|at| summary["sas"][at]["packets"].as_u64().unwrap()).collect();
    assert_eq!(packets, [50, 25, 0]);
    let sealed = dir.read("sealed");
    for (after, before) in sealed.frames().iter().zip(before.frames()) {
        let spi = match before[0] >> 4 {
            4 => Some((20, [0, 0, 0x20, 0])),
            _ if before[6] == 17 => Some((40, [0, 0, 0x20, 1])),
            _ => None,
        };
        match spi {
            Some((at, spi)) => assert_eq!(after[at..at + 4], spi),
            None => assert_eq!(*after, before, "passed in its place"),
        }
    }
    let dropped = dir.esp("seal --sa sa.toml --others drop --json clear sealed").json(0);
    assert_eq!((&dropped["left_out"], &dropped["written"]), (&25.into(), &75.into()));
    let one = dir.esp("seal --sa sa.toml --spi 0x2001 --json clear sealed").json(0);
    assert_eq!((&one["sealed"], &one["sas"][0]["name"]), (&25.into(), &"six".into()));
}

#[test]
fn unknown_spis_are_listed_beside_those_of_the_file() {
    let dir = Dir::new("unknown");
    dir.write_sa("one.toml", &tunnel("192.0.2.1", "192.0.2.2"));
    dir.write_sa("other.toml", &tunnel("192.0.2.1", "192.0.2.2").replace("0x1001", "0xabcd1234"));
    dir.write("clear", Pcap::new(101, packets()).bytes());
    dir.esp("seal --sa one.toml clear sealed").ended(0);
    let run = dir.esp("open --sa other.toml sealed out");
    run.ended(1);
    assert!(run.stderr.contains("no_sa: SPIs in the capture: 0x00001001 (100 packets)"), "{}", run.stderr);
    assert!(run.stderr.contains("inbound SPIs in the SA file: 0xabcd1234"), "{}", run.stderr);
    let summary = dir.esp("open --sa other.toml --json sealed out").json(1);
    assert_eq!(summary["unknown_spis"], serde_json::json!([{ "spi": 0x1001, "packets": 100 }]));
}

#[test]
fn a_capture_from_the_middle_of_an_esn_sa_opens_with_its_high_half() {
    let dir = Dir::new("seq-hi");
    let esn = tunnel("192.0.2.1", "192.0.2.2").replace("mode =", "esn = true\nmode =");
    dir.write_sa("sa.toml", &esn);
    dir.write("clear", Pcap::new(101, packets()).bytes());
    dir.esp("seal --sa sa.toml clear sealed").ended(0);
    dir.esp("open --sa sa.toml sealed out").ended(0);
    dir.esp("open --sa sa.toml --seq-hi 0 sealed out").ended(0);
    let wrong = dir.esp("open --sa sa.toml --seq-hi 1 --json sealed out").json(1);
    assert_eq!(wrong["dropped_by_reason"]["auth_failed"], 100);
    dir.esp("open --sa sa.toml --seq-hi 4294967296 sealed out").refused("4294967296");
}
