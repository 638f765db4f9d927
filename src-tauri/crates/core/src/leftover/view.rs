//! What surfaces show of leftovers: `sandtrayctl leftovers --json`, `clean --json`, the window's panel.

use serde::{Deserialize, Serialize};

use super::Tier;
use crate::bytes::{Allocated, Apparent};
use crate::measurement::Gap;
use crate::paths::PathText;
use crate::time::Time;

/// The contract's number.
pub const LEFTOVERS_SCHEMA: u32 = 1;

/// A reason with how many candidates it is true of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct ReasonCount {
    /// In words: "a process has it open (node, 4711)".
    pub reason: String,
    /// How many.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
}

/// Leftovers of one class in one root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct ClassView {
    /// Handle that the backend issued for this group; send it back, never a path.
    pub id: String,
    /// The class's name.
    pub class: String,
    /// How freely they may go.
    pub tier: Tier,
    /// The root's path.
    pub root: PathText,
    /// The root lives in memory.
    pub memory: bool,
    /// What a person calls them.
    pub title: String,
    /// What they are and why they are there.
    pub about: String,
    /// What proves one dead.
    pub proof: String,
    /// What the loss costs; empty where nothing.
    pub cost: String,
    /// May be removed at all.
    pub removable: bool,
    /// How many there are.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
    /// Proven dead.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub dead: u64,
    /// In use.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub live: u64,
    /// Not provable; kept.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub unknown: u64,
    /// Length of all of them.
    pub apparent: Apparent,
    /// Blocks of all of them.
    pub allocated: Allocated,
    /// Inodes of all of them.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub inodes: u64,
    /// Blocks of the dead ones; removing them frees at most this.
    pub dead_allocated: Allocated,
    /// Inodes of the dead ones.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub dead_inodes: u64,
    /// Birth of the oldest; none where there is none.
    pub oldest: Option<Time>,
    /// Born within the last hour.
    pub rate_per_hour: f64,
    /// Why the live and unknown ones are kept, most frequent first.
    pub kept: Vec<ReasonCount>,
    /// Where they come from where that can be known: a session, a job, a project.
    pub from: Vec<ReasonCount>,
    /// What to do about the cause; empty where there is nothing.
    pub remedy: String,
}

/// A file that has no name any more and takes space until somebody closes it (#33670).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct DeletedOpen {
    /// Its last name.
    #[serde(flatten)]
    pub path: PathText,
    /// Its length.
    pub apparent: Apparent,
    /// Its blocks.
    pub allocated: Allocated,
    /// The process that must end before the space comes back.
    pub pid: u32,
    /// Its name.
    pub process: String,
}

/// What leftovers there are: the contract of `leftovers --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct LeftoversView {
    /// [`LEFTOVERS_SCHEMA`].
    pub schema: u32,
    /// When the look began.
    pub at: Time,
    /// One entry a class and root, largest gain first.
    pub classes: Vec<ClassView>,
    /// Deleted and still open.
    pub deleted_open: Vec<DeletedOpen>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
    /// More of them than `gaps` shows.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub more_gaps: u64,
    /// Everything was looked at.
    pub complete: bool,
    /// What else a person should know, in sentences: a signal that is missing, WSL2 whose disk does not
    /// shrink.
    pub notes: Vec<String>,
}

/// What a candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Proven dead.
    Dead,
    /// In use.
    Live,
    /// Not provable; kept.
    Unknown,
}

/// One candidate of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct CandidateView {
    /// Handle that the backend issued; send it back, never a path.
    pub id: String,
    /// Its path below the root.
    #[serde(flatten)]
    pub path: PathText,
    /// Dead, live or unknown.
    pub standing: Standing,
    /// Why it is not dead; empty where it is.
    pub reason: String,
    /// Its length.
    pub apparent: Apparent,
    /// Its blocks.
    pub allocated: Allocated,
    /// Its inodes.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub inodes: u64,
    /// The latest of birth, change and writing.
    pub touched: Time,
    /// The session, job or project; empty where unknown.
    pub from: String,
}

/// Some candidates of a group, largest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct CandidatePage {
    /// The group.
    pub group: String,
    /// The candidates.
    pub candidates: Vec<CandidateView>,
    /// How many of the group were asked for: all of them, or those that hold what was searched for.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total: u64,
}

/// What is to go: handles that the backend issued.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct CleanChoice {
    /// Every dead candidate of these groups.
    pub groups: Vec<String>,
    /// These candidates.
    pub candidates: Vec<String>,
    /// What would be parked is removed for good instead.
    pub for_good: bool,
}

