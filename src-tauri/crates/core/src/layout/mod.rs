//! Where bundles, logs and temp roots may lie, as patterns; host looks which exist.
//!
//! Pure over a [`Machine`](crate::machine::Machine), so the layouts of all three systems are tested on any of them. Sources:
//! facts of the VM §1.1 for bundles, §4.2 for logs, facts of the leftovers §1.1, §1.3, §1.4 for temp roots.

mod bundles;
mod logs;
mod roots;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use bundles::{DataFolder, data_folders};
pub use logs::{LOGS, log_folders};
pub use roots::{RootCandidate, config_dirs, temp_roots};

/// One step of a pattern below its base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Exactly this name.
    Name(OsString),
    /// Every directory whose name begins so (`Claude_` in `Packages`).
    Prefix(&'static str),
    /// Every directory.
    Any,
}

/// A place with wildcards: a base that is a plain path, then steps below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The part without wildcards: a folder the system or the user named. Links above it are the
    /// user's own affair; links below it are a detour.
    pub base: PathBuf,
    /// Steps below the base.
    pub parts: Vec<Part>,
}

impl Pattern {
    /// A pattern of one exact path.
    #[must_use]
    pub fn exact(base: &Path) -> Self {
        Self {
            base: base.to_owned(),
            parts: Vec::new(),
        }
    }

    /// The pattern with one more exact name below.
    #[must_use]
    pub fn name(mut self, name: impl Into<OsString>) -> Self {
        self.parts.push(Part::Name(name.into()));
        self
    }

    /// The pattern with every directory below whose name begins with `prefix`.
    #[must_use]
    pub fn prefix(mut self, prefix: &'static str) -> Self {
        self.parts.push(Part::Prefix(prefix));
        self
    }

    /// The pattern with every directory below.
    #[must_use]
    pub fn any(mut self) -> Self {
        self.parts.push(Part::Any);
        self
    }

    /// The one path of a pattern without wildcards.
    #[must_use]
    pub fn as_exact(&self) -> Option<PathBuf> {
        let mut path = self.base.clone();
        for part in &self.parts {
            match part {
                Part::Name(name) => path.push(name),
                Part::Prefix(_) | Part::Any => return None,
            }
        }
        Some(path)
    }
}

#[cfg(test)]
mod tests;
