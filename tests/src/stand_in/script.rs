//! What the program is told to do: a JSON file named `stand-in.json` beside its executable (or named
//! by `--script=FILE`), then flags, which win.
//!
//! | flag | field | meaning |
//! | --- | --- | --- |
//! | `--user-data-dir=DIR` | `user_data` | where its data lies, as for every Electron app |
//! | `--run=DIR` | `run` | pids, signals and sockets; a test's own folder |
//! | `--want=ID` | `want` | the VM release that every file's `.origin` must name |
//! | `--begins=launch\|task` | `begins` | when it looks at the bundle and boots |
//! | `--auto`, `--told` | `rebuilds` | whether a rebuild goes on by itself or waits for `phase next` |
//! | `--pace-ms=N` | `pace_ms` | pause between phases that go on by themselves, for pictures |
//! | `--misbehave=NAME` | `misbehaves` | see [`Misbehaviour`]; may be given again |
//! | `--come-back-when=PATH` | `come_back_when` | started again once PATH exists, after it has quit |
//!
//! Why a file beside the executable: a reset starts the app with words and an environment of its own
//! choosing, and the app must still be the same app.

use std::collections::BTreeSet;
use std::fs;
use std::io::Error;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::machine::RELEASE;

/// Name of the script beside the executable.
pub const FILE: &str = "stand-in.json";

/// What the program is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// The app's data folder.
    pub user_data: PathBuf,
    /// Pids, signals and sockets.
    pub run: PathBuf,
    /// Whether every process ends with the test that started it (see [`super::witness`]).
    pub tethered: bool,
    /// The VM release it wants.
    pub want: String,
    /// When it looks at the bundle.
    pub begins: Begins,
    /// Whether a rebuild waits for commands.
    pub rebuilds: Rebuilds,
    /// Milliseconds between phases that go on by themselves.
    pub pace_ms: u64,
    /// Bytes of a fresh system partition.
    pub system_size: u64,
    /// Bytes of a fresh sessions disk.
    pub sessions_size: u64,
    /// A whole image to take for a fresh system disk, instead of making one.
    pub system_template: Option<PathBuf>,
    /// A whole image to take for a fresh sessions disk, instead of making one.
    pub sessions_template: Option<PathBuf>,
    /// Length of the packed system image, in millions of bytes.
    pub download_mb: u32,
    /// What it does wrong.
    pub misbehaves: BTreeSet<Misbehaviour>,
    /// Started again once this exists. When it is up, and its VM holds the disks where it has one,
    /// the same path with `.back` added exists: whoever made the first may wait for the second.
    pub come_back_when: Option<PathBuf>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            user_data: PathBuf::new(),
            run: PathBuf::new(),
            tethered: false,
            want: RELEASE.to_owned(),
            begins: Begins::Launch,
            rebuilds: Rebuilds::ByItself,
            pace_ms: 0,
            system_size: 96 << 20,
            sessions_size: 64 << 20,
            system_template: None,
            sessions_template: None,
            download_mb: 1_200,
            misbehaves: BTreeSet::new(),
            come_back_when: None,
        }
    }
}

/// When the app looks at its bundle, repairs it and boots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Begins {
    /// As it starts, like older builds (#32197).
    #[default]
    Launch,
    /// When a Cowork task is opened.
    Task,
}

/// What moves a rebuild on. A bundle with nothing to repair boots by itself either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rebuilds {
    /// Nothing need be said.
    #[default]
    ByItself,
    /// One phase for each `phase next`.
    WhenTold,
}

/// What the app does wrong; each is reported in the facts of the VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Misbehaviour {
    /// Asked to quit it asks back ("sessions are running") and stays until `dialog quit`.
    AsksBeforeQuit,
    /// Quits, and something starts it again at once.
    ComesBack,
    /// The VM stays after the app is gone and keeps the disks open, until `end` (#74890, #92714).
    VmOutlives,
    /// Sees what is missing and makes nothing: `download_and_sdk_prepare` ends in 4 ms (#93518).
    NeverRebuilds,
    /// `Checksum mismatch for rootfs.img.zst`, for ever (#37925, #68313).
    ChecksumLoop,
    /// `EXDEV: cross-device link not permitted`, for ever (#25476).
    ExdevLoop,
    /// Unpacks the system disk at each start though nothing is wrong with it (#81427).
    RebuildsEveryStart,
    /// The platform gate deletes the bundle's reinstallable files at each start (#37947).
    DeletesAtStart,
    /// The platform gate does so at each quit (#41066).
    DeletesAtQuit,
    /// The host disk is full in the middle of it: `ENOSPC`, and an empty `.partial` stays (#34602).
    NoSpace,
    /// The download stops moving at 45 % and says nothing more (#32197).
    DownloadHangs,
    /// The sessions disk is never made (#80637, #93385).
    NoSessionDisk,
    /// `VM connection timeout after 60 seconds`; leaves the latch behind (#87755).
    BootFails,
    /// Loses one session of the host's at its start.
    LosesASession,
}

