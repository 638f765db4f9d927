//! The way from the top of a tree down to where the work is: which folders are open, and which are closed
//! for now.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use rustix::io::Errno;
use sandtray_core::leftover::evidence::FileId;

use super::base::Base;
use super::look::Look;
use super::{descend, os, system};

/// Folders that stay open, the deepest ones, beside the top.
const KEPT_OPEN: usize = 24;

/// A folder on the way.
#[derive(Debug)]
pub(super) struct Level {
    /// None while it is closed to spare descriptors.
    dir: Option<OwnedFd>,
    pub(super) look: Look,
    name_at: usize,
    path_length: usize,
    /// Names of folders in it that are still to be entered, each with its NUL.
    folders: Vec<u8>,
    folders_at: usize,
    /// Where its listing goes on.
    pub(super) next_at: u64,
    pub(super) is_read: bool,
    /// Its mode before it was opened for writing.
    pub(super) sealed: Option<u32>,
    /// Something in it refused to go, so it cannot go either.
    pub(super) failed: bool,
    /// Something in it went since its listing began.
    pub(super) went: bool,
    /// Which names of a repository without a working tree were seen.
    pub(super) bare: u8,
}

impl Level {
    pub(super) fn dir(&self) -> Result<BorrowedFd<'_>, Errno> {
        self.dir.as_ref().map(AsFd::as_fd).ok_or(Errno::BADF)
    }

    pub(super) fn owned(&self) -> Result<&OwnedFd, Errno> {
        self.dir.as_ref().ok_or(Errno::BADF)
    }

    pub(super) fn add_folder(&mut self, name: &CStr) {
        if self.folders_at > 0 && self.folders_at == self.folders.len() {
            self.folders.clear();
            self.folders_at = 0;
        }
        self.folders.extend_from_slice(name.to_bytes_with_nul());
    }

    pub(super) fn next_folder(&mut self) -> Option<CString> {
        let name = CStr::from_bytes_until_nul(self.folders.get(self.folders_at..)?).ok()?;
        self.folders_at += name.to_bytes_with_nul().len();
        Some(name.to_owned())
    }
}

/// All levels.
#[derive(Debug)]
pub(super) struct Way<'a> {
    base: &'a Base,
    /// The target's path below the base.
    target: &'a Path,
    levels: Vec<Level>,
    /// Below the target.
    path: Vec<u8>,
    /// Levels from here on are open, and level 0.
    open_from: usize,
}

impl<'a> Way<'a> {
    pub(super) fn new(base: &'a Base, target: &'a Path, top: OwnedFd, look: Look) -> Self {
        let mut way = Self {
            base,
            target,
            levels: Vec::new(),
            path: Vec::new(),
            open_from: 1,
        };
        way.levels.push(level(top, look, 0, 0));
        way
    }

    pub(super) fn last(&self) -> Option<&Level> {
        self.levels.last()
    }

    pub(super) fn last_mut(&mut self) -> Option<&mut Level> {
        self.levels.last_mut()
    }

    /// Levels on the way; the entries of the last one are so deep.
    pub(super) fn depth(&self) -> usize {
        self.levels.len()
    }

    /// The path of an entry of the last level, for messages; of the level itself for an empty name.
    pub(super) fn whole(&self, name: &[u8]) -> PathBuf {
        let mut path = self.base.whole(self.target);
        for part in [self.path.as_slice(), name] {
            if !part.is_empty() {
                path.push(os(part));
            }
        }
        path
    }

    /// The name of the last level in the one above it.
    pub(super) fn last_name(&self) -> &[u8] {
        let at = self.levels.last().map_or(0, |level| level.name_at);
        self.path.get(at..).unwrap_or_default()
    }

    /// Goes down, and closes the topmost open level where that is one too many.
    pub(super) fn push(&mut self, dir: OwnedFd, look: Look, name: &CStr) {
        if !self.path.is_empty() {
            self.path.push(b'/');
        }
        let name_at = self.path.len();
        self.path.extend_from_slice(name.to_bytes());
        self.levels.push(level(dir, look, name_at, self.path.len()));
        if self.levels.len() - self.open_from > KEPT_OPEN {
            if let Some(level) = self.levels.get_mut(self.open_from) {
                level.dir = None;
            }
            self.open_from += 1;
        }
    }

