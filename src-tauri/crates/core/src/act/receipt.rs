//! What an act did, as measured.

use serde::{Deserialize, Serialize};

use super::refusal::Refusal;
use super::sessions::Report;
use super::steps::{End, Step};
use super::{ActKind, Scope};
use crate::bytes::{Allocated, Bytes};
use crate::gauge::GaugeKind;
use crate::time::Time;

/// How the app's rebuild stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum Rebuild {
    /// It may begin only when somebody opens a Cowork task; silence is no failure.
    Waiting,
    /// The archive is coming in.
    Downloading {
        /// How much of it, in whole percent; none where the log does not say.
        percent: Option<u8>,
    },
    /// The archive is being unpacked.
    Unpacking,
    /// The VM starts.
    Booting,
    /// The new disks are there and readable.
    Ready,
    /// It began again and again.
    Looping {
        /// What the log says of it.
        cause: String,
    },
    /// It failed.
    Failed {
        /// What the log says of it.
        cause: String,
    },
}

impl Rebuild {
    /// Whether nothing more is to come.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        matches!(
            self,
            Self::Ready | Self::Failed { .. } | Self::Looping { .. }
        )
    }
}

/// How full a guest disk was and is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Fill {
    /// Which disk.
    pub kind: GaugeKind,
    /// Used before; none where unknown.
    pub before: Option<Bytes>,
    /// Used after; none where unknown or not built yet.
    pub after: Option<Bytes>,
}

/// What an act did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, rename = "ActReceipt"))]
pub struct Receipt {
    /// [`super::ACT_SCHEMA`].
    pub schema: u32,
    /// The act's id.
    pub id: String,
    /// What it was.
    pub kind: ActKind,
    /// How much of the bundle.
    pub scope: Scope,
    /// How it ended.
    pub end: End,
    /// In a sentence.
    pub outcome: String,
    /// Why nothing was done, where that is so.
    pub refusals: Vec<Refusal>,
    /// When it began.
    pub begun_at: Time,
    /// When it ended.
    pub ended_at: Time,
    /// The parked copy it made, if one stands.
    pub parked: Option<String>,
    /// Blocks of what moved.
    pub moved: Allocated,
    /// How full the disks were and are.
    pub fills: Vec<Fill>,
    /// Available on the bundle's volume before; none where unknown.
    pub available_before: Option<Bytes>,
    /// And after.
    pub available_after: Option<Bytes>,
    /// What happened to chats, tasks and projects.
    pub sessions: Option<Report>,
    /// How the rebuild stands.
    pub rebuild: Option<Rebuild>,
    /// The app was quit.
    pub quit: bool,
    /// The app was started again.
    pub relaunched: bool,
    /// What else a person should know, in sentences.
    pub notes: Vec<String>,
}

/// How far an act is: one line of `reset --json`, and `act-progress` to the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct ActProgress {
    /// [`super::ACT_SCHEMA`].
    pub schema: u32,
    /// The act's id.
    pub id: String,
    /// What is being done.
    pub step: Step,
    /// Whether it is under way, done or failed.
    pub state: StepState,
    /// Since when it is.
    pub since: Time,
    /// What is waited for, in a sentence; empty where nothing is.
    pub waiting_for: String,
    /// It may be stopped, and all is as it was.
    pub can_cancel: bool,
    /// How the rebuild stands, while it is watched.
    pub rebuild: Option<Rebuild>,
}

/// The state of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Under way.
    Begun,
    /// It has taken effect.
    Done,
    /// It has not.
    Failed,
}
