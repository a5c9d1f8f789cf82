//! Every transform, in every format that has a name for it.

use super::support::Dir;

/// Every name that this build has, as `esp selftest` lists them; only what can be sent, and written with static keys.
fn names(dir: &Dir) -> Vec<String> {
    let json = dir.esp("selftest --json").json(0);
    let mut names: Vec<String> = json["tiers"]
        .as_array()
        .expect("as the program writes it")
        .iter()
        .map(|row| row["transform"].as_str().expect("as the program writes it").to_owned())
        .collect();
    names.dedup();
    names
}

/// Both ends of SAs of all of these.
fn generated(dir: &Dir, names: &[String]) -> usize {
    let mut all = String::new();
    for name in names {
        dir.esp(&format!(
            "sa generate --force --name {name} --transform {name} --no-esn --src 192.0.2.1 --dst 192.0.2.2 west.toml east.toml"
        ))
        .ended(0);
        all += &std::fs::read_to_string(dir.path("west.toml")).expect("as the program writes it");
    }
    dir.write_sa("all.toml", &all);
    2 * names.len()
}

fn shown(dir: &Dir, file: &str) -> Vec<serde_json::Value> {
    let json = dir.esp(&format!("sa show --json --show-keys {file}")).json(0);
    let fields = ["direction", "spi", "transform", "mode", "src", "dst", "esn", "key"];
    let kept = |sa: &serde_json::Value| fields.iter().map(|field| sa[field].clone()).collect();
    json["sas"].as_array().expect("as the program writes it").iter().map(kept).collect()
}

#[test]
fn every_transform_is_listed_and_proved() {
    let dir = Dir::new("transforms-selftest");
    let run = dir.esp("selftest");
    run.ended(0);
    let proved = run.stdout.lines().filter(|line| line.trim_end().ends_with("pass")).count();
    let names = names(&dir);
    assert_eq!(names.len(), if cfg!(feature = "legacy") { 71 + 38 } else { 71 });
    // AES-GCM with 128 and 256 bits and 16 bytes of ICV, implicit IVs too, is on two tiers.
    assert_eq!(proved, names.len() + 4, "{}", run.stdout);
}

#[test]
fn every_transform_goes_through_the_formats_of_others() {
    let dir = Dir::new("transforms-formats");
    let plain: Vec<_> = names(&dir)
        .into_iter()
        .filter(|name| !name.ends_with("-iiv") && !name.ends_with("-none"))
        .filter(|name| !name.contains("des-cbc") && !name.contains("md5") && !name.ends_with("sha256-96"))
        .collect();
    let count = generated(&dir, &plain);
    dir.esp("sa check all.toml").ended(0);
    dir.esp("sa convert all.toml all.xfrm").ended(0);
    dir.esp("sa convert --local 192.0.2.1 all.xfrm back.toml").ended(0);
    assert_eq!((shown(&dir, "back.toml"), shown(&dir, "back.toml").len()), (shown(&dir, "all.toml"), count));

    // Wireshark has no name for these.
    let nameless =
        |name: &String| ["-ccm-", "-gmac", "-xcbc-", "-cmac-"].iter().any(|part| name.contains(part));
    let named: Vec<_> = plain.iter().filter(|name| !nameless(name)).cloned().collect();
    let count = generated(&dir, &named);
    dir.esp("sa convert all.toml esp_sa").ended(0);
    dir.esp("sa convert --local 192.0.2.1 esp_sa back.toml").ended(0);
    assert_eq!((shown(&dir, "back.toml"), shown(&dir, "back.toml").len()), (shown(&dir, "all.toml"), count));
    for name in plain.iter().filter(|name| nameless(name)) {
        generated(&dir, std::slice::from_ref(name));
        let run = dir.esp("sa convert all.toml esp_sa");
        run.refused("no SA of it has a name in Wireshark; nothing is written");
    }
}

