//! What a person reads before an act: the window's and the command line's preview.
//!
//! A preview carries the id of the plan it shows; applying that id does exactly what was read, or refuses
//! because something changed meanwhile.

use serde::{Deserialize, Serialize};

use super::parked::ParkedCopy;
use super::receipt::{ActProgress, Receipt};
use super::recommend::Why;
use super::refusal::Refusal;
use super::{ActKind, Scope};
use crate::bytes::{Allocated, Bytes};
use crate::inside::{HomesSummary, InsideEntry};
use crate::paths::PathText;

/// One act that could be done now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct PlanView {
    /// Send this back to do it.
    pub id: String,
    /// What it does.
    pub kind: ActKind,
    /// How much of the bundle.
    pub scope: Scope,
    /// Blocks of what moves or goes.
    pub moved: Allocated,
    /// What moves, by name, in order.
    pub names: Vec<PathText>,
    /// Where it is moved to; none for a discard.
    pub parked: Option<PathText>,
    /// What must be available on the volume.
    pub needed: Bytes,
    /// What is; none where unknown.
    pub available: Option<Bytes>,
    /// What the app may have to download, where no packed image stays behind.
    pub download: Option<Bytes>,
    /// What this will do and what it costs, one sentence each.
    pub notes: Vec<String>,
    /// Why it cannot be done now; empty where it can.
    pub refusals: Vec<Refusal>,
}

/// Everything the reset panel shows before the click.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct ResetView {
    /// The bundle's stable name.
    pub bundle: String,
    /// Where it is.
    #[serde(flatten)]
    pub path: PathText,
    /// The scope that fits, if one does.
    pub recommended: Option<Scope>,
    /// Why.
    pub why: Why,
    /// Why, in a sentence.
    pub reason: String,
    /// One plan for each scope.
    pub plans: Vec<PlanView>,
    /// The app runs, and will be quit and started again; none where it cannot be told.
    pub running: Option<bool>,
    /// What the sessions disk holds; none where it could not be read.
    pub homes: Option<HomesSummary>,
    /// The homes changed last, newest first: the ones a person may be working in.
    pub newest: Vec<InsideEntry>,
}

/// The acts of the window: what runs, what ended, what stands aside. Answer to `acts`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Acts {
    /// Every step of the act that runs now, as last reported, in order; empty where none runs.
    pub running: Vec<ActProgress>,
    /// The act that ended last since the app started.
    pub last: Option<Receipt>,
    /// Parked copies, newest first.
    pub parked: Vec<ParkedCopy>,
}
