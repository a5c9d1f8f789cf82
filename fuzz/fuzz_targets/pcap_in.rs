//! Any bytes as a capture: read, written, and read again.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| esp_cli::capture::round_trip(bytes));
