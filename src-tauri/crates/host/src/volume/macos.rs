//! Volumes on macOS: `statfs`. Type-checked only; not run by our own CI.
//!
//! `f_files` of APFS is not a fixed number (it is what could still be made), so inodes are left out.
#![allow(
    unsafe_code,
    reason = "statfs(2) has no safe wrapper that gives the mount point"
)]

use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{Fill, Mounted, volume};

/// Asked per path: the system answers each directly.
pub(super) struct Table;

impl Table {
    pub(super) const fn read() -> Self {
        Self
    }

    /// Not known here without asking.
    pub(super) const fn may_wait(&self, _path: &Path) -> bool {
        false
    }

    pub(super) fn find(&self, path: &Path) -> Option<Mounted> {
        let stat = statfs(path).ok()?;
        let point = PathBuf::from(OsStr::from_bytes(text(&stat.f_mntonname)));
        let kind = String::from_utf8_lossy(text(&stat.f_fstypename)).into_owned();
        let device = String::from_utf8_lossy(text(&stat.f_mntfromname)).into_owned();
        let remote =
            matches!(kind.as_str(), "nfs" | "smbfs" | "afpfs" | "webdav") || kind.contains("fuse");
        Some(Mounted {
            volume: volume(point, kind, false),
            device,
            remote,
        })
    }
}

/// How full the filesystem at `point` is. Purgeable space is not in `f_bavail` and not added.
pub(super) fn fill(point: &Path) -> io::Result<Fill> {
    let stat = statfs(point)?;
    let bytes = |blocks: u64| blocks.saturating_mul(u64::from(stat.f_bsize));
    Ok(Fill {
        total: bytes(stat.f_blocks),
        free: bytes(stat.f_bfree),
        available: bytes(stat.f_bavail),
        inodes: None,
    })
}

fn statfs(path: &Path) -> io::Result<libc::statfs> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let mut stat = std::mem::MaybeUninit::<libc::statfs>::uninit();
    // SAFETY: the path is NUL-terminated and `stat` is large enough for the answer.
    if unsafe { libc::statfs(path.as_ptr(), stat.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call succeeded, so the kernel has filled the structure.
    Ok(unsafe { stat.assume_init() })
}

fn text(field: &[libc::c_char]) -> &[u8] {
    // SAFETY: c_char and u8 have the same size and every bit pattern is valid.
    let bytes = unsafe { std::slice::from_raw_parts(field.as_ptr().cast::<u8>(), field.len()) };
    CStr::from_bytes_until_nul(bytes).map_or(bytes, CStr::to_bytes)
}
