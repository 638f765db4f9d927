//! What an act left behind that was cut off: told by [`found`], put right by [`resolve`].
//!
//! Decided by [`sandtray_core::act::crash`] from where each file is, told by device, inode and length. The
//! journal says what was to be done; how far it came, the disk says. `found` reads only: a cron job or a
//! `status` run as root moves nothing. `resolve` acts, under the action lock and after a fresh proof that
//! nobody holds the files.
//!
//! * `survey`: where the files are. `moves`: resets and restores. `discards`: what goes to the trash or for good.

mod discards;
mod moves;
mod survey;

use std::path::PathBuf;

use sandtray_core::act::journal::{Entry, Line};
use sandtray_core::act::receipt::Receipt;
use sandtray_core::act::steps::End;
use sandtray_core::act::{Act, ActKind, Refusal, RefusalKind, Scope};
use sandtray_core::bundle::Bundle;
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;
use sandtray_core::settings::Settings;
use sandtray_core::time::Time;

pub(super) use self::survey::moved_aside;
use self::survey::{survey, words};
use super::hands::Hands;
use super::journal::{self, Writer};
use super::lock::Lock;
use super::means::{Means, Real};
use super::parked;
use super::run::{forget, sweep};
use super::standing::standing;
use crate::error::Failure;
use crate::{locate, machine};

/// An act that was cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// Its id.
    pub id: String,
    /// What it was.
    pub kind: ActKind,
    /// How much of the bundle.
    pub scope: Scope,
    /// The bundle.
    pub bundle: PathText,
    /// When it began.
    pub begun_at: Time,
    /// Where its files are and what [`resolve`] would do, in a sentence.
    pub text: String,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The act's id.
    pub id: String,
    /// How it ended; none where it is still open.
    pub end: Option<End>,
    /// In a sentence.
    pub text: String,
    /// Why it is still open, or was not looked at.
    pub refusal: Option<Refusal>,
    /// What it did, where it ended.
    pub receipt: Option<Receipt>,
}

/// What was cut off. Reads only. An act that is under way, in whatever process, was not.
///
/// # Errors
/// Where the journal cannot be read.
pub fn found(machine: &Machine) -> Result<Vec<Unresolved>, Failure> {
    let standing = standing(machine)?;
    let cut_off = standing.cut_off().map(|entry| Unresolved {
        id: entry.act.id.clone(),
        kind: entry.act.kind,
        scope: entry.act.scope,
        bundle: entry.act.bundle_path.clone(),
        begun_at: entry.begun_at,
        text: words(&entry.act, &survey(&entry.act)).to_owned(),
    });
    Ok(cut_off.collect())
}

/// Puts right what was cut off. An empty list where there was nothing.
#[must_use]
pub fn resolve(machine: &Machine, settings: &Settings) -> Vec<Resolved> {
    let bundles = locate::unmarked(machine);
    let mut means = Real::new(machine, &settings.claude);
    Resolving {
        machine,
        bundles: &bundles,
        hands: &Hands::default(),
        means: &mut means,
    }
    .all()
}

/// What is resolved with.
pub(super) struct Resolving<'a> {
    pub(super) machine: &'a Machine,
    pub(super) bundles: &'a [Bundle],
    pub(super) hands: &'a Hands,
    pub(super) means: &'a mut dyn Means,
}

impl Resolving<'_> {
    /// See [`resolve`].
    pub(super) fn all(mut self) -> Vec<Resolved> {
        // Whoever may not act leaves no file behind either, not even a lock.
        let open = match journal::trusted(self.machine) {
            Ok(journal) => journal.open().count(),
            Err(kind) => return vec![still_open("", kind)],
        };
        if open == 0 {
            self.sweep_spent();
            return Vec::new();
        }
        if cfg!(unix) && self.machine.uid == 0 {
            return vec![still_open("", RefusalKind::Root)];
        }
        if self.means.packaged() {
            return vec![still_open("", RefusalKind::Packaged)];
        }
        let (machine, hands) = (self.machine, self.hands);
        let lock = match Lock::take(machine, hands) {
            Ok(lock) => lock,
            Err(kind) => return vec![still_open("", kind)],
        };
        let (writer, journal) = match Writer::open(machine, hands, &lock) {
            Ok(opened) => opened,
            Err(kind) => return vec![still_open("", kind)],
        };
        // The latest first: an earlier one that is open as well lies under it.
        let open: Vec<&Entry> = journal.open().collect();
        let resolved = open
            .into_iter()
            .rev()
            .map(|entry| self.one(entry, &writer))
            .collect();
        writer.keep_reserve();
        resolved
    }

    /// Folders of copies in which nothing is left, where an act could not remove them itself.
    fn sweep_spent(&mut self) {
        if self.machine.uid == 0 && cfg!(unix) {
            return;
        }
        let journal = journal::read(self.machine).unwrap_or_default();
        let spent: Vec<PathBuf> = parked::copies(self.machine, self.bundles, &journal)
            .into_iter()
            .filter(|copy| !copy.discarding && copy.is_spent())
            .map(|copy| copy.folder)
            .collect();
        if spent.is_empty() {
            return;
        }
        let Ok(_lock) = Lock::take(self.machine, self.hands) else {
            return;
        };
        for folder in spent {
            // It holds nothing; it goes another time.
            sweep(self.hands, &folder).ok();
        }
    }

    fn one(&mut self, entry: &Entry, writer: &Writer<'_>) -> Resolved {
        match entry.act.kind {
            ActKind::Reset | ActKind::Restore => self.moves(entry, writer),
            ActKind::Trash | ActKind::Remove => self.discard(entry, writer),
        }
    }

    fn ended(
        &self,
        writer: &Writer<'_>,
        act: &Act,
        end: End,
        text: String,
        mut receipt: Receipt,
    ) -> Resolved {
        receipt.end = end;
        receipt.outcome.clone_from(&text);
        receipt.ended_at = machine::now(self.machine);
        let line = Line::Ended {
            end,
            outcome: text.clone(),
            receipt: Some(Box::new(receipt.clone())),
        };
        if let Err(error) = writer.append(&act.id, line) {
            let cause = error.to_string();
            return still_open(&act.id, RefusalKind::NoJournal { cause });
        }
        forget(self.hands, self.machine, &act.id);
        Resolved {
            id: act.id.clone(),
            end: Some(end),
            text,
            refusal: None,
            receipt: Some(receipt),
        }
    }
}

fn still_open(id: &str, kind: RefusalKind) -> Resolved {
    let refusal = Refusal::from(kind);
    Resolved {
        id: id.to_owned(),
        end: None,
        text: refusal.text.clone(),
        refusal: Some(refusal),
        receipt: None,
    }
}
