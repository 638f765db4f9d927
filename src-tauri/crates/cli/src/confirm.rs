//! Asking before something changes.

use std::io::{self, IsTerminal, Write};

/// Whether there is somebody to ask.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks on the terminal; no where there is none, where nothing is typed, and for everything but yes.
pub(crate) fn confirmed(question: &str) -> bool {
    if !can_ask() {
        return false;
    }
    write!(io::stderr(), "{question} [y/N] ").ok();
    io::stderr().flush().ok();
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).is_ok()
        && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}
