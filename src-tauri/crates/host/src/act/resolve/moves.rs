//! A reset or a restore that was cut off: put back, or carried to its end.

use std::path::PathBuf;

use sandtray_core::act::crash::Decision;
use sandtray_core::act::journal::{Entry, Line};
use sandtray_core::act::sessions::Report;
use sandtray_core::act::steps::{End, Outcome, Step};
use sandtray_core::act::{Act, Move, RefusalKind};

use super::survey::{latest, moved_aside, survey, words};
use super::{Resolved, Resolving, still_open};
use crate::act::app::{Held, Running};
use crate::act::journal::Writer;
use crate::act::plan::{LATCH, bundle_at, files_below};
use crate::act::run::{all_free, prune, put_back, receipt, remembered, sweep, tidy};
use crate::act::{look, parked, path, place};

impl Resolving<'_> {
    pub(super) fn moves(&mut self, entry: &Entry, writer: &Writer<'_>) -> Resolved {
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
}
