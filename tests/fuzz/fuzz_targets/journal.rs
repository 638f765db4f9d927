//! An ext4 filesystem through its journal.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| sandtray_host::disk::fuzz::journal(input));
