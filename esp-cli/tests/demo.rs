//! `esp demo` and `esp selftest`, as a shell runs them.

use std::process::{Command, Output};

use serde_json::Value;

fn esp(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_esp"));
    command.args(args).env_remove("ESP_CPU_DENY");
    command
}

fn run(command: &mut Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("esp runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status.code(), text(stdout), text(stderr))
}

/// The JSON report of a run that must succeed.
fn report(command: &mut Command) -> Value {
    let (code, stdout, stderr) = run(command);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert_eq!(stderr, "", "nothing but JSON is printed");
    serde_json::from_str(&stdout).expect("one JSON object")
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("a whole number, not {value}"))
}

fn assert_conserved(report: &Value) {
    assert_eq!(report["ok"], true, "{report:#}");
    assert_eq!(report["faults"], Value::Array(Vec::new()));
    let of = |key: &str| number(&report["conservation"][key]);
    assert_eq!(of("in"), of("delivered") + of("consumed") + of("handed_back") + of("dropped"));
    assert!(of("sealed") > 0);
    assert_eq!((of("opened"), of("compared")), (of("sealed"), of("sealed")));
    assert_eq!(of("sa_packets") + of("removed_packets"), of("engine_packets"));
    assert_eq!(of("sa_bytes") + of("removed_bytes"), of("engine_bytes"));
    // Bad packets: 128 sealed, and 32 good copies opened, on an SA that is removed.
    assert_eq!(of("delivered"), 2 * of("sealed") + 160);
    assert_eq!(of("removed_packets"), 160);
}

#[test]
fn demo_conserves_every_packet() {
    let report = report(&mut esp(&["demo", "--seconds", "0.3", "--json"]));
    assert_conserved(&report);
    let phases = report["phases"].as_array().expect("phases");
    assert_eq!(phases.len(), 4);
    let carried: u64 = phases.iter().map(|phase| number(&phase["total"]["packets"])).sum();
    assert_eq!(carried, number(&report["conservation"]["compared"]));
    for phase in phases {
        let workers = phase["workers"].as_array().expect("workers");
        assert_eq!(workers.len() as u64, number(&report["workers"]));
        let total: u64 = workers.iter().map(|worker| number(&worker["packets"])).sum();
        assert_eq!(total, number(&phase["total"]["packets"]));
        assert!(total > 0, "{phase:#}");
        assert!(phase["total"]["seal_ns"].as_f64() > Some(0.0));
    }
    let (bytes, packets) = (&phases[2]["total"]["inner_bytes"], &phases[2]["total"]["packets"]);
    assert_eq!(number(bytes), 64 * number(packets));
}

#[test]
fn demo_drops_each_kind_of_bad_packet_for_its_reason() {
    let report = report(&mut esp(&["demo", "--seconds", "0.1", "--sas", "3", "--json"]));
    let expected = serde_json::json!({
        "auth_failed": 32, "malformed": 32, "no_sa": 32, "replay_duplicate": 32,
    });
    assert_eq!(report["drops"], expected);
    assert_eq!(report["bad_packets"].as_array().map(Vec::len), Some(4));
    for kind in report["bad_packets"].as_array().expect("kinds") {
        assert_eq!((number(&kind["sent"]), number(&kind["dropped"])), (32, 32), "{kind}");
        assert_eq!(number(&kind["delivered"]), 0, "{kind}");
    }
}

#[test]
fn demo_loses_nothing_whatever_the_number_of_workers_and_sas() {
    for (workers, sas) in [("1", "1"), ("2", "1"), ("3", "2"), ("7", "70"), ("16", "1")] {
        let args = ["demo", "--seconds", "0.2", "--workers", workers, "--sas", sas, "--json"];
        let report = report(&mut esp(&args));
        assert_conserved(&report);
        assert_eq!(report["counters"].get("lost"), None, "{workers} workers, {sas} SAs");
    }
}

#[test]
fn demo_serves_every_transform() {
    let transforms =
        ["aes-128-gcm-16", "aes-192-gcm-16", "aes-256-gcm-16", "chacha20-poly1305", "null-hmac-sha256-128"];
    for transform in transforms {
        let args = ["demo", "--seconds", "0.1", "--sas", "5", "--transform", transform, "--json"];
        let report = report(&mut esp(&args));
        assert_conserved(&report);
        assert_eq!(report["transform"], transform);
    }
}

