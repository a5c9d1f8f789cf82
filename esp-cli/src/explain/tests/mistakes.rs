//! One capture for each mistake, and the cause that must be named.

use esp_core::config::Lookup;

use super::*;
use crate::explain::mistakes::Search;

/// Explains a capture; the mistake named, or both, and words that are said of it.
#[track_caller]
pub(super) fn found(lab: &Lab, id: &str, words: &[&str]) -> Report {
    let report = lab.report();
    let text = flat(&report);
    assert_eq!(report.conclusion.id.as_deref(), Some(id), "{text}");
    let conclusion = format!("{} {}", report.conclusion.cause, report.conclusion.remedy.clone().unwrap());
    for word in words {
        assert!(conclusion.contains(word), "{word:?} is not in {conclusion}");
    }
    assert!(!report.ok && !report.conclusion.fine, "{text}");
    assert!(text.contains("port 5001 -> 5002") || text.contains("next header"), "{text}");
    report
}

/// One packet that `peer` sealed, for these SAs.
pub(super) fn one(sas: &[SaConfig], peer: &SlowSa) -> Lab {
    Lab::new(sas, [sealed(peer, 1)])
}

/// AES-128-GCM with a salt of zero.
fn unsalted(peer: &SlowSa) -> SlowSa {
    SlowSa { key: [&peer.key[..16], &[0; 4]].concat(), ..peer.clone() }
}

#[test]
fn b38_icv_of_12_or_8_bytes() {
    for (transform, cut) in [
        (Transform::Aes128Gcm16, 4),
        (Transform::Aes128Gcm16, 8),
        (Transform::Aes192Gcm16, 8),
        (Transform::ChaCha20Poly1305, 4),
    ] {
        let sa = sa("west", 0x1001, transform, 1);
        let packet = sealed(&sender(&sa), 1);
        let lab = Lab::new(&[sa], [resized(&packet, packet.len() - cut, 0)]);
        let report = found(&lab, "icv_length", &[&format!("ICV has {} bytes", 16 - cut), "east.toml has 16"]);
        let text = flat(&report);
        assert_eq!(text.contains("by chance once in 2^"), cut == 8, "{text}");
    }
}

#[test]
fn b38_hmac_sha256_cut_to_96_bits() {
    let sa = sa("west", 0x1001, Transform::NullHmacSha256_128, 1);
    let packet = sealed(&sender(&sa), 1);
    let lab = Lab::new(&[sa], [resized(&packet, packet.len() - 4, 0)]);
    found(&lab, "sha256_cut_to_96_bits", &["ICV has 12 bytes", "Linux does that", "auth-trunc"]);
}

#[test]
fn b38_hmac_sha256_that_is_not_cut() {
    let sa = sa("west", 0x1001, Transform::NullHmacSha256_128, 1);
    let packet = sealed(&sender(&sa), 1);
    // The second half is beyond what an ICV of 16 bytes can tell.
    let lab = Lab::new(from_ref(&sa), [resized(&packet, packet.len() + 16, 0xab)]);
    found(&lab, "icv_length", &["ICV has 32 bytes", "all of the MAC"]);
}

