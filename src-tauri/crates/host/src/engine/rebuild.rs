//! Rebuilds that outlast the acts that caused them, followed until they are over.
//!
//! The app may begin it days later, when somebody opens a task; so each watch is kept in a file and goes on
//! with the next start of ours. What becomes of it is written to the journal, because a parked copy may be
//! discarded only once its rebuild was seen working.

use std::path::{Path, PathBuf};

use sandtray_core::act::ActKind;
use sandtray_core::act::journal::EntryState;
use sandtray_core::act::receipt::{Rebuild, Receipt};
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;

use crate::act::journal;
use crate::act::watch::{Watch, forget, keep, kept, kept_acts};

/// The rebuilds that are followed: one of a bundle.
#[derive(Debug, Default)]
pub(super) struct Follow {
    current: Vec<Followed>,
    /// Whoever only reads follows nothing: what comes of it is written to the journal.
    begun: bool,
}

#[derive(Debug)]
struct Followed {
    act: String,
    bundle: PathBuf,
    watch: Watch,
}

impl Follow {
    /// Takes up what was kept, from now on: at the start, and after an act.
    pub(super) fn take_up(&mut self, machine: &Machine) {
        self.begun = true;
        self.current.clear();
        self.refresh(machine);
    }

    /// Looks once. Gives the receipts of the acts whose rebuilds have come to their ends.
    pub(super) fn look(&mut self, machine: &Machine) -> Vec<Receipt> {
        if self.begun {
            self.refresh(machine);
        }
        let mut ended = Vec::new();
        self.current.retain_mut(|one| match one.look(machine) {
            Looked::GoesOn => true,
            Looked::Over(receipt) => {
                ended.extend(receipt.map(|receipt| *receipt));
                false
            }
        });
        ended
    }

    /// The command line may have left another since the look before.
    fn refresh(&mut self, machine: &Machine) {
        for (bundle, act) in kept_acts(machine) {
            let known = self.current.iter().position(|one| one.bundle == bundle);
            if known.is_some_and(|at| self.current.get(at).is_some_and(|one| one.act == act)) {
                continue;
            }
            // Where it cannot be taken up, what was followed before goes on.
            if let Some((act, watch)) = kept(machine, &bundle) {
                self.current.retain(|one| one.bundle != bundle);
                self.current.push(Followed { act, bundle, watch });
            }
        }
    }
}

/// What came of a look.
enum Looked {
    GoesOn,
    /// With the receipt of its act, where there is something to tell.
    Over(Option<Box<Receipt>>),
}

impl Followed {
    fn look(&mut self, machine: &Machine) -> Looked {
        let before = self.watch.last().clone();
        let now = self.watch.look();
        if now == before {
            return Looked::GoesOn;
        }
        // The disks that are there now are those of a later act, which has its own word on them.
        if is_overtaken(machine, &self.act, &self.bundle) {
            if kept_acts(machine).get(&self.bundle) == Some(&self.act) {
                forget(machine, &self.bundle);
            }
            return Looked::Over(None);
        }
        if now.is_over() {
            return Looked::Over(self.end(machine, &now));
        }
        if let Err(error) = keep(machine, &self.act, &self.bundle, &self.watch) {
            tracing::warn!("the rebuild is followed in this run only: {error}");
        }
        Looked::GoesOn
    }

    fn end(&self, machine: &Machine, rebuild: &Rebuild) -> Option<Box<Receipt>> {
        if let Err(failure) = journal::rebuilt(machine, &self.act, rebuild) {
            // Kept: it is taken up again as it was, sees the same, and tries again.
            tracing::warn!("{failure}");
            return None;
        }
        forget(machine, &self.bundle);
        let journal = journal::read(machine).ok()?;
        journal.entry(&self.act)?.latest_receipt().map(Box::new)
    }
}

/// Whether the disks of a bundle were moved again after this act.
fn is_overtaken(machine: &Machine, act: &str, bundle: &Path) -> bool {
    let journal = journal::read(machine).unwrap_or_default();
    let later = journal
        .entries
        .iter()
        .skip_while(|entry| entry.act.id != act)
        .skip(1);
    later
        .filter(|entry| entry.state == EntryState::Done)
        .filter(|entry| matches!(entry.act.kind, ActKind::Reset | ActKind::Restore))
        .any(|entry| entry.act.bundle_path == PathText::new(bundle))
}

#[cfg(test)]
mod tests;
