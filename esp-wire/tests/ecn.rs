//! ECN through a tunnel against RFC 6040 figures 3 and 4.

use esp_wire::Ecn::{self, Ce, Ect0, Ect1, NotEct};
use esp_wire::ecn::{self, EcnDrop};

const ALL: [Ecn; 4] = [NotEct, Ect0, Ect1, Ce];

/// Figure 4 as it is printed: a row for each inner field, columns Not-ECT, ECT(0), ECT(1), CE.
const FIGURE_4: [[&str; 4]; 4] = [
    ["Not-ECT", "Not-ECT(!!!)", "Not-ECT(!!!)", "<drop>(!!!)"],
    ["ECT(0)", "ECT(0)", "ECT(1)", "CE"],
    ["ECT(1)", "ECT(1)(!)", "ECT(1)", "CE"],
    ["CE", "CE", "CE(!!!)", "CE"],
];

#[test]
fn b64_decapsulation_table() {
    for (inner, row) in ALL.into_iter().zip(FIGURE_4) {
        for (outer, cell) in ALL.into_iter().zip(row) {
            let outcome = match ecn::decap(inner, outer) {
                Ok(NotEct) => "Not-ECT",
                Ok(Ect0) => "ECT(0)",
                Ok(Ect1) => "ECT(1)",
                Ok(Ce) => "CE",
                Err(EcnDrop) => "<drop>",
            };
            let mark = match (ecn::is_unexpected(inner, outer), ecn::is_dangerous(inner, outer)) {
                (false, false) => "",
                (true, false) => "(!)",
                (true, true) => "(!!!)",
                (false, true) => "inconsistent",
            };
            assert_eq!(format!("{outcome}{mark}"), cell, "inner {inner:?}, outer {outer:?}");
        }
    }
}

#[test]
fn b64_encapsulation_modes() {
    for inner in ALL {
        assert_eq!(ecn::encap_normal(inner), inner);
    }
    assert_eq!(ecn::encap_compatibility(), NotEct);
}

#[test]
fn b64_the_field_is_the_lower_two_bits() {
    for tos in 0..=255_u8 {
        let field = Ecn::from_tos(tos);
        assert_eq!(field as u8, tos % 4);
        for new in ALL {
            let marked = ecn::with_ecn(tos, new);
            assert_eq!((Ecn::from_tos(marked), marked / 4), (new, tos / 4));
        }
    }
    assert_eq!(
        [Ecn::from_tos(0), Ecn::from_tos(1), Ecn::from_tos(2), Ecn::from_tos(3)],
        [NotEct, Ect1, Ect0, Ce]
    );
}
