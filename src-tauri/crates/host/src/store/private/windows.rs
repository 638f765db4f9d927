//! Windows: folders below the user's profile inherit an owner-only list, renames need no sync.
#![allow(unsafe_code, reason = "GetDiskFreeSpaceExW has no safe wrapper")]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::path::Path;

use windows_sys::Win32::Storage::FileSystem::GetDiskFreeSpaceExW;

/// Creates a folder and its parents.
pub(in crate::store) fn create_dir(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

/// Creates an empty file; it must not exist.
pub(in crate::store) fn create_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .open(path)
}

/// NTFS journals renames; a directory cannot be flushed by an ordinary user.
pub(in crate::store) fn sync_dir(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Bytes this user can still write in the folder; none where the system does not say.
pub(in crate::store) fn available(path: &Path) -> Option<u64> {
    let wide: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
    let mut available = 0_u64;
    // SAFETY: `wide` ends with a zero and lives through the call; `available` is a valid u64; the two
    // null pointers are documented as "not wanted".
    let done = unsafe {
        GetDiskFreeSpaceExW(
            wide.as_ptr(),
            &raw mut available,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
        )
    };
    (done != 0).then_some(available)
}
