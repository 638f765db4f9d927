//! What an act left behind that was cut off: told by [`found`], put right by [`resolve`].
//!
//! Decided by [`sandtray_core::act::crash`] from where each file is, told by device, inode and length. The
//! journal says what was to be done; how far it came, the disk says. `found` reads only: a cron job or a
//! `status` run as root moves nothing. `resolve` acts, under the action lock and after a fresh proof that
//! nobody holds the files.

mod survey;

use std::path::{Path, PathBuf};

use sandtray_core::act::crash::Decision;
use sandtray_core::act::journal::{Entry, Line};
use sandtray_core::act::receipt::Receipt;
use sandtray_core::act::sessions::Report;
use sandtray_core::act::steps::{End, Outcome, Step};
use sandtray_core::act::{Act, ActKind, Move, Refusal, RefusalKind, Scope};
use sandtray_core::bundle::Bundle;
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;
use sandtray_core::settings::Settings;
use sandtray_core::time::Time;

pub(super) use self::survey::moved_aside;
use self::survey::{latest, survey, words};
use super::app::{Held, Running};
use super::hands::Hands;
use super::journal::{self, Writer};
use super::lock::Lock;
use super::means::{Means, Real};
use super::parked::{self, trash};
use super::plan::{LATCH, bundle_at, files_below};
use super::run::{all_free, forget, prune, put_back, receipt, remembered, sweep, tidy};
use super::standing::standing;
use super::{look, path, place};
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

    fn moves(&mut self, entry: &Entry, writer: &Writer<'_>) -> Resolved {
        let act = latest(&entry.act);
        let mut notes = Vec::new();
        let decision = survey(&act);
        let end = match &decision {
            Decision::NothingMoved if matches!(entry.step, Some((Step::PutBack, _))) => {
                End::RolledBack
            }
            Decision::NothingMoved => End::Interrupted,
            Decision::Taken(_) | Decision::Lost(_) => {
                // The copy says from now on what it holds, so that it can be given back.
                self.prune(&act, &mut notes);
                End::Interrupted
            }
            Decision::AllMoved => {
                // The app may run by now, on its new disk: only what was moved aside must be free.
                let aside = moved_aside(&act);
                if let Err(kind) = self.free(&aside) {
                    return still_open(&act.id, kind);
                }
                self.finish(&act, &mut notes);
                End::Done
            }
            Decision::PutBack(order) => {
                if let Err(kind) = self.prove(&act) {
                    return still_open(&act.id, kind);
                }
                if let Err(kind) = self.put_back(&act, order, writer) {
                    return still_open(&act.id, kind);
                }
                End::RolledBack
            }
        };
        let folder = act.parked.as_ref().and_then(path::exact);
        if let Some(folder) = &folder
            && let Err(error) = sweep(self.hands, folder)
        {
            notes.push(format!(
                "An empty folder was left at {}: {error}",
                folder.display()
            ));
        }
        let text = words(&act, &decision).to_owned();
        let mut receipt = receipt::empty(&act, entry.begun_at);
        let stands = folder.and_then(|folder| parked::read(&folder));
        if let Some(copy) = stands.filter(|copy| !copy.is_spent()) {
            receipt.parked = Some(act.id.clone());
            receipt.moved = copy.manifest.allocated();
        }
        receipt.sessions = self.sessions(&act);
        if end != End::RolledBack && act.running {
            notes.push("Claude Desktop was not started again by Sandtray.".to_owned());
        }
        receipt.notes = notes;
        self.ended(writer, &act, end, text, receipt)
    }

    /// What was still owed to the disk: the latch, unless the app runs and reads it, and the old copy of a
    /// restore.
    fn finish(&mut self, act: &Act, notes: &mut Vec<String>) {
        let bundle = path::exact(&act.bundle_path);
        let parked = act.parked.as_ref().and_then(path::exact);
        let running = bundle.as_deref().is_some_and(|path| {
            let bundle = bundle_at(self.bundles, path);
            self.means.find(&bundle) != Running::No
        });
        if let (Some(bundle), Some(parked), false) = (bundle, parked, running) {
            let (from, to) = (bundle.join(LATCH), parked.join(LATCH));
            let latch = look::at(&from).ok().flatten();
            if latch.is_some_and(|seen| !seen.folder && !seen.link)
                && parked.symlink_metadata().is_ok()
            {
                let moved = self.hands.rename(&from, &to);
                let synced = self
                    .hands
                    .sync_parent(&to)
                    .and_then(|()| self.hands.sync_parent(&from));
                if let Err(error) = moved.and(synced) {
                    notes.push(format!("{} is still there: {error}", from.display()));
                }
            }
        }
        if let Err(error) = tidy(self.hands, act) {
            notes.push(format!(
                "The parked copy that came back left something: {error}"
            ));
        }
    }

    /// Writes into the manifests of an act what its copies hold now.
    fn prune(&self, act: &Act, notes: &mut Vec<String>) {
        let own = act.parked.as_ref().and_then(path::exact);
        let done = own
            .map_or(Ok(()), |folder| prune(self.hands, &folder))
            .and_then(|()| tidy(self.hands, act));
        if let Err(error) = done {
            notes.push(format!("The manifest of the copy is out of date: {error}"));
        }
    }

    fn put_back(&self, act: &Act, order: &[usize], writer: &Writer<'_>) -> Result<(), RefusalKind> {
        let moves: Vec<Move> = order
            .iter()
            .rev()
            .filter_map(|at| act.moves.get(*at).cloned())
            .collect();
        all_free(&moves).map_err(|path| RefusalKind::NameTaken { path })?;
        let step = Step::PutBack;
        for at in order {
            let Some(moved) = act.moves.get(*at) else {
                continue;
            };
            let index = Some(*at);
            writer
                .append(&act.id, Line::Before { step, index })
                .map_err(|error| RefusalKind::NoJournal {
                    cause: error.to_string(),
                })?;
            let (outcome, error) = put_back(self.hands, moved);
            let line = Line::After {
                step,
                index,
                well: outcome == Outcome::Well,
                note: error.as_ref().map(ToString::to_string).unwrap_or_default(),
            };
            // Where the file is tells as much.
            writer.append(&act.id, line).ok();
            if let Some(error) = error {
                return Err(RefusalKind::NotWritable {
                    path: moved.from.clone(),
                    cause: error.to_string(),
                });
            }
        }
        Ok(())
    }

    /// Nobody holds a file of it, in either place.
    fn prove(&mut self, act: &Act) -> Result<(), RefusalKind> {
        let path = path::exact(&act.bundle_path).unwrap_or_default();
        let bundle = bundle_at(self.bundles, &path);
        match self.means.find(&bundle) {
            Running::No => {}
            Running::Yes(_) => return Err(RefusalKind::CameBack),
            Running::Several(pids) => return Err(RefusalKind::SeveralApps { pids }),
            Running::Unknown(cause) => return Err(RefusalKind::HoldersUnknown { cause }),
        }
        let mut files = files_below(&path);
        for step in &act.moves {
            for place in [&step.from, &step.to] {
                files.extend(path::exact(place).iter().flat_map(|path| files_below(path)));
            }
        }
        self.free(&files)
    }

    /// Nobody holds one of these.
    fn free(&mut self, files: &[PathBuf]) -> Result<(), RefusalKind> {
        match self.means.holders(files) {
            Held::No => Ok(()),
            Held::By(holders) if holders.iter().any(|holder| holder.vm) => {
                Err(RefusalKind::OrphanVm { holders })
            }
            Held::By(holders) => Err(RefusalKind::Held { holders }),
            Held::Unknown(cause) => Err(RefusalKind::HoldersUnknown { cause }),
        }
    }

    /// Nothing that was known before is missing; what else differs is the app's.
    fn sessions(&mut self, act: &Act) -> Option<Report> {
        let before = remembered(self.machine, &act.id)?;
        let path = path::exact(&act.bundle_path)?;
        let now = self.means.sessions(place::user_data(&path)?);
        Some(Report::exact(&before, &before).afterwards(&before, &now))
    }

    fn discard(&mut self, entry: &Entry, writer: &Writer<'_>) -> Resolved {
        let act = &entry.act;
        let (from, to) = match act.moves.first() {
            Some(step) => (path::exact(&step.from), path::exact(&step.to)),
            None => (None, act.parked.as_ref().and_then(path::exact)),
        };
        let there = |path: Option<&Path>| path.is_some_and(|path| path.symlink_metadata().is_ok());
        let (end, text) = match (there(from.as_deref()), there(to.as_deref()), &to, act.kind) {
            (true, _, Some(to), ActKind::Trash) => {
                if let Err(error) = trash::retract(self.hands, to) {
                    return still_open(&act.id, cannot_write(to, &error));
                }
                (
                    End::Interrupted,
                    "Nothing was discarded; the copy is where it was.",
                )
            }
            (true, ..) => (
                End::Interrupted,
                "Nothing was discarded; the copy is where it was.",
            ),
            (false, true, _, ActKind::Trash) => (End::Done, "The copy is in the trash."),
            (false, true, Some(to), _) => {
                let manifest = sandtray_core::act::parked::MANIFEST;
                if let Err(error) = self.hands.remove_tree(to, manifest) {
                    return still_open(&act.id, cannot_write(to, &error));
                }
                (End::Done, "Removing the copy went on to its end.")
            }
            _ => (End::Done, "The copy is gone."),
        };
        let receipt = receipt::empty(act, entry.begun_at);
        self.ended(writer, act, end, text.to_owned(), receipt)
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

fn cannot_write(path: &Path, error: &std::io::Error) -> RefusalKind {
    RefusalKind::NotWritable {
        path: PathText::new(path),
        cause: error.to_string(),
    }
}
