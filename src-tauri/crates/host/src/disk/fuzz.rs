//! The readers as `tests/fuzz` calls them: bytes in, nothing out; only a panic, a loop or a flood of memory
//! is a finding.
