//! The copies that stand aside: listed, compared with their manifests, discarded.

mod copy;
pub(super) mod trash;

use sandtray_core::act::ACT_SCHEMA;
use sandtray_core::act::journal::{EntryState, Journal};
use sandtray_core::act::parked::{CopyState, ParkedCopy, ParkedList};
use sandtray_core::act::receipt::Rebuild;
use sandtray_core::act::{Act, ActKind};
use sandtray_core::bytes::Allocated;
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;

use super::{journal, look, path};
use crate::locate;

pub(super) use copy::{Copy, copies, discarding, read};

/// Every parked copy of this machine, newest first. Reads only.
#[must_use]
pub fn list(machine: &Machine) -> ParkedList {
    // A journal that cannot be read hides no copy: each explains itself.
    let journal = journal::read(machine).unwrap_or_default();
    let bundles = locate::bundles(machine, &mut Vec::new());
    let found = copies(machine, &bundles, &journal);
    let mut parked: Vec<ParkedCopy> = found
        .iter()
        .filter(|copy| copy.discarding || !copy.is_spent())
        .map(|copy| view(copy, &journal))
        .collect();
    parked.extend(absent(&journal, &found));
    parked.sort_by(|a, b| (b.parked_at, &b.id).cmp(&(a.parked_at, &a.id)));
    ParkedList {
        schema: ACT_SCHEMA,
        parked,
    }
}

/// Whether the rebuild that followed a copy's act was seen to be ready.
pub(super) fn is_verified(journal: &Journal, id: &str) -> bool {
    journal
        .entry(id)
        .is_some_and(|entry| entry.rebuild == Some(Rebuild::Ready))
}

fn view(copy: &Copy, journal: &Journal) -> ParkedCopy {
    let manifest = &copy.manifest;
    let allocated: Allocated = manifest
        .files
        .iter()
        .filter_map(|file| copy.seen(file))
        .map(|seen| seen.allocated)
        .sum();
    let state = if copy.discarding {
        CopyState::Discarding
    } else if copy.difference(false).is_some() {
        CopyState::Changed
    } else {
        CopyState::Whole
    };
    ParkedCopy {
        id: copy.id().to_owned(),
        bundle: manifest.act.bundle.clone(),
        scope: manifest.act.scope,
        path: PathText::new(&copy.folder),
        parked_at: manifest.parked_at,
        allocated,
        state,
        verified: is_verified(journal, copy.id()),
        homes: manifest.homes.clone(),
        files: manifest.files.clone(),
    }
}

/// Copies that the journal knows and whose place is not there: their volume is not connected. Where the
/// place is there and the copy is not, somebody took it away.
fn absent(journal: &Journal, found: &[Copy]) -> Vec<ParkedCopy> {
    journal
        .entries
        .iter()
        .filter(|entry| entry.state == EntryState::Done)
        .filter(|entry| matches!(entry.act.kind, ActKind::Reset | ActKind::Restore))
        .filter(|entry| !found.iter().any(|copy| copy.id() == entry.act.id))
        .filter_map(|entry| {
            let path = entry.act.parked.as_ref()?;
            let root = path::exact(path)?.parent()?.to_owned();
            let gone = look::at(&root).is_ok_and(|found| found.is_none());
            (gone && !has_left(journal, &entry.act)).then(|| ParkedCopy {
                id: entry.act.id.clone(),
                bundle: entry.act.bundle.clone(),
                scope: entry.act.scope,
                path: path.clone(),
                parked_at: entry.begun_at,
                allocated: entry
                    .receipt
                    .as_ref()
                    .map_or(Allocated::ZERO, |receipt| receipt.moved),
                state: CopyState::Absent,
                verified: is_verified(journal, &entry.act.id),
                homes: None,
                files: Vec::new(),
            })
        })
        .collect()
}

/// Whether a later act took a copy away.
fn has_left(journal: &Journal, act: &Act) -> bool {
    journal.entries.iter().any(|entry| {
        entry.act.copy.as_deref() == Some(&act.id)
            && matches!(entry.state, EntryState::Done | EntryState::Interrupted)
    })
}