#[test]
fn demo_tables_fit_a_terminal_and_show_the_proof() {
    let (code, stdout, stderr) = run(&mut esp(&["demo", "--seconds", "0.1", "--workers", "64"]));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert_eq!(stderr, "", "no progress line where nobody watches");
    for line in stdout.lines() {
        assert!(line.chars().count() <= 100, "too wide: {line}");
        assert!(!line.contains('\x1b'), "colour: {line}");
    }
    let words =
        ["more workers than cores", "replay_duplicate", "IMIX, many SAs", " in == ", " in the engine"];
    for word in words {
        assert!(stdout.contains(word), "{word}:\n{stdout}");
    }
}

#[test]
fn b89_flags_out_of_range_name_what_is_legal() {
    let cases: [(&[&str], &str); 11] = [
        (&["demo", "--seconds", "0"], "0.1 to 3600"),
        (&["demo", "--seconds", "3601"], "0.1 to 3600"),
        (&["demo", "--seconds", "NaN"], "0.1 to 3600"),
        (&["demo", "--seconds", "ten"], "0.1 to 3600"),
        (&["demo", "--workers", "0"], "1..=64"),
        (&["demo", "--workers", "65"], "1..=64"),
        (&["demo", "--sas", "0"], "1..=1000000"),
        (&["demo", "--sas", "1000001"], "1..=1000000"),
        (&["demo", "--sas", "4294967297"], "1..=1000000"),
        (&["demo", "--transform", "des-cbc"], "chacha20-poly1305"),
        (&["demo", "--colour"], "--colour"),
    ];
    for (args, legal) in cases {
        let (code, stdout, stderr) = run(&mut esp(args));
        assert_eq!(code, Some(2), "{args:?}");
        assert_eq!(stdout, "", "{args:?}");
        assert!(stderr.contains(legal), "{args:?}: {stderr}");
    }
}

#[test]
fn selftest_passes_and_says_which_tiers() {
    let (code, stdout, stderr) = run(&mut esp(&["selftest"]));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("portable") && !stdout.contains("FAIL"), "{stdout}");
    let report = report(&mut esp(&["selftest", "--json"]));
    assert_eq!(report["ok"], true);
    let outcomes = report["outcomes"].as_array().expect("outcomes");
    assert!(!outcomes.is_empty() && outcomes.iter().all(|case| case["passed"] == true));
}

#[test]
fn b87_a_denied_feature_moves_gcm_to_the_portable_tier() {
    let demo = ["demo", "--seconds", "0.1", "--sas", "5", "--json"];
    let report_of = |args: &[&str], deny: &str| report(esp(args).env("ESP_CPU_DENY", deny));
    let denied = report_of(&demo, "AESNI, avx512");
    assert_conserved(&denied);
    assert_eq!(denied["tier"], "portable");
    assert_eq!(denied["denied"], serde_json::json!(["aesni", "avx512"]));
    assert_ne!(report_of(&demo, "")["tier"], "portable");

    let selftest = report_of(&["selftest", "--json"], "aesni");
    assert_eq!(selftest["ok"], true);
    for case in selftest["outcomes"].as_array().expect("outcomes") {
        let gcm = case["transform"].as_str().is_some_and(|name| name.contains("gcm"));
        assert!(!gcm || case["tier"] == "portable", "{case}");
    }
}

#[test]
fn an_unknown_feature_is_refused_with_the_legal_names() {
    for args in [["demo", "--json"], ["selftest", "--json"]] {
        let (code, stdout, stderr) = run(esp(&args).env("ESP_CPU_DENY", "aesni,mmx"));
        assert_eq!((code, stdout.as_str()), (Some(2), ""));
        assert!(stderr.contains("`mmx`") && stderr.contains("pclmulqdq"), "{stderr}");
    }
}

#[test]
fn help_names_examples_exit_codes_and_json_keys() {
    let cases = [
        ("demo", ["Examples", "exit code 1", "conservation"]),
        ("selftest", ["Examples", "exit code 1", "outcomes"]),
    ];
    for (command, words) in cases {
        let (code, stdout, _) = run(&mut esp(&[command, "--help"]));
        assert_eq!(code, Some(0));
        for word in words {
            assert!(stdout.to_lowercase().contains(&word.to_lowercase()), "{command}: {word}\n{stdout}");
        }
    }
    let (code, stdout, _) = run(&mut esp(&["--version"]));
    assert_eq!((code, stdout), (Some(0), format!("esp {}\n", env!("CARGO_PKG_VERSION"))));
}
