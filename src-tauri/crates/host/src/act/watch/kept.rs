//! Watches that outlast their acts: each kept in a small file, so that it goes on after a restart of ours.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sandtray_core::act::ACT_SCHEMA;
use sandtray_core::machine::Machine;
use sandtray_core::paths::{PathText, token};
use serde::{Deserialize, Serialize};

use super::{Memory, Watch};
use crate::act::path::exact;

/// The folder of them in our own data folder. One for each bundle is enough: a later act on it begins where
/// an earlier one ended.
const FOLDER: &str = "rebuilds";
/// Where the only one was kept before. Read as long as its bundle has none of its own, and never written.
const FORMER: &str = "rebuild.json";
/// More is not ours.
const LONGEST: u64 = 1_000_000;

#[derive(Serialize, Deserialize)]
struct Kept {
    schema: u32,
    act: String,
    bundle: PathText,
    memory: Memory,
}

/// Keeps what a watch remembers. Losing it loses a message, never a disk, so nothing is synced.
///
/// # Errors
/// Where it cannot be written.
pub fn keep(machine: &Machine, act: &str, bundle: &Path, watch: &Watch) -> io::Result<()> {
    let kept = Kept {
        schema: ACT_SCHEMA,
        act: act.to_owned(),
        bundle: bundle.into(),
        memory: watch.memory(),
    };
    let file = file(machine, bundle);
    fs::create_dir_all(file.parent().unwrap_or(&machine.own_data))?;
    let beside = file.with_extension("json.new");
    fs::write(&beside, serde_json::to_vec(&kept)?)?;
    fs::rename(&beside, &file)?;
    forget_former(machine, bundle);
    Ok(())
}

/// The watch of a bundle that was kept, with the act it belongs to; none where there is none that can be
/// read.
#[must_use]
pub fn kept(machine: &Machine, bundle: &Path) -> Option<(String, Watch)> {
    let kept = all(machine).remove(bundle)?;
    let watch = Watch::resume(machine, bundle, kept.memory);
    Some((kept.act, watch))
}

/// The bundles whose watches are kept, with the acts those belong to. Opens no log, so it may be asked with
/// every tick.
#[must_use]
pub fn kept_acts(machine: &Machine) -> BTreeMap<PathBuf, String> {
    let all = all(machine).into_iter();
    all.map(|(bundle, kept)| (bundle, kept.act)).collect()
}

/// Forgets the one of a bundle: its rebuild is over, or another act began.
pub fn forget(machine: &Machine, bundle: &Path) {
    // Where it is not there, it is forgotten.
    fs::remove_file(file(machine, bundle)).ok();
    forget_former(machine, bundle);
}

fn all(machine: &Machine) -> BTreeMap<PathBuf, Kept> {
    let entries = fs::read_dir(machine.own_data.join(FOLDER));
    let names = entries.into_iter().flatten().filter_map(Result::ok);
    let own = names
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .filter_map(|path| {
            let (bundle, kept) = read(&path)?;
            // Only under its own name: another one would never be forgotten.
            (path == file(machine, &bundle)).then_some((bundle, kept))
        });
    read(&machine.own_data.join(FORMER))
        .into_iter()
        .chain(own)
        .collect()
}

fn read(file: &Path) -> Option<(PathBuf, Kept)> {
    let found = fs::symlink_metadata(file).ok()?;
    if !found.is_file() || found.len() > LONGEST {
        return None;
    }
    let kept: Kept = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    let bundle = exact(&kept.bundle).filter(|_| kept.schema == ACT_SCHEMA)?;
    Some((bundle, kept))
}

fn forget_former(machine: &Machine, bundle: &Path) {
    let former = machine.own_data.join(FORMER);
    if read(&former).is_some_and(|(of, _)| of == bundle) {
        fs::remove_file(former).ok();
    }
}

fn file(machine: &Machine, bundle: &Path) -> PathBuf {
    let name = format!("{}.json", token(bundle));
    machine.own_data.join(FOLDER).join(name)
}

#[cfg(test)]
mod tests;
