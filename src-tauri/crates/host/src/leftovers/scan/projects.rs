//! The folders in which sessions of Claude Code ran.
//!
//! `.claude.json` lists them as the keys of `projects`; the session registry names the folder of each
//! session that runs. Neither is ever written.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Scene;
use super::dig::is_absence;
use super::gaps::Gaps;
use crate::volume::Mounts;

/// Longest list of projects that is read: it holds the history of each.
const LONGEST: u64 = 256 * 1024 * 1024;

/// Longest record of a session.
const LONGEST_RECORD: u64 = 1024 * 1024;

/// Most records that are read: 78 orphans were seen (herdrdev/herdr#3414).
const MOST_RECORDS: usize = 10_000;

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    projects: BTreeMap<PathBuf, IgnoredAny>,
}

#[derive(Deserialize)]
struct Record {
    cwd: Option<PathBuf>,
}

/// The folders, each once. One on a filesystem that may not answer is a gap: nobody waits for another
/// machine here.
pub(super) fn folders(scene: &Scene, gaps: &mut Gaps) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    let home = [scene.machine.home.clone()];
    for dir in home.iter().chain(&scene.config_dirs) {
        let list = dir.join(".claude.json");
        match read(&list, LONGEST).and_then(|text| parse::<Listed>(&text)) {
            Ok(listed) => found.extend(listed.projects.into_keys()),
            Err(cause) if is_absence(&cause) => {}
            Err(cause) => gaps.add("read the projects in", &list, &cause),
        }
    }
    for dir in &scene.config_dirs {
        let sessions = dir.join("sessions");
        match fs::read_dir(&sessions) {
            Ok(records) => found.extend(
                records
                    .take(MOST_RECORDS)
                    .filter_map(|record| read(&record.ok()?.path(), LONGEST_RECORD).ok())
                    .filter_map(|text| parse::<Record>(&text).ok()?.cwd),
            ),
            Err(cause) if is_absence(&cause) => {}
            Err(cause) => gaps.add("list", &sessions, &cause),
        }
    }
    let mounts = Mounts::read();
    found.retain(|folder| {
        if !folder.is_absolute() || !may_be_seen(scene, folder) {
            return false;
        }
        let waits = mounts.may_wait(folder);
        if waits {
            let cause = io::Error::other("it lies on a filesystem that may not answer");
            gaps.add("look at", folder, &cause);
        }
        !waits
    });
    found.into_iter().collect()
}

/// A machine from a file is left to itself, whatever paths lie about in it.
fn may_be_seen(scene: &Scene, folder: &Path) -> bool {
    let mut roots = scene.roots.iter();
    !scene.machine.is_confined()
        || folder.starts_with(&scene.machine.home)
        || roots.any(|root| folder.starts_with(&root.path))
}

fn read(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    // A pipe in its place would make us wait.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut text = Vec::new();
    File::open(path)?.take(longest).read_to_end(&mut text)?;
    Ok(text)
}

fn parse<'t, T: Deserialize<'t>>(text: &'t [u8]) -> io::Result<T> {
    serde_json::from_slice(text).map_err(io::Error::from)
}
