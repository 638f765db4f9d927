//! What is inside a guest's disk: sizes by folder, names, and (in [`rescue`](crate::rescue)) contents.
//!
//! ```text
//! path → find (image, partition) → ext4::Ext4 → census (every inode, every name) → sum → Usage
//!                                             → walk by name → list, rescue
//! ```
//!
//! * `find`: which of an image's filesystems is meant.
//! * `census`: one pass over the inode tables and one over the directories, both in the disk's order.
//! * `sum`: the census by the children of one folder.
//! * `list`: one folder's names. `resolve`: a path to an inode.
//!
//! Why a census even where one folder is asked for: a disk of 100,000 files has about 30 MB of inodes
//! and directories; reading them in the order they lie takes a few dozen reads, walking by name a read
//! or two for each file.

mod census;
mod find;
mod list;
mod resolve;
mod sum;
#[cfg(test)]
#[cfg(unix)]
#[allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    reason = "tests count small numbers of their own"
)]
pub(crate) mod tests;

use std::path::Path;

use sandtray_core::inside::{Kind, ListView, Usage};
use sandtray_core::measurement::Gap;
use sandtray_core::paths::PathText;

use super::ext4;
use crate::error::{Cause, Failure};
use crate::walk::{Cancel, Progress};

pub(crate) use self::find::look;
pub(crate) use self::resolve::{again, child_name, resolve};
pub(crate) use self::sum::usage as sum;

/// Gaps that are kept; all are counted.
pub(crate) const MOST_GAPS: usize = 100;

/// How to look inside.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Stops the reading; what is known by then comes out, marked as incomplete.
    pub cancel: Cancel,
    /// Counts inodes, then names.
    pub progress: Progress,
}

/// Adds up what fills the folder `path` of a disk, one entry for each of its children.
///
/// A disk in use may change under the reading; one that contradicts itself is read once more.
///
/// # Errors
/// What cannot be opened, is not of the ext family or is broken beyond its descriptors; not found and
/// not a directory for `path`.
pub fn usage(image: &Path, path: &[u8], options: &Options) -> Result<Usage, Failure> {
    look(image, |ext4| {
        let first = sum(ext4, image, path, options)?;
        if first.damaged == 0 || first.cancelled || ext4.is_clean() {
            return Ok((first, false));
        }
        Ok((first, true))
    })
    .and_then(|(first, again)| {
        if !again {
            return Ok(first);
        }
        let second = look(image, |ext4| sum(ext4, image, path, options))?;
        Ok(if second.damaged <= first.damaged {
            second
        } else {
            first
        })
    })
}

/// A folder that a list showed, read again.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) usage: Usage,
    /// The inode of every name in its path.
    pub(crate) way: Vec<u32>,
}

/// As [`usage`], of a folder known by its path and its inode; none where the path names something else by
/// now. The root needs no inode.
///
/// # Errors
/// As [`usage`].
pub(crate) fn folder(
    image: &Path,
    path: &[u8],
    inode: Option<u32>,
    options: &Options,
) -> Result<Option<Folder>, Failure> {
    let mut way = Vec::new();
    if let Some(number) = inode {
        let found = look(image, |ext4| {
            again(ext4, path, number, &mut |inode| way.push(inode))
                .map_err(|cause| super::failure(image, cause))
        })?;
        if found.is_none_or(|found| found.kind() != ext4::Kind::Dir) {
            return Ok(None);
        }
    }
    Ok(Some(Folder {
        usage: usage(image, path, options)?,
        way,
    }))
}

/// Lists the names in the folder `path` of a disk, or the file itself.
///
/// # Errors
/// As [`usage`], but any file will do.
pub fn list(image: &Path, path: &[u8]) -> Result<ListView, Failure> {
    look(image, |ext4| list::list(ext4, image, path))
}

/// A path inside a disk, made absolute and plain: no empty names, no `.`.
#[must_use]
pub fn absolute(path: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    for name in names(path) {
        plain.push(b'/');
        plain.extend_from_slice(name);
    }
    if plain.is_empty() {
        plain.push(b'/');
    }
    plain
}

/// The names in a path.
pub(crate) fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/')
        .filter(|name| !name.is_empty() && *name != b".")
}

/// Something inside a disk that could not be read.
pub(crate) fn gap(path: &[u8], cause: &Cause) -> Gap {
    Gap {
        operation: "read".to_owned(),
        path: PathText::from_bytes(path),
        cause: cause.to_string(),
    }
}

pub(crate) const fn kind(kind: ext4::Kind) -> Kind {
    match kind {
        ext4::Kind::File => Kind::File,
        ext4::Kind::Dir => Kind::Dir,
        ext4::Kind::Symlink => Kind::Symlink,
        ext4::Kind::Pipe => Kind::Pipe,
        ext4::Kind::Socket => Kind::Socket,
        ext4::Kind::Device => Kind::Device,
        ext4::Kind::Odd => Kind::Odd,
    }
}
