//! What fills a guest's disk: sizes by folder, as `du` on a mount of it would say.
//!
//! [`Usage`] is what host reads, [`UsageView`] and [`ListView`] are the contracts of `disk du --json` and
//! `disk ls --json`; [`InsideView`] is what the window shows of a folder. Sizes here are
//! the guest's own, never the host's. What grew between two readings is in [`growth`].

pub mod growth;
mod panel;

use serde::{Deserialize, Serialize};

use crate::bytes::{Allocated, Apparent};
use crate::measurement::Gap;
use crate::paths::{self, PathText};
use crate::time::Time;

pub use self::panel::{
    Crumb, DiskId, DiskSizes, HomesSummary, InsideEntry, InsideProgress, InsideView, NEWEST,
    RescueEnd, RescueProgress, entries, summary,
};

/// The contracts' number.
pub const INSIDE_SCHEMA: u32 = 1;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, rename = "EntryKind"))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link; never followed.
    Symlink,
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A block or character device.
    Device,
    /// None of these: damaged.
    Odd,
}

/// A direct child of the folder asked about, with everything below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, in the disk's own bytes. An encrypted name is base64 of what the disk holds.
    pub name: Vec<u8>,
    /// Its name is encrypted.
    pub encrypted: bool,
    /// What it is.
    pub kind: Kind,
    /// Blocks of it and below it, each inode once; one with names under several children belongs to
    /// the child whose name comes first.
    pub allocated: Allocated,
    /// Lengths, likewise; directories count with theirs.
    pub apparent: Apparent,
    /// Names below it, itself not counted.
    pub entries: u64,
    /// Its inode.
    pub inode: u32,
    /// Its owner.
    pub uid: u32,
    /// When it was changed itself.
    pub mtime: Time,
    /// When it was made, or changed where that is earlier or all that is known.
    pub first_change: Time,
    /// The latest change of anything in it.
    pub last_change: Time,
}

impl Entry {
    /// Knows the entry again among its siblings: stays the same while name and inode do.
    #[must_use]
    pub fn key(&self) -> u64 {
        let number = self.inode.to_le_bytes();
        paths::hash(&[&number, self.name.as_slice()].concat())
    }
}

/// Inodes without a name, and their blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Orphans {
    /// How many.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
    /// Their blocks.
    pub allocated: Allocated,
}

/// What fills a folder of a disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The folder inside the disk, absolute.
    pub path: Vec<u8>,
    /// Its children, largest first.
    pub entries: Vec<Entry>,
    /// All of them and the folder itself, as `du -s` says.
    pub allocated: Allocated,
    /// Likewise, as `du -s --apparent-size` of coreutils before 9.2 says.
    pub apparent: Apparent,
    /// Deleted while open, anywhere on the disk: blocks that no folder accounts for.
    pub orphans: Orphans,
    /// Neither deleted nor found in any folder that could be read, anywhere on the disk.
    pub unreached: Orphans,
    /// What could not be read, the first hundred.
    pub gaps: Vec<Gap>,
    /// All that could not be read.
    pub damaged: u64,
    /// Somebody asked to stop.
    pub cancelled: bool,
    /// Nothing was damaged and nothing was cut short.
    pub complete: bool,
}

/// The contract of `disk du --json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageView {
    /// [`INSIDE_SCHEMA`].
    pub schema: u32,
    /// The folder inside the disk.
    #[serde(flatten)]
    pub path: PathText,
    /// Its children, largest first.
    pub entries: Vec<EntryView>,
    /// Deleted while open, anywhere on the disk.
    pub orphans: Orphans,
    /// Nothing was damaged and nothing was cut short.
    pub complete: bool,
}

/// One child in [`UsageView`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryView {
    /// Its path inside the disk, absolute.
    #[serde(flatten)]
    pub path: PathText,
    /// Blocks of it and below it.
    pub allocated: Allocated,
    /// Lengths of it and below it.
    pub apparent: Apparent,
    /// Names below it.
    pub entries: u64,
    /// Its inode.
    pub inode: u32,
    /// Its owner.
    pub uid: u32,
    /// When it was changed itself.
    pub mtime: Time,
    /// Its name is encrypted; only said where it is.
    #[serde(default, skip_serializing_if = "is_false")]
    pub encrypted: bool,
}

impl From<&Usage> for UsageView {
    fn from(usage: &Usage) -> Self {
        Self {
            schema: INSIDE_SCHEMA,
            path: PathText::from_bytes(&usage.path),
            entries: usage
                .entries
                .iter()
                .map(|entry| EntryView {
                    path: PathText::from_bytes(&join(&usage.path, &entry.name)),
                    allocated: entry.allocated,
                    apparent: entry.apparent,
                    entries: entry.entries,
                    inode: entry.inode,
                    uid: entry.uid,
                    mtime: entry.mtime,
                    encrypted: entry.encrypted,
                })
                .collect(),
            orphans: usage.orphans,
            complete: usage.complete,
        }
    }
}

/// One name in a folder of a disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Its path inside the disk, absolute.
    #[serde(flatten)]
    pub path: PathText,
    /// What it is.
    pub kind: Kind,
    /// Type and permissions, as `st_mode`.
    pub mode: u16,
    /// Its owner.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
    /// Its length.
    pub size: Apparent,
    /// Its blocks.
    pub allocated: Allocated,
    /// When it was changed.
    pub mtime: Time,
    /// Its inode.
    pub inode: u32,
    /// Names it has.
    pub links: u16,
    /// Where a symbolic link points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<PathText>,
    /// Its name is encrypted; only said where it is.
    #[serde(default, skip_serializing_if = "is_false")]
    pub encrypted: bool,
}

/// The contract of `disk ls --json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListView {
    /// [`INSIDE_SCHEMA`].
    pub schema: u32,
    /// What was listed.
    #[serde(flatten)]
    pub path: PathText,
    /// Names in it by name; the file itself where it is no folder.
    pub entries: Vec<Item>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
    /// Nothing was damaged.
    pub complete: bool,
}

/// A path inside a disk: `folder`, a slash, `name`.
#[must_use]
pub fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = folder.to_vec();
    if path.last() != Some(&b'/') {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

#[cfg(test)]
mod tests;
