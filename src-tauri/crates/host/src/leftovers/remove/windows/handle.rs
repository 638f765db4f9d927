//! Handles: opened as what they are and never through a reparse point, looked at and removed by themselves.
//!
//! What a handle that does not share deletion stands on can be neither renamed nor removed by others, and
//! neither can the folders above it: an open handle is a pin, and a path of pins is safe to use.
#![allow(
    unsafe_code,
    reason = "information of handles has no safe wrapper in std"
)]

use std::ffi::c_void;
use std::fs::{File, OpenOptions};
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::Path;

use sandtray_core::bytes::Allocated;
use sandtray_core::leftover::evidence::FileId;
use windows_sys::Win32::Foundation::{
    ERROR_DELETE_PENDING, ERROR_DIR_NOT_EMPTY, ERROR_FILE_NOT_FOUND, ERROR_INVALID_FUNCTION,
    ERROR_INVALID_PARAMETER, ERROR_NOT_SAME_DEVICE, ERROR_NOT_SUPPORTED, ERROR_PATH_NOT_FOUND,
    ERROR_SHARING_VIOLATION, ERROR_USER_MAPPED_FILE,
};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, DELETE, FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_REPARSE_POINT,
    FILE_BASIC_INFO, FILE_DISPOSITION_FLAG_DELETE, FILE_DISPOSITION_FLAG_IGNORE_READONLY_ATTRIBUTE,
    FILE_DISPOSITION_FLAG_POSIX_SEMANTICS, FILE_DISPOSITION_INFO, FILE_DISPOSITION_INFO_EX,
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, FILE_INFO_BY_HANDLE_CLASS,
    FILE_LIST_DIRECTORY, FILE_READ_ATTRIBUTES, FILE_RENAME_INFO, FILE_SHARE_DELETE,
    FILE_SHARE_NONE, FILE_SHARE_READ, FILE_SHARE_WRITE, FILE_STANDARD_INFO, FileBasicInfo,
    FileDispositionInfo, FileDispositionInfoEx, FileRenameInfo, FileStandardInfo,
    GetFileInformationByHandle, GetFileInformationByHandleEx, SYNCHRONIZE,
    SetFileInformationByHandle,
};

use super::super::{MetKind, Skip};

/// A look through a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) id: FileId,
    pub(super) kind: MetKind,
    pub(super) links: u64,
    pub(super) allocated: Allocated,
    pub(super) born: i64,
    pub(super) modified: i64,
    pub(super) changed: i64,
}

fn open(path: &Path, access: u32, share: u32) -> io::Result<File> {
    OpenOptions::new()
        .access_mode(access)
        .share_mode(share)
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT)
        .open(path)
}

/// Opens an entry to look at it, in nobody's way.
pub(super) fn glance(path: &Path) -> io::Result<(File, Look)> {
    let all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    looked(open(path, FILE_READ_ATTRIBUTES, all)?)
}

/// Opens a folder so that it stays where it is.
pub(super) fn pin(path: &Path) -> io::Result<(File, Look)> {
    let access = FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES;
    looked(open(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE)?)
}

/// Opens an entry to remove or rename it: a file only where nobody else has it open in any way, a folder only
/// where nobody works in it.
pub(super) fn seize(path: &Path, is_folder: bool) -> io::Result<(File, Look)> {
    let share = if is_folder {
        FILE_SHARE_READ | FILE_SHARE_WRITE
    } else {
        FILE_SHARE_NONE
    };
    looked(open(
        path,
        DELETE | FILE_READ_ATTRIBUTES | SYNCHRONIZE,
        share,
    )?)
}

fn looked(file: File) -> io::Result<(File, Look)> {
    let mut found = MaybeUninit::<BY_HANDLE_FILE_INFORMATION>::uninit();
    // SAFETY: the handle is open, and the pointer is valid for a write of what the function fills.
    let filled = unsafe { GetFileInformationByHandle(file.as_raw_handle(), found.as_mut_ptr()) };
    if filled == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the function reported success, so it filled the structure.
    let found = unsafe { found.assume_init() };
    // SAFETY: this class of information fills this structure.
    let times = unsafe { asked::<FILE_BASIC_INFO>(&file, FileBasicInfo)? };
    // SAFETY: as above.
    let standard = unsafe { asked::<FILE_STANDARD_INFO>(&file, FileStandardInfo)? };
    let attributes = found.dwFileAttributes;
    let kind = if attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        MetKind::Link
    } else if attributes & FILE_ATTRIBUTE_DIRECTORY != 0 {
        MetKind::Directory
    } else {
        MetKind::File
    };
    let look = Look {
        id: FileId {
            device: found.dwVolumeSerialNumber.into(),
            inode: u64::from(found.nFileIndexHigh) << 32 | u64::from(found.nFileIndexLow),
        },
        kind,
        links: found.nNumberOfLinks.into(),
        allocated: Allocated(u64::try_from(standard.AllocationSize).unwrap_or_default()),
        born: seconds(times.CreationTime),
        modified: seconds(times.LastWriteTime),
        changed: seconds(times.ChangeTime),
    };
    Ok((file, look))
}

