//! The journal: what was done to this machine, one line per fact, oldest first.
//!
//! Host appends a [`Record`] as a line of JSON and syncs it before the effect it speaks of and after it.
//! [`read`] folds lines into acts. A line that makes no sense is kept and counted, never repaired: a
//! torn last line is what a power loss leaves, and the effect it would have told of has not begun.

use serde::{Deserialize, Serialize};

use super::receipt::{Rebuild, Receipt};
use super::steps::{End, Step};
use super::{ACT_SCHEMA, Act, ActKind, Scope};
use crate::time::Time;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`ACT_SCHEMA`].
    pub schema: u32,
    /// The act's id.
    pub entry: String,
    /// When.
    pub at: Time,
    /// What.
    #[serde(flatten)]
    pub line: Line,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "line")]
pub enum Line {
    /// An act begins, with all it will do.
    Begun {
        /// The act.
        act: Box<Act>,
    },
    /// A step is about to take effect.
    Before {
        /// Which.
        step: Step,
        /// Which of several: the number of the move.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
    },
    /// A step has taken effect, or has not.
    After {
        /// Which.
        step: Step,
        /// Which of several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
        /// It has.
        well: bool,
        /// What was met, where there is something to say.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        note: String,
    },
    /// The act is over.
    Ended {
        /// How.
        end: End,
        /// In a sentence.
        outcome: String,
        /// What it did; none where it was resolved without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        receipt: Option<Box<Receipt>>,
    },
    /// Later: what became of the rebuild, which may outlast the act.
    Rebuilt {
        /// How it stands.
        rebuild: Rebuild,
    },
}

/// The state of an entry, as `journal --json` prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum EntryState {
    /// Under way. In an [`Entry`], which is folded from lines alone: without an end.
    Begun,
    /// See [`End::Done`].
    Done,
    /// See [`End::Refused`].
    Refused,
    /// See [`End::Failed`].
    Failed,
    /// See [`End::Interrupted`]. Without the time of an end: cut off, and not put right yet.
    Interrupted,
    /// See [`End::RolledBack`].
    RolledBack,
}

impl From<End> for EntryState {
    fn from(end: End) -> Self {
        match end {
            End::Done => Self::Done,
            End::Refused => Self::Refused,
            End::Failed => Self::Failed,
            End::RolledBack => Self::RolledBack,
            End::Interrupted => Self::Interrupted,
        }
    }
}

/// One act, folded from its lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// All it was to do.
    pub act: Act,
    /// Its state.
    pub state: EntryState,
    /// When it began.
    pub begun_at: Time,
    /// When it ended.
    pub ended_at: Option<Time>,
    /// How, in a sentence.
    pub outcome: String,
    /// What it did.
    pub receipt: Option<Receipt>,
    /// How the rebuild stands, by the latest word of it.
    pub rebuild: Option<Rebuild>,
    /// The last step that was about to take effect, with its number.
    pub step: Option<(Step, Option<usize>)>,
    /// It went well as far as the journal says; none where that step's second line is missing.
    pub stepped: Option<bool>,
}

/// The contract of `journal --json`, and the window's list of activity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct EntryView {
    /// The act's id.
    pub id: String,
    /// What it was.
    pub kind: ActKind,
    /// How much of the bundle.
    pub scope: Scope,
    /// Its state.
    pub state: EntryState,
    /// When it began.
    pub begun_at: Time,
    /// When it ended.
    pub ended_at: Option<Time>,
    /// How, in a sentence.
    pub outcome: String,
    /// What it did.
    pub receipt: Option<Receipt>,
}

impl Entry {
    /// The entry as surfaces show it. Whether one without an end was `cut_off` no line can tell: only the
    /// action lock does.
    #[must_use]
    pub fn view(&self, cut_off: bool) -> EntryView {
        let state = match self.state {
            EntryState::Begun if cut_off => EntryState::Interrupted,
            state => state,
        };
        EntryView {
            id: self.act.id.clone(),
            kind: self.act.kind,
            scope: self.act.scope,
            state,
            begun_at: self.begun_at,
            ended_at: self.ended_at,
            outcome: self.outcome.clone(),
            receipt: self.latest_receipt(),
        }
    }

    /// What it did, with the latest word of the rebuild.
    #[must_use]
    pub fn latest_receipt(&self) -> Option<Receipt> {
        let mut receipt = self.receipt.clone()?;
        if let Some(rebuild) = &self.rebuild {
            receipt.rebuild = Some(rebuild.clone());
        }
        Some(receipt)
    }
}

/// All entries of a journal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    /// In the order they began.
    pub entries: Vec<Entry>,
    /// Lines that make no sense: torn, or written by something else.
    pub odd: usize,
    /// A schema newer than ours: nothing is done on the strength of a journal we cannot read.
    pub newer: Option<u32>,
}

impl Journal {
    /// An entry by its id.
    #[must_use]
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.act.id == id)
    }

    /// The entries without an end, under way or cut off: at most one, unless something else wrote here.
    pub fn open(&self) -> impl Iterator<Item = &Entry> {
        self.entries
            .iter()
            .filter(|entry| entry.state == EntryState::Begun)
    }
}

/// What the number of a line says; read before the rest, so that a newer line is not an odd one.
#[derive(Deserialize)]
struct Head {
    schema: u32,
}

/// Folds the content of a journal.
#[must_use]
pub fn read(bytes: &[u8]) -> Journal {
    let mut journal = Journal::default();
    // Bytes, not text: a line may be torn in the middle of a character.
    let lines = bytes.split(|byte| *byte == b'\n');
    for line in lines.filter(|line| !line.trim_ascii().is_empty()) {
        let newer = serde_json::from_slice::<Head>(line)
            .ok()
            .map(|head| head.schema)
            .filter(|schema| *schema > ACT_SCHEMA);
        match (newer, serde_json::from_slice::<Record>(line)) {
            (Some(_), _) => journal.newer = journal.newer.max(newer),
            (None, Ok(record)) => take(&mut journal, record),
            (None, Err(_)) => journal.odd = journal.odd.saturating_add(1),
        }
    }
    journal
}

fn take(journal: &mut Journal, record: Record) {
    let at = record.at;
    if let Line::Begun { act } = record.line {
        // Written twice where the first try failed after it reached the disk: still one act.
        if journal.entry(&record.entry).is_some() {
            return;
        }
        journal.entries.push(Entry {
            act: *act,
            state: EntryState::Begun,
            begun_at: at,
            ended_at: None,
            outcome: String::new(),
            receipt: None,
            rebuild: None,
            step: None,
            stepped: None,
        });
        return;
    }
    let Some(entry) = journal
        .entries
        .iter_mut()
        .rfind(|entry| entry.act.id == record.entry)
    else {
        journal.odd = journal.odd.saturating_add(1);
        return;
    };
    match record.line {
        Line::Begun { .. } => {}
        Line::Before { step, index } => {
            entry.step = Some((step, index));
            entry.stepped = None;
        }
        Line::After { well, .. } => entry.stepped = Some(well),
        Line::Ended {
            end,
            outcome,
            receipt,
        } => {
            entry.state = end.into();
            entry.ended_at = Some(at);
            entry.outcome = outcome;
            entry.rebuild = receipt.as_ref().and_then(|receipt| receipt.rebuild.clone());
            entry.receipt = receipt.map(|receipt| *receipt);
        }
        Line::Rebuilt { rebuild } => entry.rebuild = Some(rebuild),
    }
}

#[cfg(test)]
mod tests;
