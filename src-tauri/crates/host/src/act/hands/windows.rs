//! Windows: renames that write through; a folder needs no sync of its own, NTFS journals its names.
#![allow(
    unsafe_code,
    reason = "MoveFileExW and GetCurrentPackageFullName have no safe wrapper"
)]

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::MetadataExt;
use std::path::Path;

use windows_sys::Win32::Foundation::APPMODEL_ERROR_NO_PACKAGE;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_REPARSE_POINT, MOVEFILE_WRITE_THROUGH, MoveFileExW,
};
use windows_sys::Win32::Storage::Packaging::Appx::GetCurrentPackageFullName;

use super::Hands;

/// Below the user's profile it inherits a list that names the user; a stricter one is a later issue.
pub(super) fn make_dir(path: &Path) -> io::Result<()> {
    std::fs::create_dir(path)
}

/// Without `MOVEFILE_REPLACE_EXISTING` and without `MOVEFILE_COPY_ALLOWED`: it fails where something is
/// there, and where it would have to copy.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    let wide = |path: &Path| -> Vec<u16> { path.as_os_str().encode_wide().chain([0]).collect() };
    let (from, to) = (wide(from), wide(to));
    // SAFETY: both end with a zero and live through the call.
    let done = unsafe { MoveFileExW(from.as_ptr(), to.as_ptr(), MOVEFILE_WRITE_THROUGH) };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

pub(super) fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)?
        .write_all(bytes)
}

pub(super) fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().append(true).open(path)?.write_all(bytes)
}

/// `FlushFileBuffers` needs a handle that may write.
pub(super) fn sync_file(path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.sync_all()
}

pub(super) const fn sync_dir(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Rights are a list here; the rename itself says it best.
pub(in super::super) fn writable(path: &Path) -> io::Result<()> {
    std::fs::symlink_metadata(path).map(drop)
}

/// Windows has no such mark.
pub(in super::super) const fn exclude(_copy: &Path) {}

/// Whether this process runs inside a package, so that its writes would be redirected (#93152).
pub(in super::super) fn packaged() -> bool {
    let mut length = 0_u32;
    // SAFETY: a length of 0 with no buffer asks whether there is a name at all.
    let answer = unsafe { GetCurrentPackageFullName(&raw mut length, std::ptr::null_mut()) };
    answer != APPMODEL_ERROR_NO_PACKAGE
}

/// Empties a folder, never through a reparse point: those go as what they are.
pub(super) fn remove_tree(hands: &Hands, root: &Path, last: &str) -> io::Result<()> {
    let mut kept = None;
    let mut folders = vec![(root.to_owned(), false)];
    while let Some((folder, emptied)) = folders.pop() {
        if emptied {
            hands.remove_dir(&folder)?;
            continue;
        }
        if folder != root {
            folders.push((folder.clone(), true));
        }
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let found = std::fs::symlink_metadata(&path)?;
            let link = found.file_attributes() & FILE_ATTRIBUTE_REPARSE_POINT != 0;
            if found.is_dir() && link {
                hands.remove_dir(&path)?;
            } else if found.is_dir() {
                folders.push((path, false));
            } else if folder == root && path.file_name().is_some_and(|name| name == last) {
                kept = Some(path);
            } else {
                hands.remove_file(&path)?;
            }
        }
    }
    kept.map_or(Ok(()), |path| hands.remove_file(&path))
}
