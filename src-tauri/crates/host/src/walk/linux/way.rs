//! The way from the root to where a worker is: which directories are open, which are closed for now,
//! and which names are given away.

use std::io;
use std::mem;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{RawDir, SeekFrom};

use super::frame::{Frame, Lesson};
use super::names::{Hint, Names};
use super::open::Look;
use super::share::Parcel;
use super::worker::{Worker, absolute, is_own};

/// Directories one worker keeps open, the deepest ones.
const KEPT_OPEN: usize = 24;

impl Worker<'_> {
    /// Puts a directory on the stack, and closes the topmost one where that is one too many.
    pub(super) fn push(&mut self, dir: OwnedFd, look: &Look) {
        let mut frame = Frame::new(dir, look.seen.identity, self.path.len());
        if let Some(cache) = &mut self.cache {
            if let Some(contents) = cache.contents(look.seen.identity, look.times) {
                self.tally.again(&contents.leaves());
                frame.know(&contents.dirs);
            } else if cache.is_settled(look.times) {
                frame.lesson = Some(Box::new(Lesson::new(look.times)));
            }
        }
        self.frames.push(frame);
        if self.frames.len() - self.open_from > KEPT_OPEN {
            self.frames[self.open_from].close();
            self.open_from += 1;
        }
    }

    /// Closes every directory that is not needed right now; false where there is none.
    pub(super) fn close_all_but_last(&mut self) -> bool {
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
    pub(super) fn leave(&mut self) {
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
        let same =
            |(dir, look): (OwnedFd, Look)| (look.seen.identity == frame.identity).then_some(dir);
        let parent = below.and_then(|below| opener.parent(below.as_fd()));
        let Some(dir) = parent.and_then(same).or_else(|| {
            opener
                .descend(self.shared.root_dir.as_fd(), &self.path)
                .and_then(same)
        }) else {
            return false;
        };
        if frame.waiting > 0 && !frame.is_known {
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
    pub(super) fn give(&mut self) {
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
    pub(super) fn accept(&mut self, parcel: Parcel) {
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