#[test]
fn a_packet_so_short_that_only_another_icv_fits() {
    let sa = gcm();
    let plaintext = slow::trailer(4, 0, 0, 59);
    let esp = slow::seal_raw(&sender(&sa), 1, [9; 16], &plaintext);
    let header = slow::tunnel_header("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
    let lab = Lab::new(&[sa], [slow::wrap_esp(&header, None, &esp[..esp.len() - 8])]);
    let report = found(&lab, "icv_length", &["ICV has 8 bytes"]);
    assert_eq!(report.packet.story.fate.name(), "too_short");
}

#[test]
fn esn_on_one_end_only() {
    let mut with = gcm();
    with.esn = true;
    found(
        &one(&[gcm()], &sender(&with)),
        "esn_on",
        &["sender has extended", "\"west\" of east.toml has esn = false"],
    );
    found(
        &one(&[with], &sender(&gcm())),
        "esn_off",
        &["sender has 32-bit", "set esn = false in SA \"west\""],
    );
    let mut mac = sa("mac", 0x1002, Transform::NullHmacSha256_128, 3);
    let peer = SlowSa { esn: true, ..sender(&mac) };
    found(&one(from_ref(&mac), &peer), "esn_on", &["sender has extended"]);
    mac.esn = true;
    found(&one(from_ref(&mac), &SlowSa { esn: false, ..sender(&mac) }), "esn_off", &["sender has 32-bit"]);
}

#[test]
fn a_high_half_that_nobody_told() {
    let mut sa = gcm();
    sa.esn = true;
    for high in [1, 7, 15, 16, 17, 4095] {
        let lab = Lab::new(from_ref(&sa), [sealed(&sender(&sa), high << 32 | 9)]);
        found(
            &lab,
            "esn_high_half",
            &[&format!("high half {high} of its"), &format!("--seq-hi {high}"), "infers 0"],
        );
    }
    let lab = Lab::new(from_ref(&sa), [sealed(&sender(&sa), 4096 << 32 | 9)]);
    assert!(lab.report().conclusion.cause.starts_with("no SA fits"));
    // The neighbours of a number that was inferred are tried, however large.
    let lab = Lab::new(from_ref(&sa), [sealed(&sender(&sa), 100_001 << 32 | 9)]).seq_hi(100_000);
    found(&lab, "esn_high_half", &["high half 100001", "infers 100000"]);
    // Told, it is no mistake.
    let lab = Lab::new(from_ref(&sa), [sealed(&sender(&sa), 4096 << 32 | 9)]).seq_hi(4096);
    assert!(lab.report().ok);
}

#[test]
fn esn_and_a_high_half_at_once() {
    let mut with = gcm();
    with.esn = true;
    let lab = Lab::new(&[gcm()], [sealed(&sender(&with), 3 << 32 | 9)]);
    found(&lab, "esn_on", &["ESN, high half 3", "esn = true", "--seq-hi 3"]);
}

#[test]
fn with_esn_an_old_packet_is_taken_for_the_next_high_half() {
    let mut sa = gcm();
    sa.esn = true;
    let peer = sender(&sa);
    let lab = Lab::new(from_ref(&sa), [sealed(&peer, 1), sealed(&peer, 100), sealed(&peer, 30)]);
    let report = found(
        &lab,
        "left_of_window",
        &["the packet is old", "number 30 is 70 behind the top 100", "more than 70"],
    );
    assert_eq!((report.packet.number, report.packet.story.fate.name()), (3, "auth_failed"));
}

#[test]
fn salt_zero_reversed_or_first() {
    let sa = gcm();
    let (key, salt) = sa.key.expose().split_at(16);
    let peer = sender(&sa);
    let with_salt = |salt: [u8; 4]| SlowSa { key: [key, &salt].concat(), ..peer.clone() };
    found(&one(from_ref(&sa), &with_salt([0; 4])), "salt_missing", &["salt of zero", "all 20 bytes"]);
    let reversed = with_salt([salt[3], salt[2], salt[1], salt[0]]);
    found(&one(from_ref(&sa), &reversed), "salt_reversed", &["reverse order", "last 4 bytes"]);
    let first = SlowSa { key: [&key[4..], salt, &key[..4]].concat(), ..peer.clone() };
    found(&one(from_ref(&sa), &first), "salt_first", &["salt in front", "first 4 bytes"]);
}

#[test]
fn key_in_another_byte_order() {
    for transform in [Transform::Aes256Gcm16, Transform::NullHmacSha256_128] {
        let sa = sa("west", 0x1001, transform, 1);
        let peer = sender(&sa);
        let (key, salt) = peer.key.split_at(peer.key.len() - transform.salt_len());
        let words = key.chunks(4).flat_map(|word| word.iter().rev()).chain(salt).copied().collect();
        found(
            &one(from_ref(&sa), &SlowSa { key: words, ..peer.clone() }),
            "key_words_reversed",
            &["each 4-byte word"],
        );
        let whole = key.iter().rev().chain(salt).copied().collect();
        found(
            &one(from_ref(&sa), &SlowSa { key: whole, ..peer.clone() }),
            "key_reversed",
            &["its bytes are in reverse order"],
        );
    }
}

#[test]
fn keys_of_the_two_directions_exchanged() {
    let west = gcm();
    let mut back = sa("back", 0x2002, Transform::Aes128Gcm16, 2);
    (back.src, back.dst) = (west.dst, west.src);
    let peer = SlowSa { key: sender(&back).key, ..sender(&west) };
    found(
        &one(&[west.clone(), back.clone()], &peer),
        "keys_swapped_between_directions",
        &["two directions are exchanged", "SA \"back\""],
    );
    // The other direction is also one that the file says is outbound.
    (back.direction, back.src, back.dst) = (Direction::Outbound, west.src, west.dst);
    found(
        &one(&[west, back], &peer),
        "keys_swapped_between_directions",
        &["two directions are exchanged", "SA \"back\""],
    );
}

#[test]
fn key_of_another_sa() {
    let (west, third) = (gcm(), sa("third", 0x3003, Transform::ChaCha20Poly1305, 3));
    let peer = SlowSa { spi: west.spi, ..sender(&third) };
    let second = sa("second", 0x2002, Transform::Aes128Gcm16, 2);
    found(
        &one(&[west, second, third], &peer),
        "key_of_another_sa",
        &["SPI of SA \"west\"", "key of SA \"third\""],
    );
}

#[test]
fn right_key_and_wrong_spi() {
    let (west, second) = (gcm(), sa("second", 0x2002, Transform::Aes256Gcm16, 2));
    let peer = SlowSa { spi: 0x0102_0304, ..sender(&second) };
    let report = found(
        &one(&[west.clone(), second], &peer),
        "wrong_spi",
        &["0x01020304", "SA \"second\"", "0x00002002"],
    );
    assert_eq!(report.packet.story.fate.name(), "no_sa");
    let peer = SlowSa { spi: west.spi.swap_bytes(), ..sender(&west) };
    found(&one(&[west], &peer), "wrong_spi", &["in reverse order", "0x01100000"]);
}

#[test]
fn lookup_that_looks_at_other_addresses() {
    let mut west = gcm();
    west.lookup = Lookup::SpiDst;
    let peer = sender(&west);
    west.dst = Some("192.0.2.9".parse().unwrap());
    found(&one(&[west], &peer), "lookup_addresses", &["lookup looks at addresses too", "lookup = \"spi\""]);
}

#[test]
fn another_transform_with_keys_of_that_length() {
    let aes = sa("west", 0x1001, Transform::Aes256Gcm16, 1);
    let peer = SlowSa { transform: SlowTransform::CHACHA20_POLY1305, ..sender(&aes) };
    found(&one(&[aes], &peer), "other_transform", &["packet is chacha20-poly1305", "has aes-256-gcm-16"]);
}

#[test]
fn layer_2_padding_taken_for_the_packet() {
    let sa = gcm();
    let packet = sealed(&sender(&sa), 1);
    for extra in [1, 2, 4, 45, 46] {
        let lab = Lab::new(from_ref(&sa), [resized(&packet, packet.len() + extra, 0)]);
        found(
            &lab,
            "padding_taken_for_icv",
            &["are not its own", "IP length counts padding", &format!("{extra} byte")],
        );
    }
    let lab = Lab::new(from_ref(&sa), [resized(&packet, packet.len() + 47, 0)]);
    assert!(lab.report().conclusion.cause.starts_with("no SA fits"));
}

#[test]
fn icv_behind_the_end_that_a_length_says() {
    let sa = gcm();
    let packet = sealed(&sender(&sa), 1);
    for short in [1, 12, 16] {
        let frame =
            [resized(&packet, packet.len() - short, 0), packet[packet.len() - short..].to_vec()].concat();
        let words = [&format!("IP length is {short} byte")[..], "count the whole ESP packet"];
        found(&Lab::new(from_ref(&sa), [frame]), "icv_behind_the_packet", &words);
    }
    // The same with the length of a UDP datagram.
    let sa = in_udp(gcm(), 4500);
    let mut packet = sealed(&sender(&sa), 1);
    let len = u16::from_be_bytes([packet[24], packet[25]]) - 16;
    packet[24..26].copy_from_slice(&len.to_be_bytes());
    found(&Lab::new(&[sa], [packet]), "icv_behind_the_packet", &["UDP length is 16 bytes short"]);
}

#[test]
fn two_mistakes_together() {
    let mut esn = gcm();
    esn.esn = true;
    let peer = unsalted(&sender(&esn));
    let words = ["2 mistakes together: (1)", "(2)", "salt of zero", "esn = true"];
    found(&one(&[gcm()], &peer), "salt_missing+esn_on", &words);

    let packet = sealed(&sender(&gcm()), 1);
    let shorter = resized(&packet, packet.len() - 4, 0);
    let lab = Lab::new(&[gcm()], [resized(&shorter, shorter.len() + 18, 0)]);
    found(&lab, "icv_length+padding_taken_for_icv", &["ICV has 12 bytes", "last 18 bytes"]);

    let second = sa("second", 0x2002, Transform::Aes256Gcm16, 2);
    let (key, salt) = second.key.expose().split_at(32);
    let reversed = key.iter().rev().chain(salt).copied().collect();
    let peer = SlowSa { spi: 0x1001, key: reversed, ..sender(&second) };
    found(
        &one(&[gcm(), second.clone()], &peer),
        "key_of_another_sa+key_reversed",
        &["SA \"second\"", "reverse order"],
    );

    let peer = SlowSa { spi: 0x9999, esn: true, ..sender(&second) };
    found(&one(&[gcm(), second], &peer), "wrong_spi+esn_on", &["SPI is wrong", "sender has extended"]);
}

#[test]
fn a_mistake_is_tried_on_the_packets_around_it() {
    let sa = gcm();
    let peer = unsalted(&sender(&sa));
    let stranger = SlowSa { spi: 0x7777, key: vec![3; 20], ..peer.clone() };
    let wrong = |seq| SlowSa { key: vec![9; 20], ..peer.clone() }.sealed(seq);
    let mut packets: Vec<_> = (1..=20).map(|seq| sealed(&peer, seq)).collect();
    packets.insert(3, sealed(&stranger, 1));
    packets.insert(4, wrong(50));
    let also = |lab: &Lab| lab.report().also().map(|also| (also.tried, also.fits)).unwrap();
    let lab = Lab::new(&[sa], packets);
    assert_eq!(also(&lab), (16, 15));
    // From the other end, packets before it count.
    assert_eq!(also(&lab.clone().asked(22)), (16, 16));
    assert_eq!(also(&lab.clone().asked(12)), (16, 15));
    // Strangers between them do not take their places.
    let mut lab = lab;
    lab.frames.splice(4..4, vec![lab.frames[3].clone(); 40]);
    assert_eq!(also(&lab), (16, 15));
}

trait Seals {
    fn sealed(&self, seq: u64) -> Vec<u8>;
}

impl Seals for SlowSa {
    fn sealed(&self, seq: u64) -> Vec<u8> {
        sealed(self, seq)
    }
}

#[test]
fn no_sa_fits() {
    let peer = SlowSa { key: vec![0x5a; 20], ..sender(&gcm()) };
    let report = one(&[gcm(), sa("second", 0x2002, Transform::ChaCha20Poly1305, 2)], &peer).report();
    let Some(Search { tried, fit: None, bound_reached: false, .. }) = report.search else { panic!("fits") };
    assert!(tried > 4000, "{tried}");
    assert!(
        report.conclusion.cause.starts_with("no SA fits: not SA \"west\""),
        "{}",
        report.conclusion.cause
    );
    assert!(report.conclusion.remedy.unwrap().contains("another rekey"));
    let damaged = one(&[gcm()], &SlowSa { spi: 0x1001 ^ 0x400_0000, ..peer.clone() }).report();
    assert!(damaged.conclusion.cause.contains("differs in one bit from that of SA \"west\""));
    let peer = SlowSa { spi: 0x4242, ..peer };
    let report = one(&[gcm()], &peer).report();
    assert!(
        report.conclusion.cause.contains("no SA with SPI 0x00004242 (16962)"),
        "{}",
        report.conclusion.cause
    );
}

#[test]
fn a_damaged_packet_among_right_ones() {
    let peer = sender(&gcm());
    let mut packets: Vec<_> = (1..=3).map(|seq| sealed(&peer, seq)).collect();
    packets[2][60] ^= 1;
    let report = Lab::new(&[gcm()], packets).report();
    assert_eq!(report.packet.number, 3);
    assert!(
        report.conclusion.cause.contains("changed on the way, or forged: 2 packets"),
        "{}",
        report.conclusion.cause
    );
    assert!(
        report.packet.story.trailer.is_none() && report.packet.story.inner.is_none(),
        "plaintext of a forgery"
    );
}

#[test]
fn the_search_has_an_end() {
    let sas: Vec<_> =
        (0..400).map(|at| sa(&format!("sa{at}"), 0x1000 + at, Transform::Aes128Gcm16, 1)).collect();
    let sas: Vec<_> = sas
        .into_iter()
        .zip(0_u32..)
        .map(|(mut sa, at)| {
            let mut key = sa.key.expose().to_vec();
            key[..4].copy_from_slice(&at.to_be_bytes());
            sa.key = key.into();
            sa
        })
        .collect();
    let peer = SlowSa { key: vec![0x5a; 20], ..sender(&sas[0]) };
    let large = Ipv4::default().packet(&Upper::udp(60_000));
    // Not `report`: these keys have zeros in them, which are no secret.
    let report = Lab::new(&sas, [slow::seal(&peer, 1, [7; 16], &large, 0, 0)]).try_report().unwrap();
    let search = report.search.as_ref().unwrap();
    assert!(search.bound_reached && search.tried < 200_001, "{}", search.tried);
    assert!(report.conclusion.cause.contains("and there were more"), "{}", report.conclusion.cause);
}
