//! The `mpps` program from outside: what it refuses, and with which exit code.

use std::process::{Command, Output};

fn mpps(args: &str) -> Output {
    let args = args.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_mpps")).args(args).output().expect("mpps runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_wrong_argument_is_named_with_its_range() {
    let wrong = [
        ("contexts --bytes 15", "size 15: must be 16..=9000 bytes"),
        ("contexts --bytes 64,9001", "size 9001: must be 16..=9000 bytes"),
        ("contexts --threads 65", "threads 65: must be 1..=64"),
        ("contexts --burst 33", "burst 33: must be 1..=32"),
        ("contexts --algorithms md4", "[possible values: hmac-sha1, aes-cmac, 3des-ctr]"),
        ("contexts --json --csv", "cannot be used with"),
        ("keying --transforms rot13", "transform rot13: must be one of aes-128-gcm-16"),
        ("--sizes 27", "size 27: must be 28..=9000"),
    ];
    for (args, says) in wrong {
        let output = mpps(args);
        assert_eq!(output.status.code(), Some(2), "{args}");
        assert!(stderr(&output).contains(says), "{args}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{args}");
    }
}

#[test]
fn rounds_are_needed() {
    let output = mpps("contexts --rounds 0 --threads 1 --bytes 64 --algorithms aes-cmac");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("rounds: must be 1 or more"), "{}", stderr(&output));
}

#[test]
fn contexts_prints_a_table() {
    let args =
        "contexts --rounds 1 --millis 0 --threads 1,3 --bytes 64,256 --algorithms aes-cmac --allow-noise";
    let output = mpps(args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("aes-cmac by null-aes-cmac-96, 1 worker on "), "{text}");
    assert!(text.contains("aes-cmac by null-aes-cmac-96, 3 workers on "), "{text}");
    let lines = text.lines().filter(|line| line.trim_start().starts_with("64 ")).count();
    assert_eq!(lines, 2, "{text}");
}

#[test]
fn keying_prints_json() {
    let output = mpps("keying --rounds 1 --millis 0 --transforms null-hmac-sha1-96 --allow-noise --json");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["rows"][1]["transform"], "null-hmac-sha1-96");
    assert!(json["rows"][1]["set_up"]["median"].as_f64().expect("a number") > 0.0);
}

/// With one round spread is none, with two of the shortest visits there may be any: so only that a refusal says why.
#[test]
fn noise_is_refused_with_a_reason() {
    let output = mpps("contexts --rounds 9 --millis 0 --threads 64 --bytes 64 --algorithms aes-cmac");
    if output.status.code() != Some(0) {
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("too noisy to report, see --allow-noise"), "{}", stderr(&output));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn help_has_examples() {
    for (args, example) in [
        ("--help", "mpps counters"),
        ("contexts --help", "mpps contexts --algorithms hmac-sha1"),
        ("keying --help", "mpps keying --millis 5"),
    ] {
        let output = mpps(args);
        assert_eq!(output.status.code(), Some(0));
        assert!(String::from_utf8_lossy(&output.stdout).contains(example), "{args}");
    }
}
