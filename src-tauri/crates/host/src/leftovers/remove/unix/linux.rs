//! The system calls of Linux: `openat2` where it works, `statx` with mount numbers, names in batches.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RawDir, ResolveFlags, SeekFrom, Statx, StatxFlags,
};
use rustix::io::Errno;
use sandtray_core::bytes::Allocated;
use sandtray_core::leftover::evidence::FileId;

use super::batch::{Batch, kind};
use super::look::Look;

const MASK: StatxFlags = StatxFlags::TYPE
    .union(StatxFlags::MODE)
    .union(StatxFlags::NLINK)
    .union(StatxFlags::UID)
    .union(StatxFlags::INO)
    .union(StatxFlags::BLOCKS)
    .union(StatxFlags::MTIME)
    .union(StatxFlags::CTIME)
    .union(StatxFlags::BTIME)
    .union(StatxFlags::MNT_ID);

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

const BENEATH: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS)
    .union(ResolveFlags::NO_XDEV);

/// Names a system call takes at once: about a thousand.
const BATCH: usize = 32 * 1024;

/// Opens a folder by its canonical path: no link anywhere on the way, where the system can promise that.
pub(super) fn open_base(path: &Path) -> Result<OwnedFd, Errno> {
    let links = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(CWD, path, DIRECTORY, Mode::empty(), links) {
        Err(Errno::NOSYS | Errno::PERM) => rustix::fs::open(path, DIRECTORY, Mode::empty()),
        opened => opened,
    }
}

/// Whether `openat2` works here: since Linux 5.6, and not inside every sandbox.
pub(super) fn is_guarded(dir: &OwnedFd) -> bool {
    rustix::fs::openat2(dir, c".", DIRECTORY, Mode::empty(), BENEATH).is_ok()
}

/// Opens a folder below another, beneath it and on the same mount. `path` is short enough for one call and
/// holds no `..`. Unguarded, it is one name, and the caller looks at the mount.
pub(super) fn open_below(
    from: BorrowedFd<'_>,
    path: &CStr,
    guarded: bool,
) -> Result<OwnedFd, Errno> {
    // Age sweeps go by access times; those are kept where the folder is our own.
    quietly(|quiet| {
        if guarded {
            rustix::fs::openat2(from, path, DIRECTORY | quiet, Mode::empty(), BENEATH)
        } else {
            rustix::fs::openat(from, path, DIRECTORY | quiet, Mode::empty())
        }
    })
}

/// Opens the folder above, whatever it is now.
pub(super) fn open_above(child: BorrowedFd<'_>) -> Result<OwnedFd, Errno> {
    quietly(|quiet| rustix::fs::openat(child, c"..", DIRECTORY | quiet, Mode::empty()))
}

fn quietly(open: impl Fn(OFlags) -> Result<OwnedFd, Errno>) -> Result<OwnedFd, Errno> {
    match open(OFlags::NOATIME) {
        Err(Errno::PERM) => open(OFlags::empty()),
        opened => opened,
    }
}

/// Looks at an entry by name.
pub(super) fn look_at(parent: BorrowedFd<'_>, name: &CStr) -> Result<Look, Errno> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    rustix::fs::statx(parent, name, flags, MASK).map(|statx| look(&statx))
}

/// Looks at what is open.
pub(super) fn look_into(dir: BorrowedFd<'_>) -> Result<Look, Errno> {
    rustix::fs::statx(dir, c"", AtFlags::EMPTY_PATH, MASK).map(|statx| look(&statx))
}

fn look(statx: &Statx) -> Look {
    let mode = u32::from(statx.stx_mode);
    let has = |flag: StatxFlags| statx.stx_mask & flag.bits() != 0;
    Look {
        id: FileId {
            device: rustix::fs::makedev(statx.stx_dev_major, statx.stx_dev_minor),
            inode: statx.stx_ino,
        },
        kind: kind(FileType::from_raw_mode(mode)),
        uid: statx.stx_uid,
        gid: statx.stx_gid,
        mode: mode & 0o7777,
        links: statx.stx_nlink.into(),
        allocated: Allocated(statx.stx_blocks.saturating_mul(512)),
        born: has(StatxFlags::BTIME).then_some(statx.stx_btime.tv_sec),
        modified: statx.stx_mtime.tv_sec,
        changed: statx.stx_ctime.tv_sec,
        mount: has(StatxFlags::MNT_ID).then_some(statx.stx_mnt_id),
    }
}

/// Fills `batch` with the names that come next; none where there are no more.
pub(super) fn list(dir: &OwnedFd, batch: &mut Batch) -> Result<(), Errno> {
    batch.clear();
    let mut raw = std::mem::take(&mut batch.raw);
    raw.resize(BATCH, MaybeUninit::uninit());
    let mut names = RawDir::new(dir, &mut raw);
    let mut listed = Ok(());
    while let Some(entry) = names.next() {
        match entry {
            Ok(entry) => {
                let known =
                    (entry.file_type() != FileType::Unknown).then(|| kind(entry.file_type()));
                batch.push(entry.file_name(), entry.ino(), known);
                batch.next_at = entry.next_entry_cookie();
            }
            Err(cause) => {
                listed = Err(cause);
                break;
            }
        }
        // A batch of nothing but the folder's own names is no end.
        if names.is_buffer_empty() && !batch.is_empty() {
            break;
        }
    }
    batch.raw = raw;
    listed
}

/// Goes on listing at a place that an earlier batch ended at; 0 is the beginning.
pub(super) fn seek(dir: &OwnedFd, at: u64) -> Result<(), Errno> {
    rustix::fs::seek(dir.as_fd(), SeekFrom::Start(at)).map(drop)
}

/// Makes names in a folder durable.
pub(super) fn sync(dir: &OwnedFd) -> Result<(), Errno> {
    rustix::fs::fsync(dir)
}
