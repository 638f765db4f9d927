//! Collects where in the tree it is, beside the sums: largest children, biggest files, the deepest
//! entry, and the name shapes of crowded directories. Everything is bounded, whatever the tree.

use std::path::PathBuf;

use sandtray_core::bytes::{Allocated, Apparent};
use sandtray_core::measurement::Usage;
use sandtray_core::paths::PathText;
use sandtray_core::shape::{Groups, Siblings};

use super::{BigFile, Child, Deepest, Details, Kind, Seen};

/// Children and files kept.
const KEPT: usize = 16;

/// Entries from which a directory below the root is crowded and its names are grouped.
pub(super) const CROWDED: usize = 1000;

/// A directory of this length may be crowded: no filesystem keeps a thousand names in less, and few keep no
/// more than some hundred in it.
const LONG: Apparent = Apparent(16 * 1024);

/// Crowded directories kept beside the root.
const KEPT_CROWDS: usize = 16;

/// The details of a walk under way.
#[derive(Debug, Default)]
pub(super) struct Collector {
    /// The directories being measured, the root first.
    levels: Vec<Level>,
    details: Details,
    /// Name of the deepest entry while its directory is still being measured. Why late: in a deep
    /// tree every level is a new record, and building each path would take the square of its length.
    deepest_name: Option<Vec<u8>>,
    deepest_depth: u64,
}

/// A directory being measured.
#[derive(Debug, Default)]
struct Level {
    before: Sums,
    entries: u64,
    names: Option<Box<Groups>>,
}

/// The part of a [`Usage`] that differences are taken of.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    apparent: Apparent,
    allocated: Allocated,
    entries: u64,
}

impl Sums {
    fn of(usage: &Usage) -> Self {
        Self {
            apparent: usage.apparent,
            allocated: usage.allocated,
            entries: usage.entries,
        }
    }

    fn until(self, usage: &Usage) -> Self {
        Self {
            apparent: usage.apparent.saturating_sub(self.apparent),
            allocated: usage.allocated.saturating_sub(self.allocated),
            entries: usage.entries.saturating_sub(self.entries),
        }
    }
}

impl Collector {
    pub(super) fn root(&mut self, usage: &Usage) {
        self.levels.push(Level {
            before: Sums::of(usage),
            entries: 0,
            names: Some(Box::default()),
        });
    }

    pub(super) fn leaf(
        &mut self,
        name: &[u8],
        seen: &Seen,
        before: &Usage,
        after: &Usage,
        path: impl FnOnce() -> PathBuf,
    ) {
        self.reach(name);
        let sums = Sums::of(before).until(after);
        if seen.kind == Kind::File && sums.allocated > Allocated::ZERO {
            keep(&mut self.details.biggest_files, sums.allocated, || {
                BigFile {
                    path: path(),
                    allocated: seen.allocated,
                    apparent: seen.apparent,
                }
            });
        }
        self.settle(name, seen.kind == Kind::Dir, sums);
    }

    /// A long directory may be crowded, whatever its first batch of names says: a signal cuts a batch short.
    pub(super) fn enter(&mut self, name: &[u8], seen: &Seen, before: &Usage) {
        self.reach(name);
        let is_long = seen.apparent >= LONG;
        self.levels.push(Level {
            before: Sums::of(before),
            names: is_long.then(Box::default),
            ..Level::default()
        });
    }

    pub(super) fn expect(&mut self, entries: usize) {
        if let Some(level) = self.levels.last_mut()
            && entries >= CROWDED
        {
            level.names.get_or_insert_default();
        }
    }

    pub(super) fn leave(&mut self, name: &[u8], usage: &Usage, path: impl Fn() -> PathBuf) {
        let Some(level) = self.levels.pop() else {
            return;
        };
        if let Some(deepest) = self.deepest_name.take() {
            self.details.deepest = Some(Deepest {
                depth: self.deepest_depth,
                path: below(&path(), &deepest),
            });
        }
        let is_root = self.levels.is_empty();
        if let Some(names) = level.names
            && (is_root || level.entries >= CROWDED as u64)
        {
            let siblings = names.finish(PathText::new(&path()));
            if is_root {
                self.details.siblings.insert(0, siblings);
            } else {
                self.keep_crowd(siblings);
            }
        }
        if !is_root {
            self.settle(name, true, level.before.until(usage));
        }
    }

