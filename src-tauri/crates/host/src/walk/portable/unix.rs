//! A look by `lstat`.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use sandtray_core::bytes::{Allocated, Apparent};

use super::super::{Identity, Seen};
use super::kind_of;

/// Looks at an entry, never through a link.
pub(in super::super) fn look(path: &Path) -> io::Result<Seen> {
    let metadata = fs::symlink_metadata(path)?;
    Ok(Seen {
        kind: kind_of(metadata.file_type()),
        apparent: Apparent(metadata.size()),
        allocated: Allocated(metadata.blocks().saturating_mul(512)),
        links: metadata.nlink(),
        identity: Identity {
            device: metadata.dev(),
            inode: metadata.ino(),
        },
    })
}
