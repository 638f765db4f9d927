//! The same walk with `std` alone, for the systems that have no walker over system calls yet, and
//! the peer of the one that has.
//!
//! Differences: it is the only worker; the names of a directory's subdirectories are in memory
//! until they are visited; paths are as long as the system takes them. On macOS a mount has a
//! device number of its own. On Windows every reparse point (symbolic link, junction, volume mount
//! point, cloud placeholder) counts as a symbolic link and is never followed, and allocated sizes
//! are the file system's `AllocationSize`.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::tally::Tally;
use super::{Kind, Options, Tree};

#[cfg(unix)]
#[path = "portable/unix.rs"]
mod system;
#[cfg(windows)]
#[path = "portable/windows.rs"]
mod system;

pub(super) use system::look;

/// Measures a tree; the error names the operation on the root that failed.
pub(super) fn measure(root: &Path, options: &Options) -> Result<Tree, (&'static str, io::Error)> {
    let links = Mutex::default();
    let seen = look(root).map_err(|cause| ("look at", cause))?;
    let mut walk = Walk {
        device: seen.identity.device,
        options,
        tally: Tally::new(options, &links),
        path: root.to_owned(),
        frames: Vec::new(),
    };
    walk.tally.root(&seen);
    if seen.kind == Kind::Dir {
        let entries = fs::read_dir(root).map_err(|cause| ("open directory", cause))?;
        walk.read(entries);
    } else {
        walk.tally.leave(b"", || root.to_owned());
    }
    let cancelled = walk.run();
    Ok(walk.tally.finish(cancelled))
}

struct Walk<'a> {
    device: u64,
    options: &'a Options,
    tally: Tally<'a>,
    /// The directory being walked.
    path: PathBuf,
    /// Subdirectories still to be visited of each directory on the way, last first.
    frames: Vec<Vec<OsString>>,
}

impl Walk<'_> {
    /// Visits everything; true where it was cancelled.
    fn run(&mut self) -> bool {
        while let Some(top) = self.frames.last_mut() {
            if self.options.cancel.is_cancelled() {
                return true;
            }
            match top.pop() {
                Some(name) => self.enter(&name),
                None => self.leave(),
            }
        }
        false
    }

    /// Visits a name that was a directory when it was read.
    fn enter(&mut self, name: &OsString) {
        self.path.push(name);
        let seen = match look(&self.path) {
            Ok(seen) if seen.identity.device != self.device => {
                self.tally.mount(seen.kind);
                return self.back();
            }
            Ok(seen) if seen.kind == Kind::Dir => seen,
            Ok(seen) => {
                let path = || self.path.clone();
                self.tally.leaf(name.as_encoded_bytes(), &seen, path);
                return self.back();
            }
            Err(cause) => {
                self.missing(Kind::Dir, "look at", &cause);
                return self.back();
            }
        };
        match fs::read_dir(&self.path) {
            Ok(entries) => {
                self.tally.enter(name.as_encoded_bytes(), &seen);
                self.read(entries);
            }
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => self.back(),
            Err(cause) => {
                let path = || self.path.clone();
                self.tally.leaf(name.as_encoded_bytes(), &seen, path);
                self.tally.gap("open directory", &self.path, &cause);
                self.back();
            }
        }
    }

    /// Reads the directory at the path: counts its leaves and keeps its directories.
    fn read(&mut self, entries: fs::ReadDir) {
        let mut dirs = Vec::new();
        let mut leaves = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => match entry.file_type() {
                    Ok(kind) if kind.is_dir() => dirs.push(entry.file_name()),
                    kind => leaves.push((entry.file_name(), kind.map_or(Kind::Other, kind_of))),
                },
                Err(cause) => {
                    self.tally.gap("read directory", &self.path, &cause);
                    break;
                }
            }
            if self.options.cancel.is_cancelled() {
                break;
            }
        }
        self.tally.expect(dirs.len() + leaves.len());
        for (name, kind) in leaves {
            if self.options.cancel.is_cancelled() {
                break;
            }
            self.path.push(&name);
            match look(&self.path) {
                Ok(seen) if seen.kind == Kind::Dir => {
                    self.path.pop();
                    dirs.push(name);
                    continue;
                }
                Ok(seen) if seen.identity.device != self.device => self.tally.mount(seen.kind),
                Ok(seen) => {
                    let path = || self.path.clone();
                    self.tally.leaf(name.as_encoded_bytes(), &seen, path);
                }
                Err(cause) => self.missing(kind, "look at", &cause),
            }
            self.back();
        }
        self.frames.push(dirs);
    }

    /// Leaves the last directory.
    fn leave(&mut self) {
        self.frames.pop();
        let is_root = self.frames.is_empty();
        let name = self.path.file_name().map(ToOwned::to_owned);
        let name = name.filter(|_| !is_root).unwrap_or_default();
        let path = || self.path.clone();
        self.tally.leave(name.as_encoded_bytes(), path);
        if !is_root {
            self.back();
        }
    }

    /// Counts an entry that could not be looked at, unless it is gone.
    fn missing(&mut self, kind: Kind, operation: &'static str, cause: &io::Error) {
        if cause.kind() != io::ErrorKind::NotFound {
            self.tally.unseen(kind);
            self.tally.gap(operation, &self.path, cause);
        }
    }

    fn back(&mut self) {
        self.path.pop();
    }
}

fn kind_of(file_type: fs::FileType) -> Kind {
    if file_type.is_file() {
        Kind::File
    } else if file_type.is_symlink() {
        Kind::Symlink
    } else if file_type.is_dir() {
        Kind::Dir
    } else {
        Kind::Other
    }
}
