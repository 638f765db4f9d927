//! Whether a repository tracks a file.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::super::dig::is_absence;

/// Longest index that is read.
const LONGEST_INDEX: u64 = 64 * 1024 * 1024;

/// Whether no repository above a file tracks it; none where that cannot be said.
///
/// Indexes of versions 2 and 3 hold every path whole, followed by NUL. What merely ends alike (`x/.bashrc`)
/// counts as tracked too: the mistake is on the side of keeping.
pub(super) fn untracked(path: &Path) -> Option<bool> {
    for folder in path.ancestors().skip(1) {
        let git = folder.join(".git");
        match fs::symlink_metadata(&git) {
            Err(cause) if is_absence(&cause) => {}
            Ok(found) if found.is_dir() => {
                let below = path.strip_prefix(folder).ok()?;
                if tracks(&git, below)? {
                    return Some(false);
                }
            }
            // A worktree's index lies elsewhere.
            Ok(_) | Err(_) => return None,
        }
    }
    Some(true)
}

fn tracks(git: &Path, below: &Path) -> Option<bool> {
    let mut index = Vec::new();
    match File::open(git.join("index")) {
        // Nothing was ever added.
        Err(cause) if is_absence(&cause) => return Some(false),
        Err(_) => return None,
        Ok(file) => file.take(LONGEST_INDEX + 1).read_to_end(&mut index).ok()?,
    };
    let is_whole = u64::try_from(index.len()).is_ok_and(|length| length <= LONGEST_INDEX);
    let version = index.strip_prefix(b"DIRC\0\0\0")?.first()?;
    if !is_whole || !matches!(version, 2 | 3) {
        return None;
    }
    let mut path: Vec<u8> = Vec::new();
    for part in below {
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(part.as_encoded_bytes());
    }
    // A folder is tracked where something in it is.
    let holds = |end: u8| {
        let sought = [&path[..], &[end]].concat();
        index.windows(sought.len()).any(|part| part == sought)
    };
    Some(holds(0) || holds(b'/'))
}
