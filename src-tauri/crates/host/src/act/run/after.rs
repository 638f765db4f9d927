//! After everything has moved: what was not to change is compared, the app's rebuild is watched, and what
//! came of it is measured.

use std::time::Duration;

use sandtray_core::act::receipt::{Rebuild, StepState};
use sandtray_core::act::sessions::Report;
use sandtray_core::act::steps::Outcome;
use sandtray_core::bytes::Bytes;

use super::state::Run;
use crate::act::verify::{Stayed, stayed};
use crate::act::{place, verify};

/// Between two looks at the rebuild.
const LOOK: Duration = Duration::from_secs(1);
/// Below this the rebuild may not come to its end.
const LITTLE: Bytes = Bytes(1_000_000_000);

impl Run<'_> {
    /// While the app is gone nothing may differ.
    pub(super) fn compare(&mut self) -> Outcome {
        let mut well = true;
        if let Some(before) = &self.sessions
            && let Some(data) = place::user_data(&self.bundle.path)
        {
            let now = self.tools.means.sessions(data);
            let report = Report::exact(before, &now);
            well = report.differing.is_empty();
            self.report = Some(report);
        }
        if !well {
            self.remark(
                "Chats, tasks or projects changed while Claude Desktop was gone; Sandtray does not write there.",
            );
        }
        for (path, before) in std::mem::take(&mut self.stays) {
            let now = stayed(&path, &before);
            if now != Stayed::Untouched {
                well = false;
                self.remark(format!(
                    "{} was to stay as it was, and: {}.",
                    path.display(),
                    words(&now)
                ));
            }
            self.stays.push((path, before));
        }
        let (bundle, scope) = (self.bundle.clone(), self.act.scope);
        self.tools.means.begin_watching(&bundle, scope);
        if well { Outcome::Well } else { Outcome::Failed }
    }

    pub(super) fn watch(&mut self) -> Outcome {
        let mut waited = Duration::ZERO;
        loop {
            self.receipt.rebuild = self.tools.means.look().or(Some(Rebuild::Waiting));
            let over = self.receipt.rebuild.as_ref().is_some_and(Rebuild::is_over);
            // Where the app was not started nobody rebuilds, and there is nothing to wait for.
            if over || !self.act.running || waited >= self.control.wait {
                return Outcome::Well;
            }
            if self.control.cancel.is_cancelled() {
                return Outcome::Stopped;
            }
            let little = verify::available(&self.bundle.path).filter(|room| *room < LITTLE);
            let text = match little {
                Some(room) => format!(
                    "Claude Desktop to build new disks; only {room} are available, and undo gives the old ones back"
                ),
                None if self.receipt.rebuild == Some(Rebuild::Waiting) => {
                    "a Cowork task to be opened; the rebuild may only begin then".to_owned()
                }
                None => "Claude Desktop to build new disks".to_owned(),
            };
            self.tell(StepState::Begun, &text);
            self.tools.means.pause(LOOK);
            waited += LOOK;
        }
    }

    pub(super) fn verify(&mut self) -> Outcome {
        let after = verify::fills(self.tools.machine.os, &self.bundle.path);
        for fill in &mut self.receipt.fills {
            let now = after.iter().find(|(kind, _)| *kind == fill.kind);
            fill.after = now.and_then(|(_, used)| *used);
        }
        self.receipt.available_after = verify::available(&self.bundle.path);
        if let Some(report) = self.report.take()
            && let Some(before) = &self.sessions
            && let Some(data) = place::user_data(&self.bundle.path)
        {
            let now = self.tools.means.sessions(data);
            self.receipt.sessions = Some(report.afterwards(before, &now));
        }
        for (path, before) in std::mem::take(&mut self.stays) {
            let now = stayed(&path, &before);
            // Once the app runs again it rightly writes to it.
            if !matches!(
                now,
                Stayed::Untouched | Stayed::Written | Stayed::Unknown(_)
            ) {
                self.remark(format!("{}: {}.", path.display(), words(&now)));
            }
        }
        Outcome::Well
    }
}

fn words(stayed: &Stayed) -> String {
    match stayed {
        Stayed::Untouched => "it is untouched".to_owned(),
        Stayed::Written => "it was written to".to_owned(),
        Stayed::Formatted => "it was formatted anew, not by Sandtray".to_owned(),
        Stayed::Replaced => "another file took its place, not by Sandtray".to_owned(),
        Stayed::Missing => "it is gone, not by Sandtray".to_owned(),
        Stayed::Unknown(cause) => format!("it cannot be told ({cause})"),
    }
}
