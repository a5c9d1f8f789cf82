//! Texts of all three formats, read, printed and read again.

use proptest::prelude::*;
use proptest::{collection, option, sample};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn toml_files_come_back(text in toml()) {
        esp_cli::sa::round_trip(text.as_bytes());
    }

    #[test]
    fn esp_sa_lines_come_back(lines in collection::vec(esp_sa(), 0..5)) {
        esp_cli::sa::round_trip(lines.join("\n").as_bytes());
    }

    #[test]
    fn xfrm_states_come_back(states in collection::vec(xfrm(), 0..5)) {
        esp_cli::sa::round_trip(states.concat().as_bytes());
    }

    #[test]
    fn damaged_texts_come_back_or_are_refused(
        text in prop_oneof![toml(), esp_sa(), xfrm()],
        damage in collection::vec((any::<prop::sample::Index>(), "[ -~\n\t]{0,3}"), 1..4),
    ) {
        let mut text = text;
        for (at, with) in damage {
            let mut chars: Vec<_> = text.chars().collect();
            let at = at.index(chars.len().max(1));
            chars.splice(at.min(chars.len())..(at + 1).min(chars.len()), with.chars());
            text = chars.into_iter().collect();
        }
        esp_cli::sa::round_trip(text.as_bytes());
    }
}

/// A state that fuzzing found: without a key's digits, the length behind it was read as the key.
#[test]
fn a_found_state_without_a_key_comes_back() {
    esp_cli::sa::round_trip(b"src 192.0.2.1 dst 192.0.2.2\n\tproto esp spi 0x0000c00d reqid 0 mode transport\n\tauth-trunc cmac(aes) 0x 96\n");
}

#[test]
fn what_the_generators_make_is_read() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let dir = super::support::Dir::new("generators");
    for strategy in [toml().boxed(), esp_sa().boxed(), xfrm().boxed()] {
        for _ in 0..4 {
            let text = strategy.new_tree(&mut runner).unwrap().current();
            dir.write_sa("file", &text);
            let json = dir.esp("sa check --json file").json(0);
            assert_eq!(json["files"][0]["sas"], 1, "{text}");
        }
    }
}

fn hex(len: usize) -> impl Strategy<Value = String> {
    collection::vec(any::<u8>(), len)
        .prop_map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn toml() -> impl Strategy<Value = String> {
    (option::of("[a-z \\\\\"#é]{1,20}"), 256..=u32::MAX, hex(20), any::<bool>(), option::of(32..5000_u32)).prop_map(
        |(name, spi, key, esn, window)| {
            let name = name.map(|name| format!("name = {}\n", serde_json::Value::String(name))).unwrap_or_default();
            let window = window.map(|bits| format!("replay_window = {bits}\n")).unwrap_or_default();
            format!(
                "[[sa]]\n{name}direction = 'inbound'\nspi = {spi}\ntransform = 'aes-128-gcm-16'\nkey = '{key}'\n\
                 mode = 'transport'\nesn = {esn}\n{window}[sa.udp]\ndst_port = 7\n[[sa.selectors]]\nsrc = '::/0'\ndst = '::1'\n"
            )
        },
    )
}

fn esp_sa() -> impl Strategy<Value = String> {
    let algorithms = sample::select(vec![
        ("AES-GCM with 16 octet ICV [RFC4106]", 20, "NULL", 0),
        ("AES-GCM with 16 octet ICV [RFC4106]", 36, "NULL", 0),
        ("ChaCha20 with Poly1305 [RFC7634]", 36, "NULL", 0),
        ("NULL", 0, "HMAC-SHA-256-128 [RFC4868]", 32),
    ]);
    let fields = (256..=u32::MAX, algorithms, hex(36), hex(32), any::<(bool, bool, bool)>(), "[ \t]{0,2}");
    fields.prop_map(|(spi, (cipher, key_len, integrity, mac_len), key, mac, (v6, decimal, longer), space)| {
        let spi = if decimal { spi.to_string() } else { format!("0x{spi:x}") };
        let (family, src) = if v6 { ("IPv6", "fd99::*") } else { ("IPv4", "10.99.*.*") };
        let key = if key_len > 0 { format!("0x{}", &key[..2 * key_len]) } else { String::new() };
        let mac = if mac_len > 0 { format!("0x{}", &mac[..2 * mac_len]) } else { String::new() };
        let more = if longer { ",\"64-bit\",\"0x0\"" } else { "" };
        format!("\"{family}\",{space}\"{src}\",\"*\",\"{spi}\",\"{cipher}\"{space},\"{key}\",\"{integrity}\",\"{mac}\"{more}")
    })
}

fn xfrm() -> impl Strategy<Value = String> {
    let keyed = (any::<bool>(), hex(20), hex(32)).prop_map(|(aead, key, mac)| match aead {
        true => format!("\taead rfc4106(gcm(aes)) 0x{key} 128\n"),
        false => format!("\tauth-trunc hmac(sha256) 0x{mac} 128\n\tenc ecb(cipher_null) \n"),
    });
    let fields = (
        256..=u32::MAX,
        any::<u32>(),
        keyed,
        option::of(any::<(u64, u64)>()),
        any::<bool>(),
        option::of(1..u16::MAX),
    );
    fields.prop_map(|(spi, reqid, keyed, numbers, detailed, port)| {
        let decimal = if detailed { format!("({spi})") } else { String::new() };
        let flag = if numbers.is_some() { "flag esn" } else { "" };
        let context = match numbers {
            Some((seq, oseq)) => format!(
                "\tanti-replay esn context:\n\t seq-hi {:#x}, seq {:#x}, oseq-hi {:#x}, oseq {:#x}\n\t replay_window 64, bitmap-length 2\n\t 00000000 00000001 \n",
                seq >> 32, seq & 0xffff_ffff, oseq >> 32, oseq & 0xffff_ffff
            ),
            None => "\tanti-replay context: seq 0x5, oseq 0x0, bitmap 0x0000001f\n".to_owned(),
        };
        let encap = port.map(|port| format!("\tencap type espinudp sport {port} dport 4500 addr 0.0.0.0\n")).unwrap_or_default();
        format!(
            "src 192.0.2.1 dst 192.0.2.2\n\tproto esp spi 0x{spi:08x}{decimal} reqid {reqid} mode tunnel\n\treplay-window 32 {flag}\n\
             {keyed}{encap}{context}\tsel src 10.0.0.0/8 dst 0.0.0.0/0 \n\tif_id 0x7\n"
        )
    })
}
