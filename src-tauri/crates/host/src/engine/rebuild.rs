//! A rebuild that outlasts the act that caused it, followed until it is over.
//!
//! The app may begin it days later, when somebody opens a task; so the watch is kept in a file and goes on
//! with the next start of ours. What becomes of it is written to the journal, because a parked copy may be
//! discarded only once its rebuild was seen working.

use std::path::{Path, PathBuf};

use sandtray_core::act::ActKind;
use sandtray_core::act::journal::EntryState;
use sandtray_core::act::receipt::{Rebuild, Receipt};
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;

use crate::act::journal;
use crate::act::watch::{Watch, forget, keep, kept, kept_act};

/// The rebuild that is followed, if one is.
#[derive(Debug, Default)]
pub(super) struct Follow {
    current: Option<(String, PathBuf, Watch)>,
    /// Whoever only reads follows nothing: what comes of it is written to the journal.
    begun: bool,
}

impl Follow {
    /// Takes up what was kept, from now on: at the start, and after an act.
    pub(super) fn take_up(&mut self, machine: &Machine) {
        self.begun = true;
        self.current = kept(machine);
    }

    /// Looks once. Gives the receipt of the act where its rebuild has come to its end.
    pub(super) fn look(&mut self, machine: &Machine) -> Option<Receipt> {
        if self.begun {
            self.refresh(machine);
        }
        let (act, bundle, watch) = self.current.as_mut()?;
        let before = watch.last().clone();
        let now = watch.look();
        if now == before {
            return None;
        }
        // The disks that are there now are those of a later act, which has its own word on them.
        if is_overtaken(machine, act, bundle) {
            if kept_act(machine).as_ref() == Some(act) {
                forget(machine);
            }
            self.current = None;
            return None;
        }
        if !now.is_over() {
            if let Err(error) = keep(machine, act, bundle, watch) {
                tracing::warn!("the rebuild is followed in this run only: {error}");
            }
            return None;
        }
        let receipt = self.end(machine, &now);
        self.current = None;
        receipt
    }

    /// The command line may have left another since the look before.
    fn refresh(&mut self, machine: &Machine) {
        let Some(found) = kept_act(machine) else {
            return;
        };
        if self.current.as_ref().is_none_or(|(act, ..)| *act != found) {
            // Where it cannot be taken up, what was followed before goes on.
            if let Some(other) = kept(machine) {
                self.current = Some(other);
            }
        }
    }

    fn end(&self, machine: &Machine, rebuild: &Rebuild) -> Option<Receipt> {
        let (act, ..) = self.current.as_ref()?;
        if let Err(failure) = journal::rebuilt(machine, act, rebuild) {
            // Kept: the next look sees the same and tries again.
            tracing::warn!("{failure}");
            return None;
        }
        forget(machine);
        let journal = journal::read(machine).ok()?;
        journal.entry(act)?.latest_receipt()
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
mod tests {
    use std::fs;

    use sandtray_core::act::Scope;

    use super::*;
    use crate::act::plan::bundle_at;

    #[test]
    fn what_was_left_is_taken_up_by_whoever_acts_and_by_nobody_who_only_reads() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("machine.toml");
        fs::write(&file, "home = 'home'\nos = 'linux'\ntemp_roots = []\n").unwrap();
        let machine = crate::machine::load(&file).unwrap();
        fs::create_dir_all(&machine.own_data).unwrap();
        let path = machine
            .folders
            .config
            .join("Claude/vm_bundles/claudevm.bundle");
        let (mut reads, mut acts) = (Follow::default(), Follow::default());
        acts.take_up(&machine);
        let watch = Watch::begin(&machine, &bundle_at(&[], &path), Scope::SessionDisk);
        keep(&machine, "20260101-0000-0001", &path, &watch).unwrap();
        for follow in [&mut reads, &mut acts] {
            assert_eq!(follow.look(&machine), None);
        }
        assert!(reads.current.is_none());
        assert_eq!(acts.current.unwrap().0, "20260101-0000-0001");
    }
}
