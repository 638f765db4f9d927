//! A folder with everything in it, in two passes: nothing goes before all of it was looked at and asked for.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::mem;
use std::path::PathBuf;
use std::vec;

use super::super::skip::{Partly, gap};
use super::super::{Met, MetKind};
use super::handle::{self, Look};
use super::{Removed, Skip, Work};

/// A folder on the way, pinned, with the names in it that are still to be dealt with.
struct Level {
    pin: File,
    look: Look,
    names: vec::IntoIter<OsString>,
    failed: bool,
}

/// Removes a tree.
pub(super) fn remove(work: &mut Work<'_>) -> Result<Removed, Skip> {
    look_through(work)?;
    let mut walk = Walk::new(work, true);
    let stopped = walk.run().err();
    let done = mem::replace(&mut walk.done, Partly::begun());
    if !done.removed.is_nothing() {
        work.changed();
    }
    done.ended(stopped)
}

/// Looks at everything in a tree and asks for all of it.
pub(super) fn look_through(work: &mut Work<'_>) -> Result<(), Skip> {
    Walk::new(work, false).run()
}

struct Walk<'w, 'a> {
    path: PathBuf,
    work: &'w mut Work<'a>,
    levels: Vec<Level>,
    removing: bool,
    done: Partly,
}

impl<'w, 'a> Walk<'w, 'a> {
    fn new(work: &'w mut Work<'a>, removing: bool) -> Self {
        Self {
            path: work.path.clone(),
            work,
            levels: Vec::new(),
            removing,
            done: Partly::begun(),
        }
    }

    fn run(&mut self) -> Result<(), Skip> {
        let (pin, look) = handle::pin(&self.path)
            .map_err(|cause| super::refused("open directory", &self.path, cause))?;
        self.work.is_target(&look)?;
        if !self.removing {
            self.work.ask_for(&look)?;
        }
        self.push(pin, look)?;
        while let Some(level) = self.levels.last_mut() {
            if self.work.cancel.is_cancelled() {
                return Err(Skip::Cancelled);
            }
            match level.names.next() {
                Some(name) => self.entry(&name)?,
                None => self.leave()?,
            }
        }
        Ok(())
    }

    fn push(&mut self, pin: File, look: Look) -> Result<(), Skip> {
        // The pin keeps the path what it is while it is listed.
        let listed: io::Result<Vec<OsString>> = std::fs::read_dir(&self.path)
            .and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect());
        let (names, failed) = match listed {
            Ok(names) => (names, false),
            Err(cause) => {
                self.refused("read directory", cause)?;
                (Vec::new(), true)
            }
        };
        if !self.work.target.own_repository && is_repository(&names) {
            return Err(Skip::Repository);
        }
        self.levels.push(Level {
            pin,
            look,
            names: names.into_iter(),
            failed,
        });
        Ok(())
    }

    fn entry(&mut self, name: &OsStr) -> Result<(), Skip> {
        self.path.push(name);
        let entered = self.look_or_remove(name)?;
        if !entered {
            self.path.pop();
        }
        Ok(())
    }

    /// Deals with the entry at the path; true where it is a folder that was entered.
    fn look_or_remove(&mut self, name: &OsStr) -> Result<bool, Skip> {
        let (_, look) = match handle::glance(&self.path) {
            Ok(found) => found,
            Err(cause) => return self.stays("look at", cause),
        };
        self.work
            .is_as_judged(&look, self.removing && look.kind == MetKind::Directory)?;
        if look.kind == MetKind::Directory {
            let (pin, pinned) = match handle::pin(&self.path) {
                Ok(found) => found,
                Err(cause) => return self.stays("open directory", cause),
            };
            if pinned.id != look.id || pinned.kind != look.kind {
                return Err(Skip::Changed("a folder in it was replaced"));
            }
            if !self.removing {
                self.ask(&pinned, name, self.levels.len())?;
            }
            self.push(pin, pinned)?;
            return Ok(true);
        }
        if self.removing {
            self.dispose(name, false, self.levels.len())?;
        } else {
            self.ask(&look, name, self.levels.len())?;
        }
        Ok(false)
    }

    /// Opens the entry at the path for removal, looks, asks, and removes it through that very handle.
    fn dispose(&mut self, name: &OsStr, is_folder: bool, depth: usize) -> Result<(), Skip> {
        let (file, look) = match handle::seize(&self.path, is_folder) {
            Ok(found) => found,
            Err(cause) => return self.stays("open", cause).map(drop),
        };
        if is_folder != (look.kind == MetKind::Directory) {
            return Err(Skip::Changed("something in it was replaced"));
        }
        self.work.is_as_judged(&look, is_folder)?;
        self.ask(&look, name, depth)?;
        match handle::dispose(&file) {
            Ok(()) => self.work.went(&look, &mut self.done.removed),
            Err(cause) => return self.stays("remove", cause).map(drop),
        }
        Ok(())
    }

    fn leave(&mut self) -> Result<(), Skip> {
        let Some(level) = self.levels.pop() else {
            return Ok(());
        };
        let Level {
            pin, look, failed, ..
        } = level;
        if self.removing && !failed {
            // Its own removal wants a handle that nobody else has. What has its name then is looked at anew.
            drop(pin);
            match handle::glance(&self.path) {
                Ok((_, found)) if found.id != look.id => {
                    return Err(Skip::Changed("a folder in it was replaced"));
                }
                _ => {}
            }
            let name = self.path.file_name().unwrap_or_default().to_owned();
            self.dispose(&name, true, self.levels.len())?;
        }
        if failed && let Some(above) = self.levels.last_mut() {
            above.failed = true;
        }
        self.path.pop();
        Ok(())
    }

    /// Gone is as good as removed; what is held stops the whole; anything else is named.
    fn stays(&mut self, operation: &'static str, cause: io::Error) -> Result<bool, Skip> {
        match handle::known(&cause) {
            Some(Skip::Gone) => Ok(false),
            Some(skip) => Err(skip),
            None => self.refused(operation, cause).map(|()| false),
        }
    }

    fn refused(&mut self, operation: &'static str, cause: io::Error) -> Result<(), Skip> {
        if !self.removing {
            return Err(Skip::unreadable(operation, &self.path, cause));
        }
        self.done.fail(gap(operation, &self.path, cause));
        if let Some(level) = self.levels.last_mut() {
            level.failed = true;
        }
        Ok(())
    }

    fn ask(&mut self, look: &Look, name: &OsStr, depth: usize) -> Result<(), Skip> {
        (self.work.ask)(&Met {
            id: look.id,
            kind: look.kind,
            name,
            depth,
        })
    }
}

/// A working tree has `.git`; a repository without one has these three.
fn is_repository(names: &[OsString]) -> bool {
    let has = |wanted: &str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
    has(".git") || (has("HEAD") && has("objects") && has("refs"))
}
