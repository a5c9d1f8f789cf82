use super::*;
use crate::report::{Format, Render as _};

fn axes() -> Axes {
    Axes { algorithms: vec![Algorithm::HmacSha1], sizes: vec![64], threads: vec![1], burst: 32 }
}

/// A report whose figures are 100 ns for a key made once, 300 for a copied and 500 for a new one.
fn report(threads: usize) -> Report {
    let algorithm = Algorithm::HmacSha1;
    let ns = |form: Form| match form {
        Form::Keyed | Form::OpensslKeyed => 500.0,
        Form::Cloned | Form::OpensslCloned => 300.0,
        Form::Burst => 50.0,
        _ => 100.0,
    };
    let summary = |form| Summary { median: ns(form), min: ns(form), spread: 0.1, presence: Some(0.5) };
    let cells = Form::ALL.map(|form| Cell { algorithm, bytes: 64, threads, form });
    let summaries = Form::ALL.map(summary);
    let timing = Timing { rounds: 15, millis: 20 };
    Report::new(Machine::detect(), timing, true, 32, &cells, &summaries)
}

fn row(report: &Report, form: Form) -> &Row {
    report.rows.iter().find(|row| row.form == form).unwrap()
}

#[test]
fn gains_are_over_the_same_library() {
    let report = report(1);
    assert_eq!(report.rows.len(), Form::ALL.len());
    assert_eq!(row(&report, Form::Single).over_cloned, Some(2.0));
    assert_eq!(row(&report, Form::Single).over_keyed, Some(4.0));
    assert_eq!(row(&report, Form::Burst).over_cloned, Some(5.0));
    assert_eq!(row(&report, Form::Burst).over_keyed, Some(9.0));
    assert_eq!(row(&report, Form::OpensslOnce).over_cloned, Some(2.0));
    for form in [Form::NullTwin, Form::Keyed, Form::Cloned, Form::OpensslKeyed, Form::OpensslCloned] {
        let row = row(&report, form);
        assert_eq!((row.over_cloned, row.over_keyed, row.original), (None, None, None), "{form}");
    }
}

#[test]
fn the_originals_figures_stand_beside_their_own_rows() {
    let original = |threads| row(&report(threads), Form::OpensslOnce).original;
    assert_eq!([1, 2, 8].map(original), [Some(1.235), None, Some(11.225)]);
    assert_eq!(Algorithm::TripleDesCtr.original(64, 1), Some(0.353));
    assert_eq!(Algorithm::AesCmac.original(64, 1), None);
}

#[test]
fn the_text_is_a_table_that_says_how_many_cores_there_are() {
    let report = report(8);
    let text = report.render(Format::Text).unwrap();
    let place = format!("hmac-sha1 by null-hmac-sha1-96, 8 workers on {} core", report.machine.cores);
    assert!(text.contains(&place), "{text}");
    let line = text.lines().find(|line| line.trim_start().starts_with("64 ")).unwrap();
    let fields: Vec<&str> = line.split_whitespace().filter(|field| *field != "%").collect();
    let expected = [
        "64", "100.0", "500.0", "300.0", "100.0", "50.0", "+200.0", "+400.0", "+500.0", "+900.0", "500.0",
        "300.0", "100.0", "+200.0", "+400.0", "+1122.5",
    ];
    assert_eq!(fields, expected);
    let names = text.lines().find(|line| line.contains("null twin")).unwrap();
    assert_eq!(names.chars().count(), line.chars().count(), "columns end below each other:\n{text}");
}

#[test]
fn csv_has_a_line_a_figure_and_json_an_object() {
    let report = report(1);
    let csv = report.render(Format::Csv).unwrap();
    let lines: Vec<&str> = csv.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 1 + Form::ALL.len());
    let fields = lines[0].split(',').count();
    assert!(lines.iter().all(|line| line.split(',').count() == fields), "{csv}");
    assert!(lines.contains(&"hmac-sha1,64,1,burst,50.00,50.00,0.100,0.500,5.000,9.000,1.235"), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&report.render(Format::Json).unwrap()).unwrap();
    assert_eq!(json["rows"][4]["form"], "burst");
    assert_eq!(json["rows"][4]["ns"]["median"], 50.0);
    assert_eq!(json["rows"][4]["over_cloned"], 5.0);
}

