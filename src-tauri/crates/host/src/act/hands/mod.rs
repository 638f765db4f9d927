//! The only code that changes a disk for an act.
//!
//! Every effect of an act goes through [`Hands`], one small method each, so that a test can count them,
//! let any of them fail with any error, end the process before or after any of them, and write them down
//! to replay what a power loss would have left. Without such a hook there is no cost.
//!
//! No rename here replaces anything, with the one exception of a copy's own manifest.

#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub(super) use system::{exclude, packaged, writable};

/// A change on the disk. What it says is enough to do it again elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A folder for this user alone.
    MakeDir(PathBuf),
    /// A rename that never replaces.
    Rename {
        /// Before.
        from: PathBuf,
        /// After.
        to: PathBuf,
    },
    /// A rename over our own older file.
    Replace {
        /// Before.
        from: PathBuf,
        /// After.
        to: PathBuf,
    },
    /// A new file for this user alone, with all its content.
    Create(PathBuf, Vec<u8>),
    /// Bytes at the end of a file.
    Append(PathBuf, Vec<u8>),
    /// A file's content is durable.
    SyncFile(PathBuf),
    /// The names in a folder are durable.
    SyncDir(PathBuf),
    /// A file goes for good.
    RemoveFile(PathBuf),
    /// An empty folder goes.
    RemoveDir(PathBuf),
}

/// On which side of an effect a hook is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It has not begun; an error keeps it from happening.
    Before,
    /// It has happened; an error is told all the same.
    After,
}

/// What a test puts around every effect.
pub type Hook = Box<dyn Fn(Side, &Effect) -> io::Result<()> + Send + Sync>;

/// Carries effects out.
#[derive(Default)]
pub struct Hands {
    hook: Option<Hook>,
}

impl fmt::Debug for Hands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hands")
            .field("hook", &self.hook.is_some())
            .finish()
    }
}

impl Hands {
    /// Hands with a hook around every effect.
    #[must_use]
    pub fn hooked(hook: Hook) -> Self {
        Self { hook: Some(hook) }
    }

    fn doing(
        &self,
        effect: impl FnOnce() -> Effect,
        act: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<()> {
        let Some(hook) = &self.hook else {
            return act();
        };
        let effect = effect();
        hook(Side::Before, &effect)?;
        act()?;
        hook(Side::After, &effect)
    }

    /// Makes a folder for this user alone; it must not exist.
    pub(super) fn make_dir(&self, path: &Path) -> io::Result<()> {
        self.doing(
            || Effect::MakeDir(path.to_owned()),
            || system::make_dir(path),
        )
    }

    /// Makes a folder and those above it that are missing, each durable in the one above.
    pub(crate) fn make_dirs(&self, path: &Path) -> io::Result<()> {
        let missing: Vec<&Path> = path
            .ancestors()
            .take_while(|path| path.symlink_metadata().is_err())
            .collect();
        for path in missing.into_iter().rev() {
            self.make_dir(path)?;
            self.sync_parent(path)?;
        }
        Ok(())
    }

    /// Renames, and fails where something is there already.
    pub(super) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.doing(
            || Effect::Rename {
                from: from.to_owned(),
                to: to.to_owned(),
            },
            || system::rename_new(from, to),
        )
    }

    /// Writes a new file and makes it durable, with its name.
    pub(crate) fn write_new_synced(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.doing(
            || Effect::Create(path.to_owned(), bytes.to_owned()),
            || system::create(path, bytes),
        )?;
        self.sync_file(path)?;
        self.sync_parent(path)
    }

    /// Replaces a file of our own: whole before, whole after.
    pub(super) fn replace_synced(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut name = path.as_os_str().to_owned();
        name.push(".new");
        let new = PathBuf::from(name);
        if new.symlink_metadata().is_ok() {
            self.remove_file(&new)?;
        }
        self.write_new_synced(&new, bytes)?;
        self.doing(
            || Effect::Replace {
                from: new.clone(),
                to: path.to_owned(),
            },
            || std::fs::rename(&new, path),
        )?;
        self.sync_parent(path)
    }

    /// Appends to a file and makes the bytes durable.
    pub(crate) fn append_synced(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.doing(
            || Effect::Append(path.to_owned(), bytes.to_owned()),
            || system::append(path, bytes),
        )?;
        self.sync_file(path)
    }

    /// Makes a file's content durable.
    pub(super) fn sync_file(&self, path: &Path) -> io::Result<()> {
        self.doing(
            || Effect::SyncFile(path.to_owned()),
            || system::sync_file(path),
        )
    }

    /// Makes the names in a folder durable.
    pub(crate) fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.doing(
            || Effect::SyncDir(path.to_owned()),
            || system::sync_dir(path),
        )
    }

    /// Makes the names beside `path` durable.
    pub(super) fn sync_parent(&self, path: &Path) -> io::Result<()> {
        path.parent().map_or(Ok(()), |parent| self.sync_dir(parent))
    }

    /// Removes an empty folder.
    pub(crate) fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.doing(
            || Effect::RemoveDir(path.to_owned()),
            || std::fs::remove_dir(path),
        )
    }

    /// Removes a file of our own.
    pub(crate) fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.doing(
            || Effect::RemoveFile(path.to_owned()),
            || std::fs::remove_file(path),
        )
    }

    /// Removes a folder with everything in it, `last` of its own names last, never through a link and never
    /// across a mount. Whatever stopped it, it can be begun again.
    pub(super) fn remove_tree(&self, root: &Path, last: &str) -> io::Result<()> {
        system::remove_tree(self, root, last)?;
        self.remove_dir(root)?;
        self.sync_parent(root)
    }
}
