//! The state machine of a reset and of a restore.
//!
//! ```text
//! Quitting ─▶ Proving ─▶ Recording ─▶ Moving(0..n) ─▶ ProvingAgain ─▶ Latch ─▶ Comparing
//!    │           │           │             │                │                      │
//!    ▼           ▼           ▼             └──▶ PuttingBack(n..0) ◀┘          Relaunching
//!  Ended      StartingAgain ─▶ Ended                  │    └─▶ Keeping ────▶       │
//!                                              StartingAgain ─▶ Ended      Watching ─▶ Verifying ─▶ Ended
//! ```
//!
//! [`next`] is all of it: a state and what came of its effect give the next state. Host carries out one
//! effect per state, and writes the state to the journal before and what came of it after. So a kill
//! at any instant leaves one of these states behind, and [`super::crash`] says what each means.

use serde::{Deserialize, Serialize};

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, rename = "ActStep"))]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The app is asked to quit, and waited for.
    Quit,
    /// No process has any file of the bundle open.
    Prove,
    /// The host-side sessions are listed, and the folder for the parked copy is made with its manifest.
    Record,
    /// Files are renamed, one at a time.
    Move,
    /// Again no process has any of them open: on Unix a rename succeeds under an open file.
    ProveAgain,
    /// `.auto_reinstall_attempted` moves into the parked copy: left behind, it stops every repair (#93385).
    Latch,
    /// The host-side sessions are what they were, byte for byte.
    Compare,
    /// The app is started again, if it ran.
    Relaunch,
    /// The app builds a new disk.
    Watch,
    /// What became of it is measured.
    Verify,
    /// What was moved moves back.
    PutBack,
    /// The app is started again after nothing was done.
    StartAgain,
}

/// Where an act is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// See [`Step::Quit`].
    Quitting,
    /// See [`Step::Prove`].
    Proving,
    /// See [`Step::Record`].
    Recording,
    /// Move number so-and-so is next.
    Moving(usize),
    /// See [`Step::ProveAgain`].
    ProvingAgain,
    /// See [`Step::Latch`].
    Latch,
    /// See [`Step::Compare`].
    Comparing,
    /// See [`Step::Relaunch`].
    Relaunching,
    /// See [`Step::Watch`].
    Watching,
    /// See [`Step::Verify`].
    Verifying,
    /// So many moves are still to be undone; whether the app is started again afterwards.
    PuttingBack(usize, bool),
    /// All of it has moved and cannot go back, because the app has begun a new disk under an old name: what
    /// was moved aside stays there, once it is proven that nobody holds it. See [`Step::ProveAgain`].
    Keeping,
    /// Nothing was done, or all of it was undone; the app is started again.
    StartingAgain(End),
    /// It is over.
    Ended(End),
}

/// How an act ended. Stored as these tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, rename = "ActEnd"))]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// What was to move has moved.
    Done,
    /// Nothing moved, for a reason of safety.
    Refused,
    /// Nothing moved, because something failed.
    Failed,
    /// It moved, and moved back.
    RolledBack,
    /// It was cut off; its outcome says where the files are.
    Interrupted,
}

/// What came of the effect of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was done.
    Well,
    /// It was not done, and nothing changed.
    Failed,
    /// It was done, and then something failed: a rename that took effect, and a folder that would not
    /// sync or a journal that would not take the line.
    DoneThenFailed,
    /// It cannot be done: another file has taken the name. Only while putting back.
    Taken,
    /// A process holds a file, or would not go: only while proving or quitting.
    Held {
        /// It is the VM, which outlived its app: starting the app beside it would be the next fault.
        orphan: bool,
    },
    /// A person, or the time, stopped the waiting.
    Stopped,
}

/// What the machine has to know of the act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many renames there are.
    pub moves: usize,
    /// The app was running, so it is started again.
    pub running: bool,
}

impl State {
    /// The first state of an act.
    #[must_use]
    pub const fn first(shape: Shape) -> Self {
        if shape.running {
            Self::Quitting
        } else {
            Self::Proving
        }
    }

