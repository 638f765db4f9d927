//! A watch that outlasts its act: kept in a small file, so that it goes on after a restart of ours.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sandtray_core::act::ACT_SCHEMA;
use sandtray_core::machine::Machine;
use sandtray_core::paths::PathText;
use serde::{Deserialize, Serialize};

use super::{Memory, Watch};
use crate::act::path::exact;

/// Its name in our own data folder. One is enough: a later act begins where an earlier one ended.
const FILE: &str = "rebuild.json";
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
    let file = file(machine);
    let beside = file.with_extension("json.new");
    fs::write(&beside, serde_json::to_vec(&kept)?)?;
    fs::rename(&beside, &file)
}

/// The watch that was kept, with the act it belongs to; none where there is none that can be read.
#[must_use]
pub fn kept(machine: &Machine) -> Option<(String, PathBuf, Watch)> {
    let kept = read(machine)?;
    let bundle = exact(&kept.bundle)?;
    let watch = Watch::resume(machine, &bundle, kept.memory);
    Some((kept.act, bundle, watch))
}

/// The act whose watch is kept. Opens no log, so it may be asked with every tick.
#[must_use]
pub fn kept_act(machine: &Machine) -> Option<String> {
    read(machine).map(|kept| kept.act)
}

fn read(machine: &Machine) -> Option<Kept> {
    let file = file(machine);
    let found = fs::symlink_metadata(&file).ok()?;
    if !found.is_file() || found.len() > LONGEST {
        return None;
    }
    let kept: Kept = serde_json::from_slice(&fs::read(&file).ok()?).ok()?;
    (kept.schema == ACT_SCHEMA).then_some(kept)
}

/// Forgets it: the rebuild is over, or another act began.
pub fn forget(machine: &Machine) {
    // Where it is not there, it is forgotten.
    fs::remove_file(file(machine)).ok();
}

fn file(machine: &Machine) -> PathBuf {
    machine.own_data.join(FILE)
}
