//! Linux: `openat2`, `getdents64`, `statx`.
//!
//! `openat2` with `RESOLVE_NO_XDEV` also sees a bind mount of the same filesystem, which has the device
//! number of what it stands on; where it is missing (before Linux 5.6, inside some sandboxes) the mount's
//! id from `statx` says it. Access times stay as they are where the system lets us: sweeps go by them.

use std::ffi::OsStr;
use std::io;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RawDir, ResolveFlags, SeekFrom, Statx, StatxFlags,
    StatxTimestamp,
};
use rustix::io::Errno;
use sandtray_core::bytes::{Allocated, Apparent};
use sandtray_core::leftover::evidence::FileId;

use super::{Entered, Look, What, moments};

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

const MASK: StatxFlags = StatxFlags::BASIC_STATS
    .union(StatxFlags::BTIME)
    .union(StatxFlags::MNT_ID);

/// Bytes of directory read at once: about a thousand names.
const BATCH: usize = 32 * 1024;

/// An open folder.
#[derive(Debug)]
pub(in super::super) struct Folder {
    handle: OwnedFd,
    /// The mount below which everything stays.
    mount: u64,
}

/// The user whose files are ours, in the numbers of [`Look::owner`].
pub(in super::super) const fn owner_here(uid: u32) -> Option<u32> {
    Some(uid)
}

impl Folder {
    /// Opens a folder by its canonical path.
    pub(in super::super) fn open(path: &Path) -> io::Result<(Self, Look)> {
        let handle = quietly(|quiet| rustix::fs::openat(CWD, path, FOLDER | quiet, Mode::empty()))?;
        let look = look(&rustix::fs::statx(&handle, c"", AtFlags::EMPTY_PATH, MASK)?);
        let mount = look.mount;
        Ok((Self { handle, mount }, look))
    }

    /// Enters a folder in this one.
    pub(in super::super) fn enter(&self, name: &OsStr) -> Entered {
        let guarded = quietly(|quiet| {
            let no_mounts = ResolveFlags::NO_XDEV;
            rustix::fs::openat2(&self.handle, name, FOLDER | quiet, Mode::empty(), no_mounts)
        });
        let opened = match guarded {
            Err(Errno::NOSYS | Errno::PERM) => quietly(|quiet| {
                rustix::fs::openat(&self.handle, name, FOLDER | quiet, Mode::empty())
            }),
            opened => opened,
        };
        let handle = match opened {
            Ok(handle) => handle,
            Err(Errno::XDEV) => return Entered::Mount,
            Err(Errno::NOTDIR | Errno::LOOP) => return Entered::NoFolder,
            Err(Errno::NOENT) => return Entered::Gone,
            Err(cause) => return Entered::Refused(cause.into()),
        };
        match rustix::fs::statx(&handle, c"", AtFlags::EMPTY_PATH, MASK) {
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
        rustix::fs::seek(&self.handle, SeekFrom::Start(0))?;
        let mut batch = Box::new_uninit_slice(BATCH);
        self.each_with(&mut batch, take)
    }

    /// Whether nothing is in it.
    pub(in super::super) fn is_empty(&self) -> io::Result<bool> {
        let mut empty = true;
        let mut batch = [MaybeUninit::uninit(); 1024];
        self.each_with(&mut batch, &mut |_, _| {
            empty = false;
            ControlFlow::Break(())
        })?;
        Ok(empty)
    }

    fn each_with(
        &self,
        batch: &mut [MaybeUninit<u8>],
        take: &mut dyn FnMut(&OsStr, What) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let mut names = RawDir::new(&self.handle, batch);
        while let Some(entry) = names.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(Errno::INTR) => continue,
                // Removed while it was open: nothing is left in it.
                Err(Errno::NOENT) => break,
                Err(cause) => return Err(cause.into()),
            };
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

    /// Looks at an entry of this folder.
    pub(in super::super) fn look(&self, name: &OsStr) -> io::Result<Look> {
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
        Ok(look(&rustix::fs::statx(&self.handle, name, flags, MASK)?))
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
        let file =
            quietly(|quiet| rustix::fs::openat(&self.handle, name, flags | quiet, Mode::empty()))?;
        let found = look(&rustix::fs::statx(&file, c"", AtFlags::EMPTY_PATH, MASK)?);
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

/// Opens without touching the access time, or with, where the file is somebody else's.
fn quietly(open: impl Fn(OFlags) -> Result<OwnedFd, Errno>) -> Result<OwnedFd, Errno> {
    match open(OFlags::NOATIME) {
        Err(Errno::PERM) => open(OFlags::empty()),
        opened => opened,
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

fn look(found: &Statx) -> Look {
    let device = rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor);
    let has = |flag: StatxFlags| found.stx_mask & flag.bits() != 0;
    let birth = has(StatxFlags::BTIME).then(|| nanoseconds(&found.stx_btime));
    let (born, touched) = moments(
        birth,
        nanoseconds(&found.stx_ctime),
        nanoseconds(&found.stx_mtime),
    );
    Look {
        what: what(FileType::from_raw_mode(found.stx_mode.into())),
        id: FileId {
            device,
            inode: found.stx_ino,
        },
        owner: Some(found.stx_uid),
        mode: Some(u32::from(found.stx_mode) & 0o7777),
        apparent: Apparent(found.stx_size),
        allocated: Allocated(found.stx_blocks.saturating_mul(512)),
        links: found.stx_nlink.into(),
        born,
        touched,
        mount: if has(StatxFlags::MNT_ID) {
            found.stx_mnt_id
        } else {
            device
        },
    }
}

fn nanoseconds(time: &StatxTimestamp) -> i64 {
    time.tv_sec
        .saturating_mul(1_000_000_000)
        .saturating_add(time.tv_nsec.into())
}
