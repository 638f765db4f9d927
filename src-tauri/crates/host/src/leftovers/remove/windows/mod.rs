//! Windows: handles that pin the way, and removal through the handle that was looked through.
//!
//! The handle is the identity: what was opened, looked at and asked for is what goes, whatever its name is by
//! then. Rights are lists here; a base is taken to be closed to others where it lies in the user's own
//! profile, as temp folders do.

mod handle;
mod tree;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::mem;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sandtray_core::leftover::evidence::FileId;
use sandtray_core::leftover::{Kind, Removal};
use sandtray_core::machine::Machine;

use super::{Ask, Met, MetKind, Removed, Skip, Target};
use crate::walk::Cancel;
use handle::Look;

/// A folder in which leftovers lie, pinned once.
#[derive(Debug)]
pub struct Base {
    _pin: File,
    /// Verbatim (`\\?\`), so that reserved names and long paths are names like all others (#17783).
    path: PathBuf,
    look: Look,
    held: Mutex<Held>,
}

/// What is kept from one target to the next.
#[derive(Debug, Default)]
struct Held {
    parent: Option<Parent>,
    /// Files whose times our own removals changed.
    ours: HashSet<FileId>,
}

/// The folders from the base to where targets lie, pinned.
#[derive(Debug)]
struct Parent {
    above: PathBuf,
    pins: Vec<(File, FileId)>,
}

impl Base {
    /// Opens the folder at a canonical path.
    ///
    /// # Errors
    /// [`Skip::Hostile`] where it is no folder but leads to one.
    pub fn open(path: &Path, _machine: &Machine) -> Result<Self, Skip> {
        let unreadable = |cause: io::Error| match handle::known(&cause) {
            Some(skip) => skip,
            None => Skip::unreadable("open directory", path, cause),
        };
        let path = std::fs::canonicalize(path).map_err(unreadable)?;
        let (pin, look) = handle::pin(&path).map_err(unreadable)?;
        if look.kind != MetKind::Directory {
            return Err(Skip::Hostile("it is no folder, or a link leads to it"));
        }
        Ok(Self {
            _pin: pin,
            path,
            look,
            held: Mutex::default(),
        })
    }

    /// The path that it was opened by.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes a target that was judged dead, in the way its class names.
    ///
    /// # Errors
    /// Why it, or the rest of it, is still there. [`Skip::Gone`] where there was nothing left to do.
    pub fn remove(
        &self,
        target: &Target<'_>,
        cancel: &Cancel,
        ask: &mut Ask<'_>,
    ) -> Result<Removed, Skip> {
        if !matches!(
            (target.removal, target.kind),
            (Removal::Empty, Kind::Directory) | (Removal::Name, Kind::File) | (Removal::Tree, _)
        ) {
            return Err(Skip::Never);
        }
        self.with(target, cancel, ask, |mut work| {
            if (target.removal, target.kind) == (Removal::Tree, Kind::Directory) {
                tree::remove(&mut work)
            } else {
                work.remove_name()
            }
        })
    }

    /// Moves a target into another open folder, under a name that is free there. It is looked at and asked
    /// for like what is removed, everything in it included.
    ///
    /// # Errors
    /// Why it is still where it was.
    pub fn park(
        &self,
        target: &Target<'_>,
        into: &Self,
        name: &OsStr,
        cancel: &Cancel,
        ask: &mut Ask<'_>,
    ) -> Result<(), Skip> {
        if target.removal == Removal::Never {
            return Err(Skip::Never);
        }
        let to = into.path.join(name);
        if !is_below(Path::new(name)) || Path::new(name).components().count() != 1 {
            let cause = io::ErrorKind::InvalidInput;
            return Err(Skip::failure("name", &to, cause));
        }
        self.with(target, cancel, ask, |mut work| {
            if work.cancel.is_cancelled() {
                return Err(Skip::Cancelled);
            }
            if target.kind == Kind::Directory {
                tree::look_through(&mut work)?;
            }
            let (file, look) = work.seize()?;
            work.ask_for(&look)?;
            handle::rename(&file, &to).map_err(|cause| work.refused("park", cause))?;
            work.changed();
            Ok(())
        })
    }

