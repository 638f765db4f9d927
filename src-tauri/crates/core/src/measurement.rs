//! What one probe round gives.

use serde::{Deserialize, Serialize};

use crate::bytes::{Allocated, Apparent};
use crate::gauge::{Gauge, Meter};
use crate::paths::PathText;
use crate::time::Time;

/// Something a measurement could not read, with the operation and the cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Gap {
    /// What was tried: `open`, `read directory`, `stat`, …
    pub operation: String,
    /// Where.
    #[serde(flatten)]
    pub path: PathText,
    /// What the system said.
    pub cause: String,
}

/// Totals of a directory tree.
///
/// Equal to `du -s --block-size=1` (allocated) and `du -s --apparent-size --block-size=1` (apparent):
/// the root itself is included, an inode reached by several names counts once, mounts below are
/// not entered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Usage {
    /// Sum of sizes of files, directories and links; each inode once.
    pub apparent: Apparent,
    /// Sum of blocks; each inode once.
    pub allocated: Allocated,
    /// Everything below the root, the root itself not counted; each name counts.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub entries: u64,
    /// Regular files among them.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub files: u64,
    /// Directories among them.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub dirs: u64,
    /// Symbolic links among them; never followed.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub symlinks: u64,
    /// Sockets, pipes, devices and what has no name here.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub others: u64,
    /// Allocated bytes of inodes that have further names outside this tree, or more than one inside:
    /// deleting one name frees none of them.
    pub shared: Allocated,
    /// Entries that could not be read; their sizes are missing from the sums.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub unreadable: u64,
    /// Mount points met and not entered.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub mounts_skipped: u64,
    /// Nothing was unreadable and nothing was cut short.
    pub complete: bool,
}

/// One probe round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurement {
    /// When it began.
    pub at: Time,
    /// Every gauge that exists now, known or unknown.
    pub gauges: Vec<Gauge>,
    /// Every meter that exists now.
    pub meters: Vec<Meter>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}
