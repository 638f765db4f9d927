//! A folder with everything in it, in two passes: nothing goes before all of it was looked at and asked for.

use std::ffi::{CStr, CString};
use std::mem;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, FlockOperation, Mode};
use rustix::io::Errno;
use sandtray_core::leftover::evidence::FileId;

use super::super::skip::{Partly, gap};
use super::super::{Met, MetKind};
use super::batch::{Batch, Listed};
use super::look::{Look, Times};
use super::way::Way;
use super::{Removed, Skip, Work, is_repository, os, system};

/// Removals between two looks at whether the folder still lies where it was.
const REMOVALS_PER_LOOK: u32 = 64;

const READ_AND_WRITE: u32 = 0o700;
const WRITE_AND_SEARCH: u32 = 0o300;

/// Removes a tree.
pub(super) fn remove(work: &mut Work<'_>) -> Result<Removed, Skip> {
    let (top, look) = look_through(work)?;
    let mut walk = Walk::new(work, top, look, true);
    let stopped = walk.start().and_then(|()| walk.run()).err();
    walk.way.seal_again();
    let done = mem::replace(&mut walk.done, Partly::begun());
    if !done.removed.is_nothing() {
        work.parent.changed(work.ours);
    }
    done.ended(stopped)
}

/// Looks at everything in a tree and asks for all of it; returns its top, open and locked.
pub(super) fn look_through(work: &mut Work<'_>) -> Result<(OwnedFd, Look), Skip> {
    let path = work.base.whole(work.target.path);
    work.look()?;
    let top = match system::open_below(work.parent(), work.name, work.base.guarded) {
        Ok(top) => top,
        Err(Errno::NOENT) => return Err(Skip::Gone),
        Err(Errno::XDEV) => return Err(Skip::Mounted),
        Err(Errno::NOTDIR | Errno::LOOP) => {
            return Err(Skip::Changed("it is something else now"));
        }
        Err(cause) => return Err(Skip::unreadable("open directory", &path, cause)),
    };
    let look = system::look_into(top.as_fd())
        .map_err(|cause| Skip::unreadable("look at", &path, cause))?;
    work.is_target(&look)?;
    lock(&top)?;
    work.ask_for(&look)?;
    let again = rustix::io::fcntl_dupfd_cloexec(&top, 0)
        .map_err(|cause| Skip::unreadable("open directory", &path, cause))?;
    Walk::new(work, again, look, false).run()?;
    Ok((top, look))
}

/// Age sweeps and programs that want to keep a folder tell each other by a lock on it (T24). Where a
/// filesystem has none there is nobody to meet.
fn lock(dir: &OwnedFd) -> Result<(), Skip> {
    match rustix::fs::flock(dir, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => Err(Skip::Held("another program has locked a folder in it")),
        _ => Ok(()),
    }
}

struct Walk<'w, 'a> {
    work: &'w mut Work<'a>,
    way: Way<'a>,
    batch: Batch,
    removing: bool,
    done: Partly,
    until_look: u32,
}

impl<'w, 'a> Walk<'w, 'a> {
    fn new(work: &'w mut Work<'a>, top: OwnedFd, look: Look, removing: bool) -> Self {
        let way = Way::new(work.base, work.target.path, top, look);
        Self {
            work,
            way,
            batch: Batch::default(),
            removing,
            done: Partly::begun(),
            until_look: 0,
        }
    }

    /// Makes the top, which was read to its end, ready to be emptied.
    fn start(&mut self) -> Result<(), Skip> {
        let path = self.way.whole(b"");
        let Some(top) = self.way.last_mut() else {
            return Ok(());
        };
        top.owned()
            .and_then(|dir| system::seek(dir, 0))
            .map_err(|cause| Skip::failure("read directory", &path, cause))?;
        top.sealed =
            unseal(top.owned(), &top.look).map_err(|cause| Skip::failure("open", &path, cause))?;
        Ok(())
    }

    fn run(&mut self) -> Result<(), Skip> {
        while let Some(level) = self.way.last_mut() {
            if let Some(name) = level.next_folder() {
                self.enter(&name)?;
            } else if level.is_read {
                self.leave()?;
            } else {
                self.read()?;
            }
        }
        Ok(())
    }

    /// Reads some names of the last level, and deals with those that are no folders.
    fn read(&mut self) -> Result<(), Skip> {
        let mut batch = mem::take(&mut self.batch);
        let read = self.read_into(&mut batch);
        self.batch = batch;
        read
    }

    fn read_into(&mut self, batch: &mut Batch) -> Result<(), Skip> {
        let Some(level) = self.way.last_mut() else {
            return Ok(());
        };
        batch.next_at = level.next_at;
        match level.owned().and_then(|dir| system::list(dir, batch)) {
            // A folder that somebody else removed has no names.
            Ok(()) | Err(Errno::NOENT) => {}
            Err(cause) => {
                level.is_read = true;
                return self.refused("read directory", b"", cause);
            }
        }
        level.next_at = batch.next_at;
        level.is_read = batch.is_empty();
        for (name, listed) in batch.iter() {
            if !self.work.target.own_repository {
                self.is_no_repository(name.to_bytes())?;
            }
            if listed.kind == Some(MetKind::Directory) {
                if let Some(level) = self.way.last_mut() {
                    level.add_folder(name);
                }
            } else {
                self.leaf(name, listed)?;
            }
        }
        Ok(())
    }

