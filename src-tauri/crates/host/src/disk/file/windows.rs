//! Windows.

use std::fs::{File, Metadata};
use std::io;
use std::os::windows::fs::FileExt;
use std::path::Path;

use sandtray_core::bytes::Allocated;

use super::refused;
use crate::error::Cause;
use crate::walk;

/// Accepts regular files.
pub(super) fn check(metadata: &Metadata) -> Result<(), Cause> {
    if metadata.is_file() {
        Ok(())
    } else if metadata.is_dir() {
        Err(refused("a directory"))
    } else {
        Err(refused("a device"))
    }
}

/// Opens for reading with full sharing, which is std's default: we never keep the app or Hyper-V from
/// opening, renaming or deleting its own disk.
pub(super) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Blocks that a file takes. The walker knows how to ask; it does not follow links, so they are resolved.
pub(super) fn allocated(path: &Path, _opened: &Metadata, _length: u64) -> io::Result<Allocated> {
    let real = std::fs::canonicalize(path)?;
    match walk::measure(&real, &walk::Options::default()) {
        Ok(tree) => Ok(tree.usage.allocated),
        Err(failure) => Err(io::Error::other(failure.cause.to_string())),
    }
}

/// Fills `buffer` from `offset` on.
pub(super) fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    let mut rest = buffer;
    let mut at = offset;
    while !rest.is_empty() {
        let count = file.seek_read(rest, at)?;
        let step = u64::try_from(count).unwrap_or(u64::MAX);
        match rest.get_mut(count..) {
            Some(next) if count > 0 => rest = next,
            _ => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
        at = at.saturating_add(step);
    }
    Ok(())
}
