//! Discards: one rename, and for good the removal of what it renamed.

use std::io;
use std::path::PathBuf;

use sandtray_core::act::ActKind;
use sandtray_core::act::journal::Line;
use sandtray_core::act::parked::MANIFEST;
use sandtray_core::act::receipt::StepState;
use sandtray_core::act::steps::{End, Step};

use super::state::Run;
use crate::act::parked::trash;
use crate::act::{path, verify};
use crate::machine;

impl Run<'_> {
    /// Carries a discard out.
    pub(super) fn discards(&mut self) {
        let place = self.act.parked.as_ref().and_then(path::exact);
        self.receipt.available_before = place.as_deref().and_then(verify::available);
        self.enter(Step::Move);
        let step = self.act.moves.first().cloned();
        let ends = step
            .as_ref()
            .and_then(|step| Some((path::exact(&step.from)?, path::exact(&step.to)?)));
        let index = step.as_ref().map(|_| 0);
        let done = self
            .write(Line::Before {
                step: Step::Move,
                index,
            })
            .and_then(|()| self.rename_away(ends.as_ref()));
        let renamed = match &ends {
            // Where it is says whether it went, whatever failed.
            Some((from, to)) => from.symlink_metadata().is_err() && to.symlink_metadata().is_ok(),
            None => true,
        };
        self.note_step(Step::Move, index, &done);
        if !renamed {
            self.fail(&done);
            self.receipt.end = End::Failed;
            return;
        }
        if self.act.kind == ActKind::Remove {
            self.enter(Step::Verify);
            let gone = ends.map(|(_, to)| to).or(place.clone());
            let done = gone.map_or(Ok(()), |folder| {
                self.tools.hands.remove_tree(&folder, MANIFEST)
            });
            self.note_step(Step::Verify, None, &done);
            if done.is_err() {
                // Half a copy is no copy any more: only the removal can go on.
                self.fail(&done);
                self.receipt.end = End::Interrupted;
                self.leave_open();
                return;
            }
        }
        self.receipt.end = End::Done;
        self.receipt.available_after = place.as_deref().and_then(verify::available);
        self.gain();
    }

    fn rename_away(&self, ends: Option<&(PathBuf, PathBuf)>) -> io::Result<()> {
        let Some((from, to)) = ends else {
            return Ok(());
        };
        let hands = self.tools.hands;
        if self.act.kind == ActKind::Trash {
            trash::announce(hands, from, to, machine::now(self.tools.machine))?;
        }
        let renamed = hands.rename(from, to);
        if renamed.is_err() && self.act.kind == ActKind::Trash {
            trash::retract(hands, to)?;
        }
        renamed?;
        hands.sync_parent(to)?;
        hands.sync_parent(from)
    }

    fn note_step(&mut self, step: Step, index: Option<usize>, done: &io::Result<()>) {
        let note = done.as_ref().err().map(ToString::to_string);
        let line = Line::After {
            step,
            index,
            well: done.is_ok(),
            note: note.unwrap_or_default(),
        };
        // Where the files are tells as much.
        self.write(line).ok();
        let state = if done.is_ok() {
            StepState::Done
        } else {
            StepState::Failed
        };
        self.tell(state, "");
    }

    fn fail(&mut self, done: &io::Result<()>) {
        if let Err(error) = done {
            self.remark(format!("The copy could not be discarded: {error}."));
        }
    }

    /// A gain far below what was there has a reason, and it is named.
    fn gain(&mut self) {
        let (Some(before), Some(after)) =
            (self.receipt.available_before, self.receipt.available_after)
        else {
            return;
        };
        let gained = after.saturating_sub(before);
        if self.act.kind == ActKind::Remove && gained.0 < self.receipt.moved.0 / 2 {
            self.remark(format!(
                "{gained} became available, and {} were expected: a snapshot, a clone or a program that still has a file open keeps the rest.",
                self.receipt.moved
            ));
        }
    }
}
