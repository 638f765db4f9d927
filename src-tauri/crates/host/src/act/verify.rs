//! What is measured before an act and after it. Everything here only reads.
//!
//! A disk that was to stay is known by device and inode, by its ends, and by the id of its filesystem.
//! Three marks, because each says something else: a guest writes its superblock whenever it mounts a
//! disk, so from the app's next start on the ends of a disk that stayed differ rightly; a disk that was
//! formatted anew in place (#30215) keeps its inode and has another filesystem.

use std::cmp::Reverse;
use std::fs;
use std::io;
use std::path::Path;

use sandtray_core::act::Identity;
use sandtray_core::bundle::{Bundle, Role};
use sandtray_core::bytes::Bytes;
use sandtray_core::gauge::{GaugeId, GaugeKind};
use sandtray_core::inside::{DiskId, HomesSummary, InsideEntry, NEWEST, entries, summary};
use sandtray_core::machine::{Machine, Os};
use sha2::{Digest, Sha256};

use crate::disk::{self, guest, inside};
use crate::error::{Cause, Failure};
use crate::machine::now;
use crate::volume::{self, Prober};
use crate::walk;

/// How much of each end of a file [`ends`] looks at.
const END: u64 = 64 * 1024;

/// How much is used of both guest disks of a bundle, whose folder may also be that of a parked copy or
/// not be there at all; none where there is no disk of the kind or it cannot be read now.
#[must_use]
pub fn fills(os: Os, folder: &Path) -> Vec<(GaugeKind, Option<Bytes>)> {
    let names = names(folder);
    [
        (Role::SessionData, GaugeKind::GuestSessions),
        (Role::System, GaugeKind::GuestSystem),
    ]
    .into_iter()
    .map(|(role, kind)| {
        let used = guest::image(os, names.iter().map(String::as_str), role).and_then(|name| {
            guest::look(&folder.join(name), kind, |_, _, numbers| numbers.used).ok()
        });
        (kind, used)
    })
    .collect()
}

/// What lives on the sessions disk of a bundle, read now: how much, and the homes changed last, newest first.
/// None where there is no such disk or not all of it could be read.
#[must_use]
pub fn homes(machine: &Machine, bundle: &Bundle) -> Option<(HomesSummary, Vec<InsideEntry>)> {
    let names = bundle.files.iter().map(|file| file.name.as_str());
    let image = bundle
        .path
        .join(guest::image(machine.os, names, Role::SessionData)?);
    let usage = inside::usage(&image, b"/", &inside::Options::default()).ok()?;
    let disk = DiskId(GaugeId::new(GaugeKind::GuestSessions, &bundle.id).0);
    let summary = summary(&disk, &usage, now(machine))?;
    let mut newest = entries(&usage, true, |entry| entry.inode.to_string());
    newest.retain(|entry| entry.newest);
    newest.sort_by_key(|entry| Reverse(entry.last_change));
    newest.truncate(NEWEST);
    Some((summary, newest))
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    names
}

/// What this user can still write on the volume of `path`, or of the nearest folder above it that is
/// there: a bundle that moved away has left one.
#[must_use]
pub fn available(path: &Path) -> Option<Bytes> {
    let there = path
        .ancestors()
        .find(|path| fs::symlink_metadata(path).is_ok())?;
    let mounted = volume::of_path(there)?;
    let fill = Prober::default().probe(&mounted).ok()?;
    Some(Bytes(fill.available))
}

/// SHA-256 in hex of the first and the last 64 KiB of a file; of all of it where it is shorter than
/// both.
///
/// # Errors
/// What the system says of it; unsupported where it is no plain file, a link included.
pub fn ends(path: &Path) -> Result<String, Failure> {
    let failed = |cause| Failure::new("read both ends of", path, cause);
    if !fs::symlink_metadata(path)
        .map_err(|error| failed(error.into()))?
        .is_file()
    {
        return Err(failed(Cause::Unsupported("it is no plain file".to_owned())));
    }
    disk::ends(path, END)
        .map(|(head, tail)| {
            let mut hash = Sha256::new();
            hash.update(head);
            hash.update(tail);
            hex(&hash.finalize())
        })
        .map_err(failed)
}

/// Bytes as lower-case hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for digit in [byte >> 4, byte & 0xf] {
            text.extend(char::from_digit(digit.into(), 16));
        }
    }
    text
}

/// Who a file or folder is, never through a link.
///
/// # Errors
/// What the system says of it.
pub fn identity(path: &Path) -> io::Result<Identity> {
    walk::entry(path).map(|entry| entry.identity)
}

/// A disk that is to stay, as it was before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Before {
    /// Who it was.
    pub identity: Identity,
    /// Its ends; see [`ends`].
    pub ends: String,
    /// The id of the filesystem on it, where it has one we read.
    pub filesystem: Option<String>,
}

/// Remembers a disk that is to stay.
///
/// # Errors
/// Where it is not there or cannot be read.
pub fn remember(path: &Path) -> Result<Before, Failure> {
    let identity =
        identity(path).map_err(|error| Failure::io("look at the disk that stays", path, error))?;
    Ok(Before {
        identity,
        ends: ends(path)?,
        filesystem: filesystem(path).ok().flatten(),
    })
}

/// What became of a disk that was to stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stayed {
    /// The same file, untouched. Nothing else is right until the app is started again.
    Untouched,
    /// The same file with the same filesystem, written since: right once the app runs.
    Written,
    /// The same file, formatted anew: what was on it is gone. Never our doing.
    Formatted,
    /// Another file under the same name.
    Replaced,
    /// No such file any more.
    Missing,
    /// It cannot be told now, and why.
    Unknown(String),
}

/// Compares a disk that was to stay with what it was.
#[must_use]
pub fn stayed(path: &Path, before: &Before) -> Stayed {
    let now = match identity(path) {
        Ok(now) => now,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Stayed::Missing,
        Err(error) => return Stayed::Unknown(error.to_string()),
    };
    if (now.device, now.inode) != (before.identity.device, before.identity.inode) {
        return Stayed::Replaced;
    }
    match ends(path) {
        Ok(ends) if ends == before.ends && now == before.identity => return Stayed::Untouched,
        Ok(_) => {}
        Err(failure) => return Stayed::Unknown(failure.cause.to_string()),
    }
    match (&before.filesystem, filesystem(path)) {
        (Some(before), Ok(Some(now))) if *before != now => Stayed::Formatted,
        (Some(_), Ok(None)) => Stayed::Formatted,
        (_, Err(cause)) => Stayed::Unknown(cause),
        _ => Stayed::Written,
    }
}

/// The id of the filesystem on a disk; none where there is no filesystem of the ext family.
fn filesystem(path: &Path) -> Result<Option<String>, String> {
    let image = disk::read(path).map_err(|failure| failure.cause.to_string())?;
    let disk = image.sessions_disk().or(image.system_disk());
    Ok(disk.and_then(|disk| disk.uuid.clone()))
}

#[cfg(test)]
mod tests;
