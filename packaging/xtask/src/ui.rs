//! The window's files: packages and bundle, made again only when what they come from has changed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{self, Log, cannot, npm, scratch, workspace};
use crate::node;

/// Where output goes: to this terminal, or to the log of a step.
pub(crate) enum To<'a> {
    Terminal,
    Log(&'a mut Log),
}

impl To<'_> {
    fn run(&mut self, command: &mut std::process::Command) -> Result<(), String> {
        match self {
            Self::Terminal => command::run(command),
            Self::Log(log) => log.run(command).map(drop),
        }
    }
}

/// Installs the packages that the lock file names.
pub(crate) fn install(to: &mut To<'_>) -> Result<(), String> {
    node::check()?;
    let folder = workspace().join("ui");
    let stamp = folder.join("node_modules/.sandtray-stamp");
    let wanted = fingerprint(&[
        folder.join("package-lock.json"),
        folder.join("package.json"),
    ])?;
    if fs::read_to_string(&stamp).is_ok_and(|made| made == wanted) {
        return Ok(());
    }
    to.run(npm().args(["ci", "--no-audit", "--no-fund"]))?;
    fs::write(&stamp, wanted).map_err(|cause| cannot("write", &stamp, &cause))
}

/// Builds the bundle that the app carries.
pub(crate) fn build(to: &mut To<'_>) -> Result<(), String> {
    install(to)?;
    let folder = workspace().join("ui");
    // Not inside `dist`: everything there becomes part of the app.
    let stamp = scratch()?.join("ui.stamp");
    let mut sources = Vec::new();
    for entry in read(&folder)? {
        let name = entry
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if !["node_modules", "dist", "dist-mock", "pictures"].contains(&name.as_str()) {
            gather(&entry, &mut sources)?;
        }
    }
    let wanted = fingerprint(&sources)?;
    let there = folder.join("dist/index.html").is_file();
    if there && fs::read_to_string(&stamp).is_ok_and(|made| made == wanted) {
        return Ok(());
    }
    to.run(npm().args(["run", "build"]))?;
    fs::write(&stamp, wanted).map_err(|cause| cannot("write", &stamp, &cause))
}

/// All files below a path, sorted.
fn gather(path: &Path, into: &mut Vec<PathBuf>) -> Result<(), String> {
    if path.is_dir() {
        for entry in read(path)? {
            gather(&entry, into)?;
        }
    } else {
        into.push(path.to_owned());
    }
    Ok(())
}

fn read(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut entries = fs::read_dir(folder)
        .and_then(|entries| {
            entries
                .map(|entry| entry.map(|entry| entry.path()))
                .collect()
        })
        .map_err(|cause| cannot("read", folder, &cause))
        .map(|entries: Vec<PathBuf>| entries)?;
    entries.sort();
    Ok(entries)
}

/// A number that changes with the names or contents of files (FNV-1a; it proves nothing, it only
/// saves a build).
fn fingerprint(files: &[PathBuf]) -> Result<String, String> {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for file in files {
        let content = fs::read(file).map_err(|cause| cannot("read", file, &cause))?;
        for byte in file.to_string_lossy().bytes().chain(content) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    Ok(format!("{hash:016x}"))
}
