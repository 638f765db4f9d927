//! How far the app is with building new disks: files and logs, looked at; what they mean is decided in
//! [`sandtray_core::act::watch`]. Nothing is written and nothing is asked of the app.

mod folder;
mod kept;
mod log;

use std::path::Path;

use sandtray_core::act::receipt::Rebuild;
use sandtray_core::act::watch::{Fold, Observation};
use sandtray_core::act::{Identity, Scope};
use sandtray_core::bundle::Bundle;
use sandtray_core::layout::{LOGS, log_folders};
use sandtray_core::machine::Machine;
use sandtray_core::time::Time;
use serde::{Deserialize, Serialize};

use self::folder::Folder;
pub use self::kept::{forget, keep, kept, kept_acts};
use self::log::{Log, Place};
use crate::machine::now;

/// Bytes of all logs that one look reads.
const BITE: u64 = 1_000_000;

/// Watches one rebuild. Made after the disks moved and before the app is started again, so that what its
/// logs said before does not count and what stands there now is not taken for new.
#[derive(Debug)]
pub struct Watch {
    folder: Folder,
    logs: Vec<Log>,
    fold: Fold,
    machine: Machine,
    runs: Option<bool>,
    last: Rebuild,
}

/// What a watch remembers. Stored, it goes on after a restart of ours, by [`Watch::resume`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    fold: Fold,
    places: Vec<Place>,
    last: Rebuild,
}

impl Watch {
    /// Begins to watch the bundle's place; `bundle` is as it was before anything moved.
    #[must_use]
    pub fn begin(machine: &Machine, bundle: &Bundle, scope: Scope) -> Self {
        let logs = logs(machine, &bundle.path).map(Log::at_end).collect();
        let mut folder = Folder::new(bundle.path.clone());
        let before: Vec<&str> = bundle.files.iter().map(|file| file.name.as_str()).collect();
        let fold = Fold::begin(scope, &before, &folder.look(), now(machine));
        Self {
            folder,
            logs,
            fold,
            machine: machine.clone(),
            runs: None,
            last: Rebuild::Waiting,
        }
    }

    /// Names disks that were moved aside: none of them is ever a new one, even where something puts it
    /// back under its name.
    #[must_use]
    pub fn without(mut self, parked: impl IntoIterator<Item = Identity>) -> Self {
        self.fold = self.fold.without(parked);
        self
    }

    /// Goes on with a watch that was stored.
    #[must_use]
    pub fn resume(machine: &Machine, bundle: &Path, memory: Memory) -> Self {
        let logs = logs(machine, bundle)
            .map(|path| Log::resume(path, &memory.places))
            .collect();
        Self {
            folder: Folder::new(bundle.to_owned()),
            logs,
            fold: memory.fold,
            machine: machine.clone(),
            runs: None,
            last: memory.last,
        }
    }

    /// What is worth storing: a few kilobytes.
    #[must_use]
    pub fn memory(&self) -> Memory {
        Memory {
            fold: self.fold.clone(),
            places: self.logs.iter().map(|log| log.place().clone()).collect(),
            last: self.last.clone(),
        }
    }

    /// Tells whether the app runs, where the caller knows: without it nobody downloads.
    pub const fn tell(&mut self, runs: Option<bool>) {
        self.runs = runs;
    }

    /// Looks once; cheap enough for once a second.
    pub fn look(&mut self) -> Rebuild {
        self.look_at(now(&self.machine))
    }

    /// What the last look gave.
    #[must_use]
    pub const fn last(&self) -> &Rebuild {
        &self.last
    }

    /// Downloads that a rebuild left behind, as far as it can be told by now.
    #[must_use]
    pub fn litter(&self) -> Vec<String> {
        self.fold.litter(now(&self.machine))
    }

    fn look_at(&mut self, now: Time) -> Rebuild {
        let mut budget = BITE;
        let mut lines = Vec::new();
        for log in &mut self.logs {
            log.read(&mut budget, &mut lines);
        }
        let look = Observation {
            files: self.folder.look(),
            lines,
            runs: self.runs,
        };
        self.last = self.fold.step(&look, now);
        self.last.clone()
    }
}

/// The logs that may speak of a bundle, whether they exist or not.
fn logs(machine: &Machine, bundle: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    // <userData>/vm_bundles/claudevm.bundle
    let user_data = bundle.parent().and_then(Path::parent).unwrap_or(bundle);
    log_folders(machine, user_data)
        .into_iter()
        .flat_map(|folder| LOGS.map(|name| folder.join(name)))
}

#[cfg(test)]
mod tests;