#[test]
fn noise_is_named() {
    assert!(report(1).noisy(0.3, 0.8).is_empty());
    assert_eq!(report(1).noisy(0.05, 0.8).len(), Form::ALL.len());
    let absent = report(8).noisy(0.3, 0.8);
    assert_eq!(absent[0], "hmac-sha1 null-twin 64 B, 8 thr: threads had the cores for 50 %");
}

#[test]
fn axes_out_of_their_range_are_refused_by_name() {
    assert!(axes().check().is_ok());
    let wrong = [
        (Axes { sizes: vec![64, 15], ..axes() }, "size 15: must be 16..=9000 bytes"),
        (Axes { sizes: vec![9001], ..axes() }, "size 9001: must be 16..=9000 bytes"),
        (Axes { threads: vec![65], ..axes() }, "threads 65: must be 1..=64"),
        (Axes { threads: vec![0], ..axes() }, "threads 0: must be 1..=64"),
        (Axes { burst: 33, ..axes() }, "burst 33: must be 1..=32"),
        (Axes { burst: 0, ..axes() }, "burst 0: must be 1..=32"),
        (Axes { algorithms: Vec::new(), ..axes() }, "no row to measure"),
    ];
    for (axes, error) in wrong {
        assert_eq!(axes.check().unwrap_err().to_string(), error);
    }
}

#[cfg(not(feature = "legacy"))]
#[test]
fn an_algorithm_that_was_not_built_says_how_to_build_it() {
    let axes = Axes { algorithms: vec![Algorithm::TripleDesCtr], ..axes() };
    assert_eq!(axes.check().unwrap_err().to_string(), "3des-ctr: must be built with --features legacy");
}

#[test]
fn every_built_form_makes_the_same_bytes() {
    for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| algorithm.is_built()) {
        for bytes in [16, 20, 63, 64, 65, 256, 4096] {
            agree(algorithm, bytes, 5, &session).unwrap();
        }
    }
}

/// The MACs are not merely equal to each other: this one was made with Python's `hmac`.
#[test]
fn the_tag_is_hmac_sha1s() {
    let mut packets = Algorithm::HmacSha1.packets(64, 2);
    session(Algorithm::HmacSha1, Form::Burst).unwrap()().unwrap()(&mut packets).unwrap();
    let expected = [0x27, 0x17, 0x78, 0xd9, 0xf7, 0xc2, 0xff, 0xd9, 0xc9, 0x24, 0xb2, 0x36];
    assert_eq!(packets[1][64..], expected);
}

#[test]
fn one_wrong_byte_ends_the_run() {
    let right = [Algorithm::HmacSha1.packets(64, 3), Algorithm::HmacSha1.packets(64, 3)];
    assert!(same(&right, &right).is_ok());
    let mut wrong = right.clone();
    wrong[1][2][75] ^= 1;
    let error = same(&wrong, &right).unwrap_err().to_string();
    assert_eq!(error, "packet 2 of pass 1 is not what single makes of it");
    let short = [right[0].clone(), right[1][..2].to_vec()];
    assert!(same(&short, &right).is_err());
}

#[test]
fn a_form_that_seals_other_bytes_is_not_timed() {
    let faulty = |algorithm, form| -> Result<Session> {
        let right = session(algorithm, form)?;
        Ok(Box::new(move || {
            let mut right = right()?;
            Ok(Box::new(move |packets| {
                right(packets)?;
                packets[3][70] ^= u8::from(form == Form::Cloned);
                Ok(())
            }))
        }))
    };
    let error = measure_by(&axes(), Timing { rounds: 1, millis: 0 }, faulty).unwrap_err();
    let expected = "hmac-sha1 cloned, 64 bytes: packet 3 of pass 0 is not what single makes of it";
    assert_eq!(format!("{error:#}"), expected);
}

#[test]
fn the_null_twin_computes_nothing() {
    let mut packets = Algorithm::AesCmac.packets(64, 3);
    session(Algorithm::AesCmac, Form::NullTwin).unwrap()().unwrap()(&mut packets).unwrap();
    assert_eq!(packets, Algorithm::AesCmac.packets(64, 3));
}

#[test]
fn a_run_has_a_row_for_each_form_size_and_number_of_threads() {
    let axes = Axes { sizes: vec![64, 100], threads: vec![1, 3], burst: 4, ..axes() };
    let report = measure(&axes, Timing { rounds: 1, millis: 0 }).unwrap();
    assert_eq!(report.rows.len(), 4 * Algorithm::HmacSha1.forms().len());
    assert!(report.rows.iter().all(|row| row.ns.median > 0.0));
}
