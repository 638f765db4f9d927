//! Why nothing is done: a result, not an error.

use serde::{Deserialize, Serialize};

use super::space::SpaceOffer;
use crate::bytes::Bytes;
use crate::paths::PathText;

/// A process that keeps an act from going on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Holder {
    /// Its number.
    pub pid: u32,
    /// Its name as the system shows it.
    pub name: String,
    /// What it holds; none where only its ancestry makes it a suspect.
    pub file: Option<PathText>,
    /// The VM or one of its companions, as far as its name or ancestry tells.
    pub vm: bool,
}

/// A refusal with its sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, rename = "ActRefusal"))]
pub struct Refusal {
    /// Why, for programs.
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(flatten))]
    pub kind: RefusalKind,
    /// Why and what to do, for people.
    pub text: String,
}

impl From<RefusalKind> for Refusal {
    fn from(kind: RefusalKind) -> Self {
        let text = crate::words::refusal(&kind);
        Self { kind, text }
    }
}

/// Why an act is not begun, or stops before anything moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, rename = "RefusalKind"))]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum RefusalKind {
    /// No bundle of that id.
    NoBundle,
    /// Several bundles, and none was named.
    SeveralBundles,
    /// Nothing is full, and no scope was asked for.
    NotRecommended {
        /// Why none fits, in words.
        why: String,
    },
    /// The bundle has nothing of this scope.
    NothingToMove,
    /// A link, junction or other reparse point stands in the way (#67512).
    Link {
        /// What is one.
        #[serde(flatten)]
        path: PathText,
    },
    /// It belongs to another user.
    ForeignOwner {
        /// What does.
        #[serde(flatten)]
        path: PathText,
    },
    /// Root never acts: whose disk it is could not be told from whose it becomes.
    Root,
    /// Our own process runs inside a Windows package: its writes would be redirected (#93152).
    Packaged,
    /// No place to park on the bundle's volume.
    OtherVolume {
        /// The bundle.
        #[serde(flatten)]
        path: PathText,
    },
    /// The place to move to is taken.
    NameTaken {
        /// By what.
        #[serde(flatten)]
        path: PathText,
    },
    /// The folder cannot be written.
    NotWritable {
        /// Which.
        #[serde(flatten)]
        path: PathText,
        /// What the system said.
        cause: String,
    },
    /// The volume cannot rename without replacing.
    NoSafeRename {
        /// The bundle.
        #[serde(flatten)]
        path: PathText,
    },
    /// Too little room for the rebuild.
    NotEnoughSpace {
        /// What it needs.
        needed: Bytes,
        /// What there is.
        available: Bytes,
        /// The difference.
        short: Bytes,
        /// What to do about it, in this order.
        #[serde(default)]
        offers: Vec<SpaceOffer>,
    },
    /// A process that is not the app holds a file of the bundle.
    Held {
        /// Who.
        holders: Vec<Holder>,
    },
    /// The app is gone and its VM is not (#74890).
    OrphanVm {
        /// Who.
        holders: Vec<Holder>,
    },
    /// This system does not tell who holds a file, so nothing moves.
    HoldersUnknown {
        /// Why not.
        cause: String,
    },
    /// More than one process could be the app.
    SeveralApps {
        /// Their numbers.
        pids: Vec<u32>,
    },
    /// The app did not quit in time; it was left running.
    DidNotQuit {
        /// Seconds waited.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        waited: i64,
    },
    /// The app could not be asked to quit.
    CannotQuit {
        /// What the system said.
        cause: String,
    },
    /// The app started again by itself.
    CameBack,
    /// Something changed since the preview.
    Changed {
        /// What.
        what: String,
    },
    /// Another act is running, here or in another Sandtray.
    Busy,
    /// An earlier act ended in the middle and must be resolved first.
    Unresolved {
        /// Its id.
        entry: String,
    },
    /// The journal cannot be written: no journal, no act.
    NoJournal {
        /// What the system said.
        cause: String,
    },
    /// No parked copy of that id.
    NoCopy,
    /// The parked copy is not what its manifest says.
    CopyChanged {
        /// What differs.
        what: String,
    },
    /// The parked copy lies on another volume now, or its volume is not there.
    CopyAbsent {
        /// Where it was.
        #[serde(flatten)]
        path: PathText,
    },
    /// The app has moved on to another release of its VM and would delete the parked system disk at once
    /// (#87512), so it stays parked.
    OtherRelease {
        /// Of the parked system disk; none where nothing says.
        parked: Option<String>,
        /// Of the one in place.
        wanted: String,
    },
    /// A copy is not discarded before its rebuild was verified.
    NotVerified,
    /// The trash is no single rename away, or does not fit: it is for good, or not at all.
    NoTrash {
        /// Why.
        cause: String,
    },
    /// A person said no, or nobody could be asked.
    NotConfirmed,
    /// Stopped by a person before anything moved.
    Cancelled,
}
