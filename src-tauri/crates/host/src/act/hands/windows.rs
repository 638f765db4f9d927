//! Windows: renames that write through; a folder needs no sync of its own, NTFS journals its names.
#![allow(
    unsafe_code,
    reason = "security descriptors, MoveFileExW and GetCurrentPackageFullName have no safe wrapper"
)]

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::MetadataExt;
use std::path::Path;
use std::ptr;

use windows_sys::Win32::Foundation::{APPMODEL_ERROR_NO_PACKAGE, LocalFree};
use windows_sys::Win32::Security::Authorization::{
    ConvertStringSecurityDescriptorToSecurityDescriptorW, SDDL_REVISION_1,
};
use windows_sys::Win32::Security::{PSECURITY_DESCRIPTOR, SECURITY_ATTRIBUTES};
use windows_sys::Win32::Storage::FileSystem::{
    CreateDirectoryW, FILE_ATTRIBUTE_REPARSE_POINT, MOVEFILE_WRITE_THROUGH, MoveFileExW,
};
use windows_sys::Win32::Storage::Packaging::Appx::GetCurrentPackageFullName;

use super::Hands;

/// For whoever owns it and the system, and nobody else; nothing is inherited from the folder above, and all
/// that is made in it inherits this.
const OWNER_ONLY: &str = "D:P(A;OICI;FA;;;OW)(A;OICI;FA;;;SY)";

/// A folder for this user alone.
pub(super) fn make_dir(path: &Path) -> io::Result<()> {
    let (path, list) = (wide(path.as_os_str()), wide(OsStr::new(OWNER_ONLY)));
    let mut descriptor: PSECURITY_DESCRIPTOR = ptr::null_mut();
    // SAFETY: the text ends with a zero; the descriptor is freed below; its length is not asked for.
    let read = unsafe {
        ConvertStringSecurityDescriptorToSecurityDescriptorW(
            list.as_ptr(),
            SDDL_REVISION_1,
            &raw mut descriptor,
            ptr::null_mut(),
        )
    };
    if read == 0 {
        return Err(io::Error::last_os_error());
    }
    let attributes = SECURITY_ATTRIBUTES {
        nLength: u32::try_from(size_of::<SECURITY_ATTRIBUTES>()).unwrap_or_default(),
        lpSecurityDescriptor: descriptor,
        bInheritHandle: 0,
    };
    // SAFETY: the path ends with a zero; attributes and descriptor live through the call.
    let made = unsafe { CreateDirectoryW(path.as_ptr(), &raw const attributes) };
    let error = io::Error::last_os_error();
    // SAFETY: it was allocated by the conversion above, and nothing points to it any more.
    unsafe { LocalFree(descriptor) };
    if made == 0 { Err(error) } else { Ok(()) }
}

fn wide(text: &OsStr) -> Vec<u16> {
    text.encode_wide().chain([0]).collect()
}

/// Without `MOVEFILE_REPLACE_EXISTING` and without `MOVEFILE_COPY_ALLOWED`: it fails where something is
/// there, and where it would have to copy.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    let (from, to) = (wide(from.as_os_str()), wide(to.as_os_str()));
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
    let answer = unsafe { GetCurrentPackageFullName(&raw mut length, ptr::null_mut()) };
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
