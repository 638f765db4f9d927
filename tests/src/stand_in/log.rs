//! The app's own log, in its own form: `2026-03-08 06:49:51 [info] [VM:start] …` (deb#288, #27973).
//!
//! The real one writes local time; this one writes UTC. Nothing may depend on either.

use std::fs::{self, File};
use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use sandtray_core::time::Time;

/// One log file; opened anew for each line, so that it may be moved or removed at any time.
#[derive(Clone, Debug)]
pub struct Log {
    file: PathBuf,
}

impl Log {
    /// The log of the VM's life, `logs/cowork_vm_node.log`.
    #[must_use]
    pub fn of_vm(user_data: &Path) -> Self {
        Self::named(user_data, "cowork_vm_node.log")
    }

    /// Another log beside it.
    #[must_use]
    pub fn named(user_data: &Path, name: &str) -> Self {
        Self {
            file: user_data.join("logs").join(name),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Adds a line.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn info(&self, text: &str) -> Result<(), Error> {
        self.line("info", text)
    }

    /// Adds a line that tells of a failure.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn error(&self, text: &str) -> Result<(), Error> {
        self.line("error", text)
    }

    fn line(&self, level: &str, text: &str) -> Result<(), Error> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        let seconds = seconds();
        let line = format!(
            "{}:{:02} [{level}] {text}\n",
            Time(seconds).utc(),
            seconds.rem_euclid(60)
        );
        // One write: lines of two processes must not mix.
        let written = File::options()
            .create(true)
            .append(true)
            .open(&self.file)
            .and_then(|mut file| file.write_all(line.as_bytes()));
        match written {
            // No app stops because its log has no room.
            Err(cause) if cause.kind() == ErrorKind::StorageFull => Ok(()),
            written => written,
        }
    }
}

/// The clock, in whole seconds.
#[must_use]
pub fn seconds() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|since| i64::try_from(since.as_secs()).ok())
        .unwrap_or(0)
}