    /// The step whose effect this state is, or none at the end.
    #[must_use]
    pub const fn step(self) -> Option<Step> {
        Some(match self {
            Self::Quitting => Step::Quit,
            Self::Proving => Step::Prove,
            Self::Recording => Step::Record,
            Self::Moving(_) => Step::Move,
            Self::ProvingAgain | Self::Keeping => Step::ProveAgain,
            Self::Latch => Step::Latch,
            Self::Comparing => Step::Compare,
            Self::Relaunching => Step::Relaunch,
            Self::Watching => Step::Watch,
            Self::Verifying => Step::Verify,
            Self::PuttingBack(..) => Step::PutBack,
            Self::StartingAgain(_) => Step::StartAgain,
            Self::Ended(_) => return None,
        })
    }

    /// Whether a person may still stop the act and find everything as it was.
    #[must_use]
    pub const fn can_cancel(self) -> bool {
        matches!(self, Self::Quitting | Self::Proving | Self::Recording)
    }

    /// Whether the disks have moved, so that a stop means undo, not "as it was".
    #[must_use]
    pub const fn has_moved(self) -> bool {
        matches!(
            self,
            Self::Moving(1..)
                | Self::ProvingAgain
                | Self::Keeping
                | Self::Latch
                | Self::Comparing
                | Self::Relaunching
                | Self::Watching
                | Self::Verifying
        )
    }
}

/// The next state.
#[must_use]
pub const fn next(state: State, outcome: Outcome, shape: Shape) -> State {
    use Outcome::{DoneThenFailed, Failed, Held, Stopped, Taken, Well};
    match (state, outcome) {
        // The app said no, or nobody could ask it: it is still there, and nothing was touched.
        (State::Quitting, Well) => State::Proving,
        (State::Quitting, _) => State::Ended(End::Refused),
        (State::Proving, Well) => State::Recording,
        // The app quit and its VM did not: starting the app beside it would be the next fault.
        (State::Proving, Held { orphan: true }) => State::Ended(End::Refused),
        (State::Proving, Held { .. } | Stopped | Failed | DoneThenFailed | Taken) => {
            again(End::Refused, shape)
        }
        (State::Recording, Well) => moving(0, shape),
        (State::Recording, Stopped) => again(End::Refused, shape),
        (State::Recording, Failed | DoneThenFailed | Held { .. } | Taken) => {
            again(End::Failed, shape)
        }
        (State::Moving(at), Well) => moving(at.saturating_add(1), shape),
        // This move itself has to go back, too.
        (State::Moving(at), DoneThenFailed) => back(at.saturating_add(1), true, End::Failed, shape),
        (State::Moving(at), _) => back(at, true, End::Failed, shape),
        (State::ProvingAgain, Well) => State::Latch,
        // Whoever came back inside the window runs already, and is not started a second time.
        (State::ProvingAgain, Held { .. }) => back(shape.moves, false, End::RolledBack, shape),
        (State::ProvingAgain, _) => back(shape.moves, true, End::RolledBack, shape),
        // A latch that stays is told, and no reason to stop half-way.
        (State::Latch, _) => State::Comparing,
        (State::Comparing, _) | (State::Keeping, Well) if shape.running => State::Relaunching,
        (State::Comparing | State::Relaunching, _) | (State::Keeping, Well) => State::Watching,
        (State::Keeping, _) => State::Ended(End::Interrupted),
        (State::Watching, _) => State::Verifying,
        (State::Verifying, _) => State::Ended(End::Done),
        // A file that is back is back, whatever failed after it: what is left goes on.
        (State::PuttingBack(left, start), Well | DoneThenFailed) => {
            back(left.saturating_sub(1), start, End::RolledBack, shape)
        }
        // All of it is aside already, so that is where it stays: as good as if nobody had come back.
        (State::PuttingBack(left, _), Taken) if left == shape.moves => State::Keeping,
        (State::PuttingBack(..), _) => State::Ended(End::Interrupted),
        (State::StartingAgain(end) | State::Ended(end), _) => State::Ended(end),
    }
}

const fn moving(at: usize, shape: Shape) -> State {
    if at < shape.moves {
        State::Moving(at)
    } else {
        State::ProvingAgain
    }
}

const fn back(left: usize, start: bool, end: End, shape: Shape) -> State {
    if left > 0 {
        State::PuttingBack(left, start)
    } else if start {
        again(end, shape)
    } else {
        State::Ended(end)
    }
}

const fn again(end: End, shape: Shape) -> State {
    if shape.running {
        State::StartingAgain(end)
    } else {
        State::Ended(end)
    }
}

#[cfg(test)]
mod tests;
