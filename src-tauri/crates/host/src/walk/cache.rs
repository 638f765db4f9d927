//! What an earlier walk proved about directories, so that the next one may skip them.
//!
//! A directory whose device, inode, modification and change times are the same holds the same names
//! as before, so its direct entries need not be read again; only its subdirectories are visited.
//!
//! **For display only.** A file can grow without its directory changing: the sums of a walk that
//! skipped are "as of" the earlier one, [`Tree::reused`](super::Tree::reused) says how many
//! directories that was, and nothing may be decided or deleted on them.
//!
//! Never skipped: directories that changed within two seconds before they were read (a second change
//! may carry the same time), and directories with a hard-linked file, an unreadable entry or a mount
//! (what they add depends on the rest of the walk).
//!
//! Memory is bounded. A directory is known by a hash of its identity and times; an empty one is that
//! hash and nothing else, since leaks are empty directories by the hundred thousand (#96129).

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{SystemTime, UNIX_EPOCH};

use sandtray_core::bytes::{Allocated, Apparent};
use sandtray_core::measurement::Usage;

use super::Identity;

/// Bytes that what is known may take, about.
const LIMIT: usize = 6 * 1024 * 1024;

/// Time that must lie between a change and a look that is to prove something.
const SETTLED: i64 = 2_000_000_000;

/// Bytes an empty directory takes in a set that is three quarters full.
const EMPTY: usize = 12;

/// What the last walk of a tree proved. One for each root.
#[derive(Debug, Default)]
pub struct Cache {
    /// Proved by the last walk.
    last: Known,
    /// Proved, or still true, in this walk.
    next: Known,
    /// When this walk began, in nanoseconds since 1970.
    now: i64,
    reused: u64,
    #[cfg(test)]
    ahead: i64,
}

#[derive(Debug, Default)]
struct Known {
    empty: HashSet<u64>,
    filled: HashMap<u64, Contents>,
    bytes: usize,
}

/// The direct entries of a directory.
#[derive(Debug)]
pub(super) struct Contents {
    leaves: Leaves,
    /// Names of the directories among them, each with a NUL.
    pub(super) dirs: Box<[u8]>,
}

/// Sums of the entries of a directory that are no directories, small enough to be kept by the ten
/// thousand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Leaves {
    apparent: Apparent,
    allocated: Allocated,
    files: u32,
    symlinks: u32,
    others: u32,
}

/// When a directory changed last, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Times {
    pub(super) modified: i64,
    pub(super) changed: i64,
}

impl Cache {
    /// A cache that thinks it is an hour later: folders made just now count as settled.
    #[cfg(test)]
    pub(super) fn later() -> Self {
        Self {
            ahead: 3_600_000_000_000,
            ..Self::default()
        }
    }

    /// A walk begins.
    pub(super) fn begin(&mut self) {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        self.now = i64::try_from(now.as_nanos()).unwrap_or_default();
        #[cfg(test)]
        {
            self.now += self.ahead;
        }
        self.reused = 0;
    }

    /// A walk ended; the directories skipped in it. After a walk that was cut short the rest of what
    /// was known stays known.
    pub(super) fn end(&mut self, is_whole: bool) -> u64 {
        let mut next = std::mem::take(&mut self.next);
        if !is_whole {
            let last = std::mem::take(&mut self.last);
            for key in last.empty {
                next.keep_empty(key);
            }
            for (key, contents) in last.filled {
                next.keep(key, contents);
            }
        }
        self.last = next;
        std::mem::take(&mut self.reused)
    }

    /// The sums of a directory's entries, where none of them is a directory and all is known.
    pub(super) fn leaves(&mut self, identity: Identity, times: Times) -> Option<Usage> {
        let key = key(identity, times);
        if self.last.empty.remove(&key) {
            self.reused += 1;
            self.next.keep_empty(key);
            return Some(Usage::default());
        }
        if !self.last.filled.get(&key)?.dirs.is_empty() {
            return None;
        }
        self.keep(key).map(Contents::leaves)
    }

    /// What a directory holds, where that is known.
    pub(super) fn contents(&mut self, identity: Identity, times: Times) -> Option<&Contents> {
        self.keep(key(identity, times))
    }

    /// Carries what is known into this walk.
    fn keep(&mut self, key: u64) -> Option<&Contents> {
        let contents = self.last.filled.remove(&key)?;
        let kept = self.next.keep(key, contents)?;
        self.reused += 1;
        Some(kept)
    }

    /// Whether a look now proves anything about a directory with these times.
    pub(super) const fn is_settled(&self, times: Times) -> bool {
        let latest = if times.modified > times.changed {
            times.modified
        } else {
            times.changed
        };
        self.now.saturating_sub(latest) >= SETTLED
    }

    /// Remembers what a directory held: sums of what is no directory, and names of what is.
    pub(super) fn learn(&mut self, identity: Identity, times: Times, leaves: &Usage, dirs: &[u8]) {
        let Some(leaves) = Leaves::of(leaves) else {
            return;
        };
        let key = key(identity, times);
        if leaves == Leaves::default() && dirs.is_empty() {
            self.next.keep_empty(key);
        } else {
            let dirs = dirs.into();
            self.next.keep(key, Contents { leaves, dirs });
        }
    }
}

impl Contents {
    /// The sums of the entries that are no directories.
    pub(super) fn leaves(&self) -> Usage {
        let leaves = &self.leaves;
        let [files, symlinks, others] =
            [leaves.files, leaves.symlinks, leaves.others].map(u64::from);
        Usage {
            apparent: leaves.apparent,
            allocated: leaves.allocated,
            entries: files + symlinks + others,
            files,
            symlinks,
            others,
            ..Usage::default()
        }
    }
}

impl Leaves {
    fn of(usage: &Usage) -> Option<Self> {
        Some(Self {
            apparent: usage.apparent,
            allocated: usage.allocated,
            files: usage.files.try_into().ok()?,
            symlinks: usage.symlinks.try_into().ok()?,
            others: usage.others.try_into().ok()?,
        })
    }
}

impl Known {
    fn keep_empty(&mut self, key: u64) {
        if self.bytes + EMPTY <= LIMIT {
            self.bytes += EMPTY;
            self.empty.insert(key);
        }
    }

    fn keep(&mut self, key: u64, contents: Contents) -> Option<&Contents> {
        let size = size_of::<(u64, Contents)>() + contents.dirs.len();
        if self.bytes + size > LIMIT {
            return None;
        }
        self.bytes += size;
        self.filled.insert(key, contents);
        self.filled.get(&key)
    }
}

/// Two directories, or two states of one, share a key once in billions of trees.
fn key(identity: Identity, times: Times) -> u64 {
    let mut hasher = DefaultHasher::new();
    (identity, times).hash(&mut hasher);
    hasher.finish()
}
