//! GPT and classic partition tables.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| sandtray_host::disk::fuzz::table(input));