    /// Goes up. The level above must be open: see [`Self::open_above`].
    pub(super) fn pop(&mut self) {
        self.levels.pop();
        let length = self.levels.last().map_or(0, |level| level.path_length);
        self.path.truncate(length);
    }

    /// The open level above the last one.
    pub(super) fn above(&mut self) -> Option<&mut Level> {
        let above = self.levels.len().checked_sub(2)?;
        self.levels.get_mut(above)
    }

    /// Opens the level above the last one again: from below, else from the top. An error where it is not the
    /// same folder any more.
    pub(super) fn open_above(&mut self) -> Result<(), Errno> {
        let Some(at) = self.levels.len().checked_sub(2) else {
            return Ok(());
        };
        let (Some(level), Some(below)) = (self.levels.get(at), self.levels.last()) else {
            return Ok(());
        };
        if level.dir.is_some() {
            return Ok(());
        }
        let same = |dir: OwnedFd| self.is_same(dir, level);
        let dir = match system::open_above(below.dir()?).and_then(same) {
            Ok(dir) => dir,
            Err(_) => same(self.open_again(level)?)?,
        };
        // Lists what comes after what was listed before it was closed.
        system::seek(&dir, level.next_at)?;
        if let Some(level) = self.levels.get_mut(at) {
            level.dir = Some(dir);
        }
        self.open_from = at.max(1);
        Ok(())
    }

    fn open_again(&self, level: &Level) -> Result<OwnedFd, Errno> {
        let top = self.levels.first().ok_or(Errno::BADF)?.dir()?;
        let path = self.path.get(..level.path_length).unwrap_or_default();
        descend(top, path, self.base.guarded)
    }

    fn is_same(&self, dir: OwnedFd, level: &Level) -> Result<OwnedFd, Errno> {
        let look = system::look_into(dir.as_fd())?;
        let same = look.id == level.look.id
            && look.born == level.look.born
            && !look.is_elsewhere(&self.base.look);
        if same { Ok(dir) } else { Err(Errno::STALE) }
    }

    /// Whether the last level still lies where it was found, below the base: a folder that was carried off
    /// while it was being emptied is somebody's again.
    pub(super) fn is_in_place(&self) -> bool {
        let Some(level) = self.levels.last() else {
            return true;
        };
        let mut path = self.target.as_os_str().as_encoded_bytes().to_vec();
        if level.path_length > 0 {
            path.push(b'/');
            path.extend_from_slice(&self.path);
        }
        descend(self.base.dir.as_fd(), &path, self.base.guarded)
            .and_then(|dir| system::look_into(dir.as_fd()))
            .is_ok_and(|look| look.id == level.look.id)
    }

    /// Seals again what was opened for writing and stays.
    pub(super) fn seal_again(&self) {
        for level in self.levels.iter().rev() {
            let Some(mode) = level.sealed else {
                continue;
            };
            let again = || self.is_same(self.open_again(level)?, level);
            let mode = Mode::from_raw_mode(mode as _);
            match level.owned() {
                Ok(dir) => rustix::fs::fchmod(dir, mode),
                Err(_) => again().and_then(|dir| rustix::fs::fchmod(dir, mode)),
            }
            // It is as writable for its owner as everything else that is left.
            .ok();
        }
    }

    /// Which folder the last level is.
    pub(super) fn last_id(&self) -> Option<FileId> {
        self.levels.last().map(|level| level.look.id)
    }
}

fn level(dir: OwnedFd, look: Look, name_at: usize, path_length: usize) -> Level {
    Level {
        dir: Some(dir),
        look,
        name_at,
        path_length,
        folders: Vec::new(),
        folders_at: 0,
        next_at: 0,
        is_read: false,
        sealed: None,
        failed: false,
        went: false,
        bare: 0,
    }
}
