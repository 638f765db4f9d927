//! The machine to look at, as a value: whose home, which folders, which variables.
//!
//! Why a value: a test, a demo and `--machine FILE` point every look at folders of their own, and
//! the layouts of all three systems are tested on any of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// A family of systems, by layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Os {
    /// Linux, WSL2 included.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

/// Folders the system names; never built from the home (`%APPDATA%` may be redirected, #42119).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folders {
    /// `~/.config`, `~/Library/Application Support`, `%APPDATA%`.
    pub config: PathBuf,
    /// `~/.local/share`, `~/Library/Application Support`, `%LOCALAPPDATA%`.
    pub local: PathBuf,
    /// The system's temp folder as this process sees it.
    pub temp: PathBuf,
}

/// The machine to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Which layout.
    pub os: Os,
    /// The user's home.
    pub home: PathBuf,
    /// The user's id; 0 on Windows.
    pub uid: u32,
    /// Folders the system names.
    pub folders: Folders,
    /// The variables that move storage, where set: see [`VARIABLES`].
    pub variables: BTreeMap<String, PathBuf>,
    /// Set by `--machine`: exactly these temp roots, and none of the real machine.
    pub only_roots: Option<Vec<PathBuf>>,
    /// Further data folders of Claude Desktop (`--user-data-dir`).
    pub user_data: Vec<PathBuf>,
    /// Further configuration folders of Claude Code.
    pub config_dirs: Vec<PathBuf>,
    /// Further temp roots from the settings.
    pub extra_roots: Vec<PathBuf>,
    /// Added to the clock, in seconds: tests see a later moment with the same rules.
    pub now_offset: i64,
    /// Shown beside the name where this is not the real machine: "Demo".
    pub label: Option<String>,
    /// Our own data folder (history, journal).
    pub own_data: PathBuf,
    /// Our own configuration folder (settings).
    pub own_config: PathBuf,
}

/// The variables that move storage (facts of the leftovers §2) and the logs of a Windows service.
pub const VARIABLES: [&str; 8] = [
    "TMPDIR",
    "TEMP",
    "TMP",
    "CLAUDE_CODE_TMPDIR",
    "CLAUDE_TMPDIR",
    "CLAUDE_CONFIG_DIR",
    "XDG_RUNTIME_DIR",
    "PROGRAMDATA",
];

impl Machine {
    /// Whether looks at this machine are confined to what a file names.
    #[must_use]
    pub const fn is_confined(&self) -> bool {
        self.only_roots.is_some()
    }
}
