//! What went wrong on the machine: operation, path, cause, and what to do.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use sandtray_core::gauge::UnknownReason;
use sandtray_core::measurement::Gap;

/// A failed operation on a path. Its text names the operation, the path, the cause and, where there
/// is something to do, a hint on a line of its own.
#[derive(Debug)]
pub struct Failure {
    /// What was tried: "open the history".
    pub operation: &'static str,
    /// On what.
    pub path: PathBuf,
    /// What the system or the reader said.
    pub cause: Cause,
    /// What a person can do.
    pub hint: Option<String>,
}

/// The cause of a [`Failure`]. The three kinds stay apart because callers act differently on them.
#[derive(Debug, thiserror::Error)]
pub enum Cause {
    /// The system refused or failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A format or feature that we do not read; our limit.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// Content that contradicts itself; their problem.
    #[error("corrupt: {0}")]
    Corrupt(String),
    /// Written by a newer version; left alone.
    #[error("written by a newer Sandtray (schema {0})")]
    Newer(u64),
}

impl Failure {
    /// A failure of the system.
    pub fn io(operation: &'static str, path: &Path, cause: io::Error) -> Self {
        Self {
            operation,
            path: path.to_owned(),
            cause: Cause::Io(cause),
            hint: None,
        }
    }

    /// A failure with any cause.
    #[must_use]
    pub fn new(operation: &'static str, path: &Path, cause: Cause) -> Self {
        Self {
            operation,
            path: path.to_owned(),
            cause,
            hint: None,
        }
    }

    /// Adds what a person can do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl Failure {
    /// What the failure means for a number that was asked for.
    #[must_use]
    pub fn reason(&self) -> UnknownReason {
        crate::disk::reason(self)
    }
}

impl From<&Failure> for Gap {
    fn from(failure: &Failure) -> Self {
        Self {
            operation: failure.operation.to_owned(),
            path: (&failure.path).into(),
            cause: failure.cause.to_string(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cannot {} {}: {}",
            self.operation,
            self.path.display(),
            self.cause
        )?;
        match &self.hint {
            Some(hint) => write!(f, "\n{hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}
