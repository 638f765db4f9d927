//! One entry by itself: who it is and how large, never through a link. For renames, proofs and watching,
//! which trust no path.

use std::io;
use std::path::Path;

use sandtray_core::act::Identity;
use sandtray_core::bytes::Allocated;

/// One entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Who it is, with its length.
    pub(crate) identity: Identity,
    /// Its blocks.
    pub(crate) allocated: Allocated,
    /// It is a folder, and no link to one.
    pub(crate) folder: bool,
    /// Names this inode has.
    #[cfg_attr(unix, allow(dead_code, reason = "a look by descriptor says it there"))]
    pub(crate) links: u64,
}

/// Looks at an entry.
///
/// # Errors
/// What the system says of it.
#[cfg(unix)]
pub(crate) fn entry(path: &Path) -> io::Result<Entry> {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::symlink_metadata(path)?;
    let folder = found.is_dir();
    Ok(Entry {
        identity: Identity {
            device: found.dev(),
            inode: found.ino(),
            size: if folder { 0 } else { found.len() },
        },
        allocated: Allocated(found.blocks().saturating_mul(512)),
        folder,
        links: found.nlink(),
    })
}

/// Looks at an entry.
///
/// # Errors
/// What the system says of it.
#[cfg(not(unix))]
pub(crate) fn entry(path: &Path) -> io::Result<Entry> {
    let seen = super::portable::look(path)?;
    let folder = seen.kind == super::Kind::Dir;
    Ok(Entry {
        identity: Identity {
            device: seen.identity.device,
            inode: seen.identity.inode,
            size: if folder { 0 } else { seen.apparent.0 },
        },
        allocated: seen.allocated,
        folder,
        links: seen.links,
    })
}
