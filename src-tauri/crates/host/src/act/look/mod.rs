//! Who a file is, whose, and how much of the disk it takes; never through a link.

#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

use std::fs;
use std::io;
use std::path::Path;

use sandtray_core::act::Identity;
use sandtray_core::bytes::{Allocated, Apparent};

use crate::walk;

/// One look at a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Who.
    pub(super) identity: Identity,
    /// A folder.
    pub(super) folder: bool,
    /// A symbolic link, a junction or another reparse point.
    pub(super) link: bool,
    /// Whose; none where the system does not say it by number.
    pub(super) owner: Option<u32>,
    /// Its length.
    pub(super) apparent: Apparent,
    /// Its own blocks.
    pub(super) allocated: Allocated,
}

/// Looks at what is at `path`; none where nothing is.
pub(super) fn at(path: &Path) -> io::Result<Option<Seen>> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(Seen {
        identity: walk::entry(path)?.identity,
        folder: found.is_dir(),
        link: system::link(&found),
        owner: system::owner(&found),
        apparent: Apparent(found.len()),
        allocated: system::allocated(&found),
    }))
}

/// Whether an error says that nothing is there.
pub(super) fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

pub(super) use system::oddities;
