//! Adds up what a walker sees. One per worker, merged at the end.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sandtray_core::measurement::{Gap, Usage};
use sandtray_core::paths::PathText;

use super::details::Collector;
use super::links::Links;
use super::{Kind, Options, Progress, Seen, Tree};

/// Gaps listed in full; beyond them only the count grows.
const LISTED_GAPS: usize = 100;

/// Bytes of paths the listed gaps may hold together: one path may be longer than all others.
const LISTED_BYTES: usize = 256 * 1024;

/// Entries between two reports of progress.
const PROGRESS_STEP: u64 = 512;

/// The sums of one worker.
#[derive(Debug)]
pub(super) struct Tally<'a> {
    pub(super) usage: Usage,
    gaps: Vec<Gap>,
    gap_bytes: usize,
    reported: u64,
    progress: &'a Progress,
    links: &'a Mutex<Links>,
    /// Names met of inodes that have several.
    linked: u64,
    details: Option<Box<Collector>>,
}

impl<'a> Tally<'a> {
    pub(super) fn new(options: &'a Options, links: &'a Mutex<Links>) -> Self {
        Self {
            usage: Usage::default(),
            gaps: Vec::new(),
            gap_bytes: 0,
            reported: 0,
            progress: &options.progress,
            links,
            linked: 0,
            details: options.details.then(Box::default),
        }
    }

    /// The root itself: a size, and no entry.
    pub(super) fn root(&mut self, seen: &Seen) {
        self.add(seen);
        if let Some(details) = &mut self.details {
            details.root(&self.usage);
        }
    }

    /// An entry that is looked at and done with. `path` is only asked for where it is kept.
    pub(super) fn leaf(&mut self, name: &[u8], seen: &Seen, path: impl FnOnce() -> PathBuf) {
        let before = self.usage;
        self.count(seen.kind);
        self.add(seen);
        if let Some(details) = &mut self.details {
            details.leaf(name, seen, &before, &self.usage, path);
        }
    }

    /// A directory whose entries follow; every `enter` has its [`Self::leave`].
    pub(super) fn enter(&mut self, name: &[u8], seen: &Seen) {
        let before = self.usage;
        self.count(Kind::Dir);
        self.add(seen);
        if let Some(details) = &mut self.details {
            details.enter(name, seen, &before);
        }
    }

    /// How many entries the directory entered last has at least.
    pub(super) fn expect(&mut self, entries: usize) {
        if let Some(details) = &mut self.details {
            details.expect(entries);
        }
    }

    /// The directory entered last, or the root, is done.
    pub(super) fn leave(&mut self, name: &[u8], path: impl Fn() -> PathBuf) {
        if let Some(details) = &mut self.details {
            details.leave(name, &self.usage, path);
        }
    }

    /// A mount point: an entry whose content belongs to somebody else.
    pub(super) fn mount(&mut self, kind: Kind) {
        self.count(kind);
        self.usage.mounts_skipped += 1;
    }

    /// An entry whose name is known and whose size is not.
    pub(super) fn unseen(&mut self, kind: Kind) {
        self.count(kind);
    }

    /// Something that could not be read.
    pub(super) fn gap(&mut self, operation: &'static str, path: &Path, cause: &io::Error) {
        self.usage.unreadable += 1;
        let length = path.as_os_str().len();
        if self.gaps.len() < LISTED_GAPS && self.gap_bytes + length <= LISTED_BYTES {
            self.gap_bytes += length;
            self.gaps.push(Gap {
                operation: operation.to_owned(),
                path: PathText::new(path),
                cause: cause.to_string(),
            });
        }
    }

    fn count(&mut self, kind: Kind) {
        let usage = &mut self.usage;
        usage.entries += 1;
        match kind {
            Kind::File => usage.files += 1,
            Kind::Dir => usage.dirs += 1,
            Kind::Symlink => usage.symlinks += 1,
            Kind::Other => usage.others += 1,
        }
        self.report();
    }

    fn report(&mut self) {
        let unreported = self.usage.entries - self.reported;
        if unreported >= PROGRESS_STEP {
            self.progress.add(unreported);
            self.reported = self.usage.entries;
        }
    }

    fn add(&mut self, seen: &Seen) {
        if seen.kind != Kind::Dir && seen.links > 1 {
            self.linked += 1;
            let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
            if !links.is_first(seen.identity, seen.links) {
                return;
            }
            self.usage.shared += seen.allocated;
        }
        self.usage.apparent += seen.apparent;
        self.usage.allocated += seen.allocated;
    }

    /// A mark to tell later whether what was added since depends on nothing but itself.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            usage: self.usage,
            linked: self.linked,
        }
    }

    /// What was added since the mark; `None` where it depends on the rest of the walk.
    pub(super) fn since(&self, mark: &Mark) -> Option<Usage> {
        let (now, before) = (&self.usage, &mark.usage);
        let is_own = self.linked == mark.linked
            && now.unreadable == before.unreadable
            && now.mounts_skipped == before.mounts_skipped;
        is_own.then(|| Usage {
            apparent: now.apparent.saturating_sub(before.apparent),
            allocated: now.allocated.saturating_sub(before.allocated),
            entries: now.entries - before.entries,
            files: now.files - before.files,
            dirs: now.dirs - before.dirs,
            symlinks: now.symlinks - before.symlinks,
            others: now.others - before.others,
            ..Usage::default()
        })
    }

    /// Adds what an earlier walk found.
    pub(super) fn again(&mut self, leaves: &Usage) {
        add(&mut self.usage, leaves);
        self.report();
    }

    /// Ends the walk: reports the rest of the progress and hands out the result.
    pub(super) fn finish(mut self, cancelled: bool) -> Tree {
        self.progress.add(self.usage.entries - self.reported);
        self.usage.complete = !cancelled && self.usage.unreadable == 0;
        Tree {
            usage: self.usage,
            gaps: self.gaps,
            cancelled,
            reused: 0,
            details: self.details.map(|details| details.finish()),
        }
    }
}

/// A point in a walk, see [`Tally::mark`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    usage: Usage,
    linked: u64,
}

/// Adds the sums of `more`; whether they are complete is the caller's to say.
pub(super) fn add(sum: &mut Usage, more: &Usage) {
    sum.apparent += more.apparent;
    sum.allocated += more.allocated;
    sum.shared += more.shared;
    sum.entries += more.entries;
    sum.files += more.files;
    sum.dirs += more.dirs;
    sum.symlinks += more.symlinks;
    sum.others += more.others;
    sum.unreadable += more.unreadable;
    sum.mounts_skipped += more.mounts_skipped;
}

impl Tree {
    /// Adds another worker's share of the same tree.
    pub(super) fn merge(&mut self, other: Self) {
        add(&mut self.usage, &other.usage);
        self.usage.complete &= other.usage.complete;
        let room = LISTED_GAPS.saturating_sub(self.gaps.len());
        self.gaps.extend(other.gaps.into_iter().take(room));
        self.cancelled |= other.cancelled;
    }
}
