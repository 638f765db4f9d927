//! What a person may change, with the defaults. Stored as TOML that holds only what differs.

use serde::{Deserialize, Serialize};

mod thresholds;

pub use thresholds::{Correction, Thresholds};

/// All settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(default)]
pub struct Settings {
    /// The lines.
    pub thresholds: Thresholds,
    /// Show OS notifications.
    pub notifications: bool,
    /// Start with the desktop session.
    pub autostart: bool,
    /// Further temp roots, absolute paths.
    pub extra_roots: Vec<String>,
    /// Further `--user-data-dir`s of Claude Desktop, absolute paths.
    pub extra_user_data: Vec<String>,
    /// Further `CLAUDE_CONFIG_DIR`s, absolute paths.
    pub extra_config_dirs: Vec<String>,
    /// Most notices a day; critical ones pass.
    pub daily_notices: u8,
    /// Which program Claude Desktop is, where it is not the usual one.
    pub claude: Claude,
    /// When leftovers are cleaned unasked.
    pub leftovers: Leftovers,
}

/// When proven leftovers of the automatic tier are cleaned unasked: never, until it is switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "ts",
    derive(ts_rs::TS),
    ts(export, rename = "LeftoverSettings")
)]
#[serde(default)]
pub struct Leftovers {
    /// Clean at an interval.
    pub schedule: bool,
    /// The interval, in hours.
    pub hours: u16,
    /// Also as soon as a volume that holds temp folders is critical.
    pub when_critical: bool,
    /// Parked leftovers are discarded for good after so many days; 0: never.
    pub discard_after_days: u16,
}

impl Default for Leftovers {
    fn default() -> Self {
        Self {
            schedule: false,
            hours: 24,
            when_critical: false,
            discard_after_days: 0,
        }
    }
}

impl Leftovers {
    /// An interval of no hours would clean without end.
    #[must_use]
    pub fn corrected(mut self) -> Self {
        self.hours = self.hours.clamp(1, 24 * 30);
        self.discard_after_days = self.discard_after_days.min(3_650);
        self
    }
}

/// The program to quit and to start again. Set only in the file: an unofficial package, a stand-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(default)]
pub struct Claude {
    /// Its executable, absolute; empty: the usual ones of this system.
    pub executable: String,
    /// The program and the arguments that start it; empty: as it was running, or the usual way.
    pub launch: Vec<String>,
    /// Seconds to wait for it to quit; it may be asking whether running sessions may end.
    pub quit_seconds: u16,
}

impl Default for Claude {
    fn default() -> Self {
        Self {
            executable: String::new(),
            launch: Vec::new(),
            quit_seconds: 90,
        }
    }
}

/// The schema number of the settings file.
pub const SETTINGS_SCHEMA: u32 = 1;

impl Default for Settings {
    fn default() -> Self {
        Self {
            thresholds: Thresholds::default(),
            notifications: true,
            autostart: false,
            extra_roots: Vec::new(),
            extra_user_data: Vec::new(),
            extra_config_dirs: Vec::new(),
            daily_notices: 4,
            claude: Claude::default(),
            leftovers: Leftovers::default(),
        }
    }
}

/// Which list of folders an entry of the settings belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum FolderKind {
    /// A temp root.
    Root,
    /// A `--user-data-dir` of Claude Desktop.
    UserData,
    /// A `CLAUDE_CONFIG_DIR`.
    ConfigDir,
}

/// A folder in the settings. The window removes it by id and never names a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Folder {
    /// Names this entry of this list.
    pub id: String,
    /// Which list it stands in.
    pub kind: FolderKind,
    /// Its path, for display.
    pub path: String,
}

impl Folder {
    /// The entry of a path in a list; its id is stable and names one entry of one list.
    #[must_use]
    pub fn new(kind: FolderKind, path: &str) -> Self {
        let list = match kind {
            FolderKind::Root => "root",
            FolderKind::UserData => "user_data",
            FolderKind::ConfigDir => "config_dir",
        };
        let token = crate::paths::token(std::path::Path::new(path));
        Self {
            id: format!("{list}:{token}"),
            kind,
            path: path.to_owned(),
        }
    }
}

