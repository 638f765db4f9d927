//! Totals of a directory tree: what `du` says, and what a person asks next.
//!
//! Why a walker of our own: it runs beside people's work all day, so it may cost little (one thread,
//! a few system calls per directory, memory that does not grow with the number of siblings), and it
//! must survive what temp folders hold: 185,541 siblings (#85576), trees deeper than `PATH_MAX`,
//! bind mounts with the device number of the root, folders nobody may read (#91680), names that are
//! not text.
//!
//! What is counted:
//!
//! * `allocated` is `du -s --block-size=1`, `apparent` is `du -s --apparent-size --block-size=1` up to
//!   coreutils 9.1: every inode once, the root included. From 9.2 on `du --apparent-size` leaves out
//!   everything but files and symbolic links; here directories stay in, as their blocks do.
//! * Entries are names: a file with two names below the root is two entries and one size.
//! * Symbolic links are never followed. A root that is itself one is measured as the link.
//! * A mount point below the root is an entry and a skipped mount; its size is not ours and it is
//!   not entered. (On Linux by mount id: a bind mount of the same filesystem has the root's device.)
//! * What vanishes during the walk is not counted and is no gap: temp folders live.
//! * What cannot be read is counted as unreadable and listed with its cause, and the measurement
//!   says that it is incomplete (P3).
//!
//! `linux` walks over system calls; `portable` does the same with `std` on macOS and Windows,
//! and is the peer that the tests compare the first one with. `tally` adds up for both.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sandtray_core::bytes::{Allocated, Apparent};
use sandtray_core::measurement::{Gap, Usage};
use sandtray_core::paths::PathText;
use sandtray_core::shape::Siblings;

use crate::error::Failure;

pub use cache::Cache;
pub(crate) use entry::entry;

#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "the portable walker reads everything every time")
)]
mod cache;
mod details;
mod entry;
mod links;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(test, not(target_os = "linux")))]
mod portable;
#[cfg_attr(
    not(target_os = "linux"),
    allow(
        dead_code,
        reason = "the portable walker is one worker and knows nothing beforehand"
    )
)]
mod tally;
#[cfg(test)]
mod tests;

/// Asks a running measurement to stop. Clones ask the same one.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks; the walk ends at the next entry and says that it is incomplete.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Entries counted so far, readable from any thread while the walk runs.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// Entries so far; up to a thousand behind.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Says how many there are so far; for whoever counts by itself.
    pub fn set(&self, entries: u64) {
        self.0.store(entries, Ordering::Relaxed);
    }

    pub(crate) fn add(&self, entries: u64) {
        self.0.fetch_add(entries, Ordering::Relaxed);
    }
}

/// How to measure.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Workers; one where `None`. The portable walker has one.
    pub threads: Option<NonZeroUsize>,
    /// Also collect what [`Details`] holds. Done by one thread whatever `threads` says: a child's
    /// total is only known where one worker sees all of it.
    pub details: bool,
    /// Stops the walk.
    pub cancel: Cancel,
    /// Counts along.
    pub progress: Progress,
}

/// A measured tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// The sums.
    pub usage: Usage,
    /// What could not be read, the first hundred; `usage.unreadable` counts all.
    pub gaps: Vec<Gap>,
    /// Whether the walk was cancelled. `usage.complete` is false then.
    pub cancelled: bool,
    /// Directories that were not read because an earlier walk proved what is in them. Where this is
    /// not 0 the sums are as of then, for display only: see [`measure_again`].
    pub reused: u64,
    /// What a person asks next; `None` where the options did not ask for it.
    pub details: Option<Details>,
}

/// Where in the tree it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The entry farthest from the root; `None` in an empty tree.
    pub deepest: Option<Deepest>,
    /// The largest direct children of the root by allocated size, largest first.
    pub largest: Vec<Child>,
    /// The largest regular files anywhere below the root, largest first: the ones that may grow.
    pub biggest_files: Vec<BigFile>,
    /// Name shapes of the root's children, then of the directories with a thousand entries or
    /// more, fullest first.
    pub siblings: Vec<Siblings>,
}

/// The entry farthest from the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deepest {
    /// Names between the root and the entry, the entry's own included.
    pub depth: u64,
    /// Where.
    pub path: PathText,
}

/// A direct child of the root with everything below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// Its name, as `path` of a [`PathText`].
    pub name: PathText,
    /// Whether it is a directory.
    pub is_dir: bool,
    /// Its blocks, and those below it that no earlier child had.
    pub allocated: Allocated,
    /// Its size, likewise.
    pub apparent: Apparent,
    /// Entries below it, itself not counted.
    pub entries: u64,
}

/// A large regular file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BigFile {
    /// Where, to look at it again.
    pub path: PathBuf,
    /// Its blocks.
    pub allocated: Allocated,
    /// Its length.
    pub apparent: Apparent,
}

/// Measures everything below `root`, and `root` itself.
///
/// # Errors
/// Where the root does not exist or cannot be opened. Whatever cannot be read below it is a gap.
pub fn measure(root: &Path, options: &Options) -> Result<Tree, Failure> {
    #[cfg(target_os = "linux")]
    let measured = linux::measure(root, options);
    #[cfg(not(target_os = "linux"))]
    let measured = portable::measure(root, options);
    measured.map_err(|(operation, cause)| refused(operation, root, cause))
}

/// Measures the sums again, quickly: directories that did not change since the walk that filled
/// `cache` are not read. A file that grew in place is missed, so this is for display only, marked
/// "as of" where [`Tree::reused`] is not 0; anything shown before an act comes from [`measure`].
///
/// By one thread and without details, whatever the options say. On macOS and Windows this is
/// [`measure`] for now.
///
/// # Errors
/// As [`measure`].
pub fn measure_again(root: &Path, options: &Options, cache: &mut Cache) -> Result<Tree, Failure> {
    let options = Options {
        threads: None,
        details: false,
        ..options.clone()
    };
    #[cfg(target_os = "linux")]
    let measured = linux::measure_again(root, &options, cache);
    #[cfg(not(target_os = "linux"))]
    let measured = {
        let Cache { .. } = cache;
        portable::measure(root, &options)
    };
    measured.map_err(|(operation, cause)| refused(operation, root, cause))
}

fn refused(operation: &'static str, root: &Path, cause: io::Error) -> Failure {
    let hint = match cause.kind() {
        io::ErrorKind::NotFound => "Check the path; nothing is measured there.",
        io::ErrorKind::PermissionDenied => {
            "Measure it as the user it belongs to; this user may not read it."
        }
        _ => return Failure::io(operation, root, cause),
    };
    Failure::io(operation, root, cause).hint(hint)
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    File,
    Dir,
    Symlink,
    Other,
}

/// What one look at an entry gives.
#[derive(Clone, Copy, Debug)]
struct Seen {
    kind: Kind,
    apparent: Apparent,
    allocated: Allocated,
    /// Names this inode has; 1 where the system does not say.
    links: u64,
    identity: Identity,
}

/// What makes two names the same inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Identity {
    device: u64,
    inode: u64,
}
