//! A rebuild that outlasts the act that caused it, followed until it is over.
//!
//! The app may begin it days later, when somebody opens a task; so the watch is kept in a file and goes on
//! with the next start of ours. What becomes of it is written to the journal, because a parked copy may be
//! discarded only once its rebuild was seen working.

use std::path::PathBuf;

use sandtray_core::act::journal::EntryView;
use sandtray_core::act::receipt::{Rebuild, Receipt};
use sandtray_core::machine::Machine;

use crate::act::journal;
use crate::act::watch::{Watch, forget, keep, kept};

/// The rebuild that is followed, if one is.
#[derive(Debug, Default)]
pub(super) struct Follow {
    current: Option<(String, PathBuf, Watch)>,
}

impl Follow {
    /// Takes up what was kept: at the start, and after an act.
    pub(super) fn take_up(&mut self, machine: &Machine) {
        self.current = kept(machine);
    }

    /// Looks once. Gives the receipt of the act where its rebuild has come to its end.
    pub(super) fn look(&mut self, machine: &Machine) -> Option<Receipt> {
        let (act, bundle, watch) = self.current.as_mut()?;
        let before = watch.last().clone();
        let now = watch.look();
        if now == before {
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

    fn end(&self, machine: &Machine, rebuild: &Rebuild) -> Option<Receipt> {
        let (act, ..) = self.current.as_ref()?;
        if let Err(failure) = journal::rebuilt(machine, act, rebuild) {
            // Kept: the next start sees the same and tries again.
            tracing::warn!("{failure}");
            return None;
        }
        forget(machine);
        let journal = journal::read(machine).ok()?;
        EntryView::from(journal.entry(act)?).receipt
    }
}
