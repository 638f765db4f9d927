//! Parked copies: what an act moved aside, with a manifest that says what it is.
//!
//! Files keep their names. The manifest stands beside them, so that a copy explains itself even where
//! our own data is gone.

use serde::{Deserialize, Serialize};

use super::{ACT_SCHEMA, Act, Identity, Scope};
use crate::bundle::Role;
use crate::bytes::{Allocated, Apparent};
use crate::inside::HomesSummary;
use crate::paths::PathText;
use crate::time::Time;

/// The manifest's name in the folder of a copy.
pub const MANIFEST: &str = "sandtray-manifest.json";

/// One file of a copy, as it was when it was moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct ParkedFile {
    /// Its name, relative to the folder of the copy.
    #[serde(flatten)]
    pub name: PathText,
    /// What it is for.
    pub role: Role,
    /// Its length.
    pub apparent: Apparent,
    /// Its blocks.
    pub allocated: Allocated,
    /// Who it is.
    #[cfg_attr(feature = "ts", ts(skip))]
    pub identity: Identity,
    /// Of its first and last 64 KiB, in hex: SHA-256. None for a folder.
    #[cfg_attr(feature = "ts", ts(skip))]
    pub ends: Option<String>,
    /// The VM release it came from, where an `.origin` says so.
    pub release: Option<String>,
}

/// What a copy says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`ACT_SCHEMA`].
    pub schema: u32,
    /// The act that made it, with every move.
    pub act: Act,
    /// When it was moved.
    pub parked_at: Time,
    /// Its files.
    pub files: Vec<ParkedFile>,
    /// The app's version, where it says.
    pub app_version: Option<String>,
    /// What the sessions disk held.
    pub homes: Option<HomesSummary>,
}

impl Manifest {
    /// The manifest of an act.
    #[must_use]
    pub const fn new(act: Act, parked_at: Time, files: Vec<ParkedFile>) -> Self {
        Self {
            schema: ACT_SCHEMA,
            act,
            parked_at,
            files,
            app_version: None,
            homes: None,
        }
    }

    /// Blocks of all its files, as they were.
    #[must_use]
    pub fn allocated(&self) -> Allocated {
        self.files.iter().map(|file| file.allocated).sum()
    }
}

/// How a copy stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum CopyState {
    /// As its manifest says.
    Whole,
    /// Something differs from its manifest.
    Changed,
    /// Its volume or folder is not there.
    Absent,
    /// It is being discarded, and only that can go on.
    Discarding,
}

/// A parked copy, as `parked list --json` prints it and the window shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct ParkedCopy {
    /// The act that made it.
    pub id: String,
    /// The bundle it came from.
    pub bundle: String,
    /// How much of it.
    pub scope: Scope,
    /// Where it stands.
    #[serde(flatten)]
    pub path: PathText,
    /// When it was moved there.
    pub parked_at: Time,
    /// Its blocks now; what was written down where it cannot be looked at.
    pub allocated: Allocated,
    /// How it stands.
    pub state: CopyState,
    /// The rebuild that followed was verified, so it may be discarded.
    pub verified: bool,
    /// What its sessions disk held.
    pub homes: Option<HomesSummary>,
    /// Its files.
    pub files: Vec<ParkedFile>,
}

/// The contract of `parked list --json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParkedList {
    /// [`ACT_SCHEMA`].
    pub schema: u32,
    /// Newest first.
    pub parked: Vec<ParkedCopy>,
}
