//! Systems on which nothing can be proven: every signal is missing, and so everything is kept.

use std::path::{Path, PathBuf};

use sandtray_core::leftover::Signal;
use sandtray_core::leftover::evidence::{Evidence, Hold, Inside};
use sandtray_core::leftover::view::DeletedOpen;
use sandtray_core::machine::Machine;
use sandtray_core::settings::Claude;

pub(super) fn gather(machine: &Machine, _claude: &Claude, _config_dirs: &[PathBuf]) -> Evidence {
    let cause = || "not supported on this system".to_owned();
    Evidence {
        at: crate::machine::now(machine),
        missing: [
            Signal::Held,
            Signal::Mounts,
            Signal::Sockets,
            Signal::Sessions,
            Signal::Environments,
            Signal::Processes,
        ]
        .into_iter()
        .map(|signal| (signal, cause()))
        .collect(),
        ..Evidence::default()
    }
}

pub(super) const fn deleted_open(_machine: &Machine, _roots: &[PathBuf]) -> Vec<DeletedOpen> {
    Vec::new()
}

pub(super) const fn held_now(_path: &Path) -> Option<Hold> {
    None
}

pub(super) const fn is_wsl() -> bool {
    false
}

/// No mount tables are known here, and so no path has a place in them.
#[derive(Debug)]
pub(super) struct OwnMounts;

impl OwnMounts {
    pub(super) const fn read() -> Self {
        Self
    }

    pub(super) const fn inside(&self, _path: &Path) -> Option<Inside> {
        None
    }
}
