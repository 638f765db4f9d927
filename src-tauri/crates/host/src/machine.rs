//! The machine to look at: the real one, or one that a `--machine` file describes.

use std::collections::BTreeMap;
use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use sandtray_core::machine::{Folders, Machine, Os, VARIABLES};
use sandtray_core::settings::Settings;
use sandtray_core::time::Time;
use serde::Deserialize;

use crate::error::{Cause, Failure};

/// The machine this process runs on, as this user sees it.
///
/// # Errors
/// Where the system names no home folder.
pub fn current() -> Result<Machine, Failure> {
    let missing = |what: &'static str| {
        Failure::io(what, Path::new("~"), io::ErrorKind::NotFound.into())
            .hint("Set HOME to a folder that exists.")
    };
    let home = dirs::home_dir().ok_or_else(|| missing("find the home folder"))?;
    let config = dirs::config_dir().ok_or_else(|| missing("find the configuration folder"))?;
    let local = dirs::data_local_dir().ok_or_else(|| missing("find the data folder"))?;
    let folders = Folders {
        config: config.clone(),
        local: local.clone(),
        temp: env::temp_dir(),
    };
    let variables = VARIABLES
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), PathBuf::from(env::var_os(name)?))))
        .filter(|(_, path)| path.is_absolute())
        .collect();
    Ok(Machine {
        os: os(),
        home,
        uid: uid(),
        own_data: folders.local.join(OWN_FOLDER),
        own_config: folders.config.join(OWN_FOLDER),
        folders,
        variables,
        only_roots: None,
        user_data: Vec::new(),
        config_dirs: Vec::new(),
        extra_roots: Vec::new(),
        now_offset: 0,
        label: None,
    })
}

/// Our folder's name in the system's data and configuration folders.
const OWN_FOLDER: &str = if cfg!(target_os = "linux") {
    "sandtray"
} else {
    "Sandtray"
};

/// What a `--machine` file may say. Relative paths are relative to the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MachineFile {
    home: PathBuf,
    #[serde(default)]
    temp_roots: Vec<PathBuf>,
    #[serde(default)]
    user_data: Vec<PathBuf>,
    #[serde(default)]
    now_offset: i64,
    #[serde(default)]
    label: Option<String>,
    /// `linux`, `macos` or `windows`: shows another system's layout; this one's where left out.
    #[serde(default)]
    os: Option<String>,
}

/// The machine that a TOML file describes. Nothing of the real one is looked at: folders follow
/// from `home`, variables are empty, and our own data lies below `home` too.
///
/// # Errors
/// Where the file cannot be read or says something unknown.
pub fn load(file: &Path) -> Result<Machine, Failure> {
    let read = "read the machine file";
    let text = std::fs::read_to_string(file).map_err(|error| Failure::io(read, file, error))?;
    let corrupt = |cause: String| {
        Failure::new(read, file, Cause::Corrupt(cause)).hint(
            "It takes: home, temp_roots = [], user_data = [], now_offset (seconds), label, os.",
        )
    };
    let described: MachineFile =
        toml::from_str(&text).map_err(|error| corrupt(error.to_string().trim().to_owned()))?;
    let os = match described.os.as_deref() {
        None => os(),
        Some("linux") => Os::Linux,
        Some("macos") => Os::MacOs,
        Some("windows") => Os::Windows,
        Some(other) => return Err(corrupt(format!("os = \"{other}\" is not a system we know"))),
    };
    let base = std::path::absolute(file).map_err(|error| Failure::io(read, file, error))?;
    let base = base.parent().unwrap_or(Path::new("/")).to_owned();
    let home = base.join(&described.home);
    let (config, local) = match os {
        Os::Linux => (home.join(".config"), home.join(".local/share")),
        Os::MacOs => {
            let support = home.join("Library/Application Support");
            (support.clone(), support)
        }
        Os::Windows => (home.join("AppData/Roaming"), home.join("AppData/Local")),
    };
    let all = |paths: &[PathBuf]| paths.iter().map(|path| base.join(path)).collect::<Vec<_>>();
    Ok(Machine {
        os,
        uid: uid(),
        own_data: local.join(OWN_FOLDER),
        own_config: config.join(OWN_FOLDER),
        folders: Folders {
            config,
            local,
            temp: home.join("tmp"),
        },
        home,
        variables: BTreeMap::new(),
        only_roots: Some(all(&described.temp_roots)),
        user_data: all(&described.user_data),
        config_dirs: Vec::new(),
        extra_roots: Vec::new(),
        now_offset: described.now_offset,
        label: described.label,
    })
}

/// The machine with the folders that the settings add. Folders that are not absolute are left out.
#[must_use]
pub fn with_settings(machine: &Machine, settings: &Settings) -> Machine {
    let absolute = |paths: &[String]| {
        paths
            .iter()
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .collect::<Vec<_>>()
    };
    let mut machine = machine.clone();
    machine
        .user_data
        .extend(absolute(&settings.extra_user_data));
    machine
        .config_dirs
        .extend(absolute(&settings.extra_config_dirs));
    let roots = absolute(&settings.extra_roots);
    match &mut machine.only_roots {
        Some(only) => only.extend(roots),
        None => machine.extra_roots.extend(roots),
    }
    machine
}

/// The clock, moved by the machine's offset. A clock before 1970 reads as 1970.
#[must_use]
pub fn now(machine: &Machine) -> Time {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Time(i64::try_from(since.as_secs()).unwrap_or(i64::MAX)).plus(machine.now_offset)
}

const fn os() -> Os {
    if cfg!(target_os = "macos") {
        Os::MacOs
    } else if cfg!(windows) {
        Os::Windows
    } else {
        Os::Linux
    }
}

#[cfg(unix)]
fn uid() -> u32 {
    rustix::process::getuid().as_raw()
}

#[cfg(not(unix))]
fn uid() -> u32 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str) -> Result<Machine, Failure> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("machine.toml");
        std::fs::write(&file, text).unwrap();
        load(&file)
    }

    #[test]
    fn a_machine_file_replaces_every_root_of_the_real_machine() {
        let machine = described(
            "home = '/h'\ntemp_roots = ['/t', 'beside']\nuser_data = ['/u']\nnow_offset = -60\nlabel = 'Demo'\n",
        )
        .unwrap();
        assert_eq!(machine.home, Path::new("/h"));
        let roots = machine.only_roots.clone().unwrap();
        assert_eq!(roots[0], Path::new("/t"));
        assert!(roots[1].is_absolute() && roots[1].ends_with("beside"));
        assert!(machine.variables.is_empty());
        assert_eq!(
            (machine.now_offset, machine.label.as_deref()),
            (-60, Some("Demo"))
        );
        let all = format!("{machine:?}");
        let home = dirs::home_dir().unwrap();
        assert!(
            home == Path::new("/") || !all.contains(home.to_str().unwrap()),
            "{all}"
        );
        assert!(machine.own_data.starts_with("/h") && machine.own_config.starts_with("/h"));
    }

    #[test]
    fn a_wrong_machine_file_says_what_is_wrong_and_what_may_stand_there() {
        for text in [
            "",
            "home = 1",
            "home = '/h'\nroots = []",
            "home = '/h'\nos = 'beos'",
        ] {
            let text = described(text).unwrap_err().to_string();
            assert!(
                text.contains("machine.toml") && text.contains("now_offset"),
                "{text}"
            );
        }
    }
}
