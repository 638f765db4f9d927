//! Acts that were cut off, told in the status until somebody has put them right.
//!
//! Another process may run an act now, be killed in it, or put one right with `journal resolve`; so it is
//! looked up again and again, and not only at the start.

use std::fs;
use std::time::SystemTime;

use sandtray_core::machine::Machine;
use sandtray_core::status::{Fault, FaultKind};

use crate::act::journal;
use crate::act::resolve::{Resolved, found};

/// What is known of them.
#[derive(Debug, Default)]
pub(super) struct CutOff {
    /// The journal in which no act was open: as long as it is the same, nothing has to be read.
    quiet: Option<(u64, SystemTime)>,
    /// Why the acts that this run could not put right are still open, by their ids.
    refused: Vec<(String, String)>,
}

impl CutOff {
    /// Keeps why an act of an earlier run is still open.
    pub(super) fn remember(&mut self, resolved: &[Resolved]) {
        self.refused = resolved
            .iter()
            .filter(|one| one.end.is_none())
            .map(|one| (one.id.clone(), one.text.clone()))
            .collect();
        self.quiet = None;
    }

    /// Looks once. None where nothing can have changed since no act was open.
    pub(super) fn look(&mut self, machine: &Machine) -> Option<Fault> {
        let seen = fs::metadata(machine.own_data.join(journal::FILE)).ok();
        let seen = seen.and_then(|seen| Some((seen.len(), seen.modified().ok()?)));
        if seen.is_some() && self.quiet == seen {
            return None;
        }
        // A journal that cannot be read stops every act, which says so.
        let found = found(machine).unwrap_or_default();
        let open = journal::read(machine).is_ok_and(|journal| journal.open().next().is_some());
        self.quiet = seen.filter(|_| !open);
        let texts: Vec<&str> = found
            .iter()
            .map(|one| {
                let refused = self.refused.iter().find(|(id, _)| *id == one.id);
                refused.map_or(one.text.as_str(), |(_, text)| text.as_str())
            })
            .collect();
        Some(Fault {
            kind: FaultKind::ActInterrupted,
            text: texts.join(" "),
        })
    }
}
