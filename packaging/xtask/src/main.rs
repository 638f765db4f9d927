//! Runs, tests, measures and packages Sandtray.

fn main() {}
