//! What a rescue did: files copied out of a guest's disk into a folder of the user's.
//!
//! [`Receipt`] is the contract of `disk get --json` and what the window shows at the end. Lists in it are
//! cut at [`MOST_LISTED`], counts are of all.

use serde::{Deserialize, Serialize};

use crate::bytes::{Apparent, Bytes};
use crate::measurement::Gap;
use crate::paths::PathText;

/// The contract's number.
pub const RESCUE_SCHEMA: u32 = 1;

/// How many of one kind a receipt names.
pub const MOST_LISTED: usize = 1000;

/// Why nothing was copied: it would have done harm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Refusal {
    /// Something of that name is there already.
    TargetExists {
        /// What.
        #[serde(flatten)]
        path: PathText,
    },
    /// The target is there and is no folder.
    NotAFolder {
        /// The target.
        #[serde(flatten)]
        path: PathText,
    },
    /// The target's volume has less available than this needs.
    NotEnoughRoom {
        /// What it needs.
        needed: Bytes,
        /// What there is.
        available: Bytes,
    },
    /// The target's volume has fewer inodes left than there are entries.
    NotEnoughInodes {
        /// What it needs.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        needed: u64,
        /// What there is.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        available: u64,
    },
}

/// Why an entry was not copied though it could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// A link that leads out of what is copied, or whose end cannot be told.
    LinkLeadsOut,
    /// A link, and the target cannot hold one.
    LinkNotHeld,
    /// A pipe, a socket or a device.
    SpecialFile,
    /// Encrypted; its key is in the guest.
    Encrypted,
}

/// An entry that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Skipped {
    /// Where in the disk.
    #[serde(flatten)]
    pub path: PathText,
    /// Why.
    pub reason: SkipReason,
    /// Where a link points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub target: Option<PathText>,
}

/// An entry that has another name in the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Renamed {
    /// Where in the disk.
    #[serde(flatten)]
    pub path: PathText,
    /// Its name in the target.
    pub name: String,
}

/// What a rescue did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Receipt {
    /// [`RESCUE_SCHEMA`].
    pub schema: u32,
    /// The folder it was copied into.
    pub target: PathText,
    /// Regular files made; further names of one are in `hard_links`.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub files: u64,
    /// Folders made.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub dirs: u64,
    /// Symbolic links made.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub symlinks: u64,
    /// Further names of files that were made.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub hard_links: u64,
    /// Lengths of the files made, holes included.
    pub apparent: Apparent,
    /// Bytes written: without holes.
    pub written: Bytes,
    /// Entries left out.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub skipped: u64,
    /// The first of them.
    pub skips: Vec<Skipped>,
    /// Entries under another name.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub renamed: u64,
    /// The first of them.
    pub renames: Vec<Renamed>,
    /// What could not be read, or not be written, in whole or in part.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub failed: u64,
    /// The first of it.
    pub failures: Vec<Gap>,
    /// Files and folders whose mode or time the target does not keep.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub unkept: u64,
    /// Why it ended early: the target is full, or has gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub stopped: Option<String>,
    /// Somebody asked to stop.
    pub cancelled: bool,
    /// All that is there came out: nothing failed and nothing ended early.
    pub complete: bool,
}

impl Receipt {
    /// Counts and names an entry that was left out.
    pub fn skip(&mut self, path: &[u8], reason: SkipReason, target: Option<&[u8]>) {
        self.skipped = self.skipped.saturating_add(1);
        if self.skips.len() < MOST_LISTED {
            self.skips.push(Skipped {
                path: PathText::from_bytes(path),
                reason,
                target: target.map(PathText::from_bytes),
            });
        }
    }

    /// Counts and names an entry with another name.
    pub fn rename(&mut self, path: &[u8], name: &str) {
        self.renamed = self.renamed.saturating_add(1);
        if self.renames.len() < MOST_LISTED {
            self.renames.push(Renamed {
                path: PathText::from_bytes(path),
                name: name.to_owned(),
            });
        }
    }

    /// Counts and names what could not be read or written.
    pub fn fail(&mut self, operation: &str, path: &[u8], cause: String) {
        self.failed = self.failed.saturating_add(1);
        if self.failures.len() < MOST_LISTED {
            self.failures.push(Gap {
                operation: operation.to_owned(),
                path: PathText::from_bytes(path),
                cause,
            });
        }
    }
}
