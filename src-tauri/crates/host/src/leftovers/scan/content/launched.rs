//! Whether something that must go on working points to a candidate: a launcher, a `latest` link.

use std::fs;
use std::path::{Path, PathBuf};

use sandtray_core::machine::{Machine, Os};

use super::super::dig::is_absence;

/// Whether something points to a program, a package or a log.
pub(in super::super) fn launched(machine: &Machine, path: &Path) -> Option<bool> {
    let folder = path.parent()?;
    match folder.file_name()?.to_str() {
        Some("versions") => Some(version(machine, folder, path)),
        Some("debug") => latest(folder, path),
        _ => Some(package(machine, folder, path)),
    }
}

/// A launcher that is no link among the versions makes upstream keep all of them, so they all count as
/// launched (facts of the leftovers §1.7). On Windows it is a copy of one of them.
fn version(machine: &Machine, versions: &Path, path: &Path) -> bool {
    let launcher = launcher(machine);
    let is_link = machine.os != Os::Windows
        && fs::symlink_metadata(&launcher).is_ok_and(|found| found.is_symlink());
    let target = fs::canonicalize(&launcher).ok().filter(|_| is_link);
    let target = target.filter(|target| target.parent() == Some(versions));
    target.is_none_or(|target| target == path)
}

/// The link beside a log that leads to the one being written (`debug/latest`).
fn latest(folder: &Path, path: &Path) -> Option<bool> {
    match fs::read_link(folder.join("latest")) {
        Ok(target) => Some(folder.join(target) == path),
        Err(cause) if is_absence(&cause) => Some(false),
        // No link: some other way to say which one it is.
        Err(_) => None,
    }
}

/// A package of npm's: what its `bin` holds, or the launcher, may lead into it.
fn package(machine: &Machine, folder: &Path, path: &Path) -> bool {
    // `<prefix>/lib/node_modules/@anthropic-ai`, or without `lib` on Windows.
    let prefixes = folder.ancestors().skip(2).take(2);
    let programs = prefixes.flat_map(|prefix| [prefix.join("bin/claude"), prefix.join("claude")]);
    programs
        .chain([launcher(machine)])
        .filter_map(|program| fs::canonicalize(program).ok())
        .any(|target| target.starts_with(path))
}

fn launcher(machine: &Machine) -> PathBuf {
    machine.home.join(".local/bin/claude")
}
