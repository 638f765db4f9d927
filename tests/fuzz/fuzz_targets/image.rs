//! A whole image, as `disk info` reads it: container, partition table, ext4, journal.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| sandtray_host::disk::fuzz::image(input));
