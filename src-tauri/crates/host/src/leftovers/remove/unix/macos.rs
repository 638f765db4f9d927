//! The system calls of macOS: one name at a time, no link on the way, mounts told apart by what is mounted
//! where.

use std::ffi::CStr;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use sandtray_core::bytes::Allocated;
use sandtray_core::leftover::evidence::FileId;

use super::batch::{Batch, kind};
use super::look::Look;

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// `O_NOFOLLOW_ANY`, since macOS 11: no link anywhere on the way.
const NOFOLLOW_ANY: u32 = 0x2000_0000;

/// Opens a folder by its canonical path.
pub(super) fn open_base(path: &Path) -> Result<OwnedFd, Errno> {
    let any = OFlags::from_bits_retain(NOFOLLOW_ANY);
    let strict = (DIRECTORY - OFlags::NOFOLLOW) | any;
    match rustix::fs::open(path, strict, Mode::empty()) {
        Err(Errno::INVAL) => rustix::fs::open(path, DIRECTORY, Mode::empty()),
        opened => opened,
    }
}

/// There is no `openat2`.
pub(super) const fn is_guarded(_dir: &OwnedFd) -> bool {
    false
}

/// Opens a folder by one name; the caller looks at the mount.
pub(super) fn open_below(
    from: BorrowedFd<'_>,
    name: &CStr,
    _guarded: bool,
) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(from, name, DIRECTORY, Mode::empty())
}

/// Opens the folder above, whatever it is now.
pub(super) fn open_above(child: BorrowedFd<'_>) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(child, c"..", DIRECTORY, Mode::empty())
}

/// Looks at an entry by name.
pub(super) fn look_at(parent: BorrowedFd<'_>, name: &CStr) -> Result<Look, Errno> {
    rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).map(|stat| look(&stat))
}

/// Looks at what is open. The mount is told by the name it is mounted on: two mounts of one thing differ in
/// nothing else.
pub(super) fn look_into(dir: BorrowedFd<'_>) -> Result<Look, Errno> {
    let mut found = look(&rustix::fs::fstat(dir)?);
    let mounted_on = rustix::fs::fstatfs(dir)?
        .f_mntonname
        .map(|byte| byte.cast_unsigned());
    found.mount = Some(sandtray_core::paths::hash(&mounted_on));
    Ok(found)
}

#[allow(
    clippy::unnecessary_cast,
    reason = "the fields differ in width between versions of the headers"
)]
fn look(stat: &Stat) -> Look {
    let mode = u32::from(stat.st_mode);
    Look {
        id: FileId {
            device: i64::from(stat.st_dev).cast_unsigned(),
            inode: stat.st_ino,
        },
        kind: kind(FileType::from_raw_mode(stat.st_mode)),
        uid: stat.st_uid,
        gid: stat.st_gid,
        mode: mode & 0o7777,
        links: stat.st_nlink.into(),
        allocated: Allocated(
            u64::try_from(stat.st_blocks)
                .unwrap_or(0)
                .saturating_mul(512),
        ),
        born: Some(stat.st_birthtime as i64),
        modified: stat.st_mtime as i64,
        changed: stat.st_ctime as i64,
        mount: None,
    }
}

/// Fills `batch` with all names.
pub(super) fn list(dir: &OwnedFd, batch: &mut Batch) -> Result<(), Errno> {
    batch.clear();
    // The second call after a whole listing says that there are no more.
    if std::mem::replace(&mut batch.next_at, 1) == 1 {
        return Ok(());
    }
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        let known = (entry.file_type() != FileType::Unknown).then(|| kind(entry.file_type()));
        batch.push(entry.file_name(), entry.ino(), known);
    }
    Ok(())
}

/// Every listing begins at the beginning.
pub(super) const fn seek(_dir: &OwnedFd, _at: u64) -> Result<(), Errno> {
    Ok(())
}

/// Makes names in a folder durable: `fsync` reaches the drive's cache only.
pub(super) fn sync(dir: &OwnedFd) -> Result<(), Errno> {
    match rustix::fs::fcntl_fullfsync(dir) {
        Err(Errno::INVAL | Errno::OPNOTSUPP | Errno::NOTSUP) => rustix::fs::fsync(dir),
        done => done,
    }
}
