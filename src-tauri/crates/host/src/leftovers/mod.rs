//! Leftovers on this machine: what there is, who still needs it, and how the dead ones go.
//!
//! * [`evidence`]: one pass over the machine's processes, mounts, sockets and sessions.
//! * [`scan`]: what may be a leftover, one candidate after the other.
//! * [`remove`]: by descriptor, beneath a folder that was opened once.

pub mod evidence;
pub mod remove;
pub mod scan;
