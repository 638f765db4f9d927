//! Acts that change the machine: reset, restore, discard. Pure parts; host carries them out.
//!
//! One road for all of them: preview makes an [`Act`] out of what was found, a person reads it, apply
//! takes the same value by its id, and every effect is written to the journal before and after it.
//! Everything moves by rename and nothing is removed but by a discard.
//!
//! * [`scope`]: which files an act moves, and in which order. [`space`]: what must be
//!   available.
//! * [`refusal`]: why nothing is done. [`recommend`]: which scope fits, and why.
//! * [`steps`]: the state machine. [`crash`]: what is found after an act ended in the middle.
//! * [`preview`]: what a person reads before it.
//! * [`journal`]: the durable record. [`parked`]: what stands aside. [`receipt`]: what an act did.
//! * [`sessions`]: the proof that chats, tasks and projects are as they were.
//! * [`watch`]: how far the app is with new disks.

pub mod crash;
pub mod journal;
pub mod parked;
pub mod preview;
pub mod receipt;
pub mod recommend;
pub mod refusal;
pub mod scope;
pub mod sessions;
pub mod space;
pub mod steps;
pub mod watch;

use serde::{Deserialize, Serialize};

use crate::paths::PathText;
use crate::time::Time;

pub use self::refusal::{Refusal, RefusalKind};
pub use self::scope::Scope;

/// The number of everything an act stores or prints.
pub const ACT_SCHEMA: u32 = 1;

/// What an act does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum ActKind {
    /// Moves disks aside, so that the app builds new ones.
    Reset,
    /// Moves what is there now aside and a parked copy back: undo.
    Restore,
    /// Gives a parked copy to the trash.
    Trash,
    /// Removes a parked copy for good.
    Remove,
}

/// Who a file or folder is, whatever its name: a path alone proves nothing after a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// The device it lies on (Windows: the volume's serial number).
    pub device: u64,
    /// Its inode (Windows: the file's index).
    pub inode: u64,
    /// Its length; 0 for a folder, whose length says nothing.
    pub size: u64,
}

impl Identity {
    /// Whether `seen` is who was written down.
    ///
    /// On the same device the inode alone says so: an image grows while its app still runs, and after the
    /// last look a stranger may have written to it. After a restart of the machine the same volume may
    /// have another device number; then the length has to agree as well.
    #[must_use]
    pub const fn is(self, seen: Self) -> bool {
        self.inode == seen.inode && (self.device == seen.device || self.size == seen.size)
    }
}

/// One rename that never replaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// Where it is before.
    pub from: PathText,
    /// Where it is after.
    pub to: PathText,
    /// Who it is.
    pub identity: Identity,
    /// A folder, with everything in it.
    pub folder: bool,
}

/// How the app is started again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The program.
    pub program: PathText,
    /// Its arguments.
    pub arguments: Vec<PathText>,
}

/// Everything an act will do, decided before the first effect: what a person confirms is what is written
/// to the journal, and what is written is what is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Act {
    /// Its name: in the journal, of the parked copy it makes, in commands.
    pub id: String,
    /// What it does.
    pub kind: ActKind,
    /// How much of the bundle it is about.
    pub scope: Scope,
    /// The bundle's stable name.
    pub bundle: String,
    /// Where the bundle is.
    pub bundle_path: PathText,
    /// The parked copy that is restored or discarded.
    pub copy: Option<String>,
    /// The folder made for what is moved aside; for a discard, the copy's own.
    pub parked: Option<PathText>,
    /// The renames, in order. Undone in the opposite order.
    pub moves: Vec<Move>,
    /// The app was running when the act was planned.
    pub running: bool,
    /// How the app is started again; none where it cannot be told.
    pub launch: Option<Launch>,
    /// Which start of the machine the act was planned in; none where the system does not say.
    pub boot: Option<String>,
    /// When it was planned.
    pub planned_at: Time,
}

#[cfg(test)]
mod tests;
