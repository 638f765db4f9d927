//! Which file is which: by device and inode, length, and a hash of its head and tail.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Error, Read, Seek, SeekFrom};
use std::path::Path;

use super::tree::hash;

/// Bytes hashed at either end.
const END: u64 = 64 << 10;

/// What tells one file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disk {
    /// Device and inode, where the system has them.
    pub place: Option<(u64, u64)>,
    /// Length in bytes.
    pub size: u64,
    /// Hash of the first 64 KiB.
    pub head: u64,
    /// Hash of the last 64 KiB.
    pub tail: u64,
}

impl Disk {
    /// Looks at one file.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn of(path: &Path) -> Result<Self, Error> {
        let mut file = File::open(path)?;
        let seen = file.metadata()?;
        let size = seen.len();
        let mut end = |at: u64| {
            let mut bytes = Vec::new();
            let _at = file.seek(SeekFrom::Start(at))?;
            let _read = file.by_ref().take(END).read_to_end(&mut bytes)?;
            Ok::<_, Error>(hash(&bytes))
        };
        Ok(Self {
            place: place(&seen),
            size,
            head: end(0)?,
            tail: end(size.saturating_sub(END))?,
        })
    }

    /// Whether this is the very same file, whatever it holds now.
    #[must_use]
    pub fn same_file(&self, other: &Self) -> bool {
        self.place.is_some() && self.place == other.place
    }
}

#[cfg(unix)]
#[allow(
    clippy::unnecessary_wraps,
    reason = "other systems have no such numbers in std"
)]
fn place(seen: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((seen.dev(), seen.ino()))
}

#[cfg(not(unix))]
fn place(_seen: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// Every file directly in a folder, by name: the live bundle, or a parked copy.
///
/// # Errors
/// Where the folder or a file cannot be read.
pub fn disks(folder: &Path) -> Result<BTreeMap<String, Disk>, Error> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let _new = found.insert(name, Disk::of(&entry.path())?);
        }
    }
    Ok(found)
}
