//! Chats, tasks and projects as they lie beside a bundle: read, never written.
//!
//! The trees are walked without following a link, and a file that is read must be the one that was
//! looked at: a name that was exchanged for a link or a pipe in between is what could not be read. There
//! is no file with the same length, time and inode whose content differs unnoticed up to
//! [`HASHED`]: up to there the content is hashed, always, as a time can be set back.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use sandtray_core::act::sessions::{FOLDERS, HASHED, Seen, Sessions};
use sandtray_core::paths::PathText;
use sha2::{Digest, Sha256};

use super::verify::hex;
use crate::walk;

/// Remembers everything below the session folders of a data folder.
///
/// A folder that is not there is nothing; one that cannot be read is, as each thing below it would be,
/// among the unreadable.
#[must_use]
pub fn record(user_data: &Path) -> Sessions {
    let mut sessions = Sessions::default();
    let mut buffer = vec![0; 64 * 1024];
    for folder in FOLDERS {
        let mut left = vec![PathBuf::from(folder)];
        // Depth first: what waits is at most the siblings on one way down.
        while let Some(relative) = left.pop() {
            let path = user_data.join(&relative);
            let top = relative.as_os_str() == folder;
            match look(&path, &mut buffer) {
                Ok((seen, is_folder)) => {
                    sessions.seen.insert(PathText::new(&relative), seen);
                    if is_folder && !enter(&path, &relative, &mut left) {
                        sessions.unreadable.push(PathText::new(&relative));
                    }
                }
                // Gone since its name was read: it is not there, and the comparison will say so.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) if top && error.kind() == io::ErrorKind::NotADirectory => {}
                Err(_) => sessions.unreadable.push(PathText::new(&relative)),
            }
        }
    }
    sessions.unreadable.sort();
    sessions
}

/// Adds a folder's names; false where not all could be read.
fn enter(path: &Path, relative: &Path, left: &mut Vec<PathBuf>) -> bool {
    let Ok(entries) = fs::read_dir(path) else {
        return false;
    };
    let mut whole = true;
    for entry in entries {
        match entry {
            Ok(entry) => left.push(relative.join(entry.file_name())),
            Err(_) => whole = false,
        }
    }
    whole
}

/// What an entry is now, and whether it is a folder to be entered.
fn look(path: &Path, buffer: &mut [u8]) -> io::Result<(Seen, bool)> {
    let found = fs::symlink_metadata(path)?;
    let entry = walk::entry(path)?;
    let kind = found.file_type();
    let content = if kind.is_symlink() {
        let target = fs::read_link(path)?;
        let shown = PathText::new(&target);
        Some(shown.path_bytes.unwrap_or(shown.path))
    } else if kind.is_file() && found.len() <= HASHED {
        Some(hash(path, &found, buffer)?)
    } else {
        None
    };
    let folder = entry.folder && kind.is_dir();
    let seen = Seen {
        size: entry.identity.size,
        inode: entry.identity.inode,
        modified: nanoseconds(&found),
        content,
    };
    Ok((seen, folder))
}

fn nanoseconds(found: &Metadata) -> i64 {
    let Ok(modified) = found.modified() else {
        return 0;
    };
    match modified.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |n| -n),
    }
}

/// SHA-256 of a file that is still the one that was looked at.
fn hash(path: &Path, looked: &Metadata, buffer: &mut [u8]) -> io::Result<String> {
    let mut file = open(path)?;
    let opened = file.metadata()?;
    if !is_same(looked, &opened) {
        return Err(io::Error::other("it was exchanged for another"));
    }
    let mut hash = Sha256::new();
    // One that grows while it is read is read no further than a file of this kind may be long.
    let mut rest = HASHED.saturating_add(1);
    while rest > 0 {
        let count = file.read(buffer)?;
        if count == 0 {
            break;
        }
        hash.update(&buffer[..count]);
        rest = rest.saturating_sub(u64::try_from(count).unwrap_or(u64::MAX));
    }
    Ok(hex(&hash.finalize()))
}

/// Opens for reading, through no link, and without waiting for the writer of a pipe.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    File::options()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

#[cfg(unix)]
fn is_same(looked: &Metadata, opened: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    opened.is_file() && (looked.dev(), looked.ino()) == (opened.dev(), opened.ino())
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(not(unix))]
fn is_same(looked: &Metadata, opened: &Metadata) -> bool {
    opened.is_file() && looked.created().ok() == opened.created().ok()
}

#[cfg(test)]
mod tests;
