//! Data folders of Claude Desktop that are in use.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sandtray_core::machine::Machine;
use sandtray_core::settings::Claude;

use super::pass::Pass;
use crate::act::app;

/// Those of main processes, and those whose lock names a process that lives: the app may be one that the
/// settings do not name. None where it cannot be said.
pub(super) fn running(
    pass: &Pass<'_>,
    machine: &Machine,
    claude: &Claude,
) -> Option<BTreeSet<PathBuf>> {
    let mut running = BTreeSet::new();
    if pass.scene.real {
        running = app::data_folders(machine, claude, &pass.stats).ok()?;
    }
    let usual = ["Claude", "Claude-3p"].map(|name| machine.folders.config.join(name));
    for folder in usual.iter().chain(&machine.user_data) {
        if owner(folder).is_some_and(|pid| pass.stats.contains_key(&pid)) {
            running.insert(std::fs::canonicalize(folder).unwrap_or_else(|_| folder.clone()));
        }
    }
    Some(running)
}

/// The process in Chromium's lock: a link to `<host>-<pid>`.
fn owner(data: &Path) -> Option<u32> {
    let led = std::fs::read_link(data.join("SingletonLock")).ok()?;
    led.to_str()?.rsplit_once('-')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_of_a_data_folder_names_its_process() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(owner(dir.path()), None);
        std::os::unix::fs::symlink("my-host-4711", dir.path().join("SingletonLock")).unwrap();
        assert_eq!(owner(dir.path()), Some(4711));
    }
}
