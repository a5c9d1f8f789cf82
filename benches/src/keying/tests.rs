use super::*;
use crate::report::{Format, Render as _};
use crate::summary::Summary;

/// A report on the null twin and AES-128-GCM whose figures are `ns`.
fn report(ns: impl Fn(Figure) -> f64) -> Report {
    let subjects = [Subject::NullTwin, Subject::Real(Transform::Aes128Gcm16)];
    let cells: Vec<_> =
        subjects.into_iter().flat_map(|subject| figures().map(move |figure| (subject, figure))).collect();
    let summary = |(_, figure): &(Subject, Figure)| {
        let median = ns(*figure);
        Summary { median, min: median, spread: 0.2, presence: None }
    };
    let summaries: Vec<Summary> = cells.iter().map(summary).collect();
    Report::new(Machine::detect(), Timing { rounds: 15, millis: 20 }, true, &cells, &summaries)
}

fn figure_ns(figure: Figure) -> f64 {
    match figure {
        Figure::SetUp => 200.0,
        Figure::Seal(64) => 70.0,
        Figure::Seal(_) => 210.0,
        Figure::Open(64) => 75.0,
        Figure::Open(_) => 220.0,
        Figure::KeyedSeal(_) => 250.0,
    }
}

#[test]
fn a_set_up_inside_a_packets_price_would_show() {
    assert_eq!(report(figure_ns).rows[1].explained, Some(0.9));
    let hidden = |figure| if figure == Figure::Seal(64) { 270.0 } else { figure_ns(figure) };
    assert_eq!(report(hidden).rows[1].explained, Some(-0.1));
    assert_eq!(report(figure_ns).rows[0].explained, None, "the null twin has no set-up");
}

#[test]
fn the_text_has_a_line_a_transform() {
    let text = report(figure_ns).render(Format::Text).unwrap();
    let line = text.lines().find(|line| line.starts_with("aes-128-gcm-16")).unwrap();
    let fields: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(fields[2..], ["200.0", "70.0", "75.0", "210.0", "220.0", "250.0", "0.90"]);
    let names = text.lines().find(|line| line.starts_with("transform")).unwrap();
    assert_eq!(names.len(), line.len(), "columns end below each other:\n{text}");
}

#[test]
fn csv_and_json_carry_every_figure() {
    let report = report(figure_ns);
    let csv = report.render(Format::Csv).unwrap();
    let line = "aes-128-gcm-16,ring,200.00,70.00,75.00,210.00,220.00,250.00,0.900";
    assert!(csv.lines().any(|other| other == line), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&report.render(Format::Json).unwrap()).unwrap();
    assert_eq!(json["rows"][1]["keyed_seal_64"]["median"], 250.0);
    assert_eq!(json["rows"][0]["transform"], "null-twin");
}

#[test]
fn noise_is_named() {
    assert!(report(figure_ns).noisy(0.3).is_empty());
    assert_eq!(report(figure_ns).noisy(0.1)[6], "aes-128-gcm-16 set-up: spread 20 %");
}

#[test]
fn every_transform_opens_what_it_sealed() {
    for transform in Transform::ALL.iter().copied() {
        let subject = Subject::Real(transform);
        for figure in figures() {
            let work = subject.work(figure).unwrap_or_else(|error| panic!("{transform} {figure:?}: {error}"));
            assert_eq!(work.is_some(), subject.seals() || matches!(figure, Figure::SetUp | Figure::Open(_)));
            let Some(mut work) = work else { continue };
            for _ in 0..2 {
                work.refill();
                assert_eq!(work.batch().unwrap(), BURST, "{transform} {figure:?}");
            }
        }
    }
}

#[test]
fn a_packet_that_does_not_open_ends_the_run() {
    let transform = Transform::Aes128Gcm16;
    let keys = packets::keys(transform);
    let mut sealed = packets::clear(transform, 64, BURST);
    packets::seal(transform, &keys, &mut sealed).unwrap();
    sealed[31][20] ^= 1;
    let key = OpenKey::new(transform, best(transform), &keys).unwrap();
    let mut opening = Opening { key, packets: sealed.clone(), sealed };
    assert_eq!(opening.batch().unwrap_err().to_string(), "a packet was not opened");
}

#[test]
fn payloads_are_what_the_cipher_takes() {
    let len = |transform, payload| packets::clear(transform, payload, 1)[0].len();
    assert_eq!(len(Transform::Aes128Gcm16, 1420), 8 + 8 + 1420 + 16);
    assert_eq!(len(Transform::Aes128CbcHmacSha1_96, 1420), 8 + 16 + 1424 + 12);
}

#[test]
fn a_run_has_a_row_a_transform_and_the_null_twins() {
    let report = measure(&[Transform::NullAesCmac96], Timing { rounds: 1, millis: 0 }).unwrap();
    let names: Vec<&str> = report.rows.iter().map(|row| row.transform.as_str()).collect();
    assert_eq!(names, ["null-twin", "null-aes-cmac-96"]);
    assert!(report.rows[1].set_up.unwrap().median > 0.0);
    assert!(measure(&[], Timing { rounds: 1, millis: 0 }).is_err());
}