impl Script {
    /// The script of a process: handed down, else read, with its flags.
    ///
    /// # Errors
    /// Where there is none, it does not parse, or a flag is unknown or wrong.
    pub fn of(words: &[String], executable: &Path) -> Result<Self, Error> {
        let named = words.iter().find_map(|word| word.strip_prefix("--script="));
        let beside = executable.with_file_name(FILE);
        let file = named.map_or(beside, PathBuf::from);
        let mut script = if named.is_some() || file.exists() {
            Self::load(&file)?
        } else {
            Self::default()
        };
        script.flags(words)?;
        if script.user_data.as_os_str().is_empty() || script.run.as_os_str().is_empty() {
            return Err(Error::other("--user-data-dir=DIR and --run=DIR are needed"));
        }
        Ok(script)
    }

    fn flags(&mut self, words: &[String]) -> Result<(), Error> {
        for word in words {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            match name {
                "--script" => {}
                "--user-data-dir" => self.user_data = value.into(),
                "--run" => self.run = value.into(),
                "--want" => self.want = value.to_owned(),
                "--begins" => self.begins = word_of(value)?,
                "--auto" => self.rebuilds = Rebuilds::ByItself,
                "--told" => self.rebuilds = Rebuilds::WhenTold,
                "--pace-ms" => self.pace_ms = value.parse().map_err(Error::other)?,
                "--misbehave" => {
                    let _new = self.misbehaves.insert(word_of(value)?);
                }
                "--come-back-when" => self.come_back_when = Some(value.into()),
                // Electron takes any word, and so do launchers add some.
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads a script.
    ///
    /// # Errors
    /// Where it cannot be read or does not parse.
    pub fn load(file: &Path) -> Result<Self, Error> {
        let named = |cause: &dyn std::fmt::Display| {
            Error::other(format!("cannot read {}: {cause}", file.display()))
        };
        let text = fs::read(file).map_err(|cause| named(&cause))?;
        serde_json::from_slice(&text).map_err(|cause| named(&cause))
    }

    /// Writes it, whole or not at all: the program may start at any moment.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn save(&self, file: &Path) -> Result<(), Error> {
        let new = file.with_extension("new");
        fs::write(&new, serde_json::to_vec_pretty(self)?)?;
        fs::rename(new, file)
    }

    /// Whether it is to do this wrong.
    #[must_use]
    pub fn does(&self, what: Misbehaviour) -> bool {
        self.misbehaves.contains(&what)
    }

    /// `claudevm.bundle`.
    #[must_use]
    pub fn bundle(&self) -> PathBuf {
        self.user_data.join("vm_bundles").join("claudevm.bundle")
    }

    /// Where prefetched releases lie.
    #[must_use]
    pub fn warm(&self) -> PathBuf {
        self.user_data.join("vm_bundles").join("warm")
    }
}

/// An enum by the word that the script has for it.
fn word_of<T: serde::de::DeserializeOwned>(word: &str) -> Result<T, Error> {
    serde_json::from_value(word.into()).map_err(|cause| Error::other(format!("{word}: {cause}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_win_over_the_file_and_unknown_words_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        Script {
            user_data: "/a".into(),
            run: "/run-of-it".into(),
            ..Script::default()
        }
        .save(&file)
        .unwrap();
        let words = [
            "--no-sandbox",
            "--user-data-dir=/b",
            "--want=abc",
            "--begins=task",
            "--told",
            "--misbehave=vm-outlives",
            "--misbehave=no-space",
        ]
        .map(str::to_owned);
        let script = Script::of(&words, &folder.path().join("claude-desktop")).unwrap();
        assert_eq!(script.user_data, Path::new("/b"));
        assert_eq!(script.run, Path::new("/run-of-it"));
        assert_eq!(script.want, "abc");
        assert_eq!(script.begins, Begins::Task);
        assert_eq!(script.rebuilds, Rebuilds::WhenTold);
        assert!(script.does(Misbehaviour::VmOutlives) && script.does(Misbehaviour::NoSpace));
        assert!(!script.does(Misbehaviour::ComesBack));
    }

    #[test]
    fn a_misbehaviour_that_nobody_knows_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let words = ["--user-data-dir=/b", "--run=/r", "--misbehave=sings"].map(str::to_owned);
        let problem = Script::of(&words, &folder.path().join("claude-desktop")).unwrap_err();
        assert!(problem.to_string().contains("sings"), "{problem}");
    }
}
