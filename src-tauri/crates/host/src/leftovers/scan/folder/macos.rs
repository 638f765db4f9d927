//! macOS: `openat`, `readdir`, `fstatat`. A mount is told by its device: there are no bind mounts.

use std::ffi::OsStr;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use sandtray_core::bytes::{Allocated, Apparent};
use sandtray_core::leftover::evidence::FileId;

use super::{Entered, Look, What, moments};

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// An open folder.
#[derive(Debug)]
pub(in super::super) struct Folder {
    handle: OwnedFd,
    /// The device on which everything stays.
    mount: u64,
}

/// The user whose files are ours, in the numbers of [`Look::owner`].
pub(in super::super) const fn owner_here(uid: u32) -> Option<u32> {
    Some(uid)
}

impl Folder {
    /// Opens a folder by its canonical path.
    pub(in super::super) fn open(path: &Path) -> io::Result<(Self, Look)> {
        let handle = rustix::fs::openat(CWD, path, FOLDER, Mode::empty())?;
        let look = look(&rustix::fs::fstat(&handle)?);
        let mount = look.mount;
        Ok((Self { handle, mount }, look))
    }

    /// Enters a folder in this one.
    pub(in super::super) fn enter(&self, name: &OsStr) -> Entered {
        let handle = match rustix::fs::openat(&self.handle, name, FOLDER, Mode::empty()) {
            Ok(handle) => handle,
            Err(Errno::NOTDIR | Errno::LOOP) => return Entered::NoFolder,
            Err(Errno::NOENT) => return Entered::Gone,
            Err(cause) => return Entered::Refused(cause.into()),
        };
        match rustix::fs::fstat(&handle) {
            Err(cause) => Entered::Refused(cause.into()),
            Ok(found) => {
                let look = look(&found);
                if look.mount != self.mount {
                    return Entered::Mount;
                }
                let mount = self.mount;
                Entered::Folder(Self { handle, mount }, look)
            }
        }
    }

    /// Hands out every name with what the folder says it is, from the first one on; stops where told.
    pub(in super::super) fn each(
        &self,
        take: &mut dyn FnMut(&OsStr, What) -> ControlFlow<()>,
    ) -> io::Result<()> {
        for entry in Dir::read_from(&self.handle)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            if take(OsStr::from_bytes(name), what(entry.file_type())).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Whether nothing is in it.
    pub(in super::super) fn is_empty(&self) -> io::Result<bool> {
        let mut empty = true;
        self.each(&mut |_, _| {
            empty = false;
            ControlFlow::Break(())
        })?;
        Ok(empty)
    }

    /// Looks at an entry of this folder.
    pub(in super::super) fn look(&self, name: &OsStr) -> io::Result<Look> {
        let found = rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(look(&found))
    }

    /// Whether a look saw another mount than this folder's.
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
        // NONBLOCK: whoever put a pipe in the file's place does not make us wait.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.handle, name, flags, Mode::empty())?;
        let found = look(&rustix::fs::fstat(&file)?);
        if found.id != id || found.what != What::File {
            return Ok(None);
        }
        let mut bytes = vec![0; most];
        let mut filled = 0;
        while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match rustix::io::pread(&file, rest, u64::try_from(filled).unwrap_or(u64::MAX)) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(Errno::INTR) => {}
                Err(cause) => return Err(cause.into()),
            }
        }
        bytes.truncate(filled);
        Ok(Some(bytes))
    }

    /// The folder above, where it is still `id`.
    pub(in super::super) fn above(&self, id: FileId) -> Option<Self> {
        match self.enter(OsStr::new("..")) {
            Entered::Folder(folder, look) if look.id == id => Some(folder),
            _ => None,
        }
    }
}

fn what(kind: FileType) -> What {
    match kind {
        FileType::Directory => What::Folder,
        FileType::RegularFile => What::File,
        FileType::Socket => What::Socket,
        FileType::Symlink => What::Link,
        FileType::Unknown => What::Unsaid,
        _ => What::Other,
    }
}

fn look(found: &Stat) -> Look {
    let device = u64::try_from(found.st_dev).unwrap_or_default();
    let (born, touched) = moments(
        Some(nanoseconds(found.st_birthtime, found.st_birthtime_nsec)),
        nanoseconds(found.st_ctime, found.st_ctime_nsec),
        nanoseconds(found.st_mtime, found.st_mtime_nsec),
    );
    Look {
        what: what(FileType::from_raw_mode(found.st_mode)),
        id: FileId {
            device,
            inode: found.st_ino,
        },
        owner: Some(found.st_uid),
        mode: Some(u32::from(found.st_mode) & 0o7777),
        apparent: Apparent(u64::try_from(found.st_size).unwrap_or_default()),
        allocated: Allocated(
            u64::try_from(found.st_blocks)
                .unwrap_or_default()
                .saturating_mul(512),
        ),
        links: found.st_nlink.into(),
        born,
        touched,
        mount: device,
    }
}

const fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}
