//! Renames, one at a time, and back.

use std::io;
use std::path::{Path, PathBuf};

use sandtray_core::act::sessions::Report;
use sandtray_core::act::steps::Outcome;
use sandtray_core::act::{Move, RefusalKind};
use sandtray_core::paths::PathText;

use super::state::Run;
use crate::act::app::{Held, Running};
use crate::act::hands::Hands;
use crate::act::plan::LATCH;
use crate::act::resolve::moved_aside;
use crate::act::{look, path};

/// Both ends of a move.
fn ends(step: &Move) -> io::Result<(PathBuf, PathBuf)> {
    path::exact(&step.from)
        .zip(path::exact(&step.to))
        .ok_or_else(|| io::Error::other("its path cannot be had back from the journal"))
}

/// Whether who is to move stands at `path`.
fn stands(step: &Move, path: &Path) -> bool {
    look::at(path).is_ok_and(|seen| {
        seen.is_some_and(|seen| {
            step.identity.is(seen.identity) && seen.folder == step.folder && !seen.link
        })
    })
}

/// Renames `from` to `to` and makes it durable in both folders.
fn rename(hands: &Hands, from: &Path, to: &Path) -> io::Result<()> {
    hands.rename(from, to)?;
    hands.sync_parent(to)?;
    hands.sync_parent(from)
}

/// How a rename went, told by where the file stands: an error may come before it or after it.
fn outcome(step: &Move, to: &Path, done: io::Result<()>) -> (Outcome, Option<io::Error>) {
    match done {
        Ok(()) => (Outcome::Well, None),
        Err(error) if stands(step, to) => (Outcome::DoneThenFailed, Some(error)),
        Err(error) => (Outcome::Failed, Some(error)),
    }
}

/// Undoes one move.
pub(in super::super) fn put_back(hands: &Hands, step: &Move) -> (Outcome, Option<io::Error>) {
    let (from, to) = match ends(step) {
        Ok(ends) => ends,
        Err(error) => return (Outcome::Failed, Some(error)),
    };
    if !stands(step, &to) {
        let error = io::Error::other(format!("{} is another file", to.display()));
        return (Outcome::Failed, Some(error));
    }
    let done = rename(hands, &to, &from);
    outcome(step, &from, done)
}

/// Whether every move of `moves` can go back: its old name is free, or taken by a later one of them, which
/// goes back before. All or nothing: half a bundle beside a new disk of the app helps nobody.
pub(in super::super) fn all_free(moves: &[Move]) -> Result<(), PathText> {
    for (at, step) in moves.iter().enumerate() {
        let free = ends(step).is_ok_and(|(from, _)| {
            let later = moves.get(at + 1..).unwrap_or_default();
            look::at(&from).is_ok_and(|seen| match seen {
                None => true,
                Some(seen) => later
                    .iter()
                    .any(|later| later.to == step.from && later.identity.is(seen.identity)),
            })
        });
        if !free {
            return Err(step.from.clone());
        }
    }
    Ok(())
}

impl Run<'_> {
    pub(super) fn move_one(&mut self, at: usize) -> Outcome {
        let Some(step) = self.act.moves.get(at).cloned() else {
            return Outcome::Failed;
        };
        let (from, to) = match ends(&step) {
            Ok(ends) => ends,
            Err(error) => {
                self.remark(error.to_string());
                return Outcome::Failed;
            }
        };
        if !stands(&step, &from) {
            let what = format!("{} is another file", from.display());
            self.refuse(RefusalKind::Changed { what });
            return Outcome::Failed;
        }
        let done = rename(self.tools.hands, &from, &to);
        let (outcome, error) = outcome(&step, &to, done);
        if let Some(error) = error {
            match refusal(&from, &to, &error).filter(|_| outcome == Outcome::Failed) {
                Some(kind) => self.refuse(kind),
                None => self.remark(format!("cannot move {}: {error}", from.display())),
            }
        }
        outcome
    }

    pub(super) fn put_one_back(&mut self, left: usize) -> Outcome {
        let moved = self.act.moves.get(..left).unwrap_or_default();
        if let Err(path) = all_free(moved) {
            let text = sandtray_core::words::refusal(&RefusalKind::NameTaken { path });
            self.remark(format!("It could not be moved back. {text}"));
            return Outcome::Taken;
        }
        let Some(step) = moved.last().cloned() else {
            return Outcome::Failed;
        };
        let (outcome, error) = put_back(self.tools.hands, &step);
        if let Some(error) = error {
            self.remark(format!("cannot move {} back: {error}", step.to.path));
        }
        outcome
    }

    /// What has all moved and cannot go back stays aside, as after a crash in which all of it had moved:
    /// nobody may hold it there. The app may run by now, on its new disk, and reads the latch then.
    pub(super) fn keep_aside(&mut self) -> Outcome {
        match self.tools.means.holders(&moved_aside(&self.act)) {
            Held::No => {}
            Held::Unknown(cause) => {
                self.refuse(RefusalKind::HoldersUnknown { cause });
                return Outcome::Failed;
            }
            Held::By(holders) => {
                let orphan = holders.iter().any(|holder| holder.vm);
                self.refuse(RefusalKind::Held { holders });
                return Outcome::Held { orphan };
            }
        }
        if self.tools.means.find(&self.bundle) == Running::No {
            self.latch();
        } else if let Err(error) = super::tidy(self.tools.hands, &self.act) {
            self.remark(format!(
                "The parked copy that came back left something: {error}"
            ));
        }
        // The app may have written to its list since: what is missing counts, not what differs.
        let known = self.sessions.as_ref();
        self.report = known.map(|sessions| Report::exact(sessions, sessions));
        let (bundle, scope) = (self.bundle.clone(), self.act.scope);
        self.tools.means.begin_watching(&bundle, scope);
        Outcome::Well
    }

    /// The mark that stops every repair goes into the parked copy, whatever the scope: it speaks of the
    /// disks that were there before.
    pub(super) fn latch(&mut self) -> Outcome {
        let from = self.bundle.path.join(LATCH);
        let parked = self.act.parked.as_ref().and_then(path::exact);
        let mut outcome = Outcome::Well;
        if let Some(parked) = parked
            && matches!(look::at(&from), Ok(Some(seen)) if !seen.folder && !seen.link)
            && let Err(error) = rename(self.tools.hands, &from, &parked.join(LATCH))
        {
            self.remark(format!(
                "{} is still there ({error}); while it is, the app does not repair itself.",
                from.display()
            ));
            outcome = Outcome::Failed;
        }
        if let Err(error) = super::tidy(self.tools.hands, &self.act) {
            self.remark(format!(
                "The parked copy that came back left something: {error}"
            ));
        }
        outcome
    }
}

/// What an error of a rename means, where it means something a person can act on.
fn refusal(from: &Path, to: &Path, error: &io::Error) -> Option<RefusalKind> {
    let path = PathText::new(from);
    match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty => {
            let path = PathText::new(to);
            Some(RefusalKind::NameTaken { path })
        }
        io::ErrorKind::CrossesDevices => Some(RefusalKind::OtherVolume { path }),
        io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported => {
            Some(RefusalKind::NoSafeRename { path })
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            let cause = error.to_string();
            Some(RefusalKind::NotWritable { path, cause })
        }
        _ => None,
    }
}
