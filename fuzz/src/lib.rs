//! The properties that the fuzz targets hold up, shared with `esp-core/tests/properties`.
#![expect(clippy::cast_possible_truncation, reason = "test values are small, or cut on purpose")]

#[path = "../../esp-core/tests/properties/agree.rs"]
mod agree;
#[path = "../../esp-core/tests/properties/attack.rs"]
mod attack;
#[path = "../../esp-core/tests/properties/bytes.rs"]
mod bytes;
#[path = "../../esp-core/tests/properties/hostile.rs"]
mod hostile;
#[path = "../../esp-core/tests/properties/inner.rs"]
mod inner;
#[path = "../../esp-core/tests/properties/judge.rs"]
mod judge;
#[path = "../../esp-core/tests/properties/lab.rs"]
mod lab;
#[path = "../../esp-core/tests/properties/outer.rs"]
mod outer;
#[path = "../../esp-core/tests/properties/parse.rs"]
mod parse;
#[path = "../../esp-core/tests/properties/sas.rs"]
mod sas;
#[path = "../../esp-core/tests/properties/seal_open.rs"]
mod seal_open;
#[path = "../../esp-core/tests/properties/seen.rs"]
mod seen;
#[path = "../../esp-core/tests/properties/targets.rs"]
mod targets;

/// Arbitrary bytes, to every view of `esp-wire` and to both walks.
///
/// # Panics
///
/// Where the property does not hold.
pub fn parse(data: &[u8]) {
    parse::holds(data);
}

/// Bursts of forged, broken and wicked packets to SAs of every kind.
///
/// # Panics
///
/// Where the property does not hold.
pub fn open_hostile(data: &[u8]) {
    hostile::holds(data);
}

/// Any SA, any packets, any room: sealed and opened.
///
/// # Panics
///
/// Where the property does not hold.
pub fn seal_open(data: &[u8]) {
    seal_open::holds(data);
}

/// Bursts under any transforms and keys, against the slow ESP.
///
/// # Panics
///
/// Where the property does not hold.
pub fn transforms_agree(data: &[u8]) {
    agree::holds(data);
}
