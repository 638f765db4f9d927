//! One worker: depth first, one batch of names at a time.

use std::ffi::{CStr, OsStr};
use std::io;
use std::mem::{self, MaybeUninit};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rustix::fs::{RawDir, SeekFrom};
use rustix::io::Errno;

use super::super::links::Links;
use super::super::tally::Tally;
use super::super::{Identity, Kind, Seen, Tree};
use super::frame::{Frame, Hint, Names};
use super::open::{Opened, look_at};
use super::share::{Parcel, Shared};

/// Bytes of directory read at once: about a thousand names, and small beside the memory budget.
const BATCH: usize = 32 * 1024;

/// The longest record of a directory: a name of 255 bytes with what stands before it, aligned.
const LONGEST_RECORD: usize = 280;

/// Directories one worker keeps open, the deepest ones.
const KEPT_OPEN: usize = 24;

/// A worker and its way from the root to where it is.
#[derive(Debug)]
pub(super) struct Worker<'a> {
    shared: &'a Shared<'a>,
    tally: Tally<'a>,
    frames: Vec<Frame>,
    /// Frames before this one are closed, the first excepted; the last is always open.
    open_from: usize,
    /// From the root to the last frame: names and slashes.
    path: Vec<u8>,
    /// The name being visited, with its NUL.
    name: Vec<u8>,
    batch: Box<[MaybeUninit<u8>]>,
    /// Buffers of frames that were left.
    spare: Vec<Vec<u8>>,
    is_cancelled: bool,
}

impl<'a> Worker<'a> {
    pub(super) fn new(shared: &'a Shared<'a>, links: &'a Mutex<Links>) -> Self {
        Self {
            shared,
            tally: Tally::new(shared.options, links),
            frames: Vec::new(),
            open_from: 1,
            path: Vec::new(),
            name: Vec::new(),
            batch: Box::new_uninit_slice(BATCH),
            spare: Vec::new(),
            is_cancelled: false,
        }
    }

    /// Puts the root on the stack.
    pub(super) fn begin(&mut self) -> Result<(), Errno> {
        let seen = self.shared.opener.root_seen();
        let dir = rustix::io::fcntl_dupfd_cloexec(self.shared.root_dir, 0)?;
        self.tally.root(seen);
        self.push(dir, seen.identity);
        Ok(())
    }

    /// Walks until nobody has names left, and hands out this worker's share.
    pub(super) fn run(mut self) -> Tree {
        loop {
            while self.step() {}
            match self.shared.take() {
                Some(parcel) => self.accept(parcel),
                None => return self.tally.finish(self.is_cancelled),
            }
        }
    }

    /// Entries counted so far, and where the walk is.
    #[cfg(test)]
    pub(super) fn reached(&self) -> (u64, &[u8]) {
        (self.tally.usage.entries, &self.path)
    }

    /// Visits one name, reads one batch or leaves one directory; false where nothing is left.
    pub(super) fn step(&mut self) -> bool {
        if self.shared.options.cancel.is_cancelled() {
            self.is_cancelled |= !self.frames.is_empty();
            self.frames.clear();
        }
        let Some(top) = self.frames.last_mut() else {
            return false;
        };
        if let Some((hint, name)) = top.take() {
            let mut buffer = mem::take(&mut self.name);
            buffer.clear();
            buffer.extend_from_slice(name);
            if self.shared.is_hungry() {
                self.give();
            }
            // Names come from the kernel and end at their first NUL.
            if let Ok(name) = CStr::from_bytes_with_nul(&buffer) {
                self.visit(hint, name);
            }
            self.name = buffer;
        } else if top.is_read {
            self.leave();
        } else {
            self.read();
        }
        true
    }

    /// Visits one name of the last frame.
    fn visit(&mut self, hint: Hint, name: &CStr) {
        let Some(dir) = top_dir(&self.frames) else {
            return;
        };
        if hint != Hint::Dir && !look(self.shared, &mut self.tally, dir, &self.path, hint, name) {
            return;
        }
        match self.shared.opener.enter(dir, name) {
            Opened::Dir(dir, seen) => {
                self.tally.enter(name.to_bytes(), &seen);
                if !self.path.is_empty() {
                    self.path.push(b'/');
                }
                self.path.extend_from_slice(name.to_bytes());
                self.push(dir, seen.identity);
            }
            Opened::Mount => self.tally.mount(Kind::Dir),
            Opened::Gone => {}
            Opened::Refused(Errno::MFILE | Errno::NFILE) if self.close_all_but_last() => {
                self.visit(Hint::Dir, name);
            }
            Opened::NotDir => self.stay_out(name, Errno::NOTDIR),
            Opened::Refused(cause) => self.stay_out(name, cause),
        }
    }

