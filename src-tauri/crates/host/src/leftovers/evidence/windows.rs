//! Windows: sysinfo says who runs. Who holds a file can only be asked file by file, right before it goes;
//! one that cannot be opened alone is held, and the Restart Manager says by whom. Sockets have no files
//! here, and nothing is mounted over a name but what the remover sees as a reparse point.
//! Type-checked only; not run by our own CI.

use std::path::{Path, PathBuf};

use sandtray_core::leftover::evidence::{Evidence, Hold, How};
use sandtray_core::leftover::view::DeletedOpen;
use sandtray_core::machine::Machine;
use sandtray_core::settings::Claude;
use sandtray_core::time::Time;

use super::listed;
use crate::act::app::{self, Held};

pub(super) use super::plain::OwnMounts;

pub(super) fn gather(machine: &Machine, _claude: &Claude, config_dirs: &[PathBuf]) -> Evidence {
    let listed = listed::read(&machine.folders.temp);
    let boot = sysinfo::System::boot_time().ok();
    let boot = boot.and_then(|boot| i64::try_from(boot).ok()).map(Time);
    let mut evidence = listed::evidence(&listed, machine, config_dirs, boot);
    // Chromium locks its data folder by a file of its own that nobody else can open.
    let usual = ["Claude", "Claude-3p"].map(|name| machine.folders.config.join(name));
    evidence.desktops = Some(
        usual
            .iter()
            .chain(&machine.user_data)
            .filter(|folder| held_now(&folder.join("lockfile")).is_some())
            .map(|folder| std::fs::canonicalize(folder).unwrap_or_else(|_| folder.clone()))
            .collect(),
    );
    evidence
}

pub(super) const fn deleted_open(_machine: &Machine, _roots: &[PathBuf]) -> Vec<DeletedOpen> {
    Vec::new()
}

/// Whether a file can be opened with nobody else beside us. Folders are refused by the system itself when
/// they go, and a file that cannot be asked about counts as held.
pub(super) fn held_now(path: &Path) -> Option<Hold> {
    let seen = std::fs::symlink_metadata(path);
    if seen.is_ok_and(|seen| !seen.is_file()) {
        return None;
    }
    let (pid, name) = match app::holders_of(&[path.to_owned()]) {
        Held::No => return None,
        Held::By(holders) => holders
            .into_iter()
            .next()
            .map(|holder| (holder.pid, holder.name))?,
        Held::Unknown(cause) => (0, cause),
    };
    let how = How::Write;
    Some(Hold { pid, name, how })
}

pub(super) const fn is_wsl() -> bool {
    false
}
