//! What is in a directory: its sizes, and what gates ask of all that is in it.
//!
//! Iterative and by descriptor, so depth costs neither stack nor handles: only the deepest folders stay
//! open, and one that was closed is opened again through `..` or from the top, and only taken for the same
//! where it is the same inode. Files are looked at while their folder is read; names of folders wait.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use sandtray_core::bytes::{Allocated, Apparent};
use sandtray_core::leftover::evidence::FileId;

use super::dig::Pace;
use super::folder::{Entered, Folder, Look, What};
use super::gaps::Gaps;

/// Folders that stay open, the deepest ones and the top.
const KEPT_OPEN: usize = 16;

/// Entries up to which each is named: more are asked about one by one before they go.
pub(super) const FEW: usize = 256;

/// Inodes with further names that are kept in mind; from then on each name counts as one of its own.
const MOST_LINKED: usize = 100_000;

/// Whether a name belongs into a folder of a class.
pub(super) type Belongs = fn(&[u8], What) -> bool;

/// What was found in a directory, itself included.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) apparent: Apparent,
    pub(super) allocated: Allocated,
    /// Blocks that names outside reach too.
    pub(super) shared: Allocated,
    /// Inodes all of whose names are in it.
    pub(super) inodes: u64,
    /// The latest of everything, in nanoseconds.
    pub(super) touched: i64,
    pub(super) unreadable: u64,
    pub(super) foreign: u64,
    pub(super) mounts: u64,
    /// Everything in it, as far as there are few.
    pub(super) members: Vec<FileId>,
    pub(super) sockets: Vec<Vec<u8>>,
    pub(super) entries: u64,
    pub(super) repository: bool,
    /// Compiled Python in mirrored folders.
    pub(super) bytecode: u64,
    /// Anything else but folders.
    pub(super) other_than_bytecode: bool,
    /// Something that does not belong.
    pub(super) alien: bool,
    /// Somebody asked to stop, so this is not all.
    pub(super) stopped: bool,
}

impl Tree {
    /// Everything was seen.
    pub(super) const fn is_whole(&self) -> bool {
        !self.stopped && self.unreadable == 0 && self.mounts == 0
    }
}

/// Looks at everything in an open directory.
pub(super) fn look_into(
    top: (Folder, &Look),
    at: &Path,
    own: Option<u32>,
    belongs: Option<Belongs>,
    pace: &mut Pace<'_>,
    gaps: &mut Gaps,
) -> Tree {
    let mut walk = Walk {
        tree: Tree::default(),
        at,
        own,
        belongs,
        pace,
        gaps,
        frames: Vec::new(),
        open_from: 1,
        path: PathBuf::new(),
        links: HashMap::new(),
    };
    walk.tree.members.push(top.1.id);
    walk.count(top.1);
    walk.push(top.0, top.1.id, OsStr::new(""));
    walk.run();
    walk.finish()
}

struct Frame {
    /// None while it is closed to spare handles.
    folder: Option<Folder>,
    id: FileId,
    /// Folders in it that are still to be visited.
    names: Vec<OsString>,
    is_cache: bool,
}

struct Walk<'a, 'p> {
    tree: Tree,
    at: &'a Path,
    own: Option<u32>,
    belongs: Option<Belongs>,
    pace: &'a mut Pace<'p>,
    gaps: &'a mut Gaps,
    frames: Vec<Frame>,
    /// Frames before this one are closed, the first excepted.
    open_from: usize,
    /// Of the last frame, below `at`.
    path: PathBuf,
    /// Names still to come of inodes that have several, and their blocks.
    links: HashMap<FileId, (u64, Allocated)>,
}

impl Walk<'_, '_> {
    fn run(&mut self) {
        while let Some(last) = self.frames.last_mut() {
            if self.pace.is_stopped() {
                self.tree.stopped = true;
                return;
            }
            match (last.names.pop(), &last.folder) {
                (Some(name), Some(folder)) => match folder.enter(&name) {
                    Entered::Folder(folder, look) => {
                        self.member(look.id);
                        self.count(&look);
                        self.path.push(&name);
                        self.push(folder, look.id, &name);
                    }
                    Entered::Mount => self.tree.mounts += 1,
                    Entered::Gone => {}
                    Entered::NoFolder => self.leaf(&name),
                    Entered::Refused(cause) => {
                        self.leaf(&name);
                        self.unreadable("open directory", Some(&name), &cause);
                    }
                },
                _ => self.leave(),
            }
        }
    }

    /// Reads a folder and puts it on the stack.
    fn push(&mut self, folder: Folder, id: FileId, name: &OsStr) {
        let mut frame = Frame {
            folder: None,
            id,
            names: Vec::new(),
            is_cache: name == "__pycache__" && self.frames.len() > 1,
        };
        let mut bare = Bare::default();
        let read = folder.each(&mut |name, what| {
            self.pace.step()?;
            self.tree.entries = self.tree.entries.saturating_add(1);
            let bytes = name.as_encoded_bytes();
            self.tree.repository |= bytes.eq_ignore_ascii_case(b".git") || bare.adds(bytes);
            let what = self.entry(&folder, &frame, name, what);
            if let Some(belongs) = self.belongs {
                self.tree.alien |= !self.frames.is_empty() || !belongs(bytes, what);
            }
            if what == What::Folder {
                frame.names.push(name.to_owned());
            }
            ControlFlow::Continue(())
        });
        if let Err(cause) = read {
            self.unreadable("read directory", None, &cause);
        }
        frame.folder = Some(folder);
        self.frames.push(frame);
        if self.frames.len().saturating_sub(self.open_from) > KEPT_OPEN {
            if let Some(frame) = self.frames.get_mut(self.open_from) {
                frame.folder = None;
            }
            self.open_from += 1;
        }
    }

