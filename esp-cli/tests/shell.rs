//! Completions, man pages, and the capture of the demo.

#[path = "capture/support.rs"]
#[expect(dead_code, reason = "some of it is another test's")]
mod support;

use support::Dir;

const COMMANDS: [&str; 8] = ["demo", "seal", "open", "explain", "sa", "selftest", "completions", "man"];

#[test]
fn completions_of_every_shell_know_every_command() {
    let dir = Dir::new("shell-completions");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = dir.esp(&format!("completions {shell}"));
        run.ended(0);
        for word in COMMANDS.into_iter().chain(["generate", "convert", "seq-hi"]) {
            assert!(run.stdout.contains(word), "{shell} does not know {word}");
        }
    }
    dir.esp("completions csh").refused("bash");
}

#[test]
fn every_command_has_a_man_page_with_its_examples() {
    let dir = Dir::new("shell-man");
    dir.esp("man pages").ended(0);
    let pages = COMMANDS.map(|command| format!("esp-{command}"));
    let more = ["esp", "esp-sa-check", "esp-sa-convert", "esp-sa-generate", "esp-sa-show"].map(str::to_owned);
    for page in pages.iter().chain(&more) {
        let text = std::fs::read_to_string(dir.path(&format!("pages/{page}.1"))).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{page}");
        let examples = text.contains("Examples:") || page == "esp-completions" || page == "esp-man";
        assert!(examples, "{page}: no examples");
    }
    let run = dir.esp("man");
    assert!(run.stdout.starts_with(".ie") && run.stdout.contains("explain"), "{}", run.stdout);
}

#[test]
fn the_capture_of_the_demo_opens_and_explains() {
    let dir = Dir::new("demo-pcap");
    for transform in ["aes-128-gcm-16", "chacha20-poly1305", "null-hmac-sha256-128"] {
        let run = dir
            .esp(&format!("demo --seconds 0.1 --sas 2 --transform {transform} --force --pcap demo.pcapng"));
        run.ended(0);
        assert!(run.stderr.contains("try:  esp explain demo.pcapng --sa demo.toml"), "{}", run.stderr);
        for sas in ["demo.toml", "demo.esp_sa"] {
            let opened = dir.esp(&format!("open --json --sa {sas} demo.pcapng clear.pcapng")).json(1);
            assert_eq!(opened["opened"], 24, "{opened}");
            let expected =
                serde_json::json!({ "auth_failed": 1, "malformed": 1, "no_sa": 1, "replay_duplicate": 1 });
            assert_eq!(opened["dropped_by_reason"], expected);
        }
        let explained = dir.esp("explain demo.pcapng --sa demo.toml --json").json(1);
        assert_eq!(explained["packet"]["verdict"], "dropped: replay_duplicate");
        assert_eq!(explained["cause"]["found"][0]["id"], "duplicate");
    }
    dir.esp("demo --seconds 0.1 --pcap demo.pcapng")
        .refused("demo.esp_sa: exists; say --force to replace its keys");
    dir.esp("demo --seconds 0.1 --pcap demo.toml")
        .refused("the SA files take the extensions .esp_sa and .toml");
}
