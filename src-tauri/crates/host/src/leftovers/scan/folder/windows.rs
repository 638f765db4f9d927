//! Windows: a folder is its path, and every reparse point is a link.
//!
//! There is no descriptor to go by, so whoever removes looks at handles again. Owners have no number
//! here: what lies in this user's own folders counts as this user's.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::os::windows::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use sandtray_core::bytes::Apparent;
use sandtray_core::leftover::evidence::FileId;

use super::{Entered, Look, What, moments};
use crate::walk;

const FILE_ATTRIBUTE_REPARSE_POINT: u32 = 0x400;

/// A folder.
#[derive(Debug)]
pub(in super::super) struct Folder {
    path: PathBuf,
    /// The volume on which everything stays.
    mount: u64,
}

/// The user whose files are ours: not said by number.
pub(in super::super) const fn owner_here(_uid: u32) -> Option<u32> {
    None
}

impl Folder {
    /// Opens a folder by its canonical path.
    pub(in super::super) fn open(path: &Path) -> io::Result<(Self, Look)> {
        let look = look(path)?;
        if look.what != What::Folder {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let folder = Self {
            path: path.to_owned(),
            mount: look.mount,
        };
        Ok((folder, look))
    }

    /// Enters a folder in this one.
    pub(in super::super) fn enter(&self, name: &OsStr) -> Entered {
        match Self::open(&self.path.join(name)) {
            Ok((_, look)) if look.mount != self.mount => Entered::Mount,
            Ok((folder, look)) => Entered::Folder(folder, look),
            Err(cause) => match cause.kind() {
                io::ErrorKind::NotADirectory => Entered::NoFolder,
                io::ErrorKind::NotFound => Entered::Gone,
                _ => Entered::Refused(cause),
            },
        }
    }

    /// Hands out every name with what the folder says it is; stops where told.
    pub(in super::super) fn each(
        &self,
        take: &mut dyn FnMut(&OsStr, What) -> ControlFlow<()>,
    ) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            // From the listing itself: nothing is opened for it.
            let what = entry.metadata().map_or(What::Unsaid, |found| what(&found));
            if take(&entry.file_name(), what).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Whether nothing is in it.
    pub(in super::super) fn is_empty(&self) -> io::Result<bool> {
        Ok(fs::read_dir(&self.path)?.next().is_none())
    }

    /// Looks at an entry of this folder.
    pub(in super::super) fn look(&self, name: &OsStr) -> io::Result<Look> {
        look(&self.path.join(name))
    }

    /// Whether a look saw another volume than this folder's.
    pub(in super::super) const fn is_elsewhere(&self, look: &Look) -> bool {
        look.mount != self.mount
    }

    /// The first bytes of a regular file in this folder, at most `most`; none where it is not `id`.
    pub(in super::super) fn read(
        &self,
        name: &OsStr,
        id: FileId,
        most: usize,
    ) -> io::Result<Option<Vec<u8>>> {
        let path = self.path.join(name);
        let before = look(&path)?;
        if before.id != id || before.what != What::File {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let most = u64::try_from(most).unwrap_or(u64::MAX);
        File::open(&path)?.take(most).read_to_end(&mut bytes)?;
        Ok((look(&path)?.id == id).then_some(bytes))
    }

    /// The folder above, where it is still `id`.
    pub(in super::super) fn above(&self, id: FileId) -> Option<Self> {
        let (folder, look) = Self::open(self.path.parent()?).ok()?;
        (look.id == id && look.mount == self.mount).then_some(folder)
    }
}

fn what(found: &Metadata) -> What {
    if found.file_attributes() & FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        What::Link
    } else if found.is_dir() {
        What::Folder
    } else {
        What::File
    }
}

fn look(path: &Path) -> io::Result<Look> {
    let found = fs::symlink_metadata(path)?;
    let seen = walk::entry(path)?;
    let time = |time: io::Result<std::time::SystemTime>| {
        let since = time.ok()?.duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(since.as_nanos()).ok()
    };
    // Nothing says here when an entry was changed but for its content.
    let written = time(found.modified()).unwrap_or(i64::MAX);
    let (born, touched) = moments(time(found.created()), written, written);
    Ok(Look {
        what: what(&found),
        id: FileId {
            device: seen.identity.device,
            inode: seen.identity.inode,
        },
        owner: None,
        mode: None,
        apparent: Apparent(found.len()),
        allocated: seen.allocated,
        links: seen.links,
        born,
        touched,
        mount: seen.identity.device,
    })
}
