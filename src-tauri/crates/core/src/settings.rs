//! What a person may change, with the defaults. Stored as TOML that holds only what differs.

use serde::{Deserialize, Serialize};

/// The lines at which gauges become low or critical.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(default)]
pub struct Thresholds {
    /// Sessions disk: percent of what is usable at which it is low.
    pub sessions_low_percent: u8,
    /// Sessions disk: percent at which it is critical.
    pub sessions_critical_percent: u8,
    /// Sessions disk: percent at which a critical one is told once more as full.
    pub sessions_full_percent: u8,
    /// System disk: available bytes below which it is low. Percent says nothing here: it is 86 %
    /// full on its first day (#37860).
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub system_low_available: u64,
    /// System disk: available bytes below which it is critical.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub system_critical_available: u64,
    /// Host volume: available bytes below which it is low (or a tenth of the volume, if that is less).
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub host_low_available: u64,
    /// Host volume: available bytes below which it is critical (or a twenty-fifth of it, if that is less).
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub host_critical_available: u64,
    /// Inodes: percent at which they are low.
    pub inodes_low_percent: u8,
    /// Inodes: percent at which they are critical.
    pub inodes_critical_percent: u8,
    /// Days to full at which a filling gauge is low.
    pub low_days: u8,
    /// Hours to full at which a filling gauge is critical.
    pub critical_hours: u8,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            sessions_low_percent: 80,
            sessions_critical_percent: 90,
            sessions_full_percent: 99,
            // The app's own janitor wakes at 1 GiB and 500 MiB free (facts of the VM §6): be earlier.
            system_low_available: 1_000_000_000,
            system_critical_available: 300_000_000,
            // A rebuild peaks near 12 GB, and 10 GB were not enough (#34602).
            host_low_available: 15_000_000_000,
            host_critical_available: 5_000_000_000,
            inodes_low_percent: 85,
            inodes_critical_percent: 95,
            low_days: 7,
            critical_hours: 24,
        }
    }
}

/// A value that makes no sense, and what is in force instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The key, as in the settings file.
    pub key: &'static str,
    /// What is wrong, and what holds instead.
    pub text: String,
}

impl Thresholds {
    /// Puts lines that make no sense right: a percentage beyond 100, a low line past its critical one.
    pub fn correct(&mut self) -> Vec<Correction> {
        let default = Self::default();
        let mut wrong = Vec::new();
        for (key, value, default) in [
            (
                "thresholds.sessions_low_percent",
                &mut self.sessions_low_percent,
                default.sessions_low_percent,
            ),
            (
                "thresholds.sessions_critical_percent",
                &mut self.sessions_critical_percent,
                default.sessions_critical_percent,
            ),
            (
                "thresholds.sessions_full_percent",
                &mut self.sessions_full_percent,
                default.sessions_full_percent,
            ),
            (
                "thresholds.inodes_low_percent",
                &mut self.inodes_low_percent,
                default.inodes_low_percent,
            ),
            (
                "thresholds.inodes_critical_percent",
                &mut self.inodes_critical_percent,
                default.inodes_critical_percent,
            ),
        ] {
            if !(1..=100).contains(value) {
                let text = format!("{value} is no percentage from 1 to 100; {default} is in force");
                wrong.push(Correction { key, text });
                *value = default;
            }
        }
        let mut at_most = |key, value: &mut u8, most: u8| {
            if *value > most {
                let text = format!("{value} is past the next line; {most} is in force");
                wrong.push(Correction { key, text });
                *value = most;
            }
        };
        at_most(
            "thresholds.sessions_critical_percent",
            &mut self.sessions_critical_percent,
            self.sessions_full_percent,
        );
        at_most(
            "thresholds.sessions_low_percent",
            &mut self.sessions_low_percent,
            self.sessions_critical_percent,
        );
        at_most(
            "thresholds.inodes_low_percent",
            &mut self.inodes_low_percent,
            self.inodes_critical_percent,
        );
        at_most(
            "thresholds.critical_hours",
            &mut self.critical_hours,
            self.low_days.saturating_mul(24),
        );
        let mut at_least = |key, value: &mut u64, least: u64| {
            if *value < least {
                let text = format!("{value} is past the next line; {least} is in force");
                wrong.push(Correction { key, text });
                *value = least;
            }
        };
        at_least(
            "thresholds.system_low_available",
            &mut self.system_low_available,
            self.system_critical_available,
        );
        at_least(
            "thresholds.host_low_available",
            &mut self.host_low_available,
            self.host_critical_available,
        );
        wrong
    }
}

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
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_removed_from_its_own_list_only() {
        let settings = Settings {
            extra_roots: vec!["/a".into(), "/b".into()],
            extra_config_dirs: vec!["/a".into()],
            ..Settings::default()
        };
        let view = SettingsView::new(&settings, std::path::Path::new("/f"), "0");
        let root = view
            .folders
            .iter()
            .find(|folder| folder.kind == FolderKind::Root)
            .unwrap();
        let changed = settings.without_folder(&root.id);
        assert_eq!(changed.extra_roots, ["/b"]);
        assert_eq!(changed.extra_config_dirs, ["/a"]);
        assert_eq!(settings.without_folder("/a"), settings, "a path is no id");
    }

    #[test]
    fn a_patch_leaves_alone_what_it_does_not_name() {
        let settings = Settings {
            autostart: true,
            ..Settings::default()
        };
        let patch = SettingsPatch {
            notifications: Some(false),
            ..SettingsPatch::default()
        };
        let changed = settings.patched(patch);
        assert!(changed.autostart && !changed.notifications);
        assert_eq!(settings.patched(SettingsPatch::default()), settings);
    }

    #[test]
    fn a_patch_can_carry_no_path() {
        let patch = r#"{"extra_roots":["/etc"]}"#;
        assert!(serde_json::from_str::<SettingsPatch>(patch).is_err());
    }

    #[test]
    fn the_defaults_need_no_correction() {
        let mut lines = Thresholds::default();
        assert_eq!(lines.correct(), []);
        assert_eq!(lines, Thresholds::default());
    }

    #[test]
    fn lines_that_make_no_sense_are_named_and_put_right() {
        let mut lines = Thresholds {
            sessions_low_percent: 95,
            sessions_full_percent: 0,
            inodes_critical_percent: 101,
            host_low_available: 1,
            low_days: 0,
            ..Thresholds::default()
        };
        let keys: Vec<_> = lines.correct().iter().map(|wrong| wrong.key).collect();
        assert_eq!(
            keys,
            [
                "thresholds.sessions_full_percent",
                "thresholds.inodes_critical_percent",
                "thresholds.sessions_low_percent",
                "thresholds.critical_hours",
                "thresholds.host_low_available",
            ]
        );
        let right = Thresholds {
            sessions_low_percent: 90,
            host_low_available: 5_000_000_000,
            low_days: 0,
            critical_hours: 0,
            ..Thresholds::default()
        };
        assert_eq!(lines, right);
        assert_eq!(lines.correct(), []);
    }
}
