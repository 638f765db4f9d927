//! What could not be read: the first hundred in full, all of them by number.

use std::io;
use std::path::Path;

use sandtray_core::measurement::Gap;
use sandtray_core::paths::PathText;

/// Gaps that are kept: enough to see why, not a list of 44,635.
const MOST: usize = 100;

/// What could not be read.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    pub(super) first: Vec<Gap>,
    pub(super) unreadable: u64,
}

impl Gaps {
    /// Notes one; the path is only asked for where it is kept.
    pub(super) fn add(&mut self, operation: &str, path: impl AsRef<Path>, cause: &io::Error) {
        self.unreadable = self.unreadable.saturating_add(1);
        if self.first.len() < MOST {
            self.first.push(Gap {
                operation: operation.to_owned(),
                path: PathText::new(path.as_ref()),
                cause: cause.to_string(),
            });
        }
    }
}
