//! Patterns to existing directories.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sandtray_core::layout::{Part, Pattern};
use sandtray_core::measurement::Gap;

use super::gap;

/// Most directories one wildcard is followed into: a pattern is a short list, never a search.
const WIDEST: usize = 4096;

/// The directories that match a pattern, in order of names. A place that does not exist is no match
/// and no gap; one that exists and cannot be listed is a gap.
pub(super) fn expand(pattern: &Pattern, gaps: &mut Vec<Gap>) -> Vec<PathBuf> {
    let mut found = vec![pattern.base.clone()];
    for part in &pattern.parts {
        found = match part {
            Part::Name(name) => found.iter().map(|path| path.join(name)).collect(),
            Part::Prefix(prefix) => found
                .iter()
                .flat_map(|path| children(path, prefix, gaps))
                .collect(),
            Part::Any => found
                .iter()
                .flat_map(|path| children(path, "", gaps))
                .collect(),
        };
    }
    found.retain(|path| exists(path, gaps));
    found
}

fn exists(path: &Path, gaps: &mut Vec<Gap>) -> bool {
    match fs::metadata(path) {
        Ok(found) => found.is_dir(),
        Err(error) => {
            if !is_absence(&error) {
                gap(gaps, "look at", path, &error);
            }
            false
        }
    }
}

fn children(path: &Path, prefix: &str, gaps: &mut Vec<Gap>) -> Vec<PathBuf> {
    let listed = match fs::read_dir(path) {
        Ok(listed) => listed,
        Err(error) => {
            if !is_absence(&error) {
                gap(gaps, "list", path, &error);
            }
            return Vec::new();
        }
    };
    let mut names: Vec<PathBuf> = listed
        .flatten()
        .filter(|entry| {
            entry
                .file_name()
                .as_encoded_bytes()
                .starts_with(prefix.as_bytes())
        })
        .take(WIDEST)
        .map(|entry| entry.path())
        .collect();
    names.sort();
    names
}

/// The place is not there: an answer, not a fault.
pub(super) fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