    fn with<T>(
        &self,
        target: &Target<'_>,
        cancel: &Cancel,
        ask: &mut Ask<'_>,
        act: impl FnOnce(Work<'_>) -> Result<T, Skip>,
    ) -> Result<T, Skip> {
        let path = self.path.join(target.path);
        if !is_below(target.path) {
            let cause = io::ErrorKind::InvalidInput;
            return Err(Skip::failure("find", &path, cause));
        }
        let lock = || self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut held = mem::take(&mut *lock());
        let done = self.pin_parent(&mut held, target.path).and_then(|()| {
            act(Work {
                base: self,
                target,
                path,
                held: &mut held,
                cancel,
                ask: &mut *ask,
            })
        });
        *lock() = held;
        done
    }

    fn pin_parent(&self, held: &mut Held, target: &Path) -> Result<(), Skip> {
        let above = target.parent().unwrap_or(Path::new(""));
        if held.parent.as_ref().is_some_and(|one| one.above == above) {
            return Ok(());
        }
        held.parent = None;
        let mut path = self.path.clone();
        let mut pins = Vec::new();
        for part in above.components() {
            path.push(part);
            let (pin, look) =
                handle::pin(&path).map_err(|cause| refused("open the folder of", &path, cause))?;
            if look.kind != MetKind::Directory {
                return Err(Skip::Changed("a folder on the way to it is a link now"));
            }
            if look.id.device != self.look.id.device {
                return Err(Skip::Mounted);
            }
            pins.push((pin, look.id));
        }
        held.parent = Some(Parent {
            above: above.to_owned(),
            pins,
        });
        Ok(())
    }
}

fn is_below(path: &Path) -> bool {
    let mut parts = path.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

fn refused(operation: &'static str, path: &Path, cause: io::Error) -> Skip {
    match handle::known(&cause) {
        Some(skip) => skip,
        None => Skip::failure(operation, path, cause),
    }
}

/// One target whose way is pinned.
struct Work<'a> {
    base: &'a Base,
    target: &'a Target<'a>,
    path: PathBuf,
    held: &'a mut Held,
    cancel: &'a Cancel,
    ask: &'a mut dyn FnMut(&Met<'_>) -> Result<(), Skip>,
}

impl Work<'_> {
    fn refused(&self, operation: &'static str, cause: io::Error) -> Skip {
        refused(operation, &self.path, cause)
    }

    /// Opens the target so that it can go, and makes sure that it is what was judged.
    fn seize(&self) -> Result<(File, Look), Skip> {
        let folder = self.target.kind == Kind::Directory;
        let (file, look) =
            handle::seize(&self.path, folder).map_err(|cause| self.refused("open", cause))?;
        self.is_target(&look)?;
        Ok((file, look))
    }

    fn is_target(&self, look: &Look) -> Result<(), Skip> {
        if look.id != self.target.id {
            return Err(Skip::Changed("another file has its name"));
        }
        if !look.kind.is(self.target.kind) {
            return Err(Skip::Changed("it is something else now"));
        }
        self.is_as_judged(look, false)
    }

    /// `emptied`: names may have gone from it meanwhile, which is what we do ourselves.
    fn is_as_judged(&self, look: &Look, emptied: bool) -> Result<(), Skip> {
        if look.id.device != self.base.look.id.device {
            return Err(Skip::Mounted);
        }
        let newer = |at: i64| at > self.target.touched.0;
        if newer(look.born) {
            return Err(Skip::Changed("it, or something in it, is new"));
        }
        let changed = if emptied {
            newer(look.changed) && !newer(look.modified)
        } else {
            newer(look.changed) || newer(look.modified)
        };
        if changed && !self.held.ours.contains(&look.id) {
            return Err(Skip::Changed(
                "it, or something in it, was written or moved",
            ));
        }
        Ok(())
    }

    fn ask_for(&mut self, look: &Look) -> Result<(), Skip> {
        (self.ask)(&Met {
            id: look.id,
            kind: look.kind,
            name: self.path.file_name().unwrap_or_default(),
            depth: 0,
        })
    }

    fn remove_name(&mut self) -> Result<Removed, Skip> {
        if self.cancel.is_cancelled() {
            return Err(Skip::Cancelled);
        }
        let (file, look) = self.seize()?;
        self.ask_for(&look)?;
        handle::dispose(&file).map_err(|cause| self.refused("remove", cause))?;
        let mut removed = Removed::default();
        self.went(&look, &mut removed);
        self.changed();
        Ok(removed)
    }

    /// Counts what went, and remembers which files change by it.
    fn went(&mut self, look: &Look, removed: &mut Removed) {
        if look.kind == MetKind::Directory || look.links <= 1 {
            removed.inodes = removed.inodes.saturating_add(1);
            removed.allocated += look.allocated;
            self.held.ours.remove(&look.id);
        } else {
            removed.linked = removed.linked.saturating_add(1);
            self.held.ours.insert(look.id);
        }
    }

    /// The times of the target's folder are ours from now on.
    fn changed(&mut self) {
        let parent = self.held.parent.as_ref();
        let id = parent
            .and_then(|parent| parent.pins.last())
            .map_or(self.base.look.id, |(_, id)| *id);
        self.held.ours.insert(id);
    }
}
