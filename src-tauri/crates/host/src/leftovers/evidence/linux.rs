//! Linux: everything from `/proc`, mostly readable for everybody; what is not is said to be unseen.

mod deleted;
mod desktop;
mod gathered;
mod hold;
mod look;
mod loops;
mod namespaces;
mod own;
mod pass;
mod view;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use sandtray_core::leftover::evidence::{Evidence, Hold};
use sandtray_core::leftover::view::DeletedOpen;
use sandtray_core::machine::Machine;
use sandtray_core::settings::Claude;

pub(super) use own::OwnMounts;

use pass::{Pass, Scene};

pub(super) fn gather(machine: &Machine, claude: &Claude, config_dirs: &[PathBuf]) -> Evidence {
    gathered::evidence(&Scene::real(), machine, claude, config_dirs)
}

pub(super) fn deleted_open(_machine: &Machine, roots: &[PathBuf]) -> Vec<DeletedOpen> {
    let scene = Scene::real();
    let mut pass = Pass::only_descriptors(&scene);
    pass.run();
    deleted::below(pass.deleted, roots)
}

/// The pass has answered for every file.
pub(super) const fn held_now(_path: &Path) -> Option<Hold> {
    None
}

pub(super) fn is_wsl() -> bool {
    view::is_wsl(Path::new("/proc"))
}