/// Windows counts tenths of microseconds from 1601.
const fn seconds(ticks: i64) -> i64 {
    const TO_1970: i64 = 11_644_473_600;
    ticks.div_euclid(10_000_000) - TO_1970
}

/// # Safety
/// `class` fills exactly a `T`, which holds numbers only.
unsafe fn asked<T>(file: &File, class: FILE_INFO_BY_HANDLE_CLASS) -> io::Result<T> {
    let mut found = MaybeUninit::<T>::uninit();
    let size = u32::try_from(size_of::<T>()).map_err(io::Error::other)?;
    let handle = file.as_raw_handle();
    // SAFETY: the handle is open; `size` is the size of what the pointer points to.
    let filled =
        unsafe { GetFileInformationByHandleEx(handle, class, found.as_mut_ptr().cast(), size) };
    if filled == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the function reported success, so it filled the structure.
    Ok(unsafe { found.assume_init() })
}

/// Removes what the handle stands on; its name is free at once, where the system knows how (Windows 10 1709).
pub(super) fn dispose(file: &File) -> io::Result<()> {
    let posix = FILE_DISPOSITION_INFO_EX {
        Flags: FILE_DISPOSITION_FLAG_DELETE
            | FILE_DISPOSITION_FLAG_POSIX_SEMANTICS
            | FILE_DISPOSITION_FLAG_IGNORE_READONLY_ATTRIBUTE,
    };
    // SAFETY: the pointer and the size are those of a structure of this class.
    let done = unsafe {
        told(
            file,
            FileDispositionInfoEx,
            (&raw const posix).cast(),
            size_of::<FILE_DISPOSITION_INFO_EX>(),
        )
    };
    let unknown = [
        ERROR_INVALID_PARAMETER,
        ERROR_INVALID_FUNCTION,
        ERROR_NOT_SUPPORTED,
    ];
    match done {
        Err(error) if unknown.iter().any(|code| is(&error, *code)) => {}
        done => return done,
    }
    let plain = FILE_DISPOSITION_INFO { DeleteFile: true };
    // SAFETY: as above.
    unsafe {
        told(
            file,
            FileDispositionInfo,
            (&raw const plain).cast(),
            size_of::<FILE_DISPOSITION_INFO>(),
        )
    }
}

/// Renames what the handle stands on, and fails where something has the new name.
pub(super) fn rename(file: &File, to: &Path) -> io::Result<()> {
    let name: Vec<u16> = to.as_os_str().encode_wide().collect();
    let length = size_of::<FILE_RENAME_INFO>() + name.len() * size_of::<u16>();
    // Words, so that the structure at its beginning is aligned; zero is "do not replace", "no other root" and
    // the end of the name.
    let mut buffer = vec![0_u64; length.div_ceil(size_of::<u64>())];
    let information: *mut FILE_RENAME_INFO = buffer.as_mut_ptr().cast();
    let bytes = u32::try_from(name.len() * size_of::<u16>()).map_err(io::Error::other)?;
    // SAFETY: the buffer is as long as the structure and the whole name, and aligned for it.
    unsafe {
        (*information).FileNameLength = bytes;
        let at: *mut u16 = (&raw mut (*information).FileName).cast();
        std::ptr::copy_nonoverlapping(name.as_ptr(), at, name.len());
        told(file, FileRenameInfo, information.cast(), length)
    }
}

/// # Safety
/// `information` points to `size` bytes that are what `class` takes.
unsafe fn told(
    file: &File,
    class: FILE_INFO_BY_HANDLE_CLASS,
    information: *const c_void,
    size: usize,
) -> io::Result<()> {
    let size = u32::try_from(size).map_err(io::Error::other)?;
    // SAFETY: the handle is open; the caller vouches for the rest.
    let done =
        unsafe { SetFileInformationByHandle(file.as_raw_handle(), class, information, size) };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

fn is(error: &io::Error, code: u32) -> bool {
    error.raw_os_error() == i32::try_from(code).ok()
}

/// What an error means where it means something of its own.
pub(super) fn known(error: &io::Error) -> Option<Skip> {
    let held = "a program has it, or something in it, open";
    [
        (ERROR_FILE_NOT_FOUND, Skip::Gone),
        (ERROR_PATH_NOT_FOUND, Skip::Gone),
        (ERROR_DELETE_PENDING, Skip::Gone),
        (ERROR_SHARING_VIOLATION, Skip::Held(held)),
        (ERROR_USER_MAPPED_FILE, Skip::Held(held)),
        (ERROR_DIR_NOT_EMPTY, Skip::NotEmpty),
        (ERROR_NOT_SAME_DEVICE, Skip::OtherVolume),
    ]
    .into_iter()
    .find_map(|(code, skip)| is(error, code).then_some(skip))
}
