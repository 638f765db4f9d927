//! Linux and macOS: modes, `statvfs`, and directories that can be synced.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Creates a folder and its parents; those created are for the owner alone.
pub(in crate::store) fn create_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Creates an empty file for the owner alone; it must not exist.
pub(in crate::store) fn create_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// Makes a rename in the folder durable.
pub(in crate::store) fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Bytes this user can still write in the folder; none where the system does not say.
pub(in crate::store) fn available(path: &Path) -> Option<u64> {
    let volume = rustix::fs::statvfs(path).ok()?;
    Some(volume.f_bavail.saturating_mul(volume.f_frsize))
}