    /// Looks at an entry that is being read; says what it is. A folder is counted when it is entered.
    fn entry(&mut self, folder: &Folder, frame: &Frame, name: &OsStr, what: What) -> What {
        if what == What::Folder {
            return what;
        }
        let look = match folder.look(name) {
            Ok(look) => look,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return what,
            Err(cause) => {
                let path = self.at.join(&self.path).join(name);
                self.tree.unreadable += 1;
                self.gaps.add("look at", path, &cause);
                return what;
            }
        };
        if look.what == What::Folder {
            return What::Folder;
        }
        if folder.is_elsewhere(&look) {
            self.tree.mounts += 1;
            return look.what;
        }
        let bytes = name.as_encoded_bytes();
        if look.what == What::File && frame.is_cache && bytes.ends_with(b".pyc") {
            self.tree.bytecode += 1;
        } else {
            self.tree.other_than_bytecode = true;
        }
        if look.what == What::Socket {
            if self.tree.sockets.len() < FEW {
                self.tree.sockets.push(bytes.to_owned());
            } else {
                // More than anybody would ask about: not all of them are known.
                self.tree.unreadable += 1;
            }
        }
        self.member(look.id);
        self.count(&look);
        look.what
    }

    /// Counts what turned out to be no folder, or one that may not be entered.
    fn leaf(&mut self, name: &OsStr) {
        let Some(folder) = self.frames.last().and_then(|last| last.folder.as_ref()) else {
            return;
        };
        if let Ok(look) = folder.look(name) {
            self.tree.other_than_bytecode |= look.what != What::Folder;
            self.member(look.id);
            self.count(&look);
        }
    }

    fn count(&mut self, look: &Look) {
        let tree = &mut self.tree;
        tree.touched = tree.touched.max(look.touched);
        if self.own.is_some() && look.owner.is_some() && look.owner != self.own {
            tree.foreign += 1;
        }
        if look.links > 1 && look.what != What::Folder {
            if let Some((rest, _)) = self.links.get_mut(&look.id) {
                *rest = rest.saturating_sub(1);
                if *rest == 0 {
                    self.links.remove(&look.id);
                }
                return;
            }
            if self.links.len() < MOST_LINKED {
                let rest = look.links.saturating_sub(1);
                self.links.insert(look.id, (rest, look.allocated));
            } else {
                tree.shared += look.allocated;
                tree.inodes = tree.inodes.saturating_sub(1);
            }
        }
        tree.inodes = tree.inodes.saturating_add(1);
        tree.apparent += look.apparent;
        tree.allocated += look.allocated;
    }

    fn member(&mut self, id: FileId) {
        if self.tree.members.len() <= FEW {
            self.tree.members.push(id);
        }
    }

    fn unreadable(&mut self, operation: &str, name: Option<&OsStr>, cause: &io::Error) {
        self.tree.unreadable += 1;
        let mut path = self.at.join(&self.path);
        path.extend(name);
        self.gaps.add(operation, path, cause);
    }

    /// Leaves the last folder and makes sure that the one before it is open.
    fn leave(&mut self) {
        let left = self.frames.pop();
        self.path.pop();
        let from = self.frames.len().saturating_sub(1).max(1);
        let Some((first, rest)) = self.frames.split_first_mut() else {
            return;
        };
        let Some(last) = rest.last_mut().filter(|last| last.folder.is_none()) else {
            return;
        };
        let below = left.and_then(|left| left.folder);
        last.folder = below
            .and_then(|below| below.above(last.id))
            .or_else(|| descend(first.folder.as_ref()?, &self.path, last.id));
        self.open_from = self.open_from.min(from);
        if last.folder.is_none() && !last.names.is_empty() {
            last.names.clear();
            let cause = io::Error::other("it was moved or removed while it was looked at");
            self.unreadable("open directory again", None, &cause);
        }
    }

    fn finish(mut self) -> Tree {
        let tree = &mut self.tree;
        // What has names left has them outside.
        for (_, allocated) in self.links.values() {
            tree.shared += *allocated;
            tree.inodes = tree.inodes.saturating_sub(1);
        }
        if tree.members.len() > FEW {
            tree.members = Vec::new();
        }
        self.tree
    }
}

/// Opens a folder below the top by the names on the way to it, where it is still `id`.
fn descend(top: &Folder, path: &Path, id: FileId) -> Option<Folder> {
    let mut at: Option<(Folder, FileId)> = None;
    for name in path {
        let above = at.as_ref().map_or(top, |(folder, _)| folder);
        let Entered::Folder(folder, look) = above.enter(name) else {
            return None;
        };
        at = Some((folder, look.id));
    }
    at.filter(|(_, found)| *found == id)
        .map(|(folder, _)| folder)
}

/// Sees a repository without a working tree (`git clone --bare`), which has no `.git`.
#[derive(Default)]
struct Bare {
    head: bool,
    objects: bool,
    refs: bool,
}

impl Bare {
    fn adds(&mut self, name: &[u8]) -> bool {
        self.head |= name == b"HEAD";
        self.objects |= name == b"objects";
        self.refs |= name == b"refs";
        self.head && self.objects && self.refs
    }
}