impl Settings {
    /// The list of folders of a kind.
    #[must_use]
    pub const fn folders(&self, kind: FolderKind) -> &Vec<String> {
        match kind {
            FolderKind::Root => &self.extra_roots,
            FolderKind::UserData => &self.extra_user_data,
            FolderKind::ConfigDir => &self.extra_config_dirs,
        }
    }

    /// The list of folders of a kind, to change it.
    pub const fn folders_mut(&mut self, kind: FolderKind) -> &mut Vec<String> {
        match kind {
            FolderKind::Root => &mut self.extra_roots,
            FolderKind::UserData => &mut self.extra_user_data,
            FolderKind::ConfigDir => &mut self.extra_config_dirs,
        }
    }

    /// The settings with a patch applied.
    #[must_use]
    pub fn patched(&self, patch: SettingsPatch) -> Self {
        let SettingsPatch {
            thresholds,
            notifications,
            autostart,
            daily_notices,
            leftovers,
        } = patch;
        let mut lines = thresholds.unwrap_or(self.thresholds);
        // The window checks too; what slips through is put right rather than stored.
        lines.correct();
        Self {
            thresholds: lines,
            notifications: notifications.unwrap_or(self.notifications),
            autostart: autostart.unwrap_or(self.autostart),
            daily_notices: daily_notices.unwrap_or(self.daily_notices),
            leftovers: leftovers.unwrap_or(self.leftovers).corrected(),
            ..self.clone()
        }
    }

    /// The settings without the folder of this id.
    #[must_use]
    pub fn without_folder(&self, id: &str) -> Self {
        let mut settings = self.clone();
        for kind in FolderKind::ALL {
            settings
                .folders_mut(kind)
                .retain(|path| Folder::new(kind, path).id != id);
        }
        settings
    }
}

impl FolderKind {
    /// All lists.
    pub const ALL: [Self; 3] = [Self::Root, Self::UserData, Self::ConfigDir];
}

/// The settings as the window shows them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct SettingsView {
    /// The lines in force.
    pub thresholds: Thresholds,
    /// The lines a new installation has.
    pub default_thresholds: Thresholds,
    /// Show OS notifications.
    pub notifications: bool,
    /// Start with the desktop session.
    pub autostart: bool,
    /// Most notices a day.
    pub daily_notices: u8,
    /// When leftovers are cleaned unasked.
    pub leftovers: Leftovers,
    /// Folders added by the user.
    pub folders: Vec<Folder>,
    /// Where the settings are stored, for display.
    pub file: String,
    /// Sandtray's version.
    pub version: String,
}

impl SettingsView {
    /// What the window shows of `settings`, which are stored in `file`.
    #[must_use]
    pub fn new(settings: &Settings, file: &std::path::Path, version: &str) -> Self {
        let folders = FolderKind::ALL
            .into_iter()
            .flat_map(|kind| {
                settings
                    .folders(kind)
                    .iter()
                    .map(move |path| Folder::new(kind, path))
            })
            .collect();
        Self {
            thresholds: settings.thresholds,
            default_thresholds: Thresholds::default(),
            notifications: settings.notifications,
            autostart: settings.autostart,
            daily_notices: settings.daily_notices,
            leftovers: settings.leftovers,
            folders,
            file: file.display().to_string(),
            version: version.to_owned(),
        }
    }
}

/// What the window changes; a field left out stays. It can carry no path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(default, deny_unknown_fields)]
pub struct SettingsPatch {
    /// New lines.
    pub thresholds: Option<Thresholds>,
    /// Show OS notifications.
    pub notifications: Option<bool>,
    /// Start with the desktop session.
    pub autostart: Option<bool>,
    /// Most notices a day.
    pub daily_notices: Option<u8>,
    /// When leftovers are cleaned unasked.
    pub leftovers: Option<Leftovers>,
}

/// How long to be quiet about a gauge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "snake_case")]
pub enum Snooze {
    /// One hour.
    Hour,
    /// Until this time tomorrow.
    Day,
    /// Not any more: tell again.
    Off,
}

#[cfg(test)]
mod tests;