/// The kernel's own words for them.
#[test]
fn b38_the_kernel_is_told_each_icv_length() {
    let dir = Dir::new("transforms-kernel");
    let cases = [
        ("aes-128-gcm-8", "aead 'rfc4106(gcm(aes))' 0x", " 64 "),
        ("aes-192-ccm-12", "aead 'rfc4309(ccm(aes))' 0x", " 96 "),
        ("aes-256-gmac", "aead 'rfc4543(gcm(aes))' 0x", " 128 "),
        ("chacha20-poly1305", "aead 'rfc7539esp(chacha20,poly1305)' 0x", " 128 "),
        ("aes-128-cbc-hmac-sha256-128", "auth-trunc 'hmac(sha256)' 0x", " 128 enc 'cbc(aes)' 0x"),
        ("aes-256-ctr-hmac-sha1-96", "auth-trunc 'hmac(sha1)' 0x", " 96 enc 'rfc3686(ctr(aes))' 0x"),
        ("aes-192-cbc-hmac-sha384-192", "auth-trunc 'hmac(sha384)' 0x", " 192 enc 'cbc(aes)' 0x"),
        ("null-hmac-sha512-256", "auth-trunc 'hmac(sha512)' 0x", " 256 enc 'ecb(cipher_null)' ''"),
        ("aes-128-cbc-aes-xcbc-96", "auth-trunc 'xcbc(aes)' 0x", " 96 enc 'cbc(aes)' 0x"),
        ("null-aes-cmac-96", "auth-trunc 'cmac(aes)' 0x", " 96 enc 'ecb(cipher_null)' ''"),
    ];
    for (name, algorithm, rest) in cases {
        generated(&dir, &[name.to_owned()]);
        dir.esp("sa convert all.toml load.sh").ended(0);
        let commands = std::fs::read_to_string(dir.path("load.sh")).expect("as the program writes it");
        let command = commands
            .lines()
            .find(|line| line.starts_with("ip xfrm state add"))
            .expect("as the program writes it");
        let command = format!("{command} ");
        assert!(command.contains(algorithm) && command.contains(rest), "{name}: {command}");
    }
}

/// A table of Wireshark's holds keys that were negotiated; what only opens repeats no nonce with them.
#[test]
fn b13_implicit_ivs_of_a_table_are_for_opening() {
    let dir = Dir::new("transforms-implicit");
    let line = "\"IPv4\",\"192.0.2.1\",\"192.0.2.2\",\"0x1001\",\"AES-GCM with IIV and 16 octet ICV [RFC4106 & RFC8750]\",";
    dir.write_sa("esp_sa", &format!("{line}\"0x{}\",\"NULL\",\"\"\n", "1f".repeat(20)));
    dir.esp("sa convert --local 192.0.2.2 esp_sa in.toml").ended(0);
    dir.esp("sa convert --local 192.0.2.1 esp_sa out.toml").refused("keys: got static; legal: negotiated");
}

#[test]
fn transforms_that_need_more_than_a_name_say_so() {
    let dir = Dir::new("transforms-more");
    let generate = |name: &str| {
        dir.esp(&format!(
            "sa generate --force --transform {name} --src 192.0.2.1 --dst 192.0.2.2 west.toml east.toml"
        ))
    };
    generate("aes-128-gcm-16-iiv").refused("keys: got static; legal: negotiated with aes-128-gcm-16-iiv");
    if cfg!(feature = "legacy") {
        generate("3des-cbc-hmac-md5-96").refused("allow_legacy: got false; legal: true");
        generate("3des-cbc-hmac-md5-96 --allow-legacy").ended(0);
        generate("des-cbc-hmac-md5-96 --allow-legacy").refused("for receiving only");
    } else {
        generate("3des-cbc-hmac-md5-96").refused("invalid value");
    }
    let sa = |transform: &str| {
        format!(
            "[[sa]]\ndirection = 'inbound'\nspi = 0x1001\ntransform = '{transform}'\nkey = '{}'\nmode = 'transport'\n",
            "1f".repeat(48)
        )
    };
    for (transform, why) in [
        ("null-null", "unknown transform `null-null`"),
        ("null-none", "protects nothing"),
        ("aes-128-cbc", "encryption without integrity"),
        ("aes-128-cbc-hmac-sha256", "unknown transform"),
    ] {
        dir.write_sa("sa.toml", &sa(transform));
        let run = dir.esp("sa check sa.toml");
        run.ended(1);
        assert!(
            run.stdout.contains(why) && run.stdout.contains("legal: aes-{128,192,256}-gcm"),
            "{}",
            run.stdout
        );
    }
}
