//! One directory being walked, and the names of it that are still to be visited.

use std::ffi::CStr;
use std::os::fd::OwnedFd;

use sandtray_core::measurement::Usage;

use super::super::Identity;
use super::super::cache::Times;
use super::super::tally::add;
use super::names::{Hint, Names};

/// A directory on the way from the root to where the walk is.
#[derive(Debug)]
pub(super) struct Frame {
    /// `None` while the directory is closed to spare handles; see `Worker::reopen`.
    pub(super) dir: Option<OwnedFd>,
    pub(super) identity: Identity,
    /// Names of the current batch still to be visited.
    pub(super) names: Names,
    /// How many they are.
    pub(super) waiting: usize,
    /// Where in the directory they begin: after the name taken last.
    pub(super) taken_to: u64,
    /// Where the last of them ends; names beyond it were given away.
    pub(super) owned_to: u64,
    /// Where the next batch begins.
    pub(super) next_at: u64,
    /// Whether the first batch was read.
    pub(super) is_begun: bool,
    /// Whether the directory has no further batch.
    pub(super) is_read: bool,
    /// Whether leaving it ends a directory; false for names another worker gave us.
    pub(super) is_whole: bool,
    /// What is being learnt about the directory, for the cache.
    pub(super) lesson: Option<Box<Lesson>>,
    /// Whether the names come from the cache: they are kept when the directory is closed, as their
    /// places in it are not known.
    pub(super) is_known: bool,
    /// Length of the worker's path up to and with this directory.
    pub(super) path_length: usize,
}

impl Frame {
    pub(super) fn new(dir: OwnedFd, identity: Identity, path_length: usize) -> Self {
        Self {
            dir: Some(dir),
            identity,
            names: Names::default(),
            waiting: 0,
            taken_to: 0,
            owned_to: 0,
            next_at: 0,
            is_begun: false,
            is_read: false,
            is_whole: true,
            lesson: None,
            is_known: false,
            path_length,
        }
    }

    /// The next name to visit, its NUL included.
    pub(super) fn take(&mut self) -> Option<(Hint, &[u8])> {
        let name = self.names.next()?;
        self.waiting = self.waiting.saturating_sub(1);
        self.taken_to = name.ends_at;
        Some((name.hint, name.bytes))
    }

    /// Keeps the first half of the names that wait and returns the others.
    pub(super) fn split(&mut self) -> (Names, usize) {
        let given = self.waiting / 2;
        self.waiting -= given;
        let (rest, owned_to) = self.names.split_off(self.waiting);
        self.owned_to = owned_to.unwrap_or(self.taken_to);
        (rest, given)
    }

    /// Takes the names of the subdirectories from what is known, instead of reading them.
    pub(super) fn know(&mut self, dirs: &[u8]) {
        for name in dirs.split_inclusive(|byte| *byte == 0) {
            self.names.push(Hint::Dir, 0, &name[..name.len() - 1]);
            self.waiting += 1;
        }
        self.is_known = true;
        self.is_begun = true;
        self.is_read = true;
    }

    /// Adds what a batch brought to the lesson, or spoils it; hands it out after the last batch.
    pub(super) fn learn(&mut self, added: Option<&Usage>) -> Option<Box<Lesson>> {
        let mut lesson = self.lesson.take()?;
        add(&mut lesson.leaves, added?);
        if self.is_read {
            return Some(lesson);
        }
        self.lesson = Some(lesson);
        None
    }

    /// Closes the directory. The names that wait are dropped too: they are read again later.
    pub(super) fn close(&mut self) {
        self.dir = None;
        if !self.is_known {
            self.names = Names::default();
        }
    }
}

/// What a directory turns out to hold while it is read.
#[derive(Debug)]
pub(super) struct Lesson {
    pub(super) times: Times,
    pub(super) leaves: Usage,
    pub(super) dirs: Vec<u8>,
}

/// Bytes of names that a lesson may hold: a crowd of directories is quicker read than remembered.
const MOST_NOTED: usize = 256 * 1024;

impl Lesson {
    pub(super) fn new(times: Times) -> Self {
        Self {
            times,
            leaves: Usage::default(),
            dirs: Vec::new(),
        }
    }

    /// Notes a name; one that may be anything spoils the lesson.
    pub(super) fn note(lesson: &mut Option<Box<Self>>, hint: Hint, name: &CStr) {
        if let Some(noted) = lesson {
            if hint == Hint::Dir && noted.dirs.len() < MOST_NOTED {
                noted.dirs.extend_from_slice(name.to_bytes_with_nul());
            } else {
                *lesson = None;
            }
        }
    }
}
