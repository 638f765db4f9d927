//! Where what goes out of one folder is put.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sandtray_core::leftover::candidate::Candidate;
use sandtray_core::leftover::view::LEFTOVERS_SCHEMA;
use sandtray_core::leftover::{Class, Place as Within};
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;
use sandtray_core::time::Time;

use super::{LIST, Line, OWN};
use crate::act::hands::Hands;
use crate::error::{Cause, Failure};
use crate::leftovers::clean::failed;
use crate::leftovers::remove::{Ask, Base, Skip, Target};
use crate::volume::of_path;
use crate::walk::Cancel;

/// Its content, where it lies beside its list.
const CONTENT: &str = "content";

/// Where what goes out of one folder is put.
#[derive(Debug)]
pub(in crate::leftovers) struct Place {
    folder: PathBuf,
    base: Base,
    list: PathBuf,
    at: Time,
    next: u64,
}

impl Place {
    /// Opens, or makes, the folder of a copy for what of a class lies in `from`.
    pub(in crate::leftovers) fn open(
        machine: &Machine,
        id: &str,
        class: &Class,
        from: &Path,
        at: Time,
    ) -> Result<Self, Failure> {
        let hands = Hands::default();
        let own = machine.own_data.join(OWN).join(id);
        let refused = |path: &Path, error: io::Error| {
            Failure::io("make a folder for what is moved aside in", path, error)
                .hint("Remove it for good instead, or make room first.")
        };
        hands
            .make_dirs(&own)
            .map_err(|error| refused(&own, error))?;
        let folder = if one_volume(&own, from) {
            own.join(CONTENT)
        } else {
            beside(machine, class, from)?.join(id)
        };
        hands
            .make_dirs(&folder)
            .map_err(|error| refused(&folder, error))?;
        let base = Base::open(&folder, machine).map_err(|skip| {
            let cause = Cause::Unsupported(skip.to_string());
            Failure::new("use the folder for what is moved aside", &folder, cause)
        })?;
        let list = own.join(LIST);
        let next = length(&list);
        Ok(Self {
            folder,
            base,
            list,
            at,
            next,
        })
    }

    /// Writes down what is about to move. Nothing moves that was not written down.
    pub(in crate::leftovers) fn announce(&self, candidates: &[Candidate]) -> Result<(), Failure> {
        let mut text = Vec::new();
        for (candidate, name) in candidates.iter().zip(self.next..) {
            let line = Line {
                schema: LEFTOVERS_SCHEMA,
                at: self.at,
                folder: PathText::new(&self.folder),
                name: name.to_string(),
                from: PathText::new(&candidate.base.join(&candidate.path)),
                class: candidate.class.name.to_owned(),
                title: candidate.class.title.to_owned(),
                allocated: candidate.allocated,
                device: candidate.id.device,
                inode: candidate.id.inode,
            };
            let failed = |error| Failure::io("write", &self.list, io::Error::other(error));
            text.extend(serde_json::to_vec(&line).map_err(failed)?);
            text.push(b'\n');
        }
        let hands = Hands::default();
        let write = || {
            if self.list.symlink_metadata().is_ok() {
                hands.append_synced(&self.list, &text)
            } else {
                hands.write_new_synced(&self.list, &text)
            }
        };
        write().map_err(|error| {
            Failure::io("write down what moves aside in", &self.list, error)
                .hint("Nothing was moved. Remove it for good instead, or make room first.")
        })
    }

    /// Moves one candidate of the batch that was announced; they come in that order.
    pub(in crate::leftovers) fn take(
        &mut self,
        from: &Base,
        target: &Target<'_>,
        cancel: &Cancel,
        ask: &mut Ask<'_>,
    ) -> Result<(), Skip> {
        let name = self.next.to_string();
        self.next = self.next.saturating_add(1);
        from.park(target, &self.base, name.as_ref(), cancel, ask)
    }

    /// Makes what moved durable.
    pub(in crate::leftovers) fn settle(&self) -> Result<(), Skip> {
        Hands::default()
            .sync_dir(&self.folder)
            .map_err(|error| failed("sync", &self.folder, &error))
    }
}

/// How many lines a list has: the first name that is free.
fn length(list: &Path) -> u64 {
    let lines = |text: Vec<u8>| text.split(|byte| *byte == b'\n').count();
    fs::read(list).map_or(0, |text| u64::try_from(lines(text)).unwrap_or(0))
}

/// The folder of copies in the folder that is cleaned. Never in one of Claude Desktop's own, which it sweeps.
fn beside(machine: &Machine, class: &Class, from: &Path) -> Result<PathBuf, Failure> {
    let swept = |place: &Within| matches!(place, Within::Bundle(_) | Within::Desktop(_));
    if class.places.iter().any(swept) {
        let cause = Cause::Unsupported("it lies on another volume than parked copies".to_owned());
        let failure = Failure::new("move aside what lies in", from, cause);
        return Err(failure.hint("Remove it for good instead, if you can do without it."));
    }
    Ok(from.join(format!(".sandtray-parked-{}", machine.uid)))
}

/// Whether a rename can lead from one to the other: one mount of one filesystem.
fn one_volume(a: &Path, b: &Path) -> bool {
    match (of_path(a), of_path(b)) {
        (Some(a), Some(b)) => a.volume.mount_point == b.volume.mount_point && a.device == b.device,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use sandtray_core::leftover::table::class;

    use super::*;
    use crate::leftovers::tests::machine;

    #[test]
    fn nothing_is_parked_in_a_folder_that_the_app_sweeps() {
        let dir = tempfile::tempdir().unwrap();
        let machine = machine(dir.path());
        let folder = |name: &str| beside(&machine, class(name).unwrap(), dir.path());
        assert!(folder("scratchpad").unwrap().starts_with(dir.path()));
        for name in ["bundle_archive", "bundle_warm", "desktop_cache"] {
            let refused = folder(name).unwrap_err().to_string();
            assert!(refused.contains("another volume"), "{name}: {refused}");
        }
    }
}
