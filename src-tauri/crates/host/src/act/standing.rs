//! How every act stands, for whoever only reads: the journal, and for an entry without an end the action
//! lock, which alone tells an act that is under way in some process from one that was cut off.

use sandtray_core::act::journal::{Entry, EntryView, Journal};
use sandtray_core::machine::Machine;

use super::{journal, lock};
use crate::error::Failure;

/// The journal, with what only the lock can tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// Everything that was written down.
    pub journal: Journal,
    cut_off: Vec<String>,
}

impl Standing {
    /// The entries as surfaces show them, oldest first.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = EntryView> {
        self.journal
            .entries
            .iter()
            .map(|entry| entry.view(self.is_cut_off(entry)))
    }

    /// The entries that have no end and that nobody works on.
    pub fn cut_off(&self) -> impl Iterator<Item = &Entry> {
        self.journal.open().filter(|entry| self.is_cut_off(entry))
    }

    fn is_cut_off(&self, entry: &Entry) -> bool {
        self.cut_off.contains(&entry.act.id)
    }
}

/// Reads the journal, and asks the lock where an entry is open. Makes no file and keeps nobody from acting.
///
/// # Errors
/// Where the journal cannot be read.
pub fn standing(machine: &Machine) -> Result<Standing, Failure> {
    read(machine, || lock::is_held(machine))
}

/// An act begins after it has the lock and writes its end before it gives the lock back. So who was open
/// before the lock was seen free, and is open after it, has lost whoever worked on it; one look alone would
/// take an act that ends or begins in this very moment for one that was cut off.
fn read(machine: &Machine, is_held: impl FnOnce() -> bool) -> Result<Standing, Failure> {
    let before = journal::read(machine)?;
    if before.open().next().is_none() || is_held() {
        return Ok(Standing {
            journal: before,
            cut_off: Vec::new(),
        });
    }
    let journal = journal::read(machine)?;
    let cut_off = journal
        .open()
        .map(|entry| entry.act.id.clone())
        .filter(|id| before.open().any(|entry| entry.act.id == *id))
        .collect();
    Ok(Standing { journal, cut_off })
}

#[cfg(test)]
mod tests;
