use super::*;

#[test]
fn every_file_reads() {
    let Some(rfc) = rfc_kat() else { return skipped("every_file_reads") };
    assert!(rfc.iter().filter(|v| v.name.starts_with("gcm-esp-")).count() >= 16);
    let first = rfc.iter().find(|v| v.name == "gcm-esp-01").expect("gcm-esp-01 is in the file");
    assert_eq!(first.seq64(), 0x8765_4321_0000_0000);
    assert_eq!(first.spi, Some(0x4321));
    assert_eq!(first.esp_packet.as_deref().map(<[u8]>::len), Some(8 + 8 + 72 + 16));
    let dpdk = dpdk_kat().expect("dpdk_ipsec_kat.json lies beside rfc_kat.json");
    assert!(dpdk.iter().all(|v| v.outer_header_len == 20 || v.outer_header_len == 40));
    let linux = linux_kat().expect("linux_kat.json lies beside rfc_kat.json");
    assert!(linux.iter().any(|v| v.esn_hi == Some(68) && v.seq64() >> 32 == 68));
}

#[test]
fn every_step_of_the_scenarios_is_known() {
    let Some(scenarios) = scenarios() else { return skipped("every_step_of_the_scenarios_is_known") };
    for scenario in &scenarios {
        for step in &scenario.steps {
            assert!(!matches!(step, Step::Other(_)), "{}: {step:?}", scenario.name);
        }
    }
}

/// The totals that the file's own model gave are those of its steps: so nothing is lost in reading.
#[test]
fn steps_add_up_to_the_model_totals() {
    let Some(scenarios) = scenarios() else { return skipped("steps_add_up_to_the_model_totals") };
    let mut checked = 0;
    for scenario in scenarios.iter().filter(|s| !s.model_totals.is_empty()) {
        let (mut accepted, mut dropped) = (0, 0);
        for step in &scenario.steps {
            match step {
                Step::Recv { count, expect, .. } => tally(expect, *count, &mut accepted, &mut dropped),
                Step::RecvRange { from, to, step, expect, .. } => {
                    tally(expect, (to - from) / step + 1, &mut accepted, &mut dropped);
                }
                Step::Burst { seqs, expect } => {
                    assert_eq!(seqs.len(), expect.len(), "{}", scenario.name);
                    expect.iter().for_each(|each| tally(each, 1, &mut accepted, &mut dropped));
                }
                _ => {}
            }
        }
        let by = |prefix: &str| {
            scenario.model_totals.iter().filter(|(k, _)| k.starts_with(prefix)).map(|(_, v)| v).sum::<u64>()
        };
        assert_eq!((accepted, dropped), (by("accept"), by("drop")), "{}", scenario.name);
        checked += 1;
    }
    assert!(checked > 50, "only {checked} scenarios have totals");
}

fn tally(expect: &Expect, count: u64, accepted: &mut u64, dropped: &mut u64) {
    match expect {
        Expect::Accept => *accepted += count,
        Expect::Drop(_) => *dropped += count,
        _ => {}
    }
}

#[test]
fn an_unknown_operation_is_kept_whole() {
    let text = r#"{"format": "esp-scenarios/1", "scenarios": [{"name": "n", "new_field": 1,
        "sa": {"direction": "in", "mtu": 1500},
        "steps": [{"op": "teleport", "to": "0x1"}, {"op": "recv", "seq": "0x1_", "expect": "accept"},
                  {"op": "recv", "seq": "0x10", "expect": "drop:replay", "frag": true}]}]}"#;
    let read: Vec<Scenario> = parse(text, "esp-scenarios/1", "scenarios").expect("it reads");
    assert!(matches!(&read[0].steps[0], Step::Other(value) if value["op"] == "teleport"));
    assert!(matches!(&read[0].steps[1], Step::Other(_)), "a number that is none is not taken for another");
    let Step::Recv { seq: Some(16), count: 1, expect: Expect::Drop(reason), extra, .. } = &read[0].steps[2]
    else {
        panic!("{:?}", read[0].steps[2]);
    };
    assert_eq!(reason, "replay");
    assert_eq!(extra["frag"], true);
    assert_eq!(read[0].sa.extra["mtu"], 1500);
}

#[test]
fn a_file_of_another_format_is_refused() {
    let read = parse::<Scenario>(
        r#"{"format": "esp-scenarios/2", "scenarios": []}"#,
        "esp-scenarios/1",
        "scenarios",
    );
    assert_eq!(read.err().as_deref(), Some("format is esp-scenarios/2, expected esp-scenarios/1"));
}

#[test]
fn a_bad_entry_is_named() {
    let text = r#"{"format": "esp-kat/1", "vectors": [{"name": "odd", "level": "esp", "key": "abc"}]}"#;
    let why = parse::<RfcVector>(text, "esp-kat/1", "vectors").expect_err("odd number of digits");
    assert!(why.starts_with("odd: "), "{why}");
}
