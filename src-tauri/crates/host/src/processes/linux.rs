//! Processes on Linux: `/proc`. Other users' `fd` and `environ` are not readable, and need not be.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Named;

/// Directories of processes, those of this user only.
fn own() -> impl Iterator<Item = PathBuf> {
    let uid = rustix::process::geteuid().as_raw();
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().as_bytes().iter().all(u8::is_ascii_digit))
        // Ask the opened directory itself: the entry of a process that has ended is skipped.
        .filter(move |entry| entry.metadata().is_ok_and(|seen| seen.uid() == uid))
        .map(|entry| entry.path())
}

pub(super) fn named() -> Named {
    let mut named = Named::default();
    for process in own() {
        if let Ok(environment) = fs::read(process.join("environ")) {
            named.add(&environment);
        }
    }
    named
}

/// Compares by path text first (one `readlink` each) and confirms by device and inode, so that a
/// replaced file of the same name does not count.
pub(super) fn held(files: &[PathBuf]) -> Option<BTreeSet<PathBuf>> {
    let mut held = BTreeSet::new();
    if files.is_empty() {
        return Some(held);
    }
    for process in own() {
        for entry in fs::read_dir(process.join("fd"))
            .into_iter()
            .flatten()
            .flatten()
        {
            let Ok(target) = fs::read_link(entry.path()) else {
                continue;
            };
            if let Some(file) = files.iter().find(|file| **file == target)
                && same(&entry.path(), file)
            {
                held.insert(file.clone());
            }
        }
    }
    Some(held)
}

fn same(fd: &Path, file: &Path) -> bool {
    match (fs::metadata(fd), fs::symlink_metadata(file)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}
