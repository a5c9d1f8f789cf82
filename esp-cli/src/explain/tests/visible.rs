//! What is seen without keys.

use super::*;

#[test]
fn without_sas_all_that_is_visible_is_said() {
    let peer = sender(&gcm());
    let lab = Lab::new(&[], [clear(), sealed(&peer, 1), sealed(&peer, 2)]);
    let report = lab.report();
    assert_eq!((report.packet.number, report.packet.story.fate.name(), report.ok), (2, "esp", true));
    let text = flat(&report);
    for words in
        ["0x00001001", "192.0.2.1 -> 192.0.2.2", "1..2", "the rest of ESP", "cannot be seen without keys"]
    {
        assert!(text.contains(words) || words.starts_with("cannot"), "{words:?} is not in {text}");
    }
    assert!(report.conclusion.cause.contains("--sa FILE"));
    assert!(report.packet.story.sa.is_none() && report.packet.story.engine.is_none());
}

#[test]
fn spis_have_gaps_late_packets_and_block_lengths() {
    let (aead, other) = (sender(&gcm()), sender(&in_udp(sa("udp", 0x2002, Transform::Aes128Gcm16, 2), 4500)));
    let mut packets: Vec<_> = [5, 6, 9, 7, 9].map(|seq| sealed(&aead, seq)).into();
    let padded = slow::seal(&other, 1, [1; 16], &Ipv4::default().packet(&Upper::udp(50)), 0, 0);
    packets.extend([sealed(&other, 1), padded]);
    let report = Lab::new(&[], packets).report();
    let json = serde_json::to_value(&report.overview.spis).unwrap();
    let facts = ["packets", "first_seq", "last_seq", "gaps", "missing", "late"]
        .map(|key| json[0][key].as_u64().unwrap());
    assert_eq!(facts, [5, 5, 9, 1, 2, 2]);
    assert_eq!((&json[0]["udp"], &json[0]["fits_16_byte_blocks"]), (&false.into(), &true.into()));
    assert_eq!((&json[1]["udp"], &json[1]["fits_16_byte_blocks"]), (&true.into(), &false.into()));
    assert!(flat(&report).contains("1 (2 missing), 2 late"));
}

#[test]
fn a_flood_of_spis_is_counted_and_not_listed() {
    let peer = sender(&gcm());
    let packets = (0..4200).map(|at| sealed(&SlowSa { spi: 0x5000 + at, ..peer.clone() }, 1));
    let report = Lab::new(&[], packets).report();
    assert_eq!((report.overview.spis.len(), report.overview.uncounted), (4096, 104));
    let text = flat(&report);
    assert!(text.contains("and 4084 SPIs more") && text.contains("104 packets of further SPIs"), "{text}");
}

#[test]
fn both_ends_of_a_nat_are_taken_for_esp() {
    let mut outward = in_udp(gcm(), 61_234);
    outward.udp = Some(UdpEncap { src_port: 4500, dst_port: 61_234, ..UdpEncap::default() });
    let report = Lab::new(&[], [sealed(&sender(&outward), 1)]).report();
    assert!(report.packet.story.esp.unwrap().in_udp);
}

#[test]
fn the_json_has_its_fields() {
    let peer = SlowSa { key: [&gcm().key.expose()[..16], &[0; 4]].concat(), ..sender(&gcm()) };
    let json =
        serde_json::to_value(Lab::new(&[gcm()], [sealed(&peer, 1), sealed(&peer, 2)]).report()).unwrap();
    let packet = &json["packet"];
    assert_eq!((&packet["number"], &packet["delivered"]), (&1.into(), &false.into()));
    for opinion in ["verdict", "judged", "engine"] {
        assert_eq!(packet[opinion], "dropped: auth_failed");
    }
    assert_eq!(json["overview"]["verdicts"], serde_json::json!({ "dropped: auth_failed": 2 }));
    assert_eq!(json["overview"]["first"], serde_json::json!({ "dropped: auth_failed": 1 }));
    assert_eq!((&json["overview"]["packets"], &json["overview"]["esp"]), (&2.into(), &2.into()));
    assert_eq!(packet["frame"]["link_type"], "raw IP");
    assert_eq!((&packet["ip"]["src"], &packet["ip"]["protocol"]), (&"192.0.2.1".into(), &50.into()));
    assert_eq!((&packet["esp"]["spi"], &packet["esp"]["packet"]["at"]), (&0x1001.into(), &20.into()));
    assert_eq!((&packet["sa"]["name"], &packet["replay"]["position"]), (&"west".into(), &"new".into()));
    assert_eq!(
        (&packet["cipher"]["aad"], &packet["icv"]["right"]),
        (&"0000100100000001".into(), &false.into())
    );
    assert!(packet["icv"]["found"].is_string() && packet["icv"]["expected"].is_null());
    assert!(packet["trailer"].is_null() && packet["udp"].is_null());
    let found = &json["cause"]["found"][0];
    assert_eq!((&found["id"], &found["mistakes"][0]["id"]), (&"salt_missing".into(), &"salt_missing".into()));
    assert_eq!((&found["icv_len"], &found["inside"]["packet"]["ports"][0]), (&16.into(), &5001.into()));
    assert_eq!((&found["fits"], &found["of"]), (&2.into(), &2.into()));
    assert_eq!((&json["overview"]["defects"]["packets"], &json["sa_file"]), (&0.into(), &"east.toml".into()));
    assert_eq!((&json["ok"], &json["cause"]["text"]), (&false.into(), &serde_json::Value::Null));
}
