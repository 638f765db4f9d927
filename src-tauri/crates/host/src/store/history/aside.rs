//! A corrupt history is set aside under a name of its own: never deleted, never written over.

use std::path::{Path, PathBuf};

use sandtray_core::time::Time;

use super::base::beside;
use crate::error::Failure;
use crate::store::{free_name, private};

/// Renames the file and its log to `<name>.corrupt-<time>`; returns the new name of the file.
///
/// The log goes first: without its file it would be applied to the next one. Killed in between, the
/// file is judged again without its log and set aside too.
pub(super) fn set_aside(path: &Path, now: Time) -> Result<PathBuf, Failure> {
    const OPERATION: &str = "set aside the history";
    let failed = |cause| Failure::io(OPERATION, path, cause);
    let folder = path.parent().unwrap_or(path);
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy())
        .unwrap_or_default();
    let target = free_name(folder, &format!("{name}.corrupt-{}", now.0));
    for suffix in ["-wal", "-shm", ""] {
        match std::fs::rename(beside(path, suffix), beside(&target, suffix)) {
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => {}
            Err(cause) => return Err(failed(cause)),
            Ok(()) => {}
        }
    }
    private::sync_dir(folder).map_err(failed)?;
    Ok(target)
}
