//! The loop around the state machine of [`sandtray_core::act::steps`].

use std::io;
use std::path::PathBuf;

use sandtray_core::act::journal::Line;
use sandtray_core::act::parked::ParkedFile;
use sandtray_core::act::receipt::{ActProgress, Receipt, StepState};
use sandtray_core::act::sessions::{Report, Sessions};
use sandtray_core::act::steps::{End, Outcome, Shape, State, Step, next};
use sandtray_core::act::{ACT_SCHEMA, Act, ActKind, RefusalKind};
use sandtray_core::bundle::Bundle;
use sandtray_core::time::Time;

use super::record::forget;
use super::{Control, Tools, receipt};
use crate::act::journal::Writer;
use crate::act::plan::bundle_at;
use crate::act::watch;
use crate::act::{path, verify};
use crate::machine;

/// One act under way.
pub(super) struct Run<'a> {
    pub(super) tools: Tools<'a>,
    pub(super) journal: &'a Writer<'a>,
    pub(super) act: Act,
    pub(super) control: &'a Control,
    progress: &'a mut dyn FnMut(&ActProgress),
    pub(super) receipt: Receipt,
    pub(super) bundle: Bundle,
    /// Sessions when the app was gone.
    pub(super) sessions: Option<Sessions>,
    pub(super) report: Option<Report>,
    /// Disks that are to stay, as they were.
    pub(super) stays: Vec<(PathBuf, verify::Before)>,
    /// What the manifest names.
    pub(super) files: Vec<ParkedFile>,
    /// Since when the step is under way.
    since: Time,
    at: (Step, bool),
    /// What has to be said of the step under way.
    pub(super) note: String,
    /// Putting back stopped in the middle: the journal stays open, so that it can be taken up again.
    open: bool,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        tools: Tools<'a>,
        journal: &'a Writer<'a>,
        act: Act,
        control: &'a Control,
        progress: &'a mut dyn FnMut(&ActProgress),
    ) -> Self {
        let now = machine::now(tools.machine);
        let path = path::exact(&act.bundle_path).unwrap_or_default();
        Self {
            receipt: receipt::empty(&act, now),
            bundle: bundle_at(tools.bundles, &path),
            tools,
            journal,
            act,
            control,
            progress,
            sessions: None,
            report: None,
            stays: Vec::new(),
            files: Vec::new(),
            since: now,
            at: (Step::Quit, true),
            note: String::new(),
            open: false,
        }
    }

    /// Writes down everything that will be done.
    pub(super) fn begin(&mut self) -> io::Result<()> {
        let act = Box::new(self.act.clone());
        self.journal.append(&self.act.id, Line::Begun { act })
    }

    /// Goes through the states to the end.
    pub(super) fn moves(&mut self) {
        let shape = Shape {
            moves: self.act.moves.len(),
            running: self.act.running,
        };
        let mut state = State::first(shape);
        while let Some(step) = state.step() {
            let outcome = self.take(state, step);
            let from = state;
            state = next(state, outcome, shape);
            // Stopped in the middle, or on its way to an end that somebody still holds up.
            let turned = matches!(from, State::PuttingBack(..) | State::Keeping);
            if turned && state == State::Ended(End::Interrupted) {
                self.open = true;
            }
        }
        if let State::Ended(end) = state {
            self.receipt.end = end;
        }
    }

    /// Carries out the effect of one state, with a line before it and a line after it.
    fn take(&mut self, state: State, step: Step) -> Outcome {
        self.since = machine::now(self.tools.machine);
        self.at = (step, state.can_cancel());
        self.note.clear();
        if state.can_cancel() && self.control.cancel.is_cancelled() {
            self.refuse(RefusalKind::Cancelled);
            return Outcome::Stopped;
        }
        self.tell(StepState::Begun, "");
        let index = match state {
            State::Moving(at) => Some(at),
            State::PuttingBack(left, _) => left.checked_sub(1),
            _ => None,
        };
        let written = self.write(Line::Before { step, index });
        let outcome = match written {
            // No journal, no act.
            Err(error) if must_be_written(state) => {
                self.refuse(RefusalKind::NoJournal {
                    cause: error.to_string(),
                });
                Outcome::Failed
            }
            _ => self.effect(state),
        };
        let well = outcome == Outcome::Well;
        let note = self.note.clone();
        let line = Line::After {
            step,
            index,
            well,
            note,
        };
        let written = self.write(line);
        self.tell(
            if well {
                StepState::Done
            } else {
                StepState::Failed
            },
            "",
        );
        match (outcome, written) {
            (Outcome::Well, Err(error)) if matches!(state, State::Moving(_)) => {
                self.refuse(RefusalKind::NoJournal {
                    cause: error.to_string(),
                });
                Outcome::DoneThenFailed
            }
            (outcome, _) => outcome,
        }
    }

    fn effect(&mut self, state: State) -> Outcome {
        match state {
            State::Quitting => self.quit(),
            State::Proving => self.prove(),
            State::Recording => self.record(),
            State::Moving(at) => self.move_one(at),
            State::ProvingAgain => self.prove_again(),
            State::Keeping => self.keep_aside(),
            State::Latch => self.latch(),
            State::Comparing => self.compare(),
            State::Relaunching => self.start(),
            State::Watching => self.watch(),
            State::Verifying => self.verify(),
            State::PuttingBack(left, _) => self.put_one_back(left),
            State::StartingAgain(_) => self.start(),
            State::Ended(_) => Outcome::Well,
        }
    }

    /// Writes a line of this act.
    pub(super) fn write(&self, line: Line) -> io::Result<()> {
        self.journal.append(&self.act.id, line)
    }

    /// Adds a reason why it does not go on.
    pub(super) fn refuse(&mut self, kind: RefusalKind) {
        let refusal = sandtray_core::act::Refusal::from(kind);
        self.note.clone_from(&refusal.text);
        if !self.receipt.refusals.contains(&refusal) {
            self.receipt.refusals.push(refusal);
        }
    }

    /// Adds something a person should know.
    pub(super) fn remark(&mut self, text: impl Into<String>) {
        let text = text.into();
        self.note.clone_from(&text);
        self.receipt.notes.push(text);
    }

    /// Tells how far it is.
    pub(super) fn tell(&mut self, state: StepState, waiting_for: &str) {
        let (step, can_cancel) = self.at;
        (self.progress)(&ActProgress {
            schema: ACT_SCHEMA,
            id: self.act.id.clone(),
            step,
            state,
            since: self.since,
            waiting_for: waiting_for.to_owned(),
            can_cancel,
            rebuild: self.receipt.rebuild.clone(),
        });
    }

    /// What the tools, the place and the way to tell are, for effects that wait.
    pub(super) fn telling(
        &mut self,
    ) -> (&mut Tools<'a>, &'a Control, impl FnMut(&str) + use<'_, 'a>) {
        let (step, can_cancel) = self.at;
        let (id, since) = (self.act.id.clone(), self.since);
        let rebuild = self.receipt.rebuild.clone();
        let progress = &mut self.progress;
        let tell = move |waiting_for: &str| {
            progress(&ActProgress {
                schema: ACT_SCHEMA,
                id: id.clone(),
                step,
                state: StepState::Begun,
                since,
                waiting_for: waiting_for.to_owned(),
                can_cancel,
                rebuild: rebuild.clone(),
            });
        };
        (&mut self.tools, self.control, tell)
    }

    /// Begins a step outside the state machine.
    pub(super) fn enter(&mut self, step: Step) {
        self.since = machine::now(self.tools.machine);
        self.at = (step, false);
        self.tell(StepState::Begun, "");
    }

    /// Keeps the entry open, for [`crate::act::resolve`].
    pub(super) fn leave_open(&mut self) {
        self.open = true;
    }

    /// Writes down how it ended.
    pub(super) fn end(mut self) -> Receipt {
        let kept = self.close();
        self.receipt.parked = kept;
        self.receipt.ended_at = machine::now(self.tools.machine);
        self.receipt.outcome = receipt::outcome(&self.act, &self.receipt);
        if self.open {
            return self.receipt;
        }
        let ended = |receipt: Option<&Receipt>| Line::Ended {
            end: self.receipt.end,
            outcome: self.receipt.outcome.clone(),
            receipt: receipt.cloned().map(Box::new),
        };
        // A full receipt may not fit where a short line does; where neither does, the next start tells
        // the end from where the files are.
        if self.write(ended(Some(&self.receipt))).is_err()
            && let Err(error) = self.write(ended(None))
        {
            self.receipt.notes.push(format!(
                "The end of this could not be written down ({error}); the next start will look where the files are."
            ));
            return self.receipt;
        }
        forget(self.tools.hands, self.tools.machine, &self.act.id);
        self.keep_watching();
        self.receipt
    }
}

impl Run<'_> {
    /// A rebuild that is not over is followed further, by whoever runs longer than this act.
    fn keep_watching(&mut self) {
        let waits = self
            .receipt
            .rebuild
            .as_ref()
            .is_some_and(|rebuild| !rebuild.is_over());
        if self.receipt.end != End::Done {
            return;
        }
        if !waits {
            // A watch that an earlier act left would from now on look at the disks of this one.
            let moves = matches!(self.act.kind, ActKind::Reset | ActKind::Restore);
            if moves {
                watch::forget(self.tools.machine, &self.bundle.path);
            }
            return;
        }
        let kept = self
            .tools
            .means
            .keep_watching(&self.act.id, &self.bundle.path);
        if let Err(error) = kept {
            self.receipt.notes.push(format!(
                "The rebuild is not followed any further: that could not be written down ({error})."
            ));
        }
    }
}

/// Whether the effect of a state may only begin once the journal has it. What leads back to where everything
/// was, or only looks, goes on without.
const fn must_be_written(state: State) -> bool {
    matches!(
        state,
        State::Quitting
            | State::Proving
            | State::Recording
            | State::Moving(_)
            | State::ProvingAgain
            | State::Latch
    )
}
