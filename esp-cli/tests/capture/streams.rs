//! Standard input and output, and files that end too soon.

use std::io::Write;
use std::process::Stdio;

use super::pcapng::Ng;
use super::support::{Dir, Pcap};
use super::{packets, tunnel};

fn dir(name: &str) -> (Dir, Pcap) {
    let dir = Dir::new(name);
    dir.write_sa("sa.toml", &tunnel("192.0.2.1", "192.0.2.2"));
    let before = Pcap::new(101, packets());
    dir.write("clear", before.bytes());
    (dir, before)
}

#[test]
fn a_dash_is_standard_input_and_output() {
    let (dir, before) = dir("dash");
    let piped = |arguments: &[&str], input: &[u8]| {
        let mut command = dir.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut to = child.stdin.take().unwrap();
        let input = input.to_vec();
        let feeder = std::thread::spawn(move || to.write_all(&input).unwrap());
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output
    };
    let sealed = piped(&["seal", "--sa", "sa.toml", "-", "-"], &before.bytes());
    let opened = piped(&["open", "--sa", "sa.toml", "--json", "-", "-"], &sealed.stdout);
    assert_eq!(Pcap::parse(&opened.stdout).frames(), before.frames());
    let summary: serde_json::Value = serde_json::from_slice(&opened.stderr).unwrap();
    assert_eq!((&summary["opened"], &summary["output"]), (&100.into(), &"-".into()));
    assert!(String::from_utf8_lossy(&sealed.stderr).contains("sealed                100"));

    let sas = std::fs::read(dir.path("sa.toml")).unwrap();
    let from_file = piped(&["seal", "--sa", "-", "--json", "clear", "sealed"], &sas);
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&from_file.stdout).unwrap()["sealed"], 100);
}

#[test]
fn standard_input_cannot_be_both() {
    let (dir, _) = dir("both");
    dir.esp("seal --sa - - out").refused("standard input cannot be both SA file and IN");
}

#[test]
fn b95_a_file_cut_short_gives_what_was_whole() {
    let (dir, before) = dir("cut");
    let whole = before.bytes();
    for cut in [1, 15, 16, 17] {
        dir.write("cut", &whole[..whole.len() - cut]);
        let summary = dir.esp("seal --sa sa.toml --json cut out").json(1);
        assert_eq!((&summary["sealed"], &summary["cut_short"]), (&99.into(), &100.into()), "{cut}");
    }
    let run = dir.esp("seal --sa sa.toml cut out");
    assert!(
        run.stderr.contains("the capture ends inside packet 100; those before it are done"),
        "{}",
        run.stderr
    );
    assert_eq!(dir.read("out").records.len(), 99);
}

#[test]
fn a_cut_at_any_byte_is_no_harm() {
    let (dir, _) = dir("cuts");
    let pcap = Pcap::new(101, packets().into_iter().take(3)).bytes();
    let mut ng = Ng::default();
    ng.section(&[(1, b"cut")]);
    ng.interface(101, 0, &[]);
    ng.packet(0, 7, &packets()[0], &[(1, b"comment")]);
    for whole in [pcap, ng.bytes] {
        for len in 0..whole.len() {
            dir.write("cut", &whole[..len]);
            let run = dir.esp("seal --sa sa.toml cut out");
            assert!(matches!(run.code, Some(0..=2)) && !run.stderr.contains("panicked"), "{len}: {run:?}");
        }
    }
}
