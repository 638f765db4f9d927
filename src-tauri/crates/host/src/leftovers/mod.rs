//! Leftovers on this machine: what there is, who still needs it, and how the dead ones go.
//!
//! ```text
//! scan → judge (with evidence) → look: what surfaces show
//!                              → plan → preview → clean: judge again, remove or park → receipt
//! ```
//!
//! * [`evidence`]: one pass over the machine's processes, mounts, sockets and sessions.
//! * [`scan`]: what may be a leftover, one candidate after the other.
//! * [`look`]: counted and judged, for surfaces.
//! * [`plan`], [`going`], [`clean`]: what would go, kept small, and how it goes; one value behind both.
//! * [`remove`]: by descriptor, beneath a folder that was opened once.
//! * [`parked`], [`receipts`]: what was moved aside, and what was done.

pub mod clean;
pub mod evidence;
pub mod going;
pub mod look;
pub mod parked;
pub mod plan;
pub mod receipts;
pub mod remove;
pub mod scan;
mod volumes;

#[cfg(test)]
mod tests;