    /// Counts an entry that could not be entered; its own size is known all the same.
    fn stay_out(&mut self, name: &CStr, cause: Errno) {
        let Some(dir) = top_dir(&self.frames) else {
            return;
        };
        let path = || absolute(self.shared.root, &self.path, name.to_bytes());
        match look_at(dir, name) {
            Err(Errno::NOENT) => return,
            Err(_) => self.tally.unseen(Kind::Dir),
            Ok(look) if self.shared.opener.is_elsewhere(&look) => {
                return self.tally.mount(look.seen.kind);
            }
            Ok(look) => {
                self.tally.leaf(name.to_bytes(), &look.seen, path);
                if look.seen.kind != Kind::Dir {
                    // It was replaced by something that is not entered anyway.
                    return;
                }
            }
        }
        self.tally.gap("open directory", &path(), &cause.into());
    }

    /// Reads the next batch of the last frame. Leaves are looked at on the spot, unless somebody
    /// needs to know the names beforehand.
    fn read(&mut self) {
        let shared = self.shared;
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let Some(dir) = &frame.dir else {
            return;
        };
        let is_first = !frame.is_begun;
        frame.is_begun = true;
        frame.taken_to = frame.next_at;
        frame.waiting = 0;
        frame.names.clear();
        let mut filled = 0;
        let mut batch = RawDir::new(dir, &mut self.batch);
        while let Some(entry) = batch.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(Errno::INTR) => continue,
                // Removed while it was open: no names left, nothing is missing.
                Err(Errno::NOENT) => break,
                Err(cause) => {
                    let path = absolute(shared.root, &self.path, b"");
                    self.tally.gap("read directory", &path, &cause.into());
                    break;
                }
            };
            frame.next_at = entry.next_entry_cookie();
            let name = entry.file_name();
            let hint = Hint::of(entry.file_type());
            filled += record(name);
            if is_own(name) {
                // The directory itself and its parent.
            } else if shared.keeps_names || hint.may_be_dir() {
                if frame.names.is_empty() {
                    frame.names = Names::reuse(self.spare.pop().unwrap_or_default());
                }
                frame.names.push(hint, frame.next_at, name.to_bytes());
                frame.waiting += 1;
            } else if shared.options.cancel.is_cancelled() {
                return;
            } else {
                look(shared, &mut self.tally, dir.as_fd(), &self.path, hint, name);
            }
            if batch.is_buffer_empty() {
                let has_room = filled + LONGEST_RECORD <= BATCH;
                frame.owned_to = frame.next_at;
                if is_first {
                    // A full batch is all that is known of a directory of any size.
                    self.tally
                        .expect(if has_room { frame.waiting } else { usize::MAX });
                }
                return;
            }
        }
        frame.owned_to = frame.next_at;
        frame.is_read = true;
    }

    /// Puts a directory on the stack, and closes the topmost one where that is one too many.
    fn push(&mut self, dir: OwnedFd, identity: Identity) {
        self.frames.push(Frame::new(dir, identity, self.path.len()));
        if self.frames.len() - self.open_from > KEPT_OPEN {
            self.frames[self.open_from].close();
            self.open_from += 1;
        }
    }

    /// Closes every directory that is not needed right now; false where there is none.
    fn close_all_but_last(&mut self) -> bool {
        let last = self.frames.len().saturating_sub(1);
        if self.open_from >= last {
            return false;
        }
        for frame in &mut self.frames[self.open_from..last] {
            frame.close();
        }
        self.open_from = last;
        true
    }

    /// Leaves the last frame and makes sure that the one before it is open.
    fn leave(&mut self) {
        let mut below = self.pop();
        while let Some(last) = self.frames.last()
            && last.dir.is_none()
        {
            if self.reopen(below.as_ref()) {
                return;
            }
            let path = absolute(self.shared.root, &self.path, b"");
            let cause = io::Error::other("it was moved or removed while it was measured");
            self.tally.gap("open directory again", &path, &cause);
            self.pop();
            below = None;
        }
    }

    /// Takes the last frame off the stack and returns its handle.
    fn pop(&mut self) -> Option<OwnedFd> {
        let left = self.frames.pop()?;
        let parent_length = self.frames.last().map_or(0, |parent| parent.path_length);
        if left.is_whole {
            let name_at = (parent_length + usize::from(parent_length > 0)).min(self.path.len());
            let path = || absolute(self.shared.root, &self.path, b"");
            self.tally.leave(&self.path[name_at..], path);
        }
        self.path.truncate(parent_length);
        let buffer = left.names.into_buffer();
        if buffer.capacity() > 0 && self.spare.len() < KEPT_OPEN {
            self.spare.push(buffer);
        }
        left.dir
    }

    /// Opens the last frame again: as the parent of the directory just left, else from the root.
    fn reopen(&mut self, below: Option<&OwnedFd>) -> bool {
        let opener = &self.shared.opener;
        let Some(frame) = self.frames.last_mut() else {
            return false;
        };
        let same = |(dir, seen): (OwnedFd, Seen)| (seen.identity == frame.identity).then_some(dir);
        let parent = below.and_then(|below| opener.parent(below.as_fd()));
        let Some(dir) = parent.and_then(same).or_else(|| {
            opener
                .descend(self.shared.root_dir.as_fd(), &self.path)
                .and_then(same)
        }) else {
            return false;
        };
        if frame.waiting > 0 {
            self.read_again(&dir);
        }
        let frame = self.frames.last_mut();
        if let Some(frame) = frame {
            if !frame.is_read && rustix::fs::seek(&dir, SeekFrom::Start(frame.next_at)).is_err() {
                return false;
            }
            frame.dir = Some(dir);
        }
        self.open_from = self
            .open_from
            .min(self.frames.len().saturating_sub(1))
            .max(1);
        true
    }

    /// Fills in the names of the current batch that were dropped when the frame was closed.
    fn read_again(&mut self, dir: &OwnedFd) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        frame.names = Names::reuse(self.spare.pop().unwrap_or_default());
        let waiting = mem::take(&mut frame.waiting);
        if rustix::fs::seek(dir, SeekFrom::Start(frame.taken_to)).is_err() {
            return;
        }
        let mut batch = RawDir::new(dir, &mut self.batch);
        while let Some(Ok(entry)) = batch.next() {
            let name = entry.file_name();
            let hint = Hint::of(entry.file_type());
            let ends_at = entry.next_entry_cookie();
            if !is_own(name) && (self.shared.keeps_names || hint.may_be_dir()) {
                frame.names.push(hint, ends_at, name.to_bytes());
                frame.waiting += 1;
            }
            // The name that ended the list may be gone; there are no more than there were.
            if ends_at == frame.owned_to || frame.waiting == waiting || batch.is_buffer_empty() {
                break;
            }
        }
    }

    /// Gives half of the names that wait in the topmost directory to a worker that has none.
    fn give(&mut self) {
        let Some(frame) = self
            .frames
            .iter_mut()
            .find(|frame| frame.dir.is_some() && frame.waiting >= 2)
        else {
            return;
        };
        let Some(Ok(dir)) = frame
            .dir
            .as_ref()
            .map(|dir| rustix::io::fcntl_dupfd_cloexec(dir, 0))
        else {
            return;
        };
        let (names, count) = frame.split();
        self.shared.give(Parcel {
            dir,
            identity: frame.identity,
            path: self.path[..frame.path_length].to_vec(),
            names,
            count,
        });
    }

    /// Goes on with names that another worker gave.
    fn accept(&mut self, parcel: Parcel) {
        self.path = parcel.path;
        self.open_from = 1;
        let mut frame = Frame::new(parcel.dir, parcel.identity, self.path.len());
        frame.names = parcel.names;
        frame.waiting = parcel.count;
        frame.is_read = true;
        frame.is_whole = false;
        self.frames.push(frame);
    }
}

