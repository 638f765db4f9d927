//! Volumes on Windows: `GetVolumePathNameW`, `GetVolumeInformationW`, `GetDiskFreeSpaceExW`.
//! Type-checked only; not run by our own CI.
#![allow(
    unsafe_code,
    reason = "the Win32 calls have no safe wrapper in our dependencies"
)]

use std::ffi::OsString;
use std::io;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

use windows_sys::Win32::Storage::FileSystem::{
    GetDiskFreeSpaceExW, GetDriveTypeW, GetVolumeInformationW, GetVolumePathNameW,
};

use super::{Fill, Mounted, volume};

/// `DRIVE_REMOTE` of winbase.h.
const DRIVE_REMOTE: u32 = 4;

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
        std::fs::metadata(path).ok()?;
        let wide = nul_terminated(path);
        let mut point = [0u16; 1024];
        // SAFETY: both buffers outlive the call and the length is that of `point`.
        if unsafe { GetVolumePathNameW(wide.as_ptr(), point.as_mut_ptr(), 1024) } == 0 {
            return None;
        }
        let point_path = PathBuf::from(text(&point));
        let mut kind = [0u16; 64];
        let mut serial = 0u32;
        // SAFETY: unwanted answers are null, the others point to buffers of the length given.
        let known = unsafe {
            GetVolumeInformationW(
                point.as_ptr(),
                null_mut(),
                0,
                &raw mut serial,
                null_mut(),
                null_mut(),
                kind.as_mut_ptr(),
                64,
            )
        };
        let filesystem = if known == 0 {
            String::new()
        } else {
            text(&kind).to_string_lossy().into_owned()
        };
        // SAFETY: `point` is NUL-terminated by the call above.
        let remote = unsafe { GetDriveTypeW(point.as_ptr()) } == DRIVE_REMOTE;
        let device = format!("{}#{serial:08x}", point_path.display());
        Some(Mounted {
            volume: volume(point_path, filesystem, false),
            device,
            remote,
        })
    }
}

/// How full the volume at `point` is, quotas of this user included. NTFS has no fixed file count.
pub(super) fn fill(point: &Path) -> io::Result<Fill> {
    let wide = nul_terminated(point);
    let (mut available, mut total, mut free) = (0u64, 0u64, 0u64);
    // SAFETY: the path is NUL-terminated and the three answers point to live integers.
    let done = unsafe {
        GetDiskFreeSpaceExW(
            wide.as_ptr(),
            &raw mut available,
            &raw mut total,
            &raw mut free,
        )
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Fill {
        total,
        free,
        available,
        inodes: None,
    })
}

fn nul_terminated(path: &Path) -> Vec<u16> {
    path.as_os_str().encode_wide().chain([0]).collect()
}

fn text(wide: &[u16]) -> OsString {
    let end = wide
        .iter()
        .position(|unit| *unit == 0)
        .unwrap_or(wide.len());
    OsString::from_wide(&wide[..end])
}
