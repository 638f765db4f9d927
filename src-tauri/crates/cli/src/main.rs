//! `sandtrayctl`: the same engine without a desktop.

fn main() {}
