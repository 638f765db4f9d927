//! Resets, undo, discards and what comes after a crash: the built `sandtrayctl` and the engine against the
//! stand-in for Claude Desktop, on real disks.
//!
//! Every journey starts itself once more as an ordinary user in namespaces of its own ([`ordinary`]): root
//! never acts, and no process of another test may be taken for a holder. What a library test can decide
//! alone (every fail point, every crash-legal prefix) is decided beside the code; here real programs meet.
//!
//! The acceptance reports of the facts (§10) are named where they are shown.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "all of this is a test"
)]

mod consent;
mod engine;
mod kills;
mod ordinary;
mod rebuilds;
mod refusals;
mod scopes;
mod undo;
mod waiting;
mod window;
mod world;
