//! Which executable is Claude Desktop's, and which processes run it.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::AtFlags;
use sandtray_core::machine::Machine;
use sandtray_core::settings::Claude;

use super::super::proc::Names;
use super::look::{self, Identity};

/// A package of the app: what runs, and what a person starts.
pub(super) struct Package {
    pub(super) executable: &'static str,
    pub(super) starter: &'static str,
}

/// The official package first, then the repacks (facts of the VM §1.1 and §3; 2026-09).
pub(super) const PACKAGES: [Package; 4] = [
    Package {
        executable: "/usr/lib/claude-desktop/claude-desktop",
        starter: "/usr/lib/claude-desktop/claude-desktop",
    },
    Package {
        executable: "/usr/lib/claude-desktop-unofficial/claude-desktop",
        starter: "/usr/bin/claude-desktop-unofficial",
    },
    // The repacks before July 2026 brought an Electron of their own.
    Package {
        executable: "/usr/lib/claude-desktop/node_modules/electron/dist/electron",
        starter: "/usr/bin/claude-desktop",
    },
    Package {
        executable: "/opt/Claude/node_modules/electron/dist/electron",
        starter: "/usr/bin/claude-desktop",
    },
];

/// The executables that are the app here.
#[derive(Clone, Debug, Default)]
pub(super) struct Executables {
    paths: Vec<PathBuf>,
    identities: Vec<Identity>,
}

impl Executables {
    /// The one the settings name; else the table's, unless looks are confined.
    ///
    /// # Errors
    /// Where the settings name none that could be one.
    pub(super) fn of(machine: &Machine, claude: &Claude) -> Result<Self, String> {
        let mut paths: Vec<PathBuf> = match claude.executable.as_str() {
            "" if machine.is_confined() => Vec::new(),
            "" => PACKAGES
                .iter()
                .map(|package| PathBuf::from(package.executable))
                .collect(),
            named if Path::new(named).is_absolute() => vec![PathBuf::from(named)],
            named => {
                return Err(format!(
                    "the settings name \"{named}\" as Claude Desktop, which is no absolute path"
                ));
            }
        };
        // A starter in /usr/bin is often a link to it, and processes show where it leads.
        let led: Vec<PathBuf> = paths
            .iter()
            .filter_map(|path| fs::canonicalize(path).ok())
            .filter(|led| !paths.contains(led))
            .collect();
        paths.extend(led);
        let identities = paths
            .iter()
            .filter_map(|path| look::identity(path, AtFlags::empty()).ok())
            .collect();
        Ok(Self { paths, identities })
    }

    /// Whether a process runs one of them, by path (one that an update has replaced keeps the path of
    /// old) or by device and inode. `None` where it may not be looked into.
    pub(super) fn run_by(&self, pid: u32) -> Option<bool> {
        let shown = look::executable(pid)?;
        if self.paths.contains(&shown) {
            return Some(true);
        }
        let identity = look::identity(&look::folder(pid).join("exe"), AtFlags::empty()).ok()?;
        Some(self.identities.contains(&identity))
    }

    /// Their names, for processes that may not be looked into.
    pub(super) fn names(&self) -> Names {
        Names::new(
            self.paths
                .iter()
                .filter_map(|path| path.file_name())
                .map(OsStrExt::as_bytes),
        )
    }
}
