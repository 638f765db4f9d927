//! Making things below an open folder of the target.
//!
//! The same functions for every system: [`Folder`] is a folder held open, and what is made in it is made
//! by name alone, must not exist and is never reached through a link.

#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

pub(super) use self::system::{Folder, KEPT_OPEN, keep, sparse, write_all_at};

/// What makes a file or folder the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) device: u64,
    pub(super) number: u64,
}

/// What is kept of a file's or folder's attributes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    /// Permissions, without the three special bits.
    #[cfg_attr(
        windows,
        allow(dead_code, reason = "Windows keeps no such permissions")
    )]
    pub(super) mode: u16,
    /// Seconds and nanoseconds of the last change.
    pub(super) modified: (i64, u32),
}
