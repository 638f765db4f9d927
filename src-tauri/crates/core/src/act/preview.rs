//! What a person reads before an act: the window's and the command line's preview.
//!
//! A preview carries the id of the act it shows; applying that id does exactly what was read, or refuses
//! because something changed meanwhile.

use serde::{Deserialize, Serialize};

use super::parked::ParkedCopy;
use super::receipt::{ActProgress, Receipt};
use super::recommend::Why;
use super::refusal::Refusal;
use super::{ACT_SCHEMA, Act, ActKind, Scope};
use crate::bundle::Role;
use crate::bytes::{Allocated, Apparent, Bytes};
use crate::inside::{HomesSummary, InsideEntry};
use crate::paths::PathText;

/// One file or folder that moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct PreviewFile {
    /// Its name in the bundle or in the copy.
    #[serde(flatten)]
    pub name: PathText,
    /// What it is for.
    pub role: Role,
    /// Its length.
    pub apparent: Apparent,
    /// Its blocks.
    pub allocated: Allocated,
    /// It comes back from a parked copy; otherwise it leaves the bundle.
    pub back: bool,
}

/// An act before it is confirmed: the contract of `--dry-run --json`, and what the window shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, rename = "ActPreview"))]
pub struct Preview {
    /// [`ACT_SCHEMA`].
    pub schema: u32,
    /// The act itself, for apply; none where nothing could be planned. It stays in the backend: what comes
    /// from outside is an id.
    #[serde(skip)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub act: Option<Act>,
    /// The act's id; empty where nothing could be planned.
    pub id: String,
    /// What it does.
    pub kind: ActKind,
    /// How much of the bundle: less than was asked for where the rest cannot come back.
    pub scope: Scope,
    /// The bundle's stable name; empty where there is none.
    pub bundle: String,
    /// The bundle's path.
    #[serde(flatten)]
    pub path: PathText,
    /// The parked copy that is restored or discarded.
    pub copy: Option<String>,
    /// The folder that is made for what is moved aside.
    pub parked: Option<PathText>,
    /// Why it would not be done; empty where it would.
    pub refusals: Vec<Refusal>,
    /// What moves, in order.
    pub files: Vec<PreviewFile>,
    /// Blocks of what leaves the bundle, or of the copy that is discarded.
    pub moved: Allocated,
    /// What must be available on the volume for what follows.
    pub needed: Bytes,
    /// What is; none where unknown.
    pub available: Option<Bytes>,
    /// Claude Desktop runs, so it is quit and started again.
    pub running: bool,
    /// `.auto_reinstall_attempted` is there and goes into the parked copy.
    pub latch: bool,
    /// What else a person should know, in sentences.
    pub notes: Vec<String>,
}

impl Preview {
    /// A preview of nothing, to be filled in.
    #[must_use]
    pub fn empty(kind: ActKind, scope: Scope) -> Self {
        Self {
            schema: ACT_SCHEMA,
            act: None,
            id: String::new(),
            kind,
            scope,
            bundle: String::new(),
            path: PathText::default(),
            copy: None,
            parked: None,
            refusals: Vec::new(),
            files: Vec::new(),
            moved: Allocated::ZERO,
            needed: Bytes::ZERO,
            available: None,
            running: false,
            latch: false,
            notes: Vec::new(),
        }
    }
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
    /// One preview for each scope.
    pub plans: Vec<Preview>,
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