    pub(super) fn finish(self) -> Details {
        self.details
    }

    /// Remembers an entry that lies deeper than all before it.
    fn reach(&mut self, name: &[u8]) {
        let depth = self.levels.len() as u64;
        if depth > self.deepest_depth {
            self.deepest_depth = depth;
            self.deepest_name = Some(name.to_owned());
        }
    }

    /// A child of the directory being measured is done.
    fn settle(&mut self, name: &[u8], is_dir: bool, sums: Sums) {
        let is_root = self.levels.len() == 1;
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        level.entries += 1;
        if let Some(names) = &mut level.names {
            names.add(name, is_dir, sums.allocated);
        }
        if is_root {
            keep(&mut self.details.largest, sums.allocated, || Child {
                name: PathText::from_bytes(name),
                is_dir,
                allocated: sums.allocated,
                apparent: sums.apparent,
                entries: sums.entries.saturating_sub(1),
            });
        }
    }

    fn keep_crowd(&mut self, siblings: Siblings) {
        let crowds = &mut self.details.siblings;
        crowds.push(siblings);
        crowds.sort_by_key(|crowd| std::cmp::Reverse(crowd.entries));
        crowds.truncate(KEPT_CROWDS);
    }
}

/// The path of an entry, from its directory's path and its name as bytes.
fn below(directory: &std::path::Path, name: &[u8]) -> PathText {
    let mut bytes = directory.as_os_str().as_encoded_bytes().to_vec();
    bytes.push(std::path::MAIN_SEPARATOR as u8);
    bytes.extend_from_slice(name);
    PathText::from_bytes(&bytes)
}

trait Sized {
    fn allocated(&self) -> Allocated;
}

impl Sized for Child {
    fn allocated(&self) -> Allocated {
        self.allocated
    }
}

impl Sized for BigFile {
    fn allocated(&self) -> Allocated {
        self.allocated
    }
}

/// Keeps the largest few, largest first; the value is only made where it is kept.
fn keep<T: Sized>(kept: &mut Vec<T>, size: Allocated, value: impl FnOnce() -> T) {
    if kept.len() == KEPT && kept.last().is_some_and(|least| least.allocated() >= size) {
        return;
    }
    let at = kept.partition_point(|other| other.allocated() >= size);
    kept.insert(at, value());
    kept.truncate(KEPT);
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::Identity;
    use super::*;

    fn seen(kind: Kind, apparent: u64) -> Seen {
        Seen {
            kind,
            identity: Identity {
                device: 0,
                inode: 0,
            },
            links: 1,
            apparent: Apparent(apparent),
            allocated: Allocated(0),
        }
    }

    /// A tree of one folder with that many names in it, whose reading said nothing of how many come.
    fn crowds(length: u64, names: u64) -> usize {
        let mut collector = Collector::default();
        let nothing = Usage::default();
        collector.root(&nothing);
        collector.enter(b"folder", &seen(Kind::Dir, length), &nothing);
        for number in 0..names {
            let name = format!("tmp{number:08x}");
            let file = seen(Kind::File, 0);
            collector.leaf(name.as_bytes(), &file, &nothing, &nothing, PathBuf::new);
        }
        collector.leave(b"folder", &nothing, || Path::new("folder").to_owned());
        collector.leave(b"", &nothing, PathBuf::new);
        collector.finish().siblings.len()
    }

    #[test]
    fn a_long_folder_is_grouped_though_its_first_names_came_one_by_one() {
        assert_eq!(crowds(60_000, 1_200), 2, "the root and the folder");
        assert_eq!(crowds(60_000, 900), 1, "emptied, and long as it was");
        assert_eq!(crowds(4_096, 900), 1);
    }
}
