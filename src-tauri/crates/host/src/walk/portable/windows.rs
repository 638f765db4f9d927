//! A look by handle: only the handle knows blocks, identity and link count.

#![allow(
    unsafe_code,
    reason = "GetFileInformationByHandle(Ex) have no safe wrapper in std"
)]

use std::fs::{File, OpenOptions};
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::Path;

use sandtray_core::bytes::{Allocated, Apparent};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_REPARSE_POINT,
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, FILE_READ_ATTRIBUTES,
    FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE, FILE_STANDARD_INFO, FileStandardInfo,
    GetFileInformationByHandle, GetFileInformationByHandleEx,
};

use super::super::{Identity, Kind, Seen};

/// Looks at an entry, never through a reparse point, and without asking for its content: a file
/// that somebody locked can be looked at.
pub(in super::super) fn look(path: &Path) -> io::Result<Seen> {
    let file = OpenOptions::new()
        .access_mode(FILE_READ_ATTRIBUTES)
        .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT)
        .open(path)?;
    let basic = by_handle(&file)?;
    let standard = standard(&file)?;
    let attributes = basic.dwFileAttributes;
    let kind = if attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        Kind::Symlink
    } else if attributes & FILE_ATTRIBUTE_DIRECTORY != 0 {
        Kind::Dir
    } else {
        Kind::File
    };
    Ok(Seen {
        kind,
        apparent: Apparent(u64::try_from(standard.EndOfFile).unwrap_or_default()),
        allocated: Allocated(u64::try_from(standard.AllocationSize).unwrap_or_default()),
        links: basic.nNumberOfLinks.into(),
        identity: Identity {
            device: basic.dwVolumeSerialNumber.into(),
            inode: u64::from(basic.nFileIndexHigh) << 32 | u64::from(basic.nFileIndexLow),
        },
    })
}

fn by_handle(file: &File) -> io::Result<BY_HANDLE_FILE_INFORMATION> {
    let mut information = MaybeUninit::uninit();
    // SAFETY: the handle is open for as long as `file` lives, and the pointer is valid for a write of
    // the structure that the function fills.
    let filled =
        unsafe { GetFileInformationByHandle(file.as_raw_handle(), information.as_mut_ptr()) };
    if filled == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the function reported success, so it filled the structure.
    Ok(unsafe { information.assume_init() })
}

fn standard(file: &File) -> io::Result<FILE_STANDARD_INFO> {
    let mut information = MaybeUninit::<FILE_STANDARD_INFO>::uninit();
    let size = u32::try_from(size_of::<FILE_STANDARD_INFO>()).map_err(io::Error::other)?;
    // SAFETY: as above; `size` is the size of what the pointer points to and of what this class of
    // information fills.
    let filled = unsafe {
        GetFileInformationByHandleEx(
            file.as_raw_handle(),
            FileStandardInfo,
            information.as_mut_ptr().cast(),
            size,
        )
    };
    if filled == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the function reported success, so it filled the structure.
    Ok(unsafe { information.assume_init() })
}