    /// A working tree has `.git`; a repository without one has these three.
    fn is_no_repository(&mut self, name: &[u8]) -> Result<(), Skip> {
        if is_repository(name) {
            return Err(Skip::Repository);
        }
        let bit = match name {
            b"HEAD" => 1,
            b"objects" => 2,
            b"refs" => 4,
            _ => return Ok(()),
        };
        if let Some(level) = self.way.last_mut() {
            level.bare |= bit;
            if level.bare == 7 {
                return Err(Skip::Repository);
            }
        }
        Ok(())
    }

    /// Something that is no folder. When it goes it is looked at after it was asked for, right before.
    fn leaf(&mut self, name: &CStr, listed: Listed) -> Result<(), Skip> {
        const LOOKS: usize = 4;
        self.is_wanted()?;
        let mut asked = None;
        if self.removing
            && let (Some(kind), Some(dir)) = (listed.kind, self.way.last_id())
        {
            // Folders here have the device of the tree; the look below says whether this does too.
            let inode = listed.inode;
            asked = Some((FileId { inode, ..dir }, kind));
            self.ask(asked, name)?;
        }
        for _ in 0..LOOKS {
            let Some(level) = self.way.last_mut() else {
                return Ok(());
            };
            let look = match level.dir().and_then(|dir| system::look_at(dir, name)) {
                Ok(look) => look,
                Err(Errno::NOENT) => return Ok(()),
                Err(cause) => return self.refused("look at", name.to_bytes(), cause),
            };
            if look.kind == MetKind::Directory {
                level.add_folder(name);
                return Ok(());
            }
            self.work.is_as_judged(&look, Times::All)?;
            let seen = Some((look.id, look.kind));
            if asked == seen {
                return self.unlink(name, &look);
            }
            asked = seen;
            self.ask(seen, name)?;
            if !self.removing {
                return Ok(());
            }
        }
        Err(Skip::Changed("something in it changes all the time"))
    }

    fn unlink(&mut self, name: &CStr, look: &Look) -> Result<(), Skip> {
        let Some(level) = self.way.last_mut() else {
            return Ok(());
        };
        let done = level
            .dir()
            .and_then(|dir| rustix::fs::unlinkat(dir, name, AtFlags::empty()));
        match done {
            Ok(()) => {
                level.went = true;
                self.work.went(look, &mut self.done.removed);
                Ok(())
            }
            Err(Errno::NOENT) => Ok(()),
            Err(Errno::BUSY) => Err(Skip::Mounted),
            Err(Errno::ISDIR) => Err(Skip::Changed("a file in it was replaced")),
            Err(cause) => self.refused("remove", name.to_bytes(), cause),
        }
    }

    /// Goes down into a folder of the last level.
    fn enter(&mut self, name: &CStr) -> Result<(), Skip> {
        self.is_wanted()?;
        let guarded = self.work.base.guarded;
        let Some(level) = self.way.last_mut() else {
            return Ok(());
        };
        let dir = match level
            .dir()
            .and_then(|dir| system::open_below(dir, name, guarded))
        {
            Ok(dir) => dir,
            Err(Errno::NOENT) => return Ok(()),
            Err(Errno::XDEV) => return Err(Skip::Mounted),
            Err(Errno::NOTDIR | Errno::LOOP) => {
                return Err(Skip::Changed("a folder in it is something else now"));
            }
            Err(cause) => return self.refused("open directory", name.to_bytes(), cause),
        };
        let look = match system::look_into(dir.as_fd()) {
            Ok(look) => look,
            Err(cause) => return self.refused("look at", name.to_bytes(), cause),
        };
        let times = if self.removing {
            Times::ButEmptied
        } else {
            Times::All
        };
        self.work.is_as_judged(&look, times)?;
        lock(&dir)?;
        let mut sealed = None;
        if self.removing {
            match unseal(Ok(&dir), &look) {
                Ok(before) => sealed = before,
                Err(cause) => return self.refused("open", name.to_bytes(), cause),
            }
        } else {
            self.ask(Some((look.id, look.kind)), name)?;
        }
        self.way.push(dir, look, name);
        if let Some(level) = self.way.last_mut() {
            level.sealed = sealed;
        }
        Ok(())
    }

    /// Goes up; the folder that was left goes too, when it is empty now.
    fn leave(&mut self) -> Result<(), Skip> {
        self.way
            .open_above()
            .map_err(|_| Skip::Changed("a folder in it was moved away"))?;
        let failed = self.way.last().is_some_and(|level| level.failed);
        if self.removing && !failed && !self.remove_dir()? {
            return Ok(());
        }
        // Asked anew: its own removal may have failed.
        let failed = self.way.last().is_some_and(|level| level.failed);
        if failed {
            self.seal_last();
        }
        self.way.pop();
        if let Some(level) = self.way.last_mut() {
            level.failed |= failed;
            level.went = true;
        }
        Ok(())
    }

