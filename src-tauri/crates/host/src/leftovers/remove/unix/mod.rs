//! Linux and macOS: one folder opened once, everything below it by descriptor.

mod base;
mod batch;
mod look;
mod park;
mod tree;
mod way;

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "macos.rs"]
mod system;

use std::ffi::{CStr, CString, OsStr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::AtFlags;
use rustix::io::Errno;
use sandtray_core::leftover::{Kind, Removal};

use super::{Ask, Met, Removed, Skip, Target};
use crate::walk::Cancel;
use base::{Held, Parent};
use look::{Look, Times};

pub use base::Base;

impl Base {
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
            (Removal::Empty, Kind::Directory)
                | (Removal::Name, Kind::File | Kind::Socket)
                | (Removal::Tree, _)
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

    /// Opens the target's parent and lets `act` work on its last name.
    fn with<T>(
        &self,
        target: &Target<'_>,
        cancel: &Cancel,
        ask: &mut Ask<'_>,
        act: impl FnOnce(Work<'_>) -> Result<T, Skip>,
    ) -> Result<T, Skip> {
        let (above, name) = base::split(target.path)
            .map_err(|cause| Skip::failure("find", &self.whole(target.path), cause))?;
        let mut held = self.take_held();
        let done = self.parent(&mut held, above, target.path).and_then(|()| {
            let Held { parent, ours } = &mut held;
            act(Work {
                base: self,
                target,
                name: &name,
                parent: parent.as_mut().ok_or(Skip::Gone)?,
                ours,
                cancel,
                ask: &mut *ask,
            })
        });
        self.put_held(held);
        done
    }
}

/// One target in its open parent.
struct Work<'a> {
    base: &'a Base,
    target: &'a Target<'a>,
    name: &'a CStr,
    parent: &'a mut Parent,
    ours: &'a mut base::Ours,
    cancel: &'a Cancel,
    ask: &'a mut dyn FnMut(&Met<'_>) -> Result<(), Skip>,
}

impl Work<'_> {
    fn parent(&self) -> BorrowedFd<'_> {
        self.parent.dir(self.base)
    }

    /// Looks at the last name: it is there, and it is what was judged.
    fn look(&self) -> Result<Look, Skip> {
        let path = || self.base.whole(self.target.path);
        let look = match system::look_at(self.parent(), self.name) {
            Ok(look) => look,
            Err(Errno::NOENT) => return Err(Skip::Gone),
            Err(cause) => return Err(Skip::unreadable("look at", &path(), cause)),
        };
        self.is_target(&look)?;
        Ok(look)
    }

    fn is_target(&self, look: &Look) -> Result<(), Skip> {
        if look.is_elsewhere(&self.base.look) {
            return Err(Skip::Mounted);
        }
        if look.id != self.target.id {
            return Err(Skip::Changed("another file has its name"));
        }
        if !look.kind.is(self.target.kind) {
            return Err(Skip::Changed("it is something else now"));
        }
        self.is_as_judged(look, Times::All)
    }

    /// What we changed ourselves is excused: the other names of a file of which one went, the folder in which
    /// something was removed before.
    fn is_as_judged(&self, look: &Look, times: Times) -> Result<(), Skip> {
        let judged =
            |times| look.is_as_judged(&self.base.look, self.base.uid, self.target.touched.0, times);
        match judged(times) {
            Err(Skip::Changed(_)) if self.ours.contains(&look.id) => judged(Times::Birth),
            judged => judged,
        }
    }

    fn ask_for(&mut self, look: &Look) -> Result<(), Skip> {
        (self.ask)(&Met {
            id: look.id,
            kind: look.kind,
            name: os(self.name.to_bytes()),
            depth: 0,
        })
    }

    /// An empty folder, a file or a socket. Whether a folder is empty only the kernel can say without a gap
    /// between the question and the act.
    fn remove_name(&mut self) -> Result<Removed, Skip> {
        if self.cancel.is_cancelled() {
            return Err(Skip::Cancelled);
        }
        let first = self.look()?;
        self.ask_for(&first)?;
        let look = self.look()?;
        let flags = match self.target.kind {
            Kind::Directory => AtFlags::REMOVEDIR,
            Kind::File | Kind::Socket => AtFlags::empty(),
        };
        match rustix::fs::unlinkat(self.parent(), self.name, flags) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Err(Skip::Gone),
            Err(Errno::NOTEMPTY | Errno::EXIST) => return Err(Skip::NotEmpty),
            Err(Errno::BUSY) => return Err(Skip::Mounted),
            Err(Errno::NOTDIR | Errno::ISDIR) => {
                return Err(Skip::Changed("it is something else now"));
            }
            Err(cause) => {
                let path = self.base.whole(self.target.path);
                return Err(Skip::failure("remove", &path, cause));
            }
        }
        let mut removed = Removed::default();
        self.went(&look, &mut removed);
        self.parent.changed(self.ours);
        Ok(removed)
    }

    /// Counts what went, and remembers which files change by it.
    fn went(&mut self, look: &Look, removed: &mut Removed) {
        if look.kind == super::MetKind::Directory || look.links <= 1 {
            removed.inodes = removed.inodes.saturating_add(1);
            removed.allocated += look.allocated;
            // The number is free for a file that is none of ours.
            self.ours.remove(&look.id);
        } else {
            removed.linked = removed.linked.saturating_add(1);
            self.ours.insert(look.id);
        }
    }
}

/// Bytes of a path that one call takes; the system's limit is 4,096, on macOS 1,024.
const PATH_AT_ONCE: usize = 1_000;

/// Opens a folder below another, however long the way.
fn descend(from: BorrowedFd<'_>, path: &[u8], guarded: bool) -> Result<OwnedFd, Errno> {
    let mut at: Option<OwnedFd> = None;
    let mut rest = path;
    while !rest.is_empty() {
        let end = if guarded && rest.len() <= PATH_AT_ONCE {
            rest.len()
        } else {
            let reach = if guarded { PATH_AT_ONCE } else { 0 };
            let window = rest.get(..reach).unwrap_or(rest);
            let last = window
                .iter()
                .rposition(|byte| *byte == b'/')
                .filter(|at| *at > 0);
            last.or_else(|| rest.iter().position(|byte| *byte == b'/'))
                .unwrap_or(rest.len())
        };
        let (part, after) = rest.split_at(end);
        rest = after.strip_prefix(b"/").unwrap_or(after);
        let part = CString::new(part).map_err(|_| Errno::INVAL)?;
        let parent = at.as_ref().map_or(from, AsFd::as_fd);
        at = Some(system::open_below(parent, &part, guarded)?);
    }
    at.ok_or(Errno::INVAL)
}

fn os(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

fn is_repository(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b".git")
}
