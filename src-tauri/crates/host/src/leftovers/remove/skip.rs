//! Why something was left.

use std::fmt;
use std::path::Path;

use sandtray_core::measurement::Gap;

use super::Removed;
use crate::error::Failure;

/// Why a target, or the rest of it, is still there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Skip {
    /// It was gone already, which is as good.
    Gone,
    /// It is not what was judged any more; says what differs.
    Changed(&'static str),
    /// Something is in it.
    NotEmpty,
    /// It, something in it or the folder it lies in is another user's.
    Foreign,
    /// Something is mounted on it or in it.
    Mounted,
    /// A git repository or worktree is in it (#78475).
    Repository,
    /// Somebody holds it; says how that shows.
    Held(&'static str),
    /// What is in it cannot be seen.
    Unreadable(Gap),
    /// Whoever was asked refused, in these words.
    Asked(String),
    /// The system refused.
    Failed(Gap),
    /// Whoever started it stopped it.
    Cancelled,
    /// Others may exchange what is in the base: measured and never cleaned (T12).
    Hostile(&'static str),
    /// The parked copy would lie on another volume, and a copy is no rename.
    OtherVolume,
    /// Its class never goes by us, or not in this way.
    Never,
    /// Some of it went before something stopped it.
    Partly(Box<Partly>),
}

/// What went of a target that did not go whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partly {
    /// What went.
    pub removed: Removed,
    /// What stopped it; the first of the failures where those are all.
    pub why: Skip,
    /// What the system refused, the first hundred.
    pub failed: Vec<Gap>,
    /// More than those.
    pub more_failed: u64,
}

/// Failures that are kept one by one.
const KEPT_FAILURES: usize = 100;

impl Partly {
    /// Nothing went yet.
    pub(super) const fn begun() -> Self {
        Self {
            removed: Removed {
                inodes: 0,
                allocated: sandtray_core::bytes::Allocated::ZERO,
                linked: 0,
            },
            why: Skip::Cancelled,
            failed: Vec::new(),
            more_failed: 0,
        }
    }

    pub(super) fn fail(&mut self, gap: Gap) {
        if self.failed.len() < KEPT_FAILURES {
            self.failed.push(gap);
        } else {
            self.more_failed = self.more_failed.saturating_add(1);
        }
    }

    /// What a tree that was worked on comes to.
    pub(super) fn ended(mut self, stopped: Option<Skip>) -> Result<Removed, Skip> {
        let why = match (stopped, self.failed.first()) {
            (Some(skip), _) => skip,
            (None, Some(gap)) => Skip::Failed(gap.clone()),
            (None, None) => return Ok(self.removed),
        };
        if self.removed.is_nothing() && self.failed.len() <= 1 {
            return Err(why);
        }
        self.why = why;
        Err(Skip::Partly(Box::new(self)))
    }
}

impl Skip {
    /// What went all the same.
    #[must_use]
    pub fn removed(&self) -> Removed {
        match self {
            Self::Partly(partly) => partly.removed,
            _ => Removed::default(),
        }
    }

    /// What the system refused, to be shown one by one.
    #[must_use]
    pub fn failed(&self) -> &[Gap] {
        match self {
            Self::Partly(partly) => &partly.failed,
            Self::Failed(gap) => std::slice::from_ref(gap),
            _ => &[],
        }
    }

    pub(super) fn failure(
        operation: &'static str,
        path: &Path,
        cause: impl Into<std::io::Error>,
    ) -> Self {
        Self::Failed(gap(operation, path, cause))
    }

    pub(super) fn unreadable(
        operation: &'static str,
        path: &Path,
        cause: impl Into<std::io::Error>,
    ) -> Self {
        Self::Unreadable(gap(operation, path, cause))
    }
}

pub(super) fn gap(operation: &'static str, path: &Path, cause: impl Into<std::io::Error>) -> Gap {
    (&Failure::io(operation, path, cause.into())).into()
}

/// Without paths, so that many of a kind are one reason with a count.
impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => f.write_str("it was gone already"),
            Self::Changed(what) => write!(f, "it changed since it was looked at: {what}"),
            Self::NotEmpty => f.write_str("it is not empty"),
            Self::Foreign => f.write_str("it belongs to another user, or something in it does"),
            Self::Mounted => f.write_str("something is mounted on it or in it"),
            Self::Repository => f.write_str("a git repository or worktree is in it"),
            Self::Held(how) => f.write_str(how),
            Self::Unreadable(gap) => write!(f, "something in it cannot be read: {}", gap.cause),
            Self::Asked(why) => f.write_str(why),
            Self::Failed(gap) => write!(f, "cannot {}: {}", gap.operation, gap.cause),
            Self::Cancelled => f.write_str("stopped"),
            Self::Hostile(why) => write!(f, "others may change what is in its folder: {why}"),
            Self::OtherVolume => f.write_str("it lies on another volume than parked copies"),
            Self::Never => f.write_str("this kind is never removed in this way"),
            Self::Partly(partly) => write!(f, "a part of it is left: {}", partly.why),
        }
    }
}
