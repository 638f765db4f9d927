//! A VHDX, its log and the disk in it.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| sandtray_host::disk::fuzz::vhdx(input));
