//! The settings file: `settings.toml` in the config folder, written by us and by people.
//!
//! It holds only what differs from the defaults, so that a better default reaches everybody who did
//! not choose otherwise. Saving changes the keys that were changed and nothing else: comments, keys
//! we do not know, and what a person edited meanwhile stay. Written by rename: at zero bytes free, or
//! killed at any instant, the old file is whole.
//!
//! What cannot be understood is told and never wiped: single values fall back to their default, an
//! unreadable file leaves the defaults in force and is copied before the first save, and a file of a
//! newer Sandtray is not written at all.

mod document;
#[cfg(test)]
mod tests;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sandtray_core::settings::Settings;
use sandtray_core::status::{Fault, FaultKind};

use self::document::{Document, Reading};
use super::{fault, free_name, private};
use crate::error::{Cause, Failure};

/// Name of the file in the config folder.
const FILE: &str = "settings.toml";
const READ: &str = "read the settings";
const SAVE: &str = "save the settings";
/// A settings file is a page; something a thousand times as long is something else.
const LONGEST: u64 = 1_000_000;

/// The settings file of one config folder.
#[derive(Debug)]
pub struct SettingsFile {
    path: PathBuf,
    /// What was in force after the last load or save; only what differs from it is written.
    last: Settings,
}

impl SettingsFile {
    /// Loads the settings from the config folder `dir`. A folder or file that is not there means
    /// defaults; so does, with a fault, everything that cannot be read.
    #[must_use]
    pub fn load(dir: &Path) -> (Self, Settings, Vec<Fault>) {
        let path = dir.join(FILE);
        let (settings, faults) = match read(&path).and_then(|text| parse(&path, &text)) {
            Ok(document) => understood(&path, &document),
            Err(failure) => {
                let kind = match failure.cause {
                    Cause::Newer(_) => FaultKind::SettingsNewer,
                    _ => FaultKind::SettingsUnreadable,
                };
                let failure = failure.hint("The defaults are in force and the file is left alone.");
                (Settings::default(), vec![fault(kind, &failure)])
            }
        };
        let file = Self {
            path,
            last: settings.clone(),
        };
        (file, settings, faults)
    }

    /// Where the settings are stored.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Stores the settings.
    ///
    /// # Errors
    /// Where the file is from a newer version, cannot be read, or cannot be written; it is then as it
    /// was.
    pub fn save(&mut self, settings: &Settings) -> Result<(), Failure> {
        // A link leads to where the person keeps the file; renaming onto it would cut it.
        let target = self
            .path
            .canonicalize()
            .unwrap_or_else(|_| self.path.clone());
        let folder = target.parent().unwrap_or(&target);
        private::create_dir(folder).map_err(|cause| Failure::io(SAVE, folder, cause))?;
        let text = read(&self.path)?;
        let mut document = match parse(&self.path, &text) {
            Err(failure) if matches!(failure.cause, Cause::Corrupt(_)) => {
                keep_unreadable(&self.path, &text)?;
                Document::default()
            }
            other => other.map_err(|failure| Failure {
                operation: SAVE,
                ..failure
            })?,
        };
        document
            .change(&self.last, settings)
            .map_err(|what| Failure::new(SAVE, &self.path, Cause::Unsupported(what)))?;
        let changed = document.text();
        if changed.as_bytes() != text {
            replace(&target, changed.as_bytes())?;
        }
        self.last = settings.clone();
        Ok(())
    }
}

/// The file's bytes; none at all where there is no file.
fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let attempt = || -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        std::fs::File::open(path)?
            .take(LONGEST + 1)
            .read_to_end(&mut text)?;
        if u64::try_from(text.len()).unwrap_or(u64::MAX) > LONGEST {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "it is longer than any settings file",
            ));
        }
        Ok(text)
    };
    match attempt() {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        other => other.map_err(|cause| Failure::io(READ, path, cause)),
    }
}

fn parse(path: &Path, text: &[u8]) -> Result<Document, Failure> {
    let document =
        Document::parse(text).map_err(|what| Failure::new(READ, path, Cause::Corrupt(what)))?;
    match document.newer() {
        Some(schema) => Err(Failure::new(READ, path, Cause::Newer(schema))
            .hint("Update Sandtray to use and to change it.")),
        None => Ok(document),
    }
}

/// The settings of a document, and what of it makes no sense.
fn understood(path: &Path, document: &Document) -> (Settings, Vec<Fault>) {
    let Reading {
        mut settings,
        wrong,
        unknown,
    } = document.read();
    let mut faults: Vec<Fault> = wrong
        .into_iter()
        .chain(
            settings
                .thresholds
                .correct()
                .into_iter()
                .map(|wrong| format!("{}: {}", wrong.key, wrong.text)),
        )
        .map(|text| Fault {
            kind: FaultKind::SettingsUnreadable,
            text: format!(
                "cannot use a value in the settings {}: {text}",
                path.display()
            ),
        })
        .collect();
    for (key, paths) in [
        ("extra_roots", &mut settings.extra_roots),
        ("extra_user_data", &mut settings.extra_user_data),
        ("extra_config_dirs", &mut settings.extra_config_dirs),
    ] {
        paths.retain(|entry| {
            let fine = Path::new(entry).is_absolute();
            if !fine {
                faults.push(Fault {
                    kind: FaultKind::SettingsUnreadable,
                    text: format!(
                        "cannot use a value in the settings {}: {key}: {entry:?} is no absolute path and left out",
                        path.display()
                    ),
                });
            }
            fine
        });
    }
    if !unknown.is_empty() {
        faults.push(Fault {
            kind: FaultKind::SettingsUnknownKeys,
            text: format!(
                "unknown keys in the settings {} are kept and have no effect: {}",
                path.display(),
                unknown.join(", ")
            ),
        });
    }
    (settings, faults)
}

/// Copies what nobody can read before the first save replaces it.
fn keep_unreadable(path: &Path, text: &[u8]) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(path);
    let copy = (1_u32..=10_000)
        .map(|number| folder.join(format!("{FILE}.unreadable-{number}")))
        .find(|copy| copy.symlink_metadata().is_err())
        .unwrap_or_else(|| free_name(folder, &format!("{FILE}.unreadable")));
    write_new(&copy, text)
        .map_err(|cause| Failure::io("copy the unreadable settings to", &copy, cause))
}

/// Puts new content in the place of the file: all of it or nothing.
fn replace(target: &Path, content: &[u8]) -> Result<(), Failure> {
    let failed = |cause| {
        Failure::io(SAVE, target, cause).hint("The settings are stored as they were before.")
    };
    let folder = target.parent().unwrap_or(target);
    let fresh = folder.join(format!(".{FILE}.new-{}", std::process::id()));
    // Left behind by a process of the same number that was killed.
    drop(std::fs::remove_file(&fresh));
    let attempt = || -> io::Result<()> {
        write_new(&fresh, content)?;
        if let Ok(old) = std::fs::metadata(target) {
            std::fs::set_permissions(&fresh, old.permissions())?;
        }
        std::fs::rename(&fresh, target)
    };
    attempt().map_err(|cause| {
        drop(std::fs::remove_file(&fresh));
        failed(cause)
    })?;
    private::sync_dir(folder).map_err(failed)
}

/// Writes a file that did not exist and makes it durable; leaves none where that fails.
fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = private::create_file(path)?;
    file.write_all(content)
        .and_then(|()| file.sync_all())
        .inspect_err(|_| drop(std::fs::remove_file(path)))
}
