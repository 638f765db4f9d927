//! One writer at a time: a lock on a file that is never removed.
//!
//! Why never removed: whoever removes a lock file may remove the one that another just took. The
//! lock itself is the system's and ends with the process, so that a kill leaves none behind.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use super::private;
use crate::error::Failure;

const OPERATION: &str = "lock the history";

/// Held while this value lives.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock at `path`; none where another process holds it.
    pub(super) fn take(path: &Path) -> Result<Option<Self>, Failure> {
        let file = open(path).map_err(|cause| Failure::io(OPERATION, path, cause))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(cause)) => Err(Failure::io(OPERATION, path, cause)),
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    match private::create_file(path) {
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
            OpenOptions::new().read(true).write(true).open(path)
        }
        made => made,
    }
}
