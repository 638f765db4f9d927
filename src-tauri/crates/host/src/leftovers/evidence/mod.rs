//! One pass over the machine, for proofs that are asked in memory.
//!
//! ```text
//! system (one pass) ─ names, rights, parents ─▶ kin ─────▶ unseen
//!                   ├ descriptors, folders, maps ────────▶ held
//!                   ├ mounted, sockets (per namespace) ──▶ mount sources and points, listeners
//!                   ├ environment, programs ─────────────▶ named, agents, jobs, desktops
//!                   └ registry, jobs (configuration) ────▶ sessions, jobs
//! ```
//!
//! Why one pass: candidates come by the hundred thousand, and a subprocess each was what hung 1,016 `lsof`s
//! (#36204). Nothing here fails: what could not be seen is part of the answer, as a signal that is missing
//! or a process that was not looked into, and whoever judges keeps what depends on it.
//!
//! On Linux, WSL2 included, all of it is answered. macOS answers what `libproc` tells; Windows names no
//! holders in one pass, so that [`held_now`] asks for each file right before it goes.
//!
//! Not seen anywhere: a file whose only descriptor is on its way through a socket, a namespace that no
//! process is in.

mod bun;
mod environment;
mod jobs;
#[cfg(any(target_os = "linux", target_os = "macos", test))]
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "elsewhere parts of it are only tested")
)]
mod kin;
#[cfg(any(target_os = "macos", windows))]
mod listed;
#[cfg(any(target_os = "linux", test))]
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "elsewhere parts of it are only tested")
)]
mod mounted;
#[cfg(any(target_os = "macos", windows, test))]
#[cfg_attr(
    target_os = "linux",
    allow(dead_code, reason = "here it is only tested")
)]
mod plain;
mod programs;
mod registry;
mod sessions;
#[cfg(any(target_os = "linux", target_os = "macos", test))]
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "elsewhere parts of it are only tested")
)]
mod sockets;
#[cfg(any(target_os = "linux", target_os = "macos", test))]
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "elsewhere parts of it are only tested")
)]
mod status;
mod told;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
mod other;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use self::linux as system;
#[cfg(target_os = "macos")]
use self::macos as system;
#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
use self::other as system;
#[cfg(windows)]
use self::windows as system;

use std::path::{Path, PathBuf};

use sandtray_core::leftover::evidence::{Evidence, Hold, How, Inside};
use sandtray_core::leftover::view::DeletedOpen;
use sandtray_core::machine::Machine;
use sandtray_core::settings::Claude;

/// Looks at the machine once. `config_dirs` are the configuration folders of Claude Code that are known;
/// those that live processes name are looked into as well, unless looks are confined.
#[must_use]
pub fn gather(machine: &Machine, config_dirs: &[PathBuf]) -> Evidence {
    gather_for(machine, &Claude::default(), config_dirs)
}

/// The same, where the settings name Claude Desktop's executable.
#[must_use]
pub fn gather_for(machine: &Machine, claude: &Claude, config_dirs: &[PathBuf]) -> Evidence {
    system::gather(machine, claude, config_dirs)
}

/// Files of more than a megabyte below `roots` that have no name any more and are open all the same: their
/// space comes back when the process ends (#33670).
#[must_use]
pub fn deleted_open(machine: &Machine, roots: &[PathBuf]) -> Vec<DeletedOpen> {
    system::deleted_open(machine, roots)
}

/// Who holds one file right now, where that can only be asked file by file (Windows). None where nobody
/// does, and on the systems on which [`Evidence::held`] answers.
#[must_use]
pub fn held_now(path: &Path) -> Option<Hold> {
    system::held_now(path)
}

/// Whether this is Linux inside Windows: what becomes free does not shrink the host's disk
/// (microsoft/WSL#4699).
#[must_use]
pub fn is_wsl() -> bool {
    system::is_wsl()
}

/// The mounts of our own namespace at one moment, read once for however many paths are asked about.
#[derive(Debug)]
pub struct OwnMounts(system::OwnMounts);

impl OwnMounts {
    /// Reads them; where they cannot be read no path has a place.
    #[must_use]
    pub fn read() -> Self {
        Self(system::OwnMounts::read())
    }
}

/// A path of the host as mount tables name it: the place of the name itself, whatever is mounted on it.
/// None where it cannot be said.
#[must_use]
pub fn inside(mounts: &OwnMounts, path: &Path) -> Option<Inside> {
    mounts.0.inside(path)
}

/// How much a hold says about a file. Writing counts before everything else: a gate asks for writers alone,
/// and a file that is both written and mapped must not pass it.
#[cfg_attr(windows, allow(dead_code, reason = "no holds are gathered there"))]
const fn strength(how: How) -> u8 {
    match how {
        How::Read => 0,
        How::Folder => 1,
        How::Program => 2,
        How::Mapped => 3,
        How::Write => 4,
    }
}
