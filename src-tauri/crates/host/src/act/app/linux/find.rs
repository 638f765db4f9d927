//! Finds the app's main process: exactly one, or none of ours to ask.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use sandtray_core::bundle::{Bundle, Profile};
use sandtray_core::machine::Machine;
use sandtray_core::settings::Claude;

use super::super::proc::Stat;
use super::super::{App, Running};
use super::executable::Executables;
use super::look;

pub(in super::super) fn find(machine: &Machine, claude: &Claude, bundle: &Bundle) -> Running {
    let found = Executables::of(machine, claude)
        .and_then(|executables| Ok((executables, look::processes()?)));
    let (executables, processes) = match found {
        Ok(found) => found,
        Err(cause) => return Running::Unknown(cause),
    };
    let Some(data) = data_of(bundle) else {
        return Running::Unknown(format!("{} lies in no data folder", bundle.path.display()));
    };
    let mut apps: Vec<App> = processes
        .values()
        .filter_map(|stat| main_process(stat, &executables))
        .filter(|(app, told)| uses(machine, bundle, app.pid, told.as_deref(), &data))
        .map(|(app, _)| app)
        .collect();
    match apps.len() {
        0 => Running::No,
        1 => apps.pop().map_or(Running::No, Running::Yes),
        _ => Running::Several(apps.iter().map(|app| app.pid).collect()),
    }
}

/// Data folders of the app's main processes, whatever bundle they have: those they were told, else every
/// one that the app may take by itself.
///
/// # Errors
/// Where the settings name no executable that could be the app.
pub(crate) fn data_folders(
    machine: &Machine,
    claude: &Claude,
    processes: &BTreeMap<u32, Stat>,
) -> Result<BTreeSet<PathBuf>, String> {
    let executables = Executables::of(machine, claude)?;
    let mut folders = BTreeSet::new();
    for (app, told) in processes
        .values()
        .filter_map(|stat| main_process(stat, &executables))
    {
        match told {
            Some(told) => folders.extend(absolute(&told, app.pid)),
            None => folders.extend(
                [Profile::Claude, Profile::Claude3p]
                    .iter()
                    .filter_map(|profile| default_folder(machine, profile, app.pid)),
            ),
        }
    }
    Ok(folders.iter().map(|folder| canonical(folder)).collect())
}

/// The data folder of a bundle: `<data>/vm_bundles/claudevm.bundle`.
pub(super) fn data_of(bundle: &Bundle) -> Option<PathBuf> {
    bundle.path.parent()?.parent().map(Path::to_owned)
}

/// The app, and the data folder it was told to use, if this process is a main one of ours. The command
/// line tool `claude` runs another executable; Electron's children run the same one.
fn main_process(stat: &Stat, executables: &Executables) -> Option<(App, Option<PathBuf>)> {
    let pid = stat.pid;
    let mine = !stat.ended && pid != std::process::id() && look::is_own(pid);
    if !mine || executables.run_by(pid) != Some(true) {
        return None;
    }
    if executables.run_by(stat.parent) == Some(true) {
        return None;
    }
    let executable = look::executable(pid)?;
    let line = look::command_line(pid, &executable)?;
    // The app's executable is lent to scripts (an MCP server) as a plain Node, with no `--type=`.
    if line.is_child() || look::variable(pid, "ELECTRON_RUN_AS_NODE").is_some() {
        return None;
    }
    let app = App {
        pid,
        started: stat.started,
        executable,
        arguments: line.arguments(),
    };
    Some((app, line.data_folder()))
}

/// Whether a main process uses the data folder of this bundle.
fn uses(machine: &Machine, bundle: &Bundle, pid: u32, told: Option<&Path>, data: &Path) -> bool {
    let folder = match told {
        Some(told) => absolute(told, pid),
        None => default_folder(machine, &bundle.profile, pid),
    };
    folder.is_some_and(|folder| canonical(&folder) == canonical(data))
}

/// A folder as a process was told it, seen from where the process is.
fn absolute(told: &Path, pid: u32) -> Option<PathBuf> {
    match told.is_absolute() {
        true => Some(told.to_owned()),
        false => fs::read_link(look::folder(pid).join("cwd"))
            .ok()
            .map(|from| from.join(told)),
    }
}

/// Where the app keeps its data when nothing tells it otherwise: below *its* configuration folder, which
/// is another one than ours where somebody runs a second account by `XDG_CONFIG_HOME` or `HOME`. An app
/// that runs has made its folder: where there is none, its environment is not what it went by.
fn default_folder(machine: &Machine, profile: &Profile, pid: u32) -> Option<PathBuf> {
    let name = match profile {
        Profile::Claude | Profile::Extra => "Claude",
        Profile::Claude3p => "Claude-3p",
    };
    let named = |variable: &str| {
        let value = OsString::from_vec(look::variable(pid, variable)?);
        Some(PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    let config = named("XDG_CONFIG_HOME").or_else(|| Some(named("HOME")?.join(".config")));
    let usual = || (*profile != Profile::Extra).then(|| machine.folders.config.join(name));
    config
        .map(|config| config.join(name))
        .filter(|folder| folder.is_dir())
        .or_else(usual)
}

/// A path to compare: where it does not exist, as it is written.
fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
