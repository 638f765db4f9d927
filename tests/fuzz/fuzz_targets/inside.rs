//! Everything in a filesystem, as `disk du` and `disk get` read it: inodes, extents, directories.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| sandtray_host::disk::fuzz::inside(input));
