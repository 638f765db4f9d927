//! The proof that chats, tasks and projects were not touched.
//!
//! They live on the host, beside the bundle (facts of the VM §2), and nothing of ours ever writes there.
//! Two comparisons: from the moment the app is gone to right before it is started again everything must
//! be equal, byte for byte; afterwards nothing known before may be missing, and what changed is the
//! app's own doing and is said so.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::paths::PathText;

/// The folders of userData that hold them.
pub const FOLDERS: [&str; 2] = ["local-agent-mode-sessions", "claude-code-sessions"];

/// Files up to this length are compared by content, longer ones by length, time and inode.
pub const HASHED: u64 = 1_000_000;

/// Names a report lists of each kind; counts are of all.
pub const MOST_LISTED: usize = 100;

/// What is remembered of a file or folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Its length; 0 for a folder.
    pub size: u64,
    /// Its inode.
    pub inode: u64,
    /// When it was changed, in nanoseconds since 1970.
    pub modified: i64,
    /// SHA-256 in hex of a file up to [`HASHED`] long; the target of a link; none for others.
    pub content: Option<String>,
}

/// Everything below [`FOLDERS`], by path relative to userData.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sessions {
    /// By path.
    #[serde(with = "pairs")]
    pub seen: BTreeMap<PathText, Seen>,
    /// What could not be read; where there is any, equality cannot be claimed.
    pub unreadable: Vec<PathText>,
}

/// As a list of pairs: a path is no string, and JSON has no other keys.
mod pairs {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::{PathText, Seen};

    pub(super) fn serialize<S: Serializer>(
        seen: &BTreeMap<PathText, Seen>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(seen)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<PathText, Seen>, D::Error> {
        Ok(Vec::<(PathText, Seen)>::deserialize(from)?
            .into_iter()
            .collect())
    }
}

/// What became of chats, tasks and projects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "ts",
    derive(ts_rs::TS),
    ts(export, rename = "SessionsReport")
)]
pub struct Report {
    /// How many files and folders there were.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
    /// Nothing differed while the app was gone; false also where something could not be read.
    pub untouched: bool,
    /// What differed while the app was gone. Not our doing, and never expected.
    pub differing: Vec<PathText>,
    /// What was there before and is not afterwards.
    pub missing: Vec<PathText>,
    /// What the app changed or added since it was started again.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub changed_by_app: u64,
    /// What could not be read.
    pub unreadable: Vec<PathText>,
}

impl Report {
    /// Compares while the app is gone.
    #[must_use]
    pub fn exact(before: &Sessions, now: &Sessions) -> Self {
        let mut differing: Vec<PathText> = before
            .seen
            .iter()
            .filter(|(path, seen)| now.seen.get(path) != Some(seen))
            .map(|(path, _)| path.clone())
            .collect();
        differing.extend(
            now.seen
                .keys()
                .filter(|path| !before.seen.contains_key(path))
                .cloned(),
        );
        let mut unreadable: Vec<PathText> = before
            .unreadable
            .iter()
            .chain(&now.unreadable)
            .cloned()
            .collect();
        unreadable.sort();
        unreadable.dedup();
        let untouched = differing.is_empty() && unreadable.is_empty();
        differing.truncate(MOST_LISTED);
        unreadable.truncate(MOST_LISTED);
        Self {
            count: u64::try_from(before.seen.len()).unwrap_or(u64::MAX),
            untouched,
            differing,
            unreadable,
            ..Self::default()
        }
    }

    /// Adds what is so after the app was started again.
    #[must_use]
    pub fn afterwards(mut self, before: &Sessions, now: &Sessions) -> Self {
        let lost = |path: &PathText| !now.seen.contains_key(path);
        self.missing = before
            .seen
            .keys()
            .filter(|path| lost(path))
            .cloned()
            .collect();
        self.missing.truncate(MOST_LISTED);
        let changed = now
            .seen
            .iter()
            .filter(|(path, seen)| before.seen.get(path) != Some(seen));
        self.changed_by_app = u64::try_from(changed.count()).unwrap_or(u64::MAX);
        self
    }
}
