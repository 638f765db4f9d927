//! Removal by descriptor: what was judged dead goes, and nothing beside it.
//!
//! A temp folder is written by everybody, so a path proves nothing a moment later (CVE-2022-21658, #14085).
//! [`Base`] opens the folder once and looks at who owns it; everything below is reached from that descriptor,
//! without following a link and without crossing a mount. A bind mount has the device number of what it
//! covers, so mounts are told apart by their own numbers (T13).
//!
//! ```text
//! Base::open ─ parent, beneath the base ─ look at the last name: identity, kind, owner, mount, times
//!                                           │ ask ─ look again ─ rmdir, unlink or rename
//!                                           └ a tree: everything is looked at and asked for, then it goes
//!                                             bottom-up, each entry asked for and looked at right before
//! ```
//!
//! * What is not what was judged is a [`Skip`]. So is what changed since: a rename, a write, a change of mode
//!   all leave a newer time, `touch` cannot take it back.
//! * What is gone already is as good as removed (T24).
//! * A sealed folder (0500) is opened for writing through its own descriptor, and sealed again where it
//!   stays. Nothing else is written; nothing is made on disk, so a full volume is no obstacle (T2).
//! * A tree is walked without recursion and with a bounded number of open folders, whatever its depth (T27).
//!
//! `unix` does it for Linux and macOS over a few system calls of each; `windows` over handles. `priority`
//! keeps the disk free for whoever works meanwhile.

mod priority;
mod skip;
#[cfg(test)]
#[cfg(unix)]
mod tests;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::ffi::OsStr;
use std::ops::AddAssign;
use std::path::Path;

use sandtray_core::bytes::Allocated;
use sandtray_core::leftover::evidence::FileId;
use sandtray_core::leftover::{Kind, Removal};
use sandtray_core::time::Time;

pub use priority::with_low_priority;
pub use skip::{Partly, Skip};
#[cfg(unix)]
pub use unix::Base;
#[cfg(windows)]
pub use windows::Base;

/// What is to go, as it was when it was judged.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Where it is, below the base.
    pub path: &'a Path,
    /// Which file it is.
    pub id: FileId,
    /// What it is.
    pub kind: Kind,
    /// How it goes.
    pub removal: Removal,
    /// The latest birth, change or writing, of itself and of what is in it. Anything newer is a change.
    pub touched: Time,
    /// A repository in it is its own, a clone that a program made for itself, and keeps nothing.
    pub own_repository: bool,
}

/// An entry that is about to go, or that is in a tree that is.
#[derive(Clone, Copy, Debug)]
pub struct Met<'a> {
    /// Which file it is.
    pub id: FileId,
    /// What it is.
    pub kind: MetKind,
    /// Its last name.
    pub name: &'a OsStr,
    /// Names between it and the target: 0 for the target itself.
    pub depth: usize,
}

/// What an entry is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetKind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// A socket.
    Socket,
    /// A symbolic link; on Windows also a junction. It goes as what it is.
    Link,
    /// A pipe, a device.
    Other,
}

impl MetKind {
    /// Whether a class that wants `kind` means this.
    fn is(self, kind: Kind) -> bool {
        matches!(
            (self, kind),
            (Self::Directory, Kind::Directory)
                | (Self::File, Kind::File)
                | (Self::Socket, Kind::Socket)
        )
    }
}

/// What really went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Files and folders that have no name any more.
    pub inodes: u64,
    /// Their blocks. They become free when nobody has them open and no clone shares them.
    pub allocated: Allocated,
    /// Names that went while their file lives on under another one: they free nothing (T14).
    pub linked: u64,
}

impl Removed {
    /// Whether no name went.
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        self.inodes == 0 && self.linked == 0
    }
}

impl AddAssign for Removed {
    fn add_assign(&mut self, other: Self) {
        self.inodes = self.inodes.saturating_add(other.inodes);
        self.allocated += other.allocated;
        self.linked = self.linked.saturating_add(other.linked);
    }
}

/// Called for every entry right before it goes, and for all of a tree before the first of it goes. A refusal
/// stops the whole target.
pub type Ask<'a> = dyn FnMut(&Met<'_>) -> Result<(), Skip> + 'a;
