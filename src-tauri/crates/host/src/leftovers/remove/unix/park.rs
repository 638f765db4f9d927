//! Moves a target aside by rename, on its own volume and without replacing anything.

use std::ffi::{CStr, CString, OsStr};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{Mode, RenameFlags};
use rustix::io::Errno;
use sandtray_core::leftover::{Kind, Removal};

use super::super::{Ask, Target};
use super::base::Base;
use super::{Skip, Work, system, tree};
use crate::walk::Cancel;

impl Base {
    /// Moves a target into another open folder, under a name that is free there, and makes both folders
    /// durable. It is looked at and asked for like what is removed, everything in it included.
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
        let bytes = name.as_bytes();
        let plain = !bytes.is_empty() && !bytes.contains(&b'/') && bytes != b"." && bytes != b"..";
        let name = CString::new(bytes)
            .ok()
            .filter(|_| plain)
            .ok_or_else(|| Skip::failure("name", &into.whole(name.as_ref()), Errno::INVAL))?;
        self.with(target, cancel, ask, |mut work| work.park(into, &name))
    }
}

impl Work<'_> {
    fn park(&mut self, into: &Base, name: &CStr) -> Result<(), Skip> {
        if self.cancel.is_cancelled() {
            return Err(Skip::Cancelled);
        }
        let top = if self.target.kind == Kind::Directory {
            Some(tree::look_through(self)?)
        } else {
            let look = self.look()?;
            self.ask_for(&look)?;
            None
        };
        let look = self.look()?;
        let path = self.base.whole(self.target.path);
        // A folder whose parent changes is written to; one that is sealed is opened for that moment.
        let sealed = match &top {
            Some((dir, _)) => {
                tree::unseal(Ok(dir), &look).map_err(|cause| Skip::failure("open", &path, cause))?
            }
            None => None,
        };
        let moved = self.rename(into, name);
        if let (Some((dir, _)), Some(mode)) = (&top, sealed) {
            seal(dir, mode);
        }
        moved?;
        self.parent.changed(self.ours);
        if into.look.id != self.base.look.id {
            sync(&into.dir).map_err(|cause| Skip::failure("sync", into.path(), cause))?;
        }
        let parent = rustix::io::fcntl_dupfd_cloexec(self.parent(), 0).and_then(|dir| sync(&dir));
        parent.map_err(|cause| Skip::failure("sync", &path, cause))
    }

    fn rename(&self, into: &Base, name: &CStr) -> Result<(), Skip> {
        let new = RenameFlags::NOREPLACE;
        match rustix::fs::renameat_with(self.parent(), self.name, &into.dir, name, new) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Err(Skip::Gone),
            Err(Errno::XDEV) => return Err(Skip::OtherVolume),
            Err(Errno::BUSY) => return Err(Skip::Mounted),
            Err(cause) => {
                let path = self.base.whole(self.target.path);
                return Err(Skip::failure("park", &path, cause));
            }
        }
        let arrived = system::look_at(into.dir.as_fd(), name);
        if arrived.is_ok_and(|look| look.id == self.target.id) {
            return Ok(());
        }
        // Exchanged in the instant before: it goes back to where it was.
        rustix::fs::renameat_with(&into.dir, name, self.parent(), self.name, new).ok();
        Err(Skip::Changed("another file has its name"))
    }
}

fn seal(dir: &OwnedFd, mode: u32) {
    rustix::fs::fchmod(dir, Mode::from_raw_mode(mode as _)).ok();
}

/// A filesystem that cannot sync a folder says so; there is nothing more that could be done.
fn sync(dir: &OwnedFd) -> Result<(), Errno> {
    match system::sync(dir) {
        Err(Errno::INVAL | Errno::OPNOTSUPP) => Ok(()),
        done => done,
    }
}
