//! One worker: depth first, one batch of names at a time.

use std::ffi::{CStr, OsStr};
use std::mem::{self, MaybeUninit};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rustix::fs::RawDir;
use rustix::io::Errno;

use super::super::cache::Cache;
use super::super::links::Links;
use super::super::tally::Tally;
use super::super::{Kind, Tree};
use super::frame::{Frame, Lesson};
use super::names::{Hint, Names};
use super::open::{Opened, look_at};
use super::share::Shared;

/// Bytes of directory read at once: about a thousand names, and small beside the memory budget.
const BATCH: usize = 32 * 1024;

/// The longest record of a directory: a name of 255 bytes with what stands before it, aligned.
const LONGEST_RECORD: usize = 280;

/// A worker and its way from the root to where it is.
#[derive(Debug)]
pub(super) struct Worker<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) tally: Tally<'a>,
    pub(super) frames: Vec<Frame>,
    /// Frames before this one are closed, the first excepted; the last is always open.
    pub(super) open_from: usize,
    /// From the root to the last frame: names and slashes.
    pub(super) path: Vec<u8>,
    /// The name being visited, with its NUL.
    name: Vec<u8>,
    pub(super) batch: Box<[MaybeUninit<u8>]>,
    /// Buffers of frames that were left.
    pub(super) spare: Vec<Vec<u8>>,
    /// Only ever given to a worker that walks alone.
    pub(super) cache: Option<&'a mut Cache>,
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
            cache: None,
            is_cancelled: false,
        }
    }

    /// Puts the root on the stack.
    pub(super) fn begin(&mut self) -> Result<(), Errno> {
        let look = self.shared.opener.root_look();
        let dir = rustix::io::fcntl_dupfd_cloexec(self.shared.root_dir, 0)?;
        self.tally.root(&look.seen);
        self.push(dir, &look);
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
        if let Some(cache) = &mut self.cache
            && let Ok(look) = look_at(dir, name)
            && look.seen.kind == Kind::Dir
            && !self.shared.opener.is_elsewhere(&look)
            && let Some(leaves) = cache.leaves(look.seen.identity, look.times)
        {
            self.tally.enter(name.to_bytes(), &look.seen);
            self.tally.again(&leaves);
            self.tally.leave(name.to_bytes(), PathBuf::new);
            return;
        }
        match self.shared.opener.enter(dir, name) {
            Opened::Dir(dir, look) => {
                self.tally.enter(name.to_bytes(), &look.seen);
                if !self.path.is_empty() {
                    self.path.push(b'/');
                }
                self.path.extend_from_slice(name.to_bytes());
                self.push(dir, &look);
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
        let mark = self.tally.mark();
        let mut filled = 0;
        let mut batch = RawDir::new(dir, &mut self.batch);
        let mut is_read = true;
        while let Some(entry) = batch.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(Errno::INTR) => continue,
                // Removed while it was open: no names left, nothing is missing.
                Err(Errno::NOENT) => break,
                Err(cause) => {
                    let path = absolute(shared.root, &self.path, b"");
                    self.tally.gap("read directory", &path, &cause.into());
                    frame.lesson = None;
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
                Lesson::note(&mut frame.lesson, hint, name);
            } else if shared.options.cancel.is_cancelled() {
                return;
            } else {
                look(shared, &mut self.tally, dir.as_fd(), &self.path, hint, name);
            }
            if batch.is_buffer_empty() {
                let has_room = filled + LONGEST_RECORD <= BATCH;
                if is_first {
                    // A full batch is all that is known of a directory of any size.
                    self.tally
                        .expect(if has_room { frame.waiting } else { usize::MAX });
                }
                is_read = false;
                break;
            }
        }
        frame.owned_to = frame.next_at;
        frame.is_read = is_read;
        if let Some(cache) = &mut self.cache {
            let added = self.tally.since(&mark);
            if let Some(lesson) = frame.learn(added.as_ref()) {
                cache.learn(frame.identity, lesson.times, &lesson.leaves, &lesson.dirs);
            }
        }
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
pub(super) fn is_own(name: &CStr) -> bool {
    matches!(name.to_bytes(), b"." | b"..")
}

/// The whole path of an entry; of the directory itself where the name is empty.
pub(super) fn absolute(root: &Path, path: &[u8], name: &[u8]) -> PathBuf {
    let mut whole = root.to_owned();
    for part in [path, name] {
        if !part.is_empty() {
            whole.push(OsStr::from_bytes(part));
        }
    }
    whole
}
