#![no_main]
#![expect(missing_docs, reason = "the property says it")]

libfuzzer_sys::fuzz_target!(|data: &[u8]| esp_fuzz::transforms_agree(data));