/// The handle of the directory being walked.
fn top_dir(frames: &[Frame]) -> Option<BorrowedFd<'_>> {
    frames.last()?.dir.as_ref().map(AsFd::as_fd)
}

/// Looks at an entry and counts it; true where it is a directory, which is not counted yet.
fn look(
    shared: &Shared<'_>,
    tally: &mut Tally<'_>,
    dir: BorrowedFd<'_>,
    path: &[u8],
    hint: Hint,
    name: &CStr,
) -> bool {
    match look_at(dir, name) {
        Ok(look) if shared.opener.is_elsewhere(&look) => tally.mount(look.seen.kind),
        Ok(look) if look.seen.kind == Kind::Dir => return true,
        Ok(look) => tally.leaf(name.to_bytes(), &look.seen, || {
            absolute(shared.root, path, name.to_bytes())
        }),
        Err(Errno::NOENT) => {}
        Err(cause) => {
            tally.unseen(hint.kind());
            let path = absolute(shared.root, path, name.to_bytes());
            tally.gap("look at", &path, &cause.into());
        }
    }
    false
}

/// Bytes a name takes in a batch, as `struct linux_dirent64` has it.
fn record(name: &CStr) -> usize {
    (19 + name.count_bytes() + 1).next_multiple_of(8)
}

/// Whether a name is the directory itself or its parent.
fn is_own(name: &CStr) -> bool {
    matches!(name.to_bytes(), b"." | b"..")
}

/// The whole path of an entry; of the directory itself where the name is empty.
fn absolute(root: &Path, path: &[u8], name: &[u8]) -> PathBuf {
    let mut whole = root.to_owned();
    for part in [path, name] {
        if !part.is_empty() {
            whole.push(OsStr::from_bytes(part));
        }
    }
    whole
}
