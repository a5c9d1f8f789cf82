//! Any text as an SA file of each format: read, written, and read again.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| esp_cli::sa::round_trip(bytes));
