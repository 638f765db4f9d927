//! Who holds a file: descriptors of every process that may be looked into; and who might.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sandtray_core::act::refusal::Holder;
use sandtray_core::machine::Machine;
use sandtray_core::settings::Claude;

use super::super::Held;
use super::super::proc::{Kin, Names, Table, kin};
use super::look::{self, Identity};

pub(in super::super) fn holders(machine: &Machine, claude: &Claude, files: &[PathBuf]) -> Held {
    match found(machine, claude, files) {
        Ok(holders) if holders.is_empty() => Held::No,
        Ok(holders) => Held::By(holders),
        Err(cause) => Held::Unknown(cause),
    }
}

fn found(machine: &Machine, claude: &Claude, files: &[PathBuf]) -> Result<Vec<Holder>, String> {
    let wanted = wanted(files)?;
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let pids = look::pids().map_err(|error| error.to_string())?;
    let table: Table = pids
        .iter()
        .filter_map(|pid| Some((*pid, look::stat(*pid)?)))
        .collect();
    if !table.contains_key(&std::process::id()) {
        return Err("the system does not show this user's processes".to_owned());
    }
    let named = Path::new(&claude.executable).file_name();
    let names = Names::new(named.map(OsStrExt::as_bytes).into_iter());
    let is_app = |pid: u32| look::executable(pid).map(|path| super::is_app(machine, claude, &path));
    let mut holders = Vec::new();
    for (pid, stat) in &table {
        if *pid == std::process::id() {
            continue;
        }
        let file = match look::open_files(*pid) {
            Ok(open) => match open.iter().find_map(|identity| wanted.get(identity)) {
                Some(file) => Some(file),
                None => continue,
            },
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => None,
            // It has ended, or has nothing open.
            Err(_) => continue,
        };
        let kin = kin(*pid, &table, &names, &is_app);
        if file.is_some() || kin != Kin::None {
            holders.push(Holder {
                pid: *pid,
                name: String::from_utf8_lossy(&stat.name).into_owned(),
                file: file.map(Into::into),
                vm: kin == Kin::Vm,
            });
        }
    }
    Ok(holders)
}

/// The files as they are, and folders with everything in them; links are not followed.
fn wanted(files: &[PathBuf]) -> Result<BTreeMap<Identity, PathBuf>, String> {
    let mut wanted = BTreeMap::new();
    let mut waiting = files.to_vec();
    while let Some(path) = waiting.pop() {
        let failed = |error: io::Error| format!("{}: {error}", path.display());
        let found = match fs::symlink_metadata(&path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed(error)),
        };
        if found.is_dir() {
            for entry in fs::read_dir(&path).map_err(failed)? {
                waiting.push(entry.map_err(failed)?.path());
            }
        }
        wanted.insert((found.dev(), found.ino()), path);
    }
    Ok(wanted)
}
