//! The folder that was opened once, and what is kept from one target to the next.

use std::collections::HashSet;
use std::ffi::CString;
use std::fmt;
use std::io;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::io::Errno;
use sandtray_core::leftover::evidence::FileId;
use sandtray_core::machine::Machine;

use super::look::Look;
use super::{Skip, descend, system};

/// A folder in which leftovers lie, opened once. What it is called afterwards does not matter.
pub struct Base {
    pub(super) dir: OwnedFd,
    path: PathBuf,
    pub(super) look: Look,
    pub(super) uid: u32,
    /// Whether the system itself keeps us beneath it and on its mount.
    pub(super) guarded: bool,
    held: Mutex<Held>,
}

/// Files whose times our own removals changed.
pub(super) type Ours = HashSet<FileId>;

/// What is kept from one target to the next. Siblings have one parent, so it is opened once for all of them.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) parent: Option<Parent>,
    pub(super) ours: Ours,
}

/// An open folder in which targets lie.
#[derive(Debug)]
pub(super) struct Parent {
    above: PathBuf,
    /// None for the base itself.
    dir: Option<OwnedFd>,
    id: FileId,
    is_ours: bool,
}

impl Parent {
    pub(super) fn dir<'a>(&'a self, base: &'a Base) -> BorrowedFd<'a> {
        self.dir.as_ref().unwrap_or(&base.dir).as_fd()
    }

    /// Its times are ours from now on.
    pub(super) fn changed(&mut self, ours: &mut Ours) {
        if !mem::replace(&mut self.is_ours, true) {
            ours.insert(self.id);
        }
    }
}

impl fmt::Debug for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Base")
            .field("path", &self.path)
            .field("id", &self.look.id)
            .finish_non_exhaustive()
    }
}

impl Base {
    /// Opens the folder at a canonical path. It has to be this user's and closed to other writers, or sticky.
    ///
    /// # Errors
    /// [`Skip::Hostile`] where others could exchange what is in it.
    pub fn open(path: &Path, machine: &Machine) -> Result<Self, Skip> {
        let dir = match system::open_base(path) {
            Ok(dir) => dir,
            Err(Errno::NOENT) => return Err(Skip::Gone),
            Err(Errno::LOOP | Errno::NOTDIR) => {
                return Err(Skip::Hostile("it is no folder, or a link leads to it"));
            }
            Err(cause) => return Err(Skip::unreadable("open directory", path, cause)),
        };
        let look = system::look_into(dir.as_fd())
            .map_err(|cause| Skip::unreadable("look at", path, cause))?;
        look.is_private(machine.uid).map_err(Skip::Hostile)?;
        let guarded = system::is_guarded(&dir);
        Ok(Self {
            dir,
            path: path.to_owned(),
            look,
            uid: machine.uid,
            guarded,
            held: Mutex::default(),
        })
    }

    /// The same on a system without `openat2`.
    #[cfg(test)]
    pub(in super::super) fn unguarded(mut self) -> Self {
        self.guarded = false;
        self
    }

    /// The path that it was opened by.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of something below, for messages.
    pub(super) fn whole(&self, below: &Path) -> PathBuf {
        self.path.join(below)
    }

    /// Taken out while a target is worked on, so that the callbacks run without a lock.
    pub(super) fn take_held(&self) -> Held {
        mem::take(&mut self.held.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn put_held(&self, held: Held) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = held;
    }

    /// Makes sure that the folder `above` is the open parent.
    pub(super) fn parent(&self, held: &mut Held, above: &Path, target: &Path) -> Result<(), Skip> {
        if held
            .parent
            .as_ref()
            .is_some_and(|parent| parent.above == above)
        {
            return Ok(());
        }
        held.parent = None;
        let (dir, look) = if above.as_os_str().is_empty() {
            (None, self.look)
        } else {
            let path = || self.whole(target);
            let dir = match descend(self.dir.as_fd(), above.as_os_str().as_bytes(), self.guarded) {
                Ok(dir) => dir,
                Err(Errno::NOENT) => return Err(Skip::Gone),
                Err(Errno::XDEV) => return Err(Skip::Mounted),
                Err(Errno::LOOP | Errno::NOTDIR) => {
                    return Err(Skip::Changed("a folder on the way to it is a link now"));
                }
                Err(cause) => return Err(Skip::unreadable("open the folder of", &path(), cause)),
            };
            let look = system::look_into(dir.as_fd())
                .map_err(|cause| Skip::unreadable("look at the folder of", &path(), cause))?;
            if look.is_elsewhere(&self.look) {
                return Err(Skip::Mounted);
            }
            if look.uid != self.uid && look.is_private(self.uid).is_err() {
                return Err(Skip::Foreign);
            }
            (Some(dir), look)
        };
        held.parent = Some(Parent {
            above: above.to_owned(),
            dir,
            id: look.id,
            is_ours: false,
        });
        Ok(())
    }
}

/// The folder and the last name of a path below a base.
pub(super) fn split(path: &Path) -> io::Result<(&Path, CString)> {
    let below = path
        .components()
        .all(|component| matches!(component, Component::Normal(_)));
    let (Some(above), Some(name), true) = (path.parent(), path.file_name(), below) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it does not lie below the folder that was opened",
        ));
    };
    Ok((above, CString::new(name.as_bytes())?))
}