/// A part of a clean-up, as read beforehand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct CleanPart {
    /// The class.
    pub class: String,
    /// What a person calls them.
    pub title: String,
    /// The root's path.
    pub root: PathText,
    /// How freely they may go.
    pub tier: Tier,
    /// How many go.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
    /// How many of the chosen stay, with their reasons.
    pub kept: Vec<ReasonCount>,
    /// Their blocks.
    pub allocated: Allocated,
    /// Blocks among them that other names reach too: at most the rest becomes free.
    pub shared: Allocated,
    /// Their inodes.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub inodes: u64,
    /// They are moved aside and can come back; that frees nothing until they are discarded.
    pub parks: bool,
    /// What the loss costs; empty where nothing.
    pub cost: String,
}

/// A clean-up before it is confirmed. Applying its id does exactly this, or skips with a reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct CleanPreview {
    /// [`LEFTOVERS_SCHEMA`].
    pub schema: u32,
    /// For apply; empty where nothing goes.
    pub id: String,
    /// Its parts.
    pub parts: Vec<CleanPart>,
    /// How many go, parked ones included.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
    /// At most this becomes free at once.
    pub frees: Allocated,
    /// And this many inodes.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub frees_inodes: u64,
    /// Becomes free when the parked copy is discarded.
    pub parks: Allocated,
    /// What else a person should know, in sentences.
    pub notes: Vec<String>,
    /// Why it would not be done; empty where it would.
    pub refusals: Vec<String>,
}

/// How far a clean-up is: one line of `clean --json`, and `clean-progress` to the window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct CleanProgress {
    /// [`LEFTOVERS_SCHEMA`].
    pub schema: u32,
    /// The clean-up.
    pub id: String,
    /// The class at which it is.
    pub class: String,
    /// What a person calls them.
    pub title: String,
    /// Candidates done with, skipped ones included.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub done: u64,
    /// All of them.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total: u64,
    /// Removed or parked.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub removed: u64,
    /// Left, each with a reason.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub skipped: u64,
}

/// Who asked for a clean-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum CleanedBy {
    /// A person.
    #[default]
    Person,
    /// The schedule that a person switched on.
    Schedule,
}

/// What a clean-up did, as measured: the last line of `clean --json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct CleanReceipt {
    /// [`LEFTOVERS_SCHEMA`].
    pub schema: u32,
    /// The clean-up.
    pub id: String,
    /// Who asked.
    pub by: CleanedBy,
    /// When it began.
    pub begun_at: Time,
    /// When it ended.
    pub ended_at: Time,
    /// In a sentence.
    pub outcome: String,
    /// What went, part by part; the counts are of what was done.
    pub parts: Vec<CleanPart>,
    /// Removed or parked, whole candidates.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub removed: u64,
    /// Left, with the reason.
    pub skipped: Vec<ReasonCount>,
    /// Tried and refused by the system.
    pub failed: Vec<Gap>,
    /// More failures than `failed` shows.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub more_failed: u64,
    /// What the volumes gained, in bytes; negative where others wrote meanwhile. None where unknown.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub freed_measured: Option<i64>,
    /// What they gained in inodes; none where they have no such limit.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub inodes_freed: Option<i64>,
    /// The parked copy it made, if any.
    pub parked: Option<String>,
    /// Stopped before its end by whoever asked.
    pub cancelled: bool,
    /// What else a person should know: a gain far below the expected, and why.
    pub notes: Vec<String>,
}

/// Whether what was moved aside is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum ParkedState {
    /// It is.
    There,
    /// Its folder is not: memory that a restart emptied, a volume that is not connected.
    Absent,
}

/// Leftovers that were moved aside together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct ParkedLeftovers {
    /// For restore and discard.
    pub id: String,
    /// Where it stands.
    #[serde(flatten)]
    pub path: PathText,
    /// When.
    pub parked_at: Time,
    /// How many stand there now.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
    /// Their blocks, as they were.
    pub allocated: Allocated,
    /// What they are, by what a person calls them.
    pub classes: Vec<ReasonCount>,
    /// Whether it is there.
    pub state: ParkedState,
}

/// What is under way: the window asks once and is told afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Cleaning {
    /// How far the running clean-up is.
    pub running: Option<CleanProgress>,
    /// What the last one did.
    pub last: Option<CleanReceipt>,
    /// What stands aside.
    pub parked: Vec<ParkedLeftovers>,
}

/// What of the automatic tier could go, as last looked at: for the tray and the overview.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct LeftoverSummary {
    /// When.
    pub at: Time,
    /// How many.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
    /// Their blocks.
    pub allocated: Allocated,
    /// Their inodes.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub inodes: u64,
}

impl From<&LeftoversView> for LeftoverSummary {
    fn from(view: &LeftoversView) -> Self {
        let automatic = || {
            let classes = view.classes.iter();
            classes.filter(|class| class.tier == Tier::Automatic && class.removable)
        };
        let sum =
            |number: fn(&ClassView) -> u64| automatic().map(number).fold(0, u64::saturating_add);
        Self {
            at: view.at,
            count: sum(|class| class.dead),
            allocated: automatic().map(|class| class.dead_allocated).sum(),
            inodes: sum(|class| class.dead_inodes),
        }
    }
}