    /// Removes the last level. False where it is to be read once more.
    fn remove_dir(&mut self) -> Result<bool, Skip> {
        self.is_wanted()?;
        let at_top = self.way.depth() == 1;
        let name = if at_top {
            self.work.name.to_owned()
        } else {
            CString::new(self.way.last_name()).map_err(|_| Skip::Changed("its name"))?
        };
        let Some(id) = self.way.last_id() else {
            return Ok(true);
        };
        let depth = self.way.depth() - 1;
        self.ask_at(Some((id, MetKind::Directory)), &name, depth)?;
        let above = match self.way.above() {
            Some(level) => level.dir(),
            None => Ok(self.work.parent.dir(self.work.base)),
        };
        let found = above.and_then(|above| Ok((above, system::look_at(above, &name)?)));
        let (above, look) = match found {
            Ok(found) => found,
            Err(Errno::NOENT) => return Ok(true),
            Err(cause) => return self.refused("look at", b"", cause).map(|()| true),
        };
        if look.is_elsewhere(&self.work.base.look) {
            return Err(Skip::Mounted);
        }
        if look.id != id {
            return Err(Skip::Changed("a folder in it was replaced"));
        }
        match rustix::fs::unlinkat(above, &name, AtFlags::REMOVEDIR) {
            Ok(()) => {
                self.work.went(&look, &mut self.done.removed);
                if let Some(level) = self.way.last_mut() {
                    level.sealed = None;
                }
                Ok(true)
            }
            Err(Errno::NOENT) => Ok(true),
            Err(Errno::BUSY) => Err(Skip::Mounted),
            Err(Errno::NOTDIR) => Err(Skip::Changed("a folder in it was replaced")),
            Err(Errno::NOTEMPTY | Errno::EXIST) => self.read_once_more().map(|()| false),
            Err(cause) => self.refused("remove", b"", cause).map(|()| true),
        }
    }

    /// A listing may miss names while others go; and what is new shows itself.
    fn read_once_more(&mut self) -> Result<(), Skip> {
        let path = self.way.whole(b"");
        let Some(level) = self.way.last_mut() else {
            return Ok(());
        };
        if !mem::take(&mut level.went) {
            return Err(Skip::NotEmpty);
        }
        level.is_read = false;
        level.next_at = 0;
        level
            .owned()
            .and_then(|dir| system::seek(dir, 0))
            .map_err(|cause| Skip::failure("read directory", &path, cause))
    }

    /// A sealed folder that stays is sealed again.
    fn seal_last(&mut self) {
        if let Some(level) = self.way.last_mut()
            && let Some(mode) = level.sealed.take()
            && let Ok(dir) = level.owned()
        {
            rustix::fs::fchmod(dir, Mode::from_raw_mode(mode as _)).ok();
        }
    }

    /// Nobody stopped it, and what goes next lies where it was.
    fn is_wanted(&mut self) -> Result<(), Skip> {
        if self.work.cancel.is_cancelled() {
            return Err(Skip::Cancelled);
        }
        if !self.removing {
            return Ok(());
        }
        if self.until_look == 0 {
            if !self.way.is_in_place() {
                return Err(Skip::Changed("it was moved while it was removed"));
            }
            self.until_look = REMOVALS_PER_LOOK;
        }
        self.until_look -= 1;
        Ok(())
    }

    fn ask(&mut self, met: Option<(FileId, MetKind)>, name: &CStr) -> Result<(), Skip> {
        self.ask_at(met, name, self.way.depth())
    }

    fn ask_at(
        &mut self,
        met: Option<(FileId, MetKind)>,
        name: &CStr,
        depth: usize,
    ) -> Result<(), Skip> {
        let Some((id, kind)) = met else {
            return Ok(());
        };
        (self.work.ask)(&Met {
            id,
            kind,
            name: os(name.to_bytes()),
            depth,
        })
    }

    /// Before anything went, what cannot be seen keeps the whole. Afterwards it is named and the rest goes.
    fn refused(&mut self, operation: &'static str, name: &[u8], cause: Errno) -> Result<(), Skip> {
        let path = self.way.whole(name);
        if !self.removing {
            return Err(Skip::unreadable(operation, &path, cause));
        }
        self.done.fail(gap(operation, &path, cause));
        if let Some(level) = self.way.last_mut() {
            level.failed = true;
        }
        Ok(())
    }
}

/// Opens a sealed folder for writing, through its own descriptor; returns its mode as it was.
pub(super) fn unseal(dir: Result<&OwnedFd, Errno>, look: &Look) -> Result<Option<u32>, Errno> {
    if look.mode & WRITE_AND_SEARCH == WRITE_AND_SEARCH {
        return Ok(None);
    }
    rustix::fs::fchmod(dir?, Mode::from_raw_mode((look.mode | READ_AND_WRITE) as _))?;
    Ok(Some(look.mode))
}
