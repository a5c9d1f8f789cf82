//! The `esp sa` commands, as programs, and the three formats of SA files.

#[path = "sa/convert.rs"]
mod convert;
#[path = "sa/faults.rs"]
mod faults;
#[path = "sa/generate.rs"]
mod generate;
#[path = "sa/kernel.rs"]
mod kernel;
#[path = "sa/round_trips.rs"]
mod round_trips;
#[path = "capture/support.rs"]
#[expect(dead_code, reason = "captures are another test's")]
mod support;
#[path = "sa/transforms.rs"]
mod transforms;

/// Sixteen bytes of key and four of salt; the digits mean nothing.
const KEY: &str = "9f8b2c63d1e40a7758c6b3f0142d9ea5c07d31fe";
