//! How a test says that it cannot run here.
//!
//! `cargo xtask test` collects these lines; where `CI=true`, a line that is not in
//! `tests/allowed-skips.toml` fails the run.

/// Prints the line that the suite collects.
#[allow(clippy::print_stdout, reason = "the runner reads it from there")]
pub fn say(test: &str, reason: impl std::fmt::Display) {
    println!("skipped: {test}: {reason}");
}

/// Whether we are root, whom no permission stops.
#[must_use]
pub fn is_root() -> bool {
    #[cfg(unix)]
    return rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    return false;
}
